"""Who may do what: tokens are random, shown once, kept only as hashes, and may end."""

import asyncio
import secrets
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

from burraco.server.audit import Audit
from burraco.server.clock import Clock
from burraco.server.credentials import Caller, Scope, Token, hash_of, token_of
from burraco.server.errors import ArenaError, Complaint, log_unavailable
from burraco.server.leases import Leases
from burraco.server.store import AuditRow, Store, StoreFailed, TokenRow

_SECRET_BYTES: Final = 32
# Secrets are known by it when they turn up in a log or in a repository, and none is taken for an
# option on a command line, as one that began with a hyphen would be.
_PREFIX: Final = "burraco_"
ORGANISER: Final = "organiser"
ORGANISER_SCOPES: Final = frozenset({Scope.SPECTATE, Scope.ORGANISE, Scope.OPERATE})


class Tokens:
    """Every token of the server, by the hash of its secret and by its id."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._by_hash: dict[bytes, Token] = {}
        self._by_id: dict[str, Token] = {}
        self._names: set[str] = set()
        self._players: set[str] = set()
        self._chosen: set[str] = set()
        self._leases = Leases(clock, self._by_id.__getitem__)
        # What is written of a token follows from what was written before.
        self._changing = asyncio.Lock()

    async def load(self) -> None:
        """Read what the store has."""
        for row in await self._store.tokens():
            self._keep(token_of(row))

    def stop(self) -> None:
        """Hold no timer any more."""
        self._leases.stop()

    def caller_of(self, secret: str) -> Caller:
        """Whom a token belongs to, or the refusal when it is unknown or has ended."""
        token = self._by_hash.get(hash_of(secret))
        if token is None:
            raise ArenaError(
                Complaint.TOKEN_UNKNOWN, "nobody knows this token: ask the organiser for a new one"
            )
        complaint = token.complaint(self._clock.date_ms())
        if complaint is not None:
            raise complaint
        return token.caller

    def hold(self, caller: Caller) -> AbstractContextManager[None]:
        """Serve a stream of a caller in the body; it ends with an error when the token ends."""
        return self._leases.hold(caller.token_id)

    def is_player(self, name: str) -> bool:
        """Whether somebody of that name can hold seats."""
        return name in self._players

    def is_operated(self) -> bool:
        """Whether anybody has a token to run the server with."""
        now = self._clock.date_ms()
        return any(
            Scope.OPERATE in token.caller.scopes and token.complaint(now) is None
            for token in self._by_hash.values()
        )

    def accept(self, secret: str, name: str, scopes: Iterable[Scope]) -> None:
        """Take a token that the host has chosen, for as long as the server runs."""
        row = TokenRow(hash_of(secret), name, tuple(scopes), self._clock.date_ms(), None, None)
        token = token_of(row)
        self._keep(token)
        self._chosen.add(token.token_id)

    async def register(self, by: Caller, name: str, lifetime_ms: int) -> tuple[str, Token]:
        """Make a player of a new name; gives its secret, for the only time, and its token."""
        if name in self._names:
            raise ArenaError(
                Complaint.NAME_TAKEN, f"the name {name} is taken: choose another", name=name
            )
        self._names.add(name)
        try:
            return await self.create(by, name, frozenset({Scope.PLAY}), lifetime_ms)
        except BaseException:
            self._names.discard(name)
            raise

    async def create(
        self, by: Caller, name: str, scopes: frozenset[Scope], lifetime_ms: int
    ) -> tuple[str, Token]:
        """Make a token of any name, 0 for no end; gives its secret, for the only time, and it."""
        beyond = scopes - by.reach
        if beyond:
            names = " and ".join(sorted(beyond))
            raise ArenaError(
                Complaint.SCOPE_MISSING,
                f"this token may not give the scope {names}: ask whoever operates the server",
                scope=Scope.OPERATE.value,
            )
        now = self._clock.date_ms()
        secret, token = self._new(name, scopes, now + lifetime_ms if lifetime_ms else None)
        detail = f"scopes {' '.join(token.row.scopes)}"
        await self._put([token], Audit.entry(now, by, "TOKEN_CREATED", name, detail))
        return secret, token

    async def rotate(self, by: Caller, token_id: str, overlap_ms: int) -> tuple[str, Token]:
        """Put a new token in place of one, which ends after ``overlap_ms``; the date stays."""
        async with self._changing:
            return await self._rotate(by, token_id, overlap_ms)

    async def revoke(self, by: Caller, token_id: str) -> Token:
        """End a token and every stream that it has opened; one that has ended stays as it is."""
        async with self._changing:
            return await self._revoke(by, token_id)

    def listed(self, by: Caller) -> list[Token]:
        """The tokens that a caller may change, oldest first."""
        shown = [token for token in self._by_id.values() if self._may_change(by, token)]
        return sorted(shown, key=lambda token: (token.row.created_ms, token.token_id))

    async def _rotate(self, by: Caller, token_id: str, overlap_ms: int) -> tuple[str, Token]:
        old, now = self._changeable(by, token_id), self._clock.date_ms()
        if old.complaint(now) is not None:
            raise ArenaError(
                Complaint.TOKEN_ENDED,
                f"the token {old.token_id} has ended: make another with CreateToken,"
                " which is `burraco token create`",
                token_id=old.token_id,
            )
        secret, token = self._new(old.caller.name, old.caller.scopes, old.row.expires_ms)
        ended = replace(old.row, revoked_ms=now)
        if overlap_ms:
            ended = replace(old.row, expires_ms=_sooner(old.row.expires_ms, now + overlap_ms))
        detail = f"replaced by {token.token_id}"
        noted = Audit.entry(now, by, "TOKEN_ROTATED", old.token_id, detail)
        await self._put([token, token_of(ended)], noted)
        return secret, token

    async def _revoke(self, by: Caller, token_id: str) -> Token:
        old, now = self._changeable(by, token_id), self._clock.date_ms()
        if old.row.revoked_ms is not None:
            return old
        token = token_of(replace(old.row, revoked_ms=now))
        detail = f"token of {old.caller.name}"
        await self._put([token], Audit.entry(now, by, "TOKEN_REVOKED", old.token_id, detail))
        return token

    def _new(
        self, name: str, scopes: frozenset[Scope], expires_ms: int | None
    ) -> tuple[str, Token]:
        secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        row = TokenRow(
            hash_of(secret), name, tuple(sorted(scopes)), self._clock.date_ms(), expires_ms, None
        )
        return secret, token_of(row)

    def _changeable(self, by: Caller, token_id: str) -> Token:
        token = self._by_id.get(token_id)
        if token is None or not self._may_change(by, token):
            raise ArenaError(
                Complaint.TOKEN_ID_UNKNOWN,
                "no such token, or it is not yours to change: list yours with ListTokens,"
                " which is `burraco token list`",
                token_id=token_id[:64],
            )
        return token

    def _may_change(self, by: Caller, token: Token) -> bool:
        if token.token_id in self._chosen:
            return False
        return token.token_id == by.token_id or token.caller.scopes <= by.reach

    async def _put(self, changed: list[Token], noted: AuditRow) -> None:
        """Store first: what is told to be so is so after a restart too."""
        try:
            await self._store.put_tokens([token.row for token in changed], noted)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        for token in changed:
            self._keep(token)
            self._leases.look_at(token.token_id)

    def _keep(self, token: Token) -> None:
        self._by_hash[token.row.hash] = token
        self._by_id[token.token_id] = token
        self._names.add(token.caller.name)
        if Scope.PLAY in token.caller.scopes:
            self._players.add(token.caller.name)


def _sooner(first: int | None, second: int) -> int:
    return second if first is None else min(first, second)
