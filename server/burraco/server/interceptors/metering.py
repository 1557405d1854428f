"""Counts calls by method and code, under the names that dashboards for gRPC know."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from burraco.server.interceptors.handlers import (
    KINDS,
    Continuation,
    Details,
    Handler,
    Interceptor,
    behaviour_of,
    kind_of,
    rewrapped,
)
from burraco.server.metrics import Metrics
from burraco.server.settings import CALLS_A_TURN
from burraco.server.turns import Turns

_OURS: Final = "/burraco.v1."
_UNARY: Final = "unary"
_DETAILS: Final = "grpc-status-details-bin"


class Metering(Interceptor):
    """Stands outside the guard, so that it sees the code every call really ends with.

    Calls begin by turns of those who make them, a few at a time: a thousand that come at once do
    not hold up whoever plays already.
    """

    def __init__(self, metrics: Metrics, now: Callable[[], float]) -> None:
        self._metrics = metrics
        self._now = now
        self._turns = Turns(CALLS_A_TURN)

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Wrap what will handle the call; unknown methods, probes and tools are not counted."""
        await self._turns.wait(_caller_of(handler_call_details))
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(_OURS):
            return handler
        service, _, method = handler_call_details.method.strip("/").rpartition("/")
        kind, metrics = KINDS[kind_of(handler)], self._metrics
        behaviour = behaviour_of(handler)

        async def metered(request: Any, context: Any) -> Any:  # noqa: ANN401 - of any method
            started, code = self._now(), "OK"
            metrics.rpc_started.labels(kind, service, method).inc()
            try:
                return await behaviour(request, context)
            except asyncio.CancelledError:
                code = "CANCELLED"
                raise
            except Exception:
                code = _code_of(context)
                metrics.refused(_reason_of(context))
                raise
            finally:
                metrics.rpc_handled.labels(service, code).inc()
                if kind == _UNARY:
                    metrics.rpc_seconds.labels(kind, service).observe(self._now() - started)

        return rewrapped(handler, metered)


def _caller_of(details: Details) -> str:
    """Who says to call, known or not; whoever says nothing is one caller with all like him."""
    metadata: Any = details.invocation_metadata or ()
    return next((str(value) for key, value in metadata if key == "authorization"), "")


def _code_of(context: Any) -> str:  # noqa: ANN401 - a context of any call
    code = context.code()
    for known in grpc.StatusCode:
        if code in (known, known.value[0]):
            return known.name
    return "UNKNOWN"


def _reason_of(context: Any) -> str:  # noqa: ANN401 - a context of any call
    """The reason that the call was refused with, empty where there is none."""
    facts = error_details_pb2.ErrorInfo()
    for key, value in context.trailing_metadata() or ():
        if key == _DETAILS:
            for detail in status_pb2.Status.FromString(value).details:
                detail.Unpack(facts)
    return facts.reason
