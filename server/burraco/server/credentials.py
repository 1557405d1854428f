"""Tokens as values: whose they are, what they may be used for, and until when."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from burraco.server.errors import ArenaError, Complaint
from burraco.server.store import TokenRow

_ID_BYTES: Final = 8
_ID_DOMAIN: Final = b"burraco/token-id/v1"


class Scope(StrEnum):
    """What a token may be used for."""

    PLAY = "play"
    SPECTATE = "spectate"
    ORGANISE = "organise"
    OPERATE = "operate"


# What an organiser may hand out; the rest is for operators to give.
_ORGANISERS_REACH: Final = frozenset({Scope.PLAY, Scope.SPECTATE})


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom a token belongs to; ``token_id`` names the token and may be shown."""

    name: str
    scopes: frozenset[Scope]
    token_id: str

    @property
    def sees_all(self) -> bool:
        """Whether the caller may look at matches of others."""
        return bool(self.scopes - {Scope.PLAY})

    @property
    def reach(self) -> frozenset[Scope]:
        """The scopes of tokens that the caller may make and end."""
        if Scope.OPERATE in self.scopes:
            return frozenset(Scope)
        return _ORGANISERS_REACH if Scope.ORGANISE in self.scopes else frozenset()


# The server itself, when it makes the first token of a new folder.
HOST: Final = Caller("host", frozenset(Scope), "")


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token without its secret."""

    row: TokenRow
    caller: Caller

    @property
    def token_id(self) -> str:
        """Its name, which may be shown."""
        return self.caller.token_id

    def complaint(self, date_ms: int) -> ArenaError | None:
        """Why it can be used no longer, None when it can."""
        if self.row.revoked_ms is not None:
            return ArenaError(
                Complaint.TOKEN_REVOKED, "this token was revoked: ask the organiser for a new one"
            )
        if self.row.expires_ms is not None and self.row.expires_ms <= date_ms:
            return ArenaError(
                Complaint.TOKEN_EXPIRED, "this token has expired: ask the organiser for a new one"
            )
        return None


def token_of(row: TokenRow) -> Token:
    """A token as the store has it."""
    scopes = frozenset(Scope(scope) for scope in row.scopes)
    return Token(row, Caller(row.name, scopes, _id_of(row.hash)))


def hash_of(secret: str) -> bytes:
    """All that is ever kept of a token's secret.

    Secrets are found by this hash. How long that takes says at most how far two hashes agree, from
    which nobody gets nearer to 256 random bits.
    """
    return hashlib.sha256(secret.encode()).digest()


def _id_of(token_hash: bytes) -> str:
    return hashlib.sha256(_ID_DOMAIN + token_hash).digest()[:_ID_BYTES].hex()
