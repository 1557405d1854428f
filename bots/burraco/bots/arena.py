"""The local arena: a round robin of board pairs between bots in processes of their own."""

import asyncio
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

from rich.console import Console

from burraco.bots.arena_entries import Entry
from burraco.bots.arena_files import ArenaFolder
from burraco.bots.arena_keeper import keep
from burraco.bots.arena_ledger import Ledger
from burraco.bots.arena_processes import Children, LocalServer, local_server
from burraco.bots.arena_progress import Progress
from burraco.bots.arena_report import paces, print_standings
from burraco.bots.arena_schedule import (
    HALVES,
    Half,
    board_id,
    board_seed,
    file_stem,
    match_id,
    schedule,
)
from burraco.bots.standings import Standing, standings
from burraco.engine import Ruleset
from burraco.engine.bgn_tags import write_rules
from burraco.sdk import Clocks, Faults, MatchEnd, MatchResult, Organiser, OrganiserFailed

_STILL_PLAYED: Final = "MATCH_RUNNING"
_EXPORT_SECONDS: Final = 10.0
_ASK_AGAIN_SECONDS: Final = 0.05


class TableVoid(Exception):
    """A table ended for a reason that is neither the rules' nor a bot's."""


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """What an arena plays, and on which terms; ``jobs`` is the number of tables at once."""

    entries: tuple[Entry, ...]
    rules: Ruleset
    boards: int
    seed: int
    jobs: int
    clocks: Clocks
    faults: Faults

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries in the order of the command line."""
        return tuple(entry.name for entry in self.entries)

    @property
    def summary(self) -> dict[str, object]:
        """The plan as it is kept beside the results."""
        entries = {entry.name: entry.spec for entry in self.entries}
        return {**asdict(self), "rules": write_rules(self.rules), "entries": entries}


class Arena:
    """One arena from its first table to its standings."""

    def __init__(self, plan: ArenaPlan, folder: ArenaFolder, console: Console) -> None:
        self._plan = plan
        self._folder = folder
        self._console = console
        self._ledger = Ledger(plan.names, schedule(len(plan.entries), plan.boards))
        self._progress = Progress(console, self._ledger)
        self._slots = asyncio.Semaphore(plan.jobs)
        self._keepers: list[asyncio.Task[None]] = []

    async def play(self, children: Children) -> None:
        """Start server and bots, play every table, and end what was started."""
        store, log = self._folder.server, self._folder.log("server")
        async with (
            local_server(children, store, log) as server,
            Organiser(server.address, server.token) as organiser,
        ):
            with self._progress:
                async with asyncio.TaskGroup() as group:
                    for number, entry in enumerate(self._plan.entries):
                        token = await organiser.register_bot(entry.player)
                        self._enter(group, children, number, server, token)
                    await self._play_tables(organiser)
                    for keeper in self._keepers:
                        keeper.cancel()

    def _enter(
        self,
        group: asyncio.TaskGroup,
        children: Children,
        number: int,
        server: LocalServer,
        token: str,
    ) -> None:
        entry = self._plan.entries[number]
        log = self._folder.log(entry.name)
        start = partial(children.start_bot, entry.spec, server, token, log)
        self._keepers.append(group.create_task(keep(number, self._ledger, children, start)))

    async def _play_tables(self, organiser: Organiser) -> None:
        halves = self._ledger.halves
        async with asyncio.TaskGroup() as group:
            for pair in zip(halves[::HALVES], halves[1::HALVES], strict=True):
                await self._slots.acquire()
                if self._ledger.is_off(pair[0]):
                    self._slots.release()
                    continue
                # Both or none: a board with a table missing would never show its cards.
                self._ledger.begin(pair)
                group.create_task(self._play_table(organiser, pair[0], pair))
                await self._slots.acquire()
                group.create_task(self._play_table(organiser, pair[1], pair))

    async def _play_table(self, organiser: Organiser, half: Half, pair: tuple[Half, Half]) -> None:
        try:
            result = await self._result(organiser, half)
        finally:
            self._slots.release()
        self._ledger.record(half, result)
        if all(table in self._ledger.results for table in pair):
            for table in pair:
                await self._export(organiser, table)
        self._send_home()
        self._progress.show()

    async def _result(self, organiser: Organiser, half: Half) -> MatchResult:
        plan = self._plan
        sides = tuple(plan.entries[entry].player for entry in half.sides)
        players = plan.rules.players
        name = match_id(plan.seed, plan.names, half)
        await organiser.create_match(
            match_id=name,
            rules=plan.rules,
            players=sides * (players // len(sides)),
            deals=1,
            seed=board_seed(plan.seed, half.board),
            dealer=half.dealer % players,
            clocks=plan.clocks,
            faults=plan.faults,
            board_id=board_id(plan.seed, plan.names, half),
            board_tables=HALVES,
        )
        result = await organiser.result(name)
        if result.end is MatchEnd.VOID:
            raise TableVoid(f"table {file_stem(plan.names, half)} could not be played to its end")
        return result

    async def _export(self, organiser: Organiser, half: Half) -> None:
        plan = self._plan
        notation = await _exported(organiser, match_id(plan.seed, plan.names, half))
        path = self._folder.bgn(file_stem(plan.names, half))
        path.write_text(notation, encoding="ascii")

    def _send_home(self) -> None:
        """End the processes of bots that are out, so that what they still play ends soon."""
        for entry, keeper in enumerate(self._keepers):
            if self._ledger.is_retired(entry):
                keeper.cancel()

    def report(self, interruption: str = "") -> None:
        """Print the standings, and where to look for bots that failed."""
        rows = self._rows()
        boards = "1 board" if self._plan.boards == 1 else f"{self._plan.boards} boards"
        title = f"{write_rules(self._plan.rules)}, seed {self._plan.seed}, {boards}"
        if interruption:
            done, tables = self._ledger.done, len(self._ledger.halves)
            title = f"{interruption} after {done} of {tables} tables: {title}"
        print_standings(self._console, title, rows, paces(self._ledger))
        for row in rows:
            if row.note:
                log = self._folder.log(row.name)
                told = f"{row.name}: {row.note}; see {log}"
                self._console.print(told, soft_wrap=True, markup=False)

    def write(self) -> None:
        """Write standings and times."""
        plan, progress = self._plan, self._progress
        rules = write_rules(plan.rules)
        self._folder.write_standings(rules, plan.seed, plan.boards, self._rows())
        self._folder.write_timing(
            {
                "seconds": round(progress.seconds, 1),
                "board_pairs_per_minute": round(progress.boards_per_minute, 1),
                "bots": {
                    name: {"decisions": pace.decisions, "ms_per_decision": pace.mean_ms}
                    for name, pace in paces(self._ledger).items()
                },
            }
        )

    def _rows(self) -> tuple[Standing, ...]:
        ledger = self._ledger
        return standings(ledger.names, ledger.outcomes(), ledger.notes(), self._plan.seed)


async def _exported(organiser: Organiser, match_id: str) -> str:
    """The notation of a table that is over."""
    give_up = time.monotonic() + _EXPORT_SECONDS
    while True:
        try:
            return await organiser.export(match_id)
        except OrganiserFailed as failed:
            # A result is told a moment before the whole board is known to be over.
            if failed.complaint.reason != _STILL_PLAYED or time.monotonic() > give_up:
                raise
        await asyncio.sleep(_ASK_AGAIN_SECONDS)
