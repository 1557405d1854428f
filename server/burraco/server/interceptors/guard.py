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
from burraco.server.settings import FRAME_BYTES, METADATA_BYTES
from burraco.server.store import StoreFailed

# What HTTP/2 adds to the characters of each entry (RFC 9113, 6.5.2).
_ENTRY_BYTES: Final = 32


class Malformed:
    """Stands for a message that could not be read; ``refusal`` makes the answer to it."""

    def __init__(self, refusal: Callable[[], ArenaError]) -> None:
        self.refusal = refusal


def malformed() -> ArenaError:
    """The answer to bytes that are no message."""
    return ArenaError(
        Complaint.MALFORMED_FRAME,
        "the bytes are no message of this method: generate your client from burraco/v1/*.proto",
    )


def frame_too_large() -> ArenaError:
    """The answer to a message that is not even looked at."""
    return ArenaError(
        Complaint.FRAME_TOO_LARGE,
        f"a message has at most {FRAME_BYTES} bytes: send less in one",
        limit=str(FRAME_BYTES),
    )


MALFORMED: Final = Malformed(malformed)
TOO_LARGE: Final = Malformed(frame_too_large)


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
        if _metadata_bytes(handler_call_details) > METADATA_BYTES:
            behaviour = _refuse_metadata

        async def guarded(request: Any, context: Any) -> Any:  # noqa: ANN401 - of any method
            try:
                if isinstance(request, Malformed):
                    raise request.refusal()
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


async def _refuse_metadata(_request: Any, _context: Any) -> None:  # noqa: ANN401 - of any method
    raise ArenaError(
        Complaint.METADATA_TOO_LARGE,
        f"the metadata of a call has at most {METADATA_BYTES} bytes: send less of it",
        limit=str(METADATA_BYTES),
    )


def _metadata_bytes(details: Details) -> int:
    """The size of metadata as HTTP/2 counts it."""
    metadata: Any = details.invocation_metadata or ()
    return sum(len(key) + len(value) + _ENTRY_BYTES for key, value in metadata)


def _passing(write: Serialise) -> Serialise:
    def serialise(message: Any) -> bytes:  # noqa: ANN401 - a message of any method
        """What is encoded already, once for many readers, goes out as it is."""
        return message if isinstance(message, bytes) else write(message)

    return serialise


def _forgiving(read: Deserialise) -> Deserialise:
    def deserialise(raw: bytes) -> Any:  # noqa: ANN401 - a message of any method
        if len(raw) > FRAME_BYTES:
            return TOO_LARGE
        try:
            return read(raw)
        except (DecodeError, ValueError):
            return MALFORMED

    return deserialise
