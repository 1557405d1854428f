"""An event as its log tells it: everything there is to know is a fold over the rows."""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import assert_never

from burraco.tournament.boards import BoardRef
from burraco.tournament.field import Entry, PlayedRound, Round, Side, TableScore
from burraco.tournament.pairing import next_round
from burraco.tournament.plan import Plan
from burraco.tournament.ranking import Place, ranking
from burraco.tournament.rows import (
    BoardPlayed,
    BoardVoided,
    Cancelled,
    Entered,
    Finished,
    Opened,
    Paused,
    Resumed,
    RoundPaired,
    Row,
    Started,
    TableAdjudicated,
    TableRequeued,
    Withdrawn,
)
from burraco.tournament.scoring import (
    adjudicated_score,
    forfeited_score,
    forfeiting,
    table_score,
)


class Status(Enum):
    """Where an event is in its life."""

    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(slots=True)
class TableState:
    """A table of the round that is played: its boards by number, and how often each was voided.

    ``counted`` are the boards that its score was made from.
    """

    attempts: list[int]
    played: dict[int, BoardPlayed] = field(default_factory=dict)
    score: TableScore | None = None
    counted: tuple[BoardPlayed, ...] = ()

    @property
    def leading(self) -> tuple[BoardPlayed, ...]:
        """The boards up to the first that is not played.

        What is decided follows from these alone, so that it does not depend on which ended first.
        """
        missing = next(at for at in count() if at not in self.played)
        return tuple(self.played[at] for at in range(missing))


@dataclass(slots=True)
class OpenRound:
    """The round that is played; it is over when every table has a score."""

    stage: int
    round: Round
    tables: list[TableState]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A board that a table is to play, all its halves."""

    table: int
    ref: BoardRef


class Progress:
    """An event so far. Its rows have to be those of a log: what they may be is for ``refusals``."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.status = Status.OPEN
        self.entries: list[Entry] = []
        self.left: set[int] = set()
        self.played: list[PlayedRound] = []
        self.boards: list[list[tuple[BoardPlayed, ...]]] = []
        self.current: OpenRound | None = None
        self.version = 1
        self.ending: Finished | Cancelled | None = None

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Progress":
        """Fold a log."""
        first, *others = rows
        assert isinstance(first, Opened), "a log begins with how its event was made"
        progress = cls(first)
        for row in others:
            progress.apply(row)
        return progress

    @property
    def plan(self) -> Plan:
        """What the event is played by."""
        return self.opened.plan

    @property
    def active(self) -> frozenset[int]:
        """Entries that play on."""
        return frozenset(range(len(self.entries))) - self.left

    @property
    def number(self) -> int:
        """Number of the round that is played or comes next, from 0."""
        return len(self.played)

    def apply(self, row: Row) -> None:
        """Take in the next row of the log."""
        self.version += 1
        match row:
            case Entered():
                self.entries.append(row.entry)
            case Withdrawn():
                self.left.add(row.entry)
            case Started() | Resumed():
                self.status = Status.RUNNING
            case Paused():
                self.status = Status.PAUSED
            case RoundPaired():
                tables = [TableState([0] * self.plan.boards) for _ in row.round.tables]
                self.current = OpenRound(row.stage, row.round, tables)
            case BoardPlayed():
                self._table(row.table).played[row.board] = row
            case BoardVoided():
                self._table(row.table).attempts[row.board] += 1
            case TableRequeued():
                self._play_again(self._table(row.table))
            case TableAdjudicated():
                state = self._table(row.table)
                state.score, state.counted = adjudicated_score(self.plan, row.gains), state.leading
            case Finished() | Cancelled():
                self.ending = row
                is_whole = isinstance(row, Finished)
                self.status = Status.FINISHED if is_whole else Status.CANCELLED
                self.current = None
            case Opened():
                raise AssertionError("an event is opened once")
            case _:
                assert_never(row)
        self._score_tables()

    def next_pairing(self, lots: bytes) -> RoundPaired | None:
        """The round that comes next; None when the event is over. Only between rounds."""
        assert self.current is None, "a round is being played"
        paired = next_round(
            self.plan.stages, self.plan.scoring, self.entries, self.active, self.played, lots
        )
        return None if paired is None else RoundPaired(*paired)

    def wanted(self) -> list[Wanted]:
        """The boards of the round that may begin; none while the event pauses."""
        return self.unplayed() if self.status is Status.RUNNING else []

    def unplayed(self) -> list[Wanted]:
        """The boards of the round that are still to be played, or are being played."""
        if self.current is None:
            return []
        return [
            Wanted(number, BoardRef(self.number, table.deck, board, attempt, number))
            for number, (table, state) in enumerate(
                zip(self.current.round.tables, self.current.tables, strict=True)
            )
            if state.score is None
            for board, attempt in enumerate(state.attempts)
            if board not in state.played
        ]

    def snapshot(self) -> "Progress":
        """The same as it is now, to be counted while this one goes on; without its open round."""
        now = copy(self)
        now.entries, now.left, now.current = [*self.entries], {*self.left}, None
        now.played, now.boards = [*self.played], [*self.boards]
        return now

    def standings(self, lots: bytes) -> list[Place]:
        """Every entry, from the first to the last, by the rounds that are over."""
        return ranking(self.plan.scoring, self.entries, self.active, self.played, lots)

    def _table(self, number: int) -> TableState:
        assert self.current is not None, "no round is being played"
        return self.current.tables[number]

    def _play_again(self, state: TableState) -> None:
        state.attempts = [attempt + 1 for attempt in state.attempts]
        state.played.clear()
        state.score, state.counted = None, ()

    def _score_tables(self) -> None:
        """Score what is decided, and close the round once all of it is."""
        if self.current is None:
            return
        for table, state in zip(self.current.round.tables, self.current.tables, strict=True):
            if state.score is None:
                self._decide(table.sides, state)
        scores = [state.score for state in self.current.tables if state.score is not None]
        if len(scores) == len(self.current.tables):
            self.boards.append([state.counted for state in self.current.tables])
            self.played.append(PlayedRound(self.current.stage, self.current.round, tuple(scores)))
            self.current = None

    def _decide(self, sides: tuple[Side, Side], state: TableState) -> None:
        """Score a table by the fewest of its boards that decide it."""
        boards = state.leading
        while boards and any(forfeiting(self.plan, boards[:-1])):
            boards = boards[:-1]
        state.counted = boards
        first, second = forfeiting(self.plan, boards)
        gone = [not self.left.isdisjoint(side) for side in sides]
        leavers = first or gone[0], second or gone[1]
        if any(leavers):
            state.score = forfeited_score(self.plan, boards, leavers)
        elif len(boards) == self.plan.boards:
            state.score = table_score(self.plan, boards)
