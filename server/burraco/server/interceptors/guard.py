"""The guard: nothing a client sends and no fault of ours ends in anything but a typed status."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from burraco.server.errors import ArenaError, Complaint, internal, log_unavailable
from burraco.server.interceptors.handlers import (
    Continuation,
    Deserialise,
    Details,
    Handler,
    Interceptor,
    Serialise,
    behaviour_of,
    rewrapped,
)
from burraco.server.interceptors.refusals import refuse
from burraco.server.store import StoreFailed


class Malformed:
    """Stands for a message that could not be read."""


MALFORMED: Final = Malformed()


class Guard(Interceptor):
    """Catches everything; ``broken`` logs a fault of ours and gives the id it was logged with."""

    def __init__(self, broken: Callable[[Exception], str]) -> None:
        self._broken = broken

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: Details
    ) -> Handler:
        """Wrap what will handle the call."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler
        behaviour = behaviour_of(handler)

        async def guarded(request: Any, context: Any) -> Any:  # noqa: ANN401 - of any method
            try:
                if request is MALFORMED:
                    raise malformed()
                return await behaviour(request, context)
            except ArenaError as error:
                await refuse(context, error)
            except StoreFailed:
                await refuse(context, log_unavailable())
            except (grpc.aio.AbortError, asyncio.CancelledError):
                raise
            except Exception as error:
                await refuse(context, internal(self._broken(error)))

        read, write = handler.request_deserializer, handler.response_serializer
        assert read is not None
        assert write is not None
        return rewrapped(handler, guarded, _forgiving(read), _passing(write))


def malformed() -> ArenaError:
    """The answer to bytes that are no message."""
    return ArenaError(
        Complaint.MALFORMED_FRAME,
        "the bytes are no message of this method: generate your client from burraco/v1/*.proto",
    )


def _passing(write: Serialise) -> Serialise:
    def serialise(message: Any) -> bytes:  # noqa: ANN401 - a message of any method
        """What is encoded already, once for many readers, goes out as it is."""
        return message if isinstance(message, bytes) else write(message)

    return serialise


def _forgiving(read: Deserialise) -> Deserialise:
    def deserialise(raw: bytes) -> Any:  # noqa: ANN401 - a message of any method
        try:
            return read(raw)
        except (DecodeError, ValueError):
            return MALFORMED

    return deserialise
