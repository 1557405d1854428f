"""Counts calls by method and code, under the names that dashboards for gRPC know."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

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


class Metering(Interceptor):
    """Stands outside the guard, so that it sees the code every call really ends with."""

    def __init__(self, metrics: Metrics, now: Callable[[], float]) -> None:
        self._metrics = metrics
        self._now = now

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Wrap what will handle the call; unknown methods are not counted."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        service, _, method = handler_call_details.method.strip("/").rpartition("/")
        labels = (KINDS[kind_of(handler)], service, method)
        behaviour = behaviour_of(handler)

        async def metered(request: Any, context: Any) -> Any:  # noqa: ANN401 - of any method
            started, code = self._now(), "OK"
            self._metrics.rpc_started.labels(*labels).inc()
            try:
                return await behaviour(request, context)
            except asyncio.CancelledError:
                code = "CANCELLED"
                raise
            except Exception:
                code = _code_of(context)
                raise
            finally:
                self._metrics.rpc_handled.labels(*labels, code).inc()
                self._metrics.rpc_seconds.labels(*labels).observe(self._now() - started)

        return rewrapped(handler, metered)


def _code_of(context: Any) -> str:  # noqa: ANN401 - a context of any call
    code = context.code()
    for known in grpc.StatusCode:
        if code in (known, known.value[0]):
            return known.name
    return "UNKNOWN"
