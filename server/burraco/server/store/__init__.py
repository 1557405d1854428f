"""Where matches and tokens are kept: the interface; the implementations are beside it.

``append`` is one transaction, and its outcome is definite: when it raises ``StoreFailed`` nothing
of it is stored. An implementation that cannot know must find out before it answers.

One server owns the matches that are played. ``claim`` takes all of them over by raising the epoch
of the store; whoever had them before is refused with ``StoreFenced`` from then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from burraco.server.terms import MatchState


class StoreFailed(Exception):
    """The store could not do it; nothing was stored."""


class StoreUnreachable(StoreFailed):
    """The store does not answer; nothing was stored."""


class StoreFenced(StoreFailed):
    """Another server has taken over what this one wants to write; nothing was stored."""


class StoreUnusable(Exception):
    """The store cannot be used at all; the text says why and what to do."""


class LogRow(NamedTuple):
    """One row of a match's log; ``version`` counts from 1 without gaps."""

    match_id: str
    version: int
    kind: str
    payload: str
    chain: bytes


@dataclass(frozen=True, slots=True)
class MatchRow:
    """What lists need to know of a match. ``summary`` is opaque to the store."""

    match_id: str
    state: MatchState
    board_id: str
    created_ms: int
    players: tuple[str, ...]
    summary: bytes


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token by its SHA-256, whom it belongs to, and what it may be used for until when.

    ``expires_ms`` None means never, ``revoked_ms`` None means that nobody has revoked it.
    """

    hash: bytes
    name: str
    scopes: tuple[str, ...]
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """Something that was done with the power of a token; ``number`` is the store's to give."""

    at_ms: int
    actor: str
    token_id: str
    act: str
    subject: str
    detail: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list, oldest first, after ``(created_ms, match_id)``; None for no limit."""

    after: tuple[int, str] | None
    state: MatchState | None
    player: str | None
    limit: int


class TournamentLogRow(NamedTuple):
    """One row of a tournament's log; ``version`` counts from 1 without gaps."""

    tournament_id: str
    version: int
    kind: str
    payload: str
    chain: bytes


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament beside its log, which has ``version`` rows.

    ``secret`` is what its cards and lots are drawn from. ``summary`` is opaque to the store.
    """

    tournament_id: str
    state: str
    created_ms: int
    secret: bytes
    version: int
    summary: bytes


class Store(Protocol):
    """What the server needs of a database."""

    async def open(self) -> None:
        """Make it ready, bring its tables up to date; ``StoreUnusable`` when it cannot be."""

    async def claim(self) -> list[str]:
        """Take over every match that has not ended and give their ids, oldest first."""

    async def require_ownership(self) -> None:
        """``StoreFenced`` where another server has claimed the store since this one did."""

    async def close(self) -> None:
        """Let go of it."""

    async def append(self, rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
        """Add log rows and put match rows in place, all or nothing, durable on return.

        ``StoreFenced`` where another server has claimed a match of them, or would own a new one.
        """

    async def log(self, match_id: str) -> list[LogRow]:
        """The whole log of a match in order, empty when there is none."""

    async def match(self, match_id: str) -> MatchRow | None:
        """One match."""

    async def matches(self, wanted: MatchFilter) -> list[MatchRow]:
        """Matches, oldest first."""

    async def board(self, board_id: str) -> list[MatchRow]:
        """The tables of a board."""

    async def tokens(self) -> list[TokenRow]:
        """Every token."""

    async def put_tokens(self, changed: Sequence[TokenRow], noted: AuditRow) -> None:
        """Put tokens in place and note who did it, both or neither."""

    async def note(self, noted: AuditRow) -> None:
        """Keep an entry of the audit log."""

    async def audit(self, before: int | None, limit: int) -> list[AuditRow]:
        """Entries of the audit log, newest first, from before a number; None for the newest."""

    async def append_tournament(
        self, rows: Sequence[TournamentLogRow], changed: TournamentRow
    ) -> None:
        """Add rows to a tournament's log and put it in place, as ``append`` does for matches."""

    async def tournament_log(self, tournament_id: str) -> list[TournamentLogRow]:
        """The whole log of a tournament in order, empty when there is none."""

    async def tournament(self, tournament_id: str) -> TournamentRow | None:
        """One tournament."""

    async def tournaments(
        self, after: tuple[int, str] | None, states: Sequence[str], limit: int | None
    ) -> list[TournamentRow]:
        """Tournaments in some states, or in any where none is named, oldest first.

        They come after one of ``(created_ms, tournament_id)``; None for all from the beginning, and
        for no limit.
        """


__all__ = [
    "AuditRow",
    "LogRow",
    "MatchFilter",
    "MatchRow",
    "Store",
    "StoreFailed",
    "StoreFenced",
    "StoreUnreachable",
    "StoreUnusable",
    "TokenRow",
    "TournamentLogRow",
    "TournamentRow",
]
