"""Wrong messages over the wire: every answer has to be a typed one, and without our insides."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from burraco.v1 import (
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    play_pb2,
    play_service_pb2,
    rules_service_pb2,
)
from tests.faults.mutations import frames_of, wrong_message
from tests.server.harness import Metadata, bearer

_FILES: Final = (bot_service_pb2, match_service_pb2, play_service_pb2, rules_service_pb2)
_PLAY: Final = "/burraco.v1.PlayService/Play"
_BATCH: Final = 50
_SECONDS: Final = 30.0
_STREAM_SECONDS: Final = 0.2
_UNTYPED: Final = frozenset({"UNKNOWN", "INTERNAL"})
_INSIDES: Final = re.compile(
    r"Traceback|[A-Za-z](Error|Exception)\b|object at 0x|\.py\b|Errno|sqlalchemy|psycopg"
)


@dataclass(slots=True)
class Flooded:
    """How many messages were sent, what codes they met, and what was wrong."""

    sent: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def met(self, code: str, words: str, raw: bytes, where: str) -> None:
        """An answer has come."""
        self.codes[code] = self.codes.get(code, 0) + 1
        if code in _UNTYPED or _INSIDES.search(words):
            self.wrong.append(f"{where} {raw[:60].hex()}: {code} {words}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Whose messages they are; ``expendable`` may lose its token to one of them."""

    organiser: str
    bot: str
    expendable: str


async def flood(address: str, tokens: Tokens, match_id: str, messages: int, seed: int) -> Flooded:
    """Send wrong messages, half of them to a stream and half to calls."""
    done, chance = Flooded(), Random(seed)
    async with grpc.aio.insecure_channel(address) as channel:
        samples = frames_of(play_pb2.SeatRef(match_id=match_id, seat=cards_pb2.SEAT_N))
        await _flood_play(channel, bearer(tokens.bot), samples, messages // 2, chance, done)
        await _flood_calls(channel, tokens, messages - messages // 2, chance, done)
    return done


async def _flood_play(
    channel: grpc.aio.Channel,
    metadata: Metadata,
    samples: list[bytes],
    messages: int,
    chance: Random,
    done: Flooded,
) -> None:
    due = done.sent + messages
    while done.sent < due:
        call: Any = channel.stream_stream(_PLAY, None, None)
        stream = call(metadata=metadata)
        try:
            async with asyncio.timeout(_SECONDS):
                await stream.write(_raw(hello=play_pb2.Hello()))
                while done.sent < due:
                    await _batch(stream, samples, chance, done)
        except grpc.aio.AioRpcError as error:
            done.met(error.code().name, error.details() or "", b"", "Play")
        except (TimeoutError, asyncio.InvalidStateError):
            # A batch that took too long, or a stream that ended while it was written to.
            done.codes["again"] = done.codes.get("again", 0) + 1
        finally:
            stream.cancel()


async def _batch(stream: Any, samples: list[bytes], chance: Random, done: Flooded) -> None:  # noqa: ANN401 - a raw stream
    """Some wrong frames, then a ping whose pong says that all of them were looked at."""
    nonce = chance.getrandbits(63) + 1
    for _ in range(_BATCH):
        await stream.write(wrong_message(chance, samples, play_pb2.ClientFrame))
        done.sent += 1
    await stream.write(_raw(ping=play_pb2.Ping(nonce=nonce)))
    while (raw := await stream.read()) is not grpc.aio.EOF:  # type: ignore[attr-defined]  # in no stub
        frame = play_pb2.ServerFrame.FromString(raw)
        if frame.HasField("stream_error"):
            error = frame.stream_error
            done.met(error.code, error.refusal.message, raw, "frame")
        elif frame.HasField("pong") and frame.pong.nonce == nonce:
            return
    raise asyncio.InvalidStateError


def _raw(**body: Any) -> bytes:  # noqa: ANN401 - any frame of a client
    return play_pb2.ClientFrame(**body).SerializeToString()


def methods() -> Iterator[MethodDescriptor]:
    """Every method with one request."""
    for file in _FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            yield from (method for method in service.methods if not method.client_streaming)


async def _flood_calls(
    channel: grpc.aio.Channel,
    tokens: Tokens,
    messages: int,
    chance: Random,
    done: Flooded,
) -> None:
    kinds = tuple(methods())
    for start in range(0, messages, _BATCH):
        await asyncio.gather(
            *(
                _call(channel, chance.choice(kinds), tokens, chance, done)
                for _ in range(min(_BATCH, messages - start))
            )
        )


def _caller(method: MethodDescriptor, tokens: Tokens, chance: Random) -> str:
    """Nobody else's token is at risk: one that is lost would refuse all that follows."""
    if method.name in ("RotateToken", "RevokeToken"):
        return tokens.expendable
    return chance.choice((tokens.organiser, tokens.bot))


async def _call(
    channel: grpc.aio.Channel,
    method: MethodDescriptor,
    tokens: Tokens,
    chance: Random,
    done: Flooded,
) -> None:
    raw = wrong_message(chance, [], GetMessageClass(method.input_type))
    metadata = bearer(_caller(method, tokens, chance))
    done.sent += 1
    path = f"/{method.containing_service.full_name}/{method.name}"
    kind: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
    # A stream that opens has nothing to refuse, and may stay open for ever.
    seconds = _STREAM_SECONDS if method.server_streaming else _SECONDS
    call = kind(path, None, None)(raw, metadata=metadata, timeout=seconds)
    try:
        if method.server_streaming:
            await call.read()
            call.cancel()
        else:
            await call
        done.codes["OK"] = done.codes.get("OK", 0) + 1
    except grpc.aio.AioRpcError as error:
        done.met(error.code().name, error.details() or "", raw, path)
