"""What became of every table of an arena, and who is out of it (docs/arena.md)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from burraco.bots.arena_processes import exit_text
from burraco.bots.arena_schedule import Half, side_of
from burraco.bots.standings import Outcome
from burraco.engine.rules import SIDES
from burraco.sdk import MatchResult, SeatEnd, SeatResult

RESTARTS: Final = 3
FORFEITS_IN_A_ROW: Final = 3

# Ends in which somebody else finished the deal for the bot. Strikes alone leave the deal its own.
_LOST_TO: Final[Mapping[SeatEnd, str]] = {
    SeatEnd.ILLEGAL_ACTS: "illegal acts",
    SeatEnd.TIME_OUTS: "time-outs",
    SeatEnd.DISCONNECTED: "going away",
    SeatEnd.NO_SHOW: "not coming",
}


class Ledger:
    """Results as they come in, settled in the order of the schedule.

    An entry is out after three forfeited tables in a row; "in a row" goes by the schedule and not
    by the clock, so that the same arena retires the same bot at the same table however fast it ran.
    """

    def __init__(self, names: Sequence[str], halves: Sequence[Half]) -> None:
        self.names = tuple(names)
        self.halves = tuple(halves)
        self.results: dict[Half, MatchResult] = {}
        self._begun: set[Half] = set()
        self._settled: list[Outcome] = []
        self._place = {half: place for place, half in enumerate(halves)}
        self._ahead = 0
        self._in_a_row: list[list[str]] = [[] for _ in names]
        self._retired: dict[int, str] = {}
        self._exits: list[list[int]] = [[] for _ in names]

    def begin(self, halves: Iterable[Half]) -> None:
        """Note tables that will be played to their end whatever happens to their bots."""
        self._begun.update(halves)

    def record(self, half: Half, result: MatchResult) -> None:
        """Note how a table ended."""
        self.results[half] = result
        # A table that went on after its bot was retired is settled already.
        self._ahead += self._place[half] >= len(self._settled)
        self._settle()

    def record_exit(self, entry: int, status: int) -> None:
        """Note that the process of an entry ended by itself."""
        self._exits[entry].append(status)
        self._settle()

    def is_retired(self, entry: int) -> bool:
        """Whether an entry plays no more: forfeits in a row, or a process that keeps ending."""
        return entry in self._retired or len(self._exits[entry]) > RESTARTS

    def is_off(self, half: Half) -> bool:
        """Whether a table is not to be begun."""
        return any(map(self.is_retired, half.sides))

    @property
    def done(self) -> int:
        """Tables that are over or will not be played."""
        return len(self._settled) + self._ahead

    def outcomes(self) -> tuple[Outcome, ...]:
        """What counts so far: all that is settled, and later tables that are over already."""
        later = self.halves[len(self._settled) :]
        ahead = [_played(half, self.results[half]) for half in later if half in self.results]
        return (*self._settled, *ahead)

    def notes(self) -> tuple[str, ...]:
        """For every entry what went wrong, empty where nothing did."""
        return tuple(map(self._note, range(len(self.names))))

    def _settle(self) -> None:
        while len(self._settled) < len(self.halves):
            half = self.halves[len(self._settled)]
            outcome = self._outcome(half)
            if outcome is None:
                return
            self._settled.append(outcome)
            self._ahead -= half in self.results
            if outcome.points is not None:
                self._count_forfeits(half, outcome)

    def _outcome(self, half: Half) -> Outcome | None:
        """How a table counts, None while it is open."""
        if any(entry in self._retired for entry in half.sides):
            return self._unplayed(half)
        if half in self.results:
            return _played(half, self.results[half])
        if half not in self._begun and self.is_off(half):
            return self._unplayed(half)
        return None

    def _unplayed(self, half: Half) -> Outcome:
        ns, ew = map(self.is_retired, half.sides)
        return Outcome(half.board, half.sides, None, (ns, ew), (not ns, not ew))

    def _count_forfeits(self, half: Half, outcome: Outcome) -> None:
        for side, entry in enumerate(outcome.entries):
            row = self._in_a_row[entry]
            if not outcome.forfeited[side]:
                row.clear()
                continue
            row.append(_cause(self.results[half], side))
            if len(row) == FORFEITS_IN_A_ROW:
                self._retired[entry] = _listed(row)

    def _note(self, entry: int) -> str:
        parts: list[str] = []
        if self._exits[entry]:
            parts.append(self._crash_note(entry))
        if entry in self._retired:
            parts.append(
                f"retired: {FORFEITS_IN_A_ROW} tables in a row lost to {self._retired[entry]}"
            )
        else:
            parts += self._table_notes(entry)
        return "; ".join(parts)

    def _crash_note(self, entry: int) -> str:
        exits = self._exits[entry]
        crash = f"crashed: {exit_text(exits[-1])}"
        if len(exits) > RESTARTS:
            return f"retired: {crash}, {len(exits)} times"
        return f"{crash}, started again" + (f" {len(exits)} times" if len(exits) > 1 else "")

    def _table_notes(self, entry: int) -> list[str]:
        """Tables that were lost, or played with faults that the rules of the arena allow."""
        causes: Counter[str] = Counter()
        for half, outcome in zip(self.halves, self._settled, strict=False):
            if outcome.points is None or entry not in outcome.entries:
                continue
            side, result = outcome.entries.index(entry), self.results[half]
            if outcome.forfeited[side]:
                causes[f"lost to {_cause(result, side)}"] += 1
            elif any(seat.end is not SeatEnd.CLEAN for seat in _seats(result, side)):
                causes["with strikes"] += 1
            elif not outcome.clean[side]:
                causes["with illegal acts"] += 1
        return [f"{count} table{'s' * (count > 1)} {cause}" for cause, count in causes.items()]


def _played(half: Half, result: MatchResult) -> Outcome:
    ends = [_ends(result, side) for side in range(SIDES)]
    lost = [any(end in _LOST_TO for end in side) for side in ends]
    clean = [all(map(_did_no_wrong, _seats(result, side))) for side in range(SIDES)]
    points = result.totals[0], result.totals[1]
    return Outcome(half.board, half.sides, points, (lost[0], lost[1]), (clean[0], clean[1]))


def _did_no_wrong(seat: SeatResult) -> bool:
    """Whether a seat was clean, with no illegal act either that its terms allow."""
    return seat.end is SeatEnd.CLEAN and not seat.illegal_acts


def _seats(result: MatchResult, side: int) -> tuple[SeatResult, ...]:
    return tuple(seat for seat in result.seats if side_of(seat.seat) == side)


def _ends(result: MatchResult, side: int) -> tuple[SeatEnd, ...]:
    return tuple(seat.end for seat in _seats(result, side))


def _cause(result: MatchResult, side: int) -> str:
    return _listed([_LOST_TO[end] for end in _ends(result, side) if end in _LOST_TO])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(words))
