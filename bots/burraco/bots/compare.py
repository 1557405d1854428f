"""Is one bot better than another? Both play board pairs until that is decided."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Final

from burraco.bots.arena_entries import Entry
from burraco.bots.arena_event import RESTARTS, LocalEvent, LocalTerms
from burraco.bots.arena_files import ArenaFolder
from burraco.bots.arena_processes import Children
from burraco.sdk import (
    DuelDecision,
    DuelQuestion,
    TournamentFormat,
    TournamentOver,
    TournamentPlace,
    TournamentPlan,
    TournamentRound,
    Tournaments,
    TournamentStage,
    WatchedTournament,
)

# It is looked at after every round.
ROUND_BOARDS: Final = 8
_HALVES: Final = 2
# With the next board after these that a bot is at fault on, in one round, it is out.
ADJUSTED_ALLOWED: Final = 2


@dataclass(frozen=True, slots=True)
class ComparePlan:
    """What is compared: the first bot beside the second, by at most so many rounds."""

    entries: tuple[Entry, Entry]
    terms: LocalTerms
    question: DuelQuestion
    rounds: int
    jobs: int

    @property
    def summary(self) -> dict[str, object]:
        """The plan as it is kept beside the results."""
        asked = self.question
        return {
            "entries": {entry.name: entry.spec for entry in self.entries},
            "seed": self.terms.seed,
            "gain": asked.gain,
            "false_alarms": asked.false_alarms,
            "misses": asked.misses,
            "boards_at_most": self.rounds * ROUND_BOARDS,
        }

    @property
    def tournament(self) -> TournamentPlan:
        """The tournament that the comparison is."""
        return TournamentPlan(
            name="Comparison",
            stages=(TournamentStage(TournamentFormat.DUEL, self.rounds),),
            boards=ROUND_BOARDS,
            halves=_HALVES,
            adjusted_allowed=ADJUSTED_ALLOWED,
            question=self.question,
            tables_at_once=self.jobs,
        )


class Verdict(Enum):
    """What a comparison came to."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"
    # The other bot kept failing: there is nothing to compare with.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of the first bot; ``boards`` are those of the rounds that are over."""

    verdict: Verdict
    points_per_deal: float
    interval: tuple[float, float] | None
    boards: int


NOTHING: Final = Finding(Verdict.UNDECIDED, 0.0, None, 0)


class Comparison:
    """One comparison; ``finding`` is what is known so far, ``failed`` the bot that is out.

    ``tell`` hears of the finding after each round.
    """

    def __init__(
        self, plan: ComparePlan, folder: ArenaFolder, tell: Callable[[Finding], None]
    ) -> None:
        self.finding = NOTHING
        self.failed: int | None = None
        self._event = LocalEvent(plan.tournament, plan.entries, plan.terms, folder)
        self._tell = tell
        self._rounds = 0

    async def play(self, children: Children) -> None:
        """Play until it is decided, or a bot is out, or enough was played."""
        await self._event.play(children, self._told)

    async def _told(self, shown: WatchedTournament, tournaments: Tournaments) -> None:
        event, rounds = shown.tournament.tournament_id, shown.tournament.rounds_played
        is_over = shown.tournament.status.is_over
        if rounds == self._rounds and not is_over:
            return
        await self._look_for_faults(tournaments, event, rounds)
        standings = await tournaments.standings(event)
        self.finding = found(standings.places, standings.decision, self.failed)
        if is_over:
            return
        self._tell(self.finding)
        if self.failed is not None:
            # It may have ended by itself meanwhile.
            with suppress(TournamentOver):
                await tournaments.withdraw(event, self.failed, "at fault on too many boards")

    async def _look_for_faults(self, tournaments: Tournaments, event: str, rounds: int) -> None:
        while self._rounds < rounds:
            self._rounds += 1
            played = await tournaments.pairings(event, self._rounds)
            if self.failed is None and played is not None:
                self.failed = out_of(played)
        for entry, exits in enumerate(self._event.exits):
            if self.failed is None and len(exits) > RESTARTS:
                self.failed = entry


def out_of(played: TournamentRound) -> int | None:
    """The entry that was at fault on more boards of a round than are allowed, None for neither."""
    for table in played.tables:
        for side, (entry,) in enumerate((table.first, table.second)):
            boards = {half.board for half in table.halves if half.at_fault[side]}
            if len(boards) > ADJUSTED_ALLOWED:
                return entry
    return None


def found(
    places: tuple[TournamentPlace, ...], decision: DuelDecision | None, failed: int | None
) -> Finding:
    """What standings and decision say of the first entry; a bot that is out decides it."""
    place = next(place for place in places if place.entry == 0)
    if failed is not None:
        verdict = Verdict.WORSE if failed == 0 else Verdict.UNKNOWN
    else:
        verdict = Verdict((decision or DuelDecision.UNDECIDED).value)
    boards = math.ceil(place.deals / _HALVES)
    return Finding(verdict, place.points_per_deal, place.interval, boards)
