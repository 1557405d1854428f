"""Boards: tables dealt from one seed, which stays secret until the last of them has ended."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from burraco.engine.rules import Ruleset
from burraco.server.errors import ArenaError, Complaint
from burraco.server.record import MatchRecord
from burraco.server.terms import MatchState

# Boards without a live table that are kept at hand; all the others come back from the store.
_AT_HAND: Final = 256


@dataclass(slots=True)
class Board:
    """The tables of one board as far as they have been made."""

    secret: bytes
    rules: Ruleset
    tables: int
    made: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Whether every table has been made and has ended."""
        return len(self.ended) >= self.tables

    @property
    def is_idle(self) -> bool:
        """Whether none of its tables is live."""
        return len(self.ended) >= len(self.made)


class Boards:
    """Every board with a live table, and the latest of the others."""

    def __init__(self) -> None:
        self._boards: dict[str, Board] = {}
        # The boards without a live table, the one that has been idle longest first.
        self._idle: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._boards)

    def secret_of(self, board_id: str) -> bytes | None:
        """The seed of a board that has a table already."""
        board = self._boards.get(board_id)
        return None if board is None else board.secret

    def knows(self, board_id: str) -> bool:
        """Whether the board is open here."""
        return board_id in self._boards

    def enter(self, record: MatchRecord) -> None:
        """Count a table to its board, or refuse it when it does not fit the others."""
        plan = record.plan
        if not plan.board_id:
            return
        usual = Board(plan.secret, plan.rules, plan.board_tables)
        board = self._boards.setdefault(plan.board_id, usual)
        if (board.secret, board.rules, board.tables) != (
            plan.secret,
            plan.rules,
            plan.board_tables,
        ):
            raise _mismatch(
                plan.board_id, "its seed, rules and number of tables are fixed by its first table"
            )
        if plan.match_id not in board.made and len(board.made) >= board.tables:
            raise _mismatch(plan.board_id, f"all of its {board.tables} tables have been made")
        board.made.add(plan.match_id)
        if record.state is MatchState.ENDED:
            board.ended.add(plan.match_id)
        self._mind(plan.board_id, board)

    def leave(self, record: MatchRecord) -> None:
        """Take back a table that could not be made."""
        board = self._boards.get(record.plan.board_id)
        if board is not None:
            board.made.discard(record.plan.match_id)
            self._mind(record.plan.board_id, board)
            if not board.made:
                self._forget(record.plan.board_id)

    def end(self, record: MatchRecord) -> None:
        """A table has ended."""
        board = self._boards.get(record.plan.board_id)
        if board is not None:
            board.ended.add(record.plan.match_id)
            self._mind(record.plan.board_id, board)

    def secret_shown(self, record: MatchRecord) -> bytes:
        """The seed of a match that has ended here, empty until it may be shown to everybody.

        Of a board that was forgotten nobody here knows whether it is over, so it is not shown.
        """
        plan = record.plan
        if not plan.board_id:
            return plan.secret
        board = self._boards.get(plan.board_id)
        return plan.secret if board is not None and board.is_over else b""

    def _mind(self, board_id: str, board: Board) -> None:
        self._idle.pop(board_id, None)
        if board.is_idle:
            self._idle[board_id] = None
        if len(self._idle) > _AT_HAND:
            self._forget(next(iter(self._idle)))

    def _forget(self, board_id: str) -> None:
        del self._boards[board_id]
        self._idle.pop(board_id, None)


def _mismatch(board_id: str, problem: str) -> ArenaError:
    return ArenaError(Complaint.BOARD_MISMATCH, f"board {board_id}: {problem}", board_id=board_id)
