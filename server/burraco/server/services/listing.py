"""Matches as lists show them: from what the store keeps beside each, without its log."""

from burraco.server.credentials import Caller
from burraco.server.quarantine import stored_summary
from burraco.server.store import MatchRow, Store
from burraco.server.terms import MatchState
from burraco.v1 import matches_pb2


class Listing:
    """One page for one caller; every board on it is looked up once."""

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store = store
        self._caller = caller
        self._ended: dict[str, int] = {}

    async def stored(self, row: MatchRow) -> matches_pb2.MatchSummary | None:
        """What was kept of a match that has ended, None where there is nothing that can be used."""
        summary = stored_summary(row)
        if summary is None or not summary.board_id or self._caller.sees_all:
            return summary
        # A bot that knew its tables of one board would know all hands of the second.
        tables = summary.board_tables
        if not tables or await self._ended_tables(summary.board_id) < tables:
            hide_board(summary)
        return summary

    async def _ended_tables(self, board_id: str) -> int:
        if board_id not in self._ended:
            mates = await self._store.board(board_id)
            self._ended[board_id] = sum(mate.state is MatchState.ENDED for mate in mates)
        return self._ended[board_id]


def hide_board(summary: matches_pb2.MatchSummary) -> None:
    """Show nothing of the board that a match is a table of."""
    summary.board_id = ""
    summary.board_tables = 0
