"""Tokens: making, listing, replacing and ending them at a server."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

import grpc.aio

from burraco.sdk.calls import CALL_SECONDS, Server, complaint_of
from burraco.sdk.organiser import OrganiserFailed
from burraco.v1 import bot_service_pb2 as pb
from burraco.v1 import bot_service_pb2_grpc

_PAGE: Final = 200
T = TypeVar("T")


class Scope(StrEnum):
    """What a token may be used for."""

    PLAY = "play"
    SPECTATE = "spectate"
    ORGANISE = "organise"
    OPERATE = "operate"


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret; dates are milliseconds since 1970, None where there is none."""

    token_id: str
    name: str
    scopes: tuple[Scope, ...]
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None


class TokenDesk:
    """A connection for the care of tokens, for ``async with TokenDesk(server) as desk``.

    What makes a token gives its secret too, for the only time.
    """

    def __init__(self, server: Server) -> None:
        self._server = server

    async def __aenter__(self) -> "TokenDesk":
        self._channel = self._server.channel()
        self._stub = bot_service_pb2_grpc.BotServiceStub(self._channel)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._channel.close(None)

    async def create(
        self, name: str, scopes: Iterable[Scope], lifetime_s: int = 0
    ) -> tuple[str, Token]:
        """Make a token for a name, new or known; a lifetime of 0 never ends."""
        wanted = [pb.Scope.Value(f"SCOPE_{scope.name}") for scope in scopes]
        request = pb.CreateTokenRequest(name=name, scopes=wanted, lifetime_s=lifetime_s)
        answer = await self._call(f"token for {name}", self._stub.CreateToken, request)
        return answer.token, _token(answer.summary)

    async def tokens(self) -> AsyncIterator[Token]:
        """The tokens that the caller may change, oldest first."""
        request = pb.ListTokensRequest(page_size=_PAGE)
        while True:
            page = await self._call("tokens", self._stub.ListTokens, request)
            for summary in page.tokens:
                yield _token(summary)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def rotate(self, token_id: str = "", overlap_s: int = 0) -> tuple[str, Token]:
        """Put a new token in place of one, or of the caller's own; the old one ends after that."""
        request = pb.RotateTokenRequest(token_id=token_id, overlap_s=overlap_s)
        answer = await self._call(f"token {token_id}".rstrip(), self._stub.RotateToken, request)
        return answer.token, _token(answer.summary)

    async def revoke(self, token_id: str) -> Token:
        """End a token and the streams that it has opened."""
        request = pb.RevokeTokenRequest(token_id=token_id)
        answer = await self._call(f"token {token_id}", self._stub.RevokeToken, request)
        return _token(answer.summary)

    async def _call(self, what: str, method: Callable[..., Awaitable[T]], request: object) -> T:
        try:
            return await method(request, metadata=self._server.metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise OrganiserFailed(what, complaint_of(error)) from None


def _token(summary: pb.TokenSummary) -> Token:
    return Token(
        summary.token_id,
        summary.name,
        tuple(Scope[pb.Scope.Name(scope).removeprefix("SCOPE_")] for scope in summary.scopes),
        summary.created_ms,
        summary.expires_ms if summary.HasField("expires_ms") else None,
        summary.revoked_ms if summary.HasField("revoked_ms") else None,
    )
