"""Wrapping handlers of any kind: what the interceptors have in common."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import grpc

# These are generic for type checkers only.
if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]
    Interceptor = grpc.aio.ServerInterceptor[Any, Any]
else:
    Handler = grpc.RpcMethodHandler
    Interceptor = grpc.aio.ServerInterceptor
# A handler of any kind takes a request, or an iterator of them, and the context of the call.
Behaviour = Callable[[Any, Any], Awaitable[Any]]
Details = grpc.HandlerCallDetails
Continuation = Callable[[Details], Awaitable[Handler]]
Deserialise = Callable[[bytes], Any]
Serialise = Callable[[Any], bytes]

_MAKERS: Final[dict[tuple[bool, bool], Callable[..., Handler]]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}
KINDS: Final = {
    (False, False): "unary",
    (False, True): "server_stream",
    (True, False): "client_stream",
    (True, True): "bidi_stream",
}


def kind_of(handler: Handler) -> tuple[bool, bool]:
    """Whether requests and responses are streams."""
    return bool(handler.request_streaming), bool(handler.response_streaming)


def behaviour_of(handler: Handler) -> Behaviour:
    """The function of a handler of any kind, as a coroutine that writes what it streams."""
    found: Any = (
        handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    )
    behaviour: Behaviour = _written(found) if inspect.isasyncgenfunction(found) else found
    return behaviour


def _written(generate: Callable[[Any, Any], AsyncIterator[Any]]) -> Behaviour:
    async def write(request: Any, context: Any) -> None:  # noqa: ANN401 - of any method
        async for message in generate(request, context):
            await context.write(message)

    return write


def rewrapped(
    handler: Handler,
    behaviour: Behaviour,
    deserialise: Deserialise | None = None,
    serialise: Serialise | None = None,
) -> Handler:
    """A handler of the same kind with another function, and other translators where given."""
    return _MAKERS[kind_of(handler)](
        behaviour,
        deserialise or handler.request_deserializer,
        serialise or handler.response_serializer,
    )
