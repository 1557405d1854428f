"""AdminService: for whoever runs the server, on the admin port only."""

from collections.abc import Callable
from typing import Any

from burraco.server.audit import Audit
from burraco.server.interceptors.auth import CALLER
from burraco.server.quarantine import stored_summary, void_summary
from burraco.server.services.paging import (
    page_size,
    read_match_place,
    read_number,
    write_match_place,
    write_number,
)
from burraco.server.settings import FLUSH_SECONDS, LARGEST_PAGE, ROWS_PER_SEARCH, STOP_SECONDS
from burraco.server.store import AuditRow, MatchFilter, MatchRow, Store
from burraco.server.terms import MatchState
from burraco.v1 import admin_service_pb2 as pb
from burraco.v1 import admin_service_pb2_grpc, matches_pb2


class AdminService(admin_service_pb2_grpc.AdminServiceServicer):
    """Stops the server, and tells what has happened to it; ``drain`` begins the orderly stop."""

    def __init__(self, store: Store, audit: Audit, drain: Callable[[], None]) -> None:
        self._store = store
        self._audit = audit
        self._drain = drain

    async def Drain(
        self,
        request: pb.DrainRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.DrainResponse:
        """Begin to stop."""
        await self._audit.note(CALLER.get(), "DRAIN", "", request.reason)
        self._drain()
        return pb.DrainResponse(deadline_ms=round((FLUSH_SECONDS + STOP_SECONDS) * 1000))

    async def ListQuarantined(
        self,
        request: pb.ListQuarantinedRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListQuarantinedResponse:
        """List the matches whose log is damaged, among a bounded number of those that follow."""
        size = page_size(request.page_size)
        rows = await self._ended_after(read_match_place(request.page_token))
        found = [(row, void) for row in rows if (void := _void_summary(row)) is not None]
        following = ""
        if len(found) > size:
            following = write_match_place(found[size - 1][0])
        elif len(rows) >= ROWS_PER_SEARCH:
            following = write_match_place(rows[-1])
        shown = [void for _, void in found[:size]]
        return pb.ListQuarantinedResponse(matches=shown, next_page_token=following)

    async def _ended_after(self, after: tuple[int, str] | None) -> list[MatchRow]:
        """Matches that have ended, as many as one call may look through."""
        found: list[MatchRow] = []
        while len(found) < ROWS_PER_SEARCH:
            wanted = MatchFilter(after, MatchState.ENDED, None, LARGEST_PAGE)
            rows = await self._store.matches(wanted)
            found += rows
            if len(rows) < LARGEST_PAGE:
                break
            after = rows[-1].created_ms, rows[-1].match_id
        return found

    async def ListAudit(
        self,
        request: pb.ListAuditRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListAuditResponse:
        """List what was done with the power of a token."""
        size, before = page_size(request.page_size), read_number(request.page_token)
        rows = await self._audit.entries(before, size + 1)
        following = write_number(rows[size - 1].number) if len(rows) > size else ""
        return pb.ListAuditResponse(entries=map(_entry, rows[:size]), next_page_token=following)


def _void_summary(row: MatchRow) -> matches_pb2.MatchSummary | None:
    """What is said of a match that was set aside, None where nothing is wrong with it."""
    summary = stored_summary(row)
    if summary is None:
        # Of one that has ended a moment ago the summary is still to come.
        return void_summary(row, []) if row.summary else None
    return summary if summary.result.end == matches_pb2.MATCH_END_VOID else None


def _entry(row: AuditRow) -> pb.AuditEntry:
    return pb.AuditEntry(
        at_ms=row.at_ms,
        actor=row.actor,
        token_id=row.token_id,
        act=row.act,
        subject=row.subject,
        detail=row.detail,
    )
