"""What was done with the power of a token, by whom and when; nothing in it is secret."""

from burraco.server.clock import Clock
from burraco.server.credentials import Caller
from burraco.server.errors import log_unavailable
from burraco.server.store import AuditRow, Store, StoreFailed


class Audit:
    """The audit log."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    @staticmethod
    def entry(at_ms: int, by: Caller, act: str, subject: str, detail: str) -> AuditRow:
        """What is written of something that somebody does."""
        return AuditRow(at_ms, by.name, by.token_id, act, subject, detail)

    async def note(self, by: Caller, act: str, subject: str, detail: str) -> None:
        """Write down what somebody does, or refuse it with ``LOG_UNAVAILABLE``."""
        entry = self.entry(self._clock.date_ms(), by, act, subject, detail)
        try:
            await self._store.note(entry)
        except StoreFailed as failure:
            raise log_unavailable() from failure

    async def entries(self, before: int | None, limit: int) -> list[AuditRow]:
        """Entries, newest first, from before a number."""
        try:
            return await self._store.audit(before, limit)
        except StoreFailed as failure:
            raise log_unavailable() from failure
