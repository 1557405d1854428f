"""A tournament on a server of its own, with every bot in a process of its own."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from burraco.bots.arena_entries import Entry
from burraco.bots.arena_files import ArenaFolder
from burraco.bots.arena_keeper import keep
from burraco.bots.arena_processes import Children, LocalServer, exit_text, local_server
from burraco.engine import Ruleset
from burraco.sdk import (
    Clocks,
    Faults,
    Organiser,
    OrganiserFailed,
    TournamentOver,
    TournamentPlan,
    Tournaments,
    TournamentStatus,
    WatchedTournament,
)
from burraco.sdk.tournament_folder import Exported, write_tournament

EVENT: Final = "arena"
RESTARTS: Final = 3
_EXPORT_SECONDS: Final = 10.0
_LAST_WORDS_SECONDS: Final = 5.0
_ASK_AGAIN_SECONDS: Final = 0.1

# Hears of every change, and may ask for more.
Told = Callable[[WatchedTournament, Tournaments], Awaitable[None]]


class EventStuck(Exception):
    """The tournament goes on no more for a reason that is neither the rules' nor a bot's."""


@dataclass(frozen=True, slots=True)
class LocalTerms:
    """On which terms a local tournament is played; all cards are drawn from ``seed``."""

    rules: Ruleset
    clocks: Clocks
    faults: Faults
    seed: int

    @property
    def secret(self) -> bytes:
        """What the tournament commits itself to."""
        return hashlib.sha256(f"burraco/arena/v2 {self.seed}".encode()).digest()


class LocalEvent:
    """One tournament from its first entry to its last file.

    ``exits`` are the statuses of processes that ended by themselves, by entry. ``exported`` is what
    was written at the end, also at one that came too early, None where nothing could be.
    """

    def __init__(
        self,
        plan: TournamentPlan,
        entries: Sequence[Entry],
        terms: LocalTerms,
        folder: ArenaFolder,
    ) -> None:
        self.exits: list[list[int]] = [[] for _ in entries]
        self.exported: Exported | None = None
        self._plan = plan
        self._entries = tuple(entries)
        self._terms = terms
        self._folder = folder

    async def play(self, children: Children, told: Told) -> None:
        """Start server and bots, play to the end, and end what was started."""
        async with (
            local_server(children, self._folder.server, self._folder.log("server")) as server,
            Organiser(server.address, server.token) as organiser,
            Tournaments(server.address, server.token) as tournaments,
            asyncio.TaskGroup() as group,
        ):
            tokens = await self._open(organiser, tournaments)
            keepers = [
                group.create_task(self._keep(number, children, server, token, tournaments))
                for number, token in enumerate(tokens)
            ]
            try:
                await _follow(tournaments, told)
            except BaseException:
                with suppress(OrganiserFailed, TimeoutError):
                    async with asyncio.timeout(_LAST_WORDS_SECONDS):
                        await self._export(tournaments, organiser)
                raise
            await self._export_whole(tournaments, organiser)
            for keeper in keepers:
                keeper.cancel()

    async def _open(self, organiser: Organiser, tournaments: Tournaments) -> list[str]:
        """Make and start the tournament; gives the tokens of its bots."""
        terms = self._terms
        await tournaments.create(
            self._plan,
            tournament_id=EVENT,
            rules=terms.rules,
            secret=terms.secret,
            clocks=terms.clocks,
            faults=terms.faults,
        )
        tokens = []
        for entry in self._entries:
            tokens.append(await organiser.register_bot(entry.player))
            await tournaments.enter(EVENT, [entry.player], name=entry.name)
        await tournaments.start(EVENT, (await tournaments.show(EVENT)).version)
        return tokens

    async def _keep(
        self,
        number: int,
        children: Children,
        server: LocalServer,
        token: str,
        tournaments: Tournaments,
    ) -> None:
        """Keep the process of an entry running; one that keeps ending is taken out."""
        entry = self._entries[number]
        log = self._folder.log(entry.name)
        exits = self.exits[number]

        def may_go_on(status: int) -> bool:
            exits.append(status)
            return len(exits) <= RESTARTS

        await keep(partial(children.start_bot, entry.spec, server, token, log), children, may_go_on)
        why = f"its process ended {len(exits)} times: {exit_text(exits[-1])}"
        with suppress(TournamentOver):
            await tournaments.withdraw(EVENT, number, why)

    async def _export_whole(self, tournaments: Tournaments, organiser: Organiser) -> None:
        give_up = time.monotonic() + _EXPORT_SECONDS
        while (exported := await self._export(tournaments, organiser)).missing:
            # A board is known to be over a moment after its last match.
            if time.monotonic() > give_up:
                raise EventStuck(f"match {exported.missing[0]} is not given out")
            await asyncio.sleep(_ASK_AGAIN_SECONDS)

    async def _export(self, tournaments: Tournaments, organiser: Organiser) -> Exported:
        folder = self._folder.tournament
        self.exported = await write_tournament(tournaments, organiser, EVENT, folder)
        return self.exported


async def _follow(tournaments: Tournaments, told: Told) -> None:
    async with aclosing(tournaments.watch(EVENT)) as changes:
        async for shown in changes:
            await told(shown, tournaments)
            if shown.tournament.status in (TournamentStatus.PAUSED, TournamentStatus.DAMAGED):
                raise EventStuck(f"the tournament does not go on: {shown.tournament.reason}")
