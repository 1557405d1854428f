"""The local arena: a round robin of board pairs between bots in processes of their own."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from rich.console import Console

from burraco.bots.arena_course import Course
from burraco.bots.arena_entries import Entry
from burraco.bots.arena_event import LocalEvent, LocalTerms
from burraco.bots.arena_files import ArenaFolder
from burraco.bots.arena_notes import Part
from burraco.bots.arena_processes import Children
from burraco.bots.arena_progress import Progress
from burraco.bots.arena_report import paces, print_standings
from burraco.bots.arena_schedule import HALVES, file_stem
from burraco.bots.standings import Standing, parts_of, standings
from burraco.engine.bgn_tags import write_rules
from burraco.sdk import (
    MatchResult,
    TournamentFormat,
    TournamentLogRow,
    TournamentPlan,
    Tournaments,
    TournamentStage,
    WatchedTournament,
)
from burraco.sdk.tournament_folder import NOTATION_FOLDER
from burraco.tournament.accounts import played_halves
from burraco.tournament.exported import Log
from burraco.tournament.field import PlayedRound
from burraco.tournament.progress import Progress as EventProgress
from burraco.tournament.rows import row_from_json
from burraco.tournament.scoring import table_score

# A pairing is forfeited with the next board after these that a side is at fault on.
ADJUSTED_ALLOWED: Final = 2


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """What an arena plays, and on which terms; ``jobs`` is the number of tables at once."""

    entries: tuple[Entry, ...]
    terms: LocalTerms
    boards: int
    jobs: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries in the order of the command line."""
        return tuple(entry.name for entry in self.entries)

    @property
    def rules_text(self) -> str:
        """The rules in words."""
        return write_rules(self.terms.rules)

    @property
    def summary(self) -> dict[str, object]:
        """The plan as it is kept beside the results."""
        terms = self.terms
        return {
            "entries": {entry.name: entry.spec for entry in self.entries},
            "rules": self.rules_text,
            "boards": self.boards,
            "seed": terms.seed,
            "jobs": self.jobs,
            "clocks": asdict(terms.clocks),
            "faults": asdict(terms.faults),
        }

    @property
    def tournament(self) -> TournamentPlan:
        """The tournament that an arena is."""
        return TournamentPlan(
            name="Arena",
            stages=(TournamentStage(TournamentFormat.ROUND_ROBIN),),
            boards=self.boards,
            halves=HALVES,
            adjusted_allowed=min(ADJUSTED_ALLOWED, self.boards),
            tables_at_once=self.jobs,
        )


class Arena:
    """One arena from its first table to its standings."""

    def __init__(self, plan: ArenaPlan, folder: ArenaFolder, console: Console) -> None:
        self._plan = plan
        self._folder = folder
        self._console = console
        self._event = LocalEvent(plan.tournament, plan.entries, plan.terms, folder)
        self._course = Course(plan.names, plan.boards)
        self._progress = Progress(console, self._course)

    async def play(self, children: Children) -> None:
        """Start server and bots, play every table, and end what was started."""
        with self._progress:
            try:
                await self._event.play(children, self._told)
            finally:
                self._name_notation()

    async def _told(self, shown: WatchedTournament, tournaments: Tournaments) -> None:
        await self._course.follow(shown, tournaments)
        self._progress.show()

    def _name_notation(self) -> None:
        """Give the notation of every match a name that people know it by."""
        log = self._log()
        if log is None:
            return
        for half in played_halves(log.progress):
            source = self._folder.tournament / NOTATION_FOLDER / f"{half.result.match_id}.bgn"
            one, other = half.at.table.entries
            board = half.board.board + 1
            stem = file_stem(self._plan.names, (one, other), board, half.half + 1)
            if source.exists():
                shutil.copyfile(source, self._folder.bgn(stem))

    def report(self, interruption: str = "") -> None:
        """Print the standings, and where to look for bots that failed."""
        plan, rows = self._plan, self._rows()
        boards = "1 board" if plan.boards == 1 else f"{plan.boards} boards"
        title = f"{plan.rules_text}, seed {plan.terms.seed}, {boards}"
        if interruption:
            done, all_boards = self._course.done, self._course.all_boards
            title = f"{interruption} after {done} of {all_boards} board pairs: {title}"
        print_standings(self._console, title, rows, paces(plan.names, self._parts()))
        for row in rows:
            if row.note:
                log = self._folder.log(row.name)
                told = f"{row.name}: {row.note}; see {log}"
                self._console.print(told, soft_wrap=True, markup=False)

    def write(self) -> None:
        """Write standings and times."""
        plan, progress = self._plan, self._progress
        seed = plan.terms.seed
        self._folder.write_standings(plan.rules_text, seed, plan.boards, self._rows())
        times = paces(plan.names, self._parts())
        self._folder.write_timing(
            {
                "seconds": round(progress.seconds, 1),
                "board_pairs_per_minute": round(progress.boards_per_minute, 1),
                "bots": {
                    name: {"decisions": pace.decisions, "ms_per_decision": pace.mean_ms}
                    for name, pace in times.items()
                },
            }
        )

    def _rows(self) -> tuple[Standing, ...]:
        log = self._log()
        if log is None:
            return tuple(_unknown(name) for name in self._plan.names)
        return standings(log, self._results(), self._event.exits)

    def _parts(self) -> Sequence[Sequence[Part]]:
        log = self._log()
        return (
            [[]] * len(self._plan.names) if log is None else parts_of(log.progress, self._results())
        )

    def _results(self) -> Mapping[str, MatchResult]:
        exported = self._event.exported
        return {} if exported is None else exported.results

    def _log(self) -> Log | None:
        """The tournament so far; None where nothing of it could be had."""
        exported = self._event.exported
        return None if exported is None else log_so_far(exported.rows)


def log_so_far(rows: Sequence[TournamentLogRow]) -> Log:
    """A log, its last round closed with what has been played of it."""
    values = tuple(row_from_json(row.kind, row.payload) for row in rows)
    progress = EventProgress.of(values)
    current = progress.current
    if current is not None:
        counted = [
            state.counted if state.score else tuple(state.played.values())
            for state in current.tables
        ]
        scores = tuple(
            state.score or table_score(progress.plan, boards)
            for state, boards in zip(current.tables, counted, strict=True)
        )
        progress.boards.append(counted)
        progress.played.append(PlayedRound(current.stage, current.round, scores))
        progress.current = None
    return Log(values, progress)


def _unknown(name: str) -> Standing:
    return Standing(name, 0.0, None, 0, 0.0, 0, 0, 0, "")
