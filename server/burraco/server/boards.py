"""Boards: tables dealt from one seed, which stays secret until the last of them has ended."""

from dataclasses import dataclass, field

from burraco.engine.rules import Ruleset
from burraco.server.errors import ArenaError, Complaint
from burraco.server.record import MatchRecord
from burraco.server.terms import MatchState


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


class Boards:
    """Every board with a table that is not over."""

    def __init__(self) -> None:
        self._boards: dict[str, Board] = {}

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

    def leave(self, record: MatchRecord) -> None:
        """Take back a table that could not be made."""
        board = self._boards.get(record.plan.board_id)
        if board is not None:
            board.made.discard(record.plan.match_id)
            if not board.made:
                del self._boards[record.plan.board_id]

    def end(self, record: MatchRecord) -> None:
        """A table has ended."""
        board = self._boards.get(record.plan.board_id)
        if board is not None:
            board.ended.add(record.plan.match_id)

    def secret_shown(self, record: MatchRecord) -> bytes:
        """The seed of a match that has ended here, empty until it may be shown to everybody."""
        board = self._boards.get(record.plan.board_id)
        if board is not None and not board.is_over:
            return b""
        self._boards.pop(record.plan.board_id, None)
        return record.plan.secret


def _mismatch(board_id: str, problem: str) -> ArenaError:
    return ArenaError(Complaint.BOARD_MISMATCH, f"board {board_id}: {problem}", board_id=board_id)
