"""Whatever a method of the API is sent, it answers, or refuses with a typed reason."""

import random
from collections.abc import Awaitable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from burraco.v1 import (
    bot_service_pb2,
    match_service_pb2,
    play_service_pb2,
    rules_service_pb2,
    tournament_service_pb2,
)
from tests.server.harness import SOLO, Running, reason_of

_FILES = (
    bot_service_pb2,
    match_service_pb2,
    play_service_pb2,
    rules_service_pb2,
    tournament_service_pb2,
)
_DEPTH = 4


def methods() -> Iterator[MethodDescriptor]:
    for file in _FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                if not method.client_streaming and not method.server_streaming:
                    yield method


METHODS = tuple(methods())


def scrambled(chance: random.Random, message: Message, depth: int = 0) -> Message:
    """Fill fields with what their types allow and their meaning does not."""
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.3:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value = field.message_type.fields_by_name["value"]
            getattr(message, field.name)["no such"] = _value(chance, value)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            if depth < _DEPTH:
                held = getattr(message, field.name)
                scrambled(chance, held.add() if _is_repeated(field) else held, depth + 1)
        elif _is_repeated(field):
            getattr(message, field.name).extend([_value(chance, field) for _ in range(3)])
        else:
            setattr(message, field.name, _value(chance, field))
    return message


def _is_repeated(field: Any) -> bool:  # noqa: ANN401 - the stubs do not know is_repeated
    return bool(field.is_repeated)


def _value(chance: random.Random, field: Any) -> object:  # noqa: ANN401 - as above
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return chance.choice(["", "m", "../x", "\x00", "é" * 500, "{" * 500])
        case FieldDescriptor.TYPE_BYTES:
            return chance.choice([b"", b"\xff" * 81])
        case FieldDescriptor.TYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.TYPE_DOUBLE:
            return chance.choice([0.0, -1.0, 1e300, float("nan")])
        case FieldDescriptor.TYPE_ENUM:
            return chance.choice([0, 1, 2, 99, 2**31 - 1, -1])
        case FieldDescriptor.TYPE_INT32 | FieldDescriptor.TYPE_SINT32 | FieldDescriptor.TYPE_INT64:
            return chance.choice([0, 1, -1, 2**31 - 1, -(2**31)])
        case _:
            return chance.choice([0, 1, 14, 2**32 - 1])


async def refusal(call: Awaitable[object]) -> grpc.aio.AioRpcError | None:
    try:
        await call
    except grpc.aio.AioRpcError as refused:
        return refused
    return None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.full_name)
async def test_a_scrambled_request_is_refused_by_its_field_or_answered(
    running: Running, method: MethodDescriptor
) -> None:
    await running.register(SOLO)
    chance = random.Random(method.full_name)
    make = GetMessageClass(method.input_type)
    path = f"/{method.containing_service.full_name}/{method.name}"
    call: Any = running.channel.unary_unary(path, None, None)
    for _ in range(40):
        request = scrambled(chance, make()).SerializeToString()
        for metadata in (running.organiser, running.as_bot(SOLO)):
            refused = await refusal(call(request, metadata=metadata))
            if refused is not None:
                assert refused.code() not in {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}
                assert reason_of(refused)
                assert "Traceback" not in (refused.details() or "")
