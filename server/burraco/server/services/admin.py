"""AdminService: for whoever runs the server, on the admin port only."""

from collections.abc import Callable
from typing import Any

from burraco.server.audit import Audit
from burraco.server.interceptors.auth import CALLER
from burraco.server.requests import read_reason
from burraco.server.services.paging import (
    page_size,
    read_match_place,
    read_number,
    write_match_place,
    write_number,
)
from burraco.server.settings import FLUSH_SECONDS, STOP_SECONDS
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
        reason = read_reason(request.reason, "reason")
        await self._audit.note(CALLER.get(), "DRAIN", "", reason)
        self._drain()
        return pb.DrainResponse(deadline_ms=round((FLUSH_SECONDS + STOP_SECONDS) * 1000))

    async def ListQuarantined(
        self,
        request: pb.ListQuarantinedRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListQuarantinedResponse:
        """List the matches whose log is damaged."""
        size = page_size(request.page_size)
        after = read_match_place(request.page_token)
        found: list[tuple[MatchRow, matches_pb2.MatchSummary]] = []
        while len(found) <= size:
            rows = await self._store.matches(MatchFilter(after, MatchState.ENDED, None, size + 1))
            found += [(row, summary) for row in rows if (summary := _void_summary(row)) is not None]
            if len(rows) <= size:
                break
            after = rows[-1].created_ms, rows[-1].match_id
        following = write_match_place(found[size - 1][0]) if len(found) > size else ""
        shown = [summary for _, summary in found[:size]]
        return pb.ListQuarantinedResponse(matches=shown, next_page_token=following)

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
    summary = matches_pb2.MatchSummary.FromString(row.summary)
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
