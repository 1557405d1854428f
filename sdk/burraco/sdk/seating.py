"""What a client asks of matches beside its stream: a free seat, and how a match ended."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio

from burraco.engine.state import SEAT_NAMES
from burraco.sdk.asking import LOG
from burraco.sdk.calls import CALL_SECONDS, Complaint, Server, WrongUsage, complaint_of
from burraco.v1 import match_service_pb2, match_service_pb2_grpc, matches_pb2
from burraco.wire import seat_from_wire, seat_to_wire

# The longest nonce of a seat.
NONCE_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class Place:
    """A free seat to take; ``seat`` None for any of the match.

    ``nonce``, up to 64 bytes, goes into the shuffle: nobody can have chosen the cards alone.
    """

    match_id: str
    seat: int | None = None
    nonce: bytes = b""

    def __post_init__(self) -> None:
        if len(self.nonce) > NONCE_BYTES:
            raise WrongUsage(f"the nonce has {len(self.nonce)} bytes: give at most {NONCE_BYTES}")


async def join(server: Server, place: Place) -> Complaint | None:
    """Take a seat; gives what the server has against it. A seat that we have already is taken."""
    request = match_service_pb2.JoinMatchRequest(match_id=place.match_id, nonce=place.nonce)
    if place.seat is not None:
        request.seat = seat_to_wire(place.seat)
    async with server.channel() as channel:
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        try:
            answer = await stub.JoinMatch(request, metadata=server.metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            complaint = complaint_of(error)
            return None if complaint.reason == "ALREADY_SEATED" else complaint
    LOG.info("match %s: seat %s taken", place.match_id, SEAT_NAMES[seat_from_wire(answer.seat)])
    return None


async def ended_among(
    server: Server, matches: Sequence[str]
) -> AsyncGenerator[tuple[str, matches_pb2.MatchResult], None]:
    """Those of some matches that have ended, with how."""
    async with server.channel() as channel:
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        for match_id in matches:
            request = match_service_pb2.GetMatchRequest(match_id=match_id)
            try:
                answer = await stub.GetMatch(
                    request, metadata=server.metadata, timeout=CALL_SECONDS
                )
            except grpc.aio.AioRpcError as error:
                LOG.warning("match %s: %s", match_id, complaint_of(error))
                continue
            if answer.match.state == matches_pb2.MATCH_STATE_ENDED:
                yield match_id, answer.match.result
