"""Who calls: a token in the metadata, looked up by its hash, with the scope the method needs."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from burraco.server.credentials import Caller, Scope
from burraco.server.errors import ArenaError, Complaint
from burraco.server.interceptors.handlers import (
    Behaviour,
    Continuation,
    Details,
    Handler,
    Interceptor,
    behaviour_of,
    rewrapped,
)
from burraco.server.quotas import Quotas
from burraco.server.tokens import Tokens

CALLER: Final[ContextVar[Caller]] = ContextVar("caller")

# Which scopes, any one of them, a method needs; a method without a row is for nobody.
Needs = Mapping[str, frozenset[Scope]]
_ANY: Final = frozenset(Scope)
_PLAY: Final = frozenset({Scope.PLAY})
_ORGANISE: Final = frozenset({Scope.ORGANISE})
_OPERATE: Final = frozenset({Scope.OPERATE})
PUBLIC_NEEDS: Final[Needs] = {
    "/burraco.v1.PlayService/Play": _PLAY,
    "/burraco.v1.PlayService/WatchSeat": _PLAY,
    "/burraco.v1.PlayService/SubmitAction": _PLAY,
    "/burraco.v1.MatchService/CreateMatch": _ORGANISE,
    "/burraco.v1.MatchService/JoinMatch": _PLAY,
    "/burraco.v1.MatchService/GetMatch": _ANY,
    "/burraco.v1.MatchService/ListMatches": _ANY,
    "/burraco.v1.MatchService/WatchMatch": _ANY,
    "/burraco.v1.MatchService/ExportMatch": _ANY,
    "/burraco.v1.MatchService/AdjudicateMatch": _ORGANISE,
    "/burraco.v1.BotService/RegisterBot": _ORGANISE,
    "/burraco.v1.BotService/WhoAmI": _ANY,
    "/burraco.v1.BotService/CreateToken": _ORGANISE | _OPERATE,
    "/burraco.v1.BotService/ListTokens": _ANY,
    "/burraco.v1.BotService/RotateToken": _ANY,
    "/burraco.v1.BotService/RevokeToken": _ANY,
    "/burraco.v1.TournamentService/CreateTournament": _ORGANISE,
    "/burraco.v1.TournamentService/EnterTournament": _PLAY | _ORGANISE,
    "/burraco.v1.TournamentService/WithdrawEntry": _PLAY | _ORGANISE,
    "/burraco.v1.TournamentService/StartTournament": _ORGANISE,
    "/burraco.v1.TournamentService/PauseTournament": _ORGANISE,
    "/burraco.v1.TournamentService/ResumeTournament": _ORGANISE,
    "/burraco.v1.TournamentService/CancelTournament": _ORGANISE,
    "/burraco.v1.TournamentService/GetTournament": _ANY,
    "/burraco.v1.TournamentService/ListTournaments": _ANY,
    "/burraco.v1.TournamentService/GetStandings": _ANY,
    "/burraco.v1.TournamentService/GetPairings": _ANY,
    "/burraco.v1.TournamentService/WatchTournament": _ANY,
    "/burraco.v1.TournamentService/RequeueTable": _ORGANISE,
    "/burraco.v1.TournamentService/AdjudicateTable": _ORGANISE,
    "/burraco.v1.TournamentService/ExportTournament": _ANY,
}
ADMIN_NEEDS: Final[Needs] = {
    "/burraco.v1.AdminService/Drain": _OPERATE,
    "/burraco.v1.AdminService/ListQuarantined": _OPERATE,
    "/burraco.v1.AdminService/ListAudit": _OPERATE,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetTopChannels": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetServers": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetServer": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetServerSockets": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetChannel": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetSubchannel": _OPERATE,
    "/grpc.channelz.v1.Channelz/GetSocket": _OPERATE,
}
# Answered without a token.
_OPEN: Final = ("/burraco.v1.RulesService/", "/grpc.health.v1.")
_BEARER: Final = "bearer "


class Auth(Interceptor):
    """Lets a call through with its caller in ``CALLER``, or refuses it."""

    def __init__(self, tokens: Tokens, quotas: Quotas, needs: Needs) -> None:
        self._tokens = tokens
        self._quotas = quotas
        self._needs = needs

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Find out who calls before anything is read."""
        handler = await continuation(handler_call_details)
        method: str = handler_call_details.method
        if handler is None or method.startswith(_OPEN):
            return handler
        try:
            caller = self._caller(handler_call_details, method)
        except ArenaError as refusal:
            return _refusing(handler, refusal)
        CALLER.set(caller)
        if not handler.response_streaming:
            return handler
        return rewrapped(handler, self._held(caller, behaviour_of(handler)))

    def _caller(self, details: Details, method: str) -> Caller:
        secret = _secret_of(details)
        if secret is None:
            raise ArenaError(
                Complaint.TOKEN_MISSING,
                "a token is needed: send the metadata `authorization: Bearer TOKEN`",
            )
        caller = self._tokens.caller_of(secret)
        needed = self._needs.get(method, frozenset())
        if not caller.scopes & needed:
            names = " or ".join(sorted(scope.value for scope in needed)) or "none"
            raise ArenaError(
                Complaint.SCOPE_MISSING,
                f"this token may not be used here: the scope needed is {names}",
                scope=names,
            )
        return caller

    def _held(self, caller: Caller, behaviour: Behaviour) -> Behaviour:
        async def serve_while_it_lasts(request: Any, context: Any) -> Any:  # noqa: ANN401
            with self._quotas.stream(caller.name), self._tokens.hold(caller):
                return await behaviour(request, context)

        return serve_while_it_lasts


def _secret_of(details: Details) -> str | None:
    metadata: Any = details.invocation_metadata or ()
    for key, value in metadata:
        if key == "authorization" and str(value).lower().startswith(_BEARER):
            return str(value)[len(_BEARER) :].strip()
    return None


def _refusing(handler: Handler, refusal: ArenaError) -> Handler:
    async def refuse_call(_request: Any, _context: Any) -> None:  # noqa: ANN401 - of any method
        raise refusal

    return rewrapped(handler, refuse_call)
