"""What tables came to, half by half: that from which standings and ratings are counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from burraco.tournament.boards import BoardRef
from burraco.tournament.field import Table, TableScore
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress
from burraco.tournament.rows import BoardPlayed, Half
from burraco.tournament.scoring import half_gains

# What is drawn together when intervals are made; equal for tables that played the same cards.
Unit = tuple[int, ...]
# Points over a number of deals.
Sum = tuple[int, int]

# How the part of a seat ends that did no wrong, or too little to lose its place.
_BLAMELESS: Final = frozenset({"clean", "strikes", "stopped", "void"})
# Where a log says that a side was at fault, and of no seat why.
NOT_TOLD: Final = "reason not told"


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A table of a round that is over; ``round`` and ``number`` count from 0.

    ``by_boards`` says whether the boards made the score, and neither a forfeit nor an organiser.
    """

    round: int
    number: int
    table: Table
    score: TableScore
    boards: tuple[BoardPlayed, ...]
    by_boards: bool

    def ref(self, board: BoardPlayed) -> BoardRef:
        """Which cards a board had."""
        return BoardRef(self.round, self.table.deck, board.board, board.attempt, self.number)

    def unit(self, board: BoardPlayed) -> Unit:
        """What a board is drawn together with."""
        alone = (self.number,) if board.attempt else ()
        return (self.round, self.table.deck, board.board, board.attempt, *alone)

    def entry_at(self, seat: int, half: int) -> int:
        """Who held a seat; sides are swapped in the second half."""
        side = self.table.sides[(seat + half) % 2]
        return side[seat // 2 % len(side)]


@dataclass(frozen=True, slots=True)
class PlayedHalf:
    """A half that counts, and where it was played; ``half`` counts from 0."""

    at: PlayedTable
    board: BoardPlayed
    half: int
    result: Half
    gains: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CleanBoard:
    """A board that tells how well its sides play: what the first side won by, over ``deals``."""

    number: int
    at: PlayedTable
    points: int
    deals: int


def played_tables(progress: Progress) -> Iterator[PlayedTable]:
    """Every table of the rounds that are over, in order."""
    rounds = zip(progress.played, progress.boards, strict=True)
    for number, (played, boards) in enumerate(rounds):
        tables = zip(played.round.tables, played.scores, boards, strict=True)
        for at, (table, score, counted) in enumerate(tables):
            by_boards = _is_sum(progress.plan, score, counted)
            yield PlayedTable(number, at, table, score, counted, by_boards)


def played_halves(progress: Progress) -> Iterator[PlayedHalf]:
    """Every half of those tables, in order."""
    for table in played_tables(progress):
        for board in table.boards:
            for number, half in enumerate(board.halves):
                gains = half_gains(progress.plan, half)
                yield PlayedHalf(table, board, number, half, gains)


def entry_sums(progress: Progress) -> list[dict[Unit, Sum]]:
    """For each entry what it gained in each unit, faults and all.

    What a table was given for deals that it did not play is a unit of its own; so is a table whose
    score its boards do not explain.
    """
    sums: list[dict[Unit, Sum]] = [{} for _ in progress.entries]
    for table in played_tables(progress):
        for unit, gains, deals in _units(progress.plan, table):
            for side, entries in enumerate(table.table.sides):
                for entry in entries:
                    points, before = sums[entry].get(unit, (0, 0))
                    sums[entry][unit] = points + gains[side], before + deals
    return sums


def clean_boards(progress: Progress) -> Iterator[CleanBoard]:
    """What tables came to on each board, by the halves in which nobody was at fault.

    Boards are numbered from 0 as they come; tables with the same cards have the same number.
    """
    numbers: dict[Unit, int] = {}
    for table in played_tables(progress):
        for board in table.boards:
            gains = [
                half_gains(progress.plan, half)[0]
                for half in board.halves
                if not any(half.at_fault)
            ]
            if gains:
                number = numbers.setdefault(table.unit(board), len(numbers))
                yield CleanBoard(number, table, sum(gains), len(gains))


def faults(progress: Progress) -> list[Counter[str]]:
    """For each entry why it was at fault, and in how many deals."""
    counts: list[Counter[str]] = [Counter() for _ in progress.entries]
    for half in played_halves(progress):
        for side, at_fault in enumerate(half.result.at_fault):
            if at_fault:
                for entry, reason in _blamed(half, side):
                    counts[entry][reason] += 1
    return counts


def fault_counts(progress: Progress) -> Counter[int]:
    """In how many deals the side of each entry was at fault."""
    counts: Counter[int] = Counter()
    for half in played_halves(progress):
        for side, entries in enumerate(half.at.table.sides):
            if half.result.at_fault[side]:
                counts.update(entries)
    return counts


def _blamed(half: PlayedHalf, side: int) -> set[tuple[int, str]]:
    """The entries of a side that were at fault, each with its reasons; all of it where none is."""
    blamed = {
        (half.at.entry_at(seat, half.half), reason)
        for seat, reason in enumerate(half.result.reasons)
        if (seat + half.half) % 2 == side and reason not in _BLAMELESS
    }
    return blamed or {(entry, NOT_TOLD) for entry in half.at.table.sides[side]}


def _is_sum(plan: Plan, score: TableScore, boards: Sequence[BoardPlayed]) -> bool:
    gains = [half_gains(plan, half) for board in boards for half in board.halves]
    both = sum(gain[0] for gain in gains), sum(gain[1] for gain in gains)
    return len(gains) == score.deals and both == score.gains


def _units(plan: Plan, table: PlayedTable) -> Iterator[tuple[Unit, tuple[int, int], int]]:
    apart: Unit = (table.round, -1, table.number)
    boards = [(table.unit(board), *_board_sum(plan, board)) for board in table.boards]
    played = sum(deals for _, _, deals in boards)
    score = table.score
    if played == score.deals and not table.by_boards:
        yield apart, score.gains, score.deals
        return
    yield from boards
    if played < score.deals:
        first, second = (
            score.gains[side] - sum(gains[side] for _, gains, _ in boards) for side in (0, 1)
        )
        yield apart, (first, second), score.deals - played


def _board_sum(plan: Plan, board: BoardPlayed) -> tuple[tuple[int, int], int]:
    gains = [half_gains(plan, half) for half in board.halves]
    return (sum(gain[0] for gain in gains), sum(gain[1] for gain in gains)), len(gains)
