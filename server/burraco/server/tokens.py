"""Who may do what: tokens are random, shown once, and kept only as hashes."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from burraco.server.clock import Clock
from burraco.server.errors import ArenaError, Complaint
from burraco.server.store import Store, TokenRow

_TOKEN_BYTES: Final = 32
ORGANISER: Final = "organiser"


class Scope(StrEnum):
    """What a token may be used for."""

    PLAY = "play"
    SPECTATE = "spectate"
    ORGANISE = "organise"
    OPERATE = "operate"


ORGANISER_SCOPES: Final = frozenset({Scope.SPECTATE, Scope.ORGANISE, Scope.OPERATE})


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom a token belongs to."""

    name: str
    scopes: frozenset[Scope]

    @property
    def sees_all(self) -> bool:
        """Whether the caller may look at matches of others."""
        return bool(self.scopes - {Scope.PLAY})


class Tokens:
    """Every token of the server, by its hash."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._callers: dict[bytes, Caller] = {}
        self._names: set[str] = set()

    async def load(self) -> None:
        """Read what the store has."""
        for row in await self._store.tokens():
            self._keep(row.hash, Caller(row.name, frozenset(Scope(scope) for scope in row.scopes)))

    def caller_of(self, token: str) -> Caller | None:
        """Whom a token belongs to, None when nobody knows it."""
        return self._callers.get(_hash(token))

    def knows(self, name: str) -> bool:
        """Whether a player of that name is registered."""
        return name in self._names

    def accept(self, token: str, name: str, scopes: Iterable[Scope]) -> None:
        """Take a token that the host has chosen, for as long as the server runs."""
        self._keep(_hash(token), Caller(name, frozenset(scopes)))

    async def register(self, name: str, scopes: Iterable[Scope]) -> str:
        """Make a token for a new name and give it, for the only time."""
        if name in self._names:
            raise ArenaError(
                Complaint.NAME_TAKEN, f"the name {name} is taken: choose another", name=name
            )
        caller, token = Caller(name, frozenset(scopes)), secrets.token_urlsafe(_TOKEN_BYTES)
        self._keep(_hash(token), caller)
        try:
            row = TokenRow(_hash(token), name, tuple(sorted(caller.scopes)), self._clock.date_ms())
            await self._store.add_token(row)
        except BaseException:
            del self._callers[_hash(token)]
            self._names.discard(name)
            raise
        return token

    def _keep(self, token_hash: bytes, caller: Caller) -> None:
        self._callers[token_hash] = caller
        self._names.add(caller.name)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
