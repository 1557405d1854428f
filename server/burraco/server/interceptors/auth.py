"""Who calls: a token in the metadata, looked up by its hash, with the scope the method needs."""

from contextvars import ContextVar
from typing import Any, Final

from burraco.server.errors import ArenaError, Complaint
from burraco.server.interceptors.handlers import (
    Continuation,
    Details,
    Handler,
    Interceptor,
    rewrapped,
)
from burraco.server.tokens import Caller, Scope, Tokens

CALLER: Final[ContextVar[Caller]] = ContextVar("caller")

_ANY: Final = frozenset(Scope)
_PACKAGE: Final = "/burraco.v1."
_OPEN: Final = ("/burraco.v1.RulesService/", "/grpc.health.v1.", "/grpc.reflection.")
_SCOPES: Final = {
    "PlayService/Play": frozenset({Scope.PLAY}),
    "PlayService/WatchSeat": frozenset({Scope.PLAY}),
    "PlayService/SubmitAction": frozenset({Scope.PLAY}),
    "MatchService/CreateMatch": frozenset({Scope.ORGANISE}),
    "MatchService/JoinMatch": frozenset({Scope.PLAY}),
    "MatchService/GetMatch": _ANY,
    "MatchService/ListMatches": _ANY,
    "MatchService/WatchMatch": _ANY,
    "MatchService/ExportMatch": _ANY,
    "MatchService/AdjudicateMatch": frozenset({Scope.ORGANISE}),
    "BotService/RegisterBot": frozenset({Scope.ORGANISE}),
    "BotService/WhoAmI": _ANY,
}
_BEARER: Final = "bearer "


class Auth(Interceptor):
    """Lets a call through with its caller in ``CALLER``, or refuses it."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Find out who calls before anything is read."""
        handler = await continuation(handler_call_details)
        method: str = handler_call_details.method
        if handler is None or method.startswith(_OPEN):
            return handler
        try:
            CALLER.set(self._caller(handler_call_details, method))
        except ArenaError as refusal:
            return _refusing(handler, refusal)
        return handler

    def _caller(self, details: Details, method: str) -> Caller:
        token = _token_of(details)
        if token is None:
            raise ArenaError(
                Complaint.TOKEN_MISSING,
                "a token is needed: send the metadata `authorization: Bearer TOKEN`",
            )
        caller = self._tokens.caller_of(token)
        if caller is None:
            raise ArenaError(
                Complaint.TOKEN_UNKNOWN, "nobody knows this token: ask the organiser for a new one"
            )
        needed = _SCOPES.get(method.removeprefix(_PACKAGE), frozenset())
        if not caller.scopes & needed:
            names = " or ".join(sorted(scope.value for scope in needed)) or "none"
            raise ArenaError(
                Complaint.SCOPE_MISSING,
                f"this token may not be used here: the scope needed is {names}",
                scope=names,
            )
        return caller


def _token_of(details: Details) -> str | None:
    metadata: Any = details.invocation_metadata or ()
    for key, value in metadata:
        if key == "authorization" and str(value).lower().startswith(_BEARER):
            return str(value)[len(_BEARER) :].strip()
    return None


def _refusing(handler: Handler, refusal: ArenaError) -> Handler:
    async def refuse_call(_request: Any, _context: Any) -> None:  # noqa: ANN401 - of any method
        raise refusal

    return rewrapped(handler, refuse_call)
