"""BotService: players and their tokens."""

from typing import Any, Final

from burraco.server.interceptors.auth import CALLER
from burraco.server.requests import read_name
from burraco.server.tokens import Scope, Tokens
from burraco.v1 import bot_service_pb2, bot_service_pb2_grpc

_SCOPES: Final = {
    Scope.PLAY: bot_service_pb2.SCOPE_PLAY,
    Scope.SPECTATE: bot_service_pb2.SCOPE_SPECTATE,
    Scope.ORGANISE: bot_service_pb2.SCOPE_ORGANISE,
    Scope.OPERATE: bot_service_pb2.SCOPE_OPERATE,
}


class BotService(bot_service_pb2_grpc.BotServiceServicer):
    """Registers bots."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def RegisterBot(
        self,
        request: bot_service_pb2.RegisterBotRequest,
        context: Any,  # noqa: ANN401
    ) -> bot_service_pb2.RegisterBotResponse:
        """Make a player and its token."""
        name = read_name(request.name, "name")
        token = await self._tokens.register(name, {Scope.PLAY})
        return bot_service_pb2.RegisterBotResponse(token=token)

    async def WhoAmI(
        self,
        request: bot_service_pb2.WhoAmIRequest,
        context: Any,  # noqa: ANN401
    ) -> bot_service_pb2.WhoAmIResponse:
        """Tell who the caller is."""
        caller = CALLER.get()
        scopes = [_SCOPES[scope] for scope in Scope if scope in caller.scopes]
        return bot_service_pb2.WhoAmIResponse(name=caller.name, scopes=scopes)
