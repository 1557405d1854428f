"""BotService: players and tokens."""

from typing import Any, Final

from burraco.server.credentials import Scope, Token
from burraco.server.interceptors.auth import CALLER
from burraco.server.services.paging import (
    no_such_page,
    page_size,
    read_page_token,
    write_page_token,
)
from burraco.server.tokens import Tokens
from burraco.v1 import bot_service_pb2 as pb
from burraco.v1 import bot_service_pb2_grpc

_SCOPES: Final = {
    Scope.PLAY: pb.SCOPE_PLAY,
    Scope.SPECTATE: pb.SCOPE_SPECTATE,
    Scope.ORGANISE: pb.SCOPE_ORGANISE,
    Scope.OPERATE: pb.SCOPE_OPERATE,
}
_MS: Final = 1000
_SCOPES_BACK: Final[dict[int, Scope]] = {value: scope for scope, value in _SCOPES.items()}


class BotService(bot_service_pb2_grpc.BotServiceServicer):
    """Registers bots, makes and ends tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def RegisterBot(
        self,
        request: pb.RegisterBotRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.RegisterBotResponse:
        """Make a player and its token."""
        lifetime_ms = request.lifetime_s * _MS
        secret, token = await self._tokens.register(CALLER.get(), request.name, lifetime_ms)
        return pb.RegisterBotResponse(token=secret, token_id=token.token_id)

    async def WhoAmI(
        self,
        request: pb.WhoAmIRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.WhoAmIResponse:
        """Tell who the caller is."""
        caller = CALLER.get()
        return pb.WhoAmIResponse(
            name=caller.name, scopes=_to_wire(caller.scopes), token_id=caller.token_id
        )

    async def CreateToken(
        self,
        request: pb.CreateTokenRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.CreateTokenResponse:
        """Make a token for any name."""
        scopes = frozenset(_SCOPES_BACK[value] for value in request.scopes)
        lifetime_ms = request.lifetime_s * _MS
        secret, token = await self._tokens.create(CALLER.get(), request.name, scopes, lifetime_ms)
        return pb.CreateTokenResponse(token=secret, summary=_summary(token))

    async def ListTokens(
        self,
        request: pb.ListTokensRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListTokensResponse:
        """List the tokens the caller may change."""
        size, after = page_size(request.page_size), read_page_token(request.page_token)
        tokens = self._tokens.listed(CALLER.get())
        if after is not None:
            tokens = tokens[_place_after(tokens, after) :]
        following = write_page_token(tokens[size - 1].token_id) if len(tokens) > size else ""
        return pb.ListTokensResponse(tokens=map(_summary, tokens[:size]), next_page_token=following)

    async def RotateToken(
        self,
        request: pb.RotateTokenRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.RotateTokenResponse:
        """Put a new token in place of one."""
        caller = CALLER.get()
        token_id = request.token_id or caller.token_id
        secret, token = await self._tokens.rotate(caller, token_id, request.overlap_s * _MS)
        return pb.RotateTokenResponse(token=secret, summary=_summary(token))

    async def RevokeToken(
        self,
        request: pb.RevokeTokenRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.RevokeTokenResponse:
        """End a token."""
        caller = CALLER.get()
        token = await self._tokens.revoke(caller, request.token_id or caller.token_id)
        return pb.RevokeTokenResponse(summary=_summary(token))


def _place_after(tokens: list[Token], token_id: str) -> int:
    for place, token in enumerate(tokens, start=1):
        if token.token_id == token_id:
            return place
    raise no_such_page()


def _to_wire(scopes: frozenset[Scope]) -> list[pb.Scope.ValueType]:
    return [_SCOPES[scope] for scope in Scope if scope in scopes]


def _summary(token: Token) -> pb.TokenSummary:
    return pb.TokenSummary(
        token_id=token.token_id,
        name=token.caller.name,
        scopes=_to_wire(token.caller.scopes),
        created_ms=token.row.created_ms,
        expires_ms=token.row.expires_ms,
        revoked_ms=token.row.revoked_ms,
    )
