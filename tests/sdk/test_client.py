"""The client as a whole: its seats, its end, and what it says when it cannot go on."""

import grpc
import pytest

from burraco.sdk import (
    ClientFailed,
    Place,
    WrongUsage,
)
from burraco.v1 import match_service_pb2, play_pb2
from burraco.wire import seat_to_wire
from tests.sdk.drawer import MATCH, Drawer, run
from tests.sdk.fake_server import (
    Connection,
    Matches,
    decision,
    ended,
    serving,
    started,
)


async def test_one_stream_carries_all_seats_with_a_bot_for_each(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        names = [("a", 0), ("a", 2), ("b", 0)]
        for seq, (name, seat) in enumerate(names, 1):
            await line.send(seq, match_started=started(name, seat))
        for seq, name in ((4, "b"), (5, "a")):
            await line.send(seq, decision=decision(MATCH, 1, name))
            act = await line.act()
            assert (act.seat.match_id, act.seat.seat) == (name, seat_to_wire(0))
            await line.judge(act, "APPLIED")
        for seq, (name, seat) in enumerate(names, 6):
            await line.send(seq, match_ended=ended(name, seat))
        await line.until_closed()

    heard: list[tuple[str, int]] = []
    async with serving(script) as address:
        results = await run(
            drawer, address, matches=2, told=lambda name, seat, _: heard.append((name, seat))
        )
    assert list(results) == ["a", "b"]
    assert heard == [("a", 0), ("a", 2), ("b", 0)]
    assert len(drawer.made) == 3


async def test_an_end_of_a_match_of_an_earlier_process_is_nothing_to_this_one(
    drawer: type[Drawer],
) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_ended=ended("old"))
        await line.send(2, match_started=started("new"))
        await line.send(3, match_ended=ended("new"))
        await line.until_closed()

    async with serving(script) as address:
        assert list(await run(drawer, address)) == ["new"]


async def test_a_client_whose_session_was_taken_over_ends(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(superseded=play_pb2.Superseded(fence=2))
        await line.until_closed()

    async with serving(script) as address:
        with pytest.raises(ClientFailed, match="another process plays with this token now"):
            await run(drawer, address)


async def test_a_token_nobody_knows_ends_the_client_at_once(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.fail(grpc.StatusCode.UNAUTHENTICATED, "nobody knows this token")

    # A client whose Hello crosses the refusal does not see it, and comes again.
    async with serving(*[script] * 20) as address:
        with pytest.raises(ClientFailed, match="nobody knows this token"):
            await run(drawer, address)


async def test_a_server_that_is_not_there_is_named(drawer: type[Drawer]) -> None:
    async with serving() as address:
        pass
    with pytest.raises(ClientFailed, match=rf"{address}: no contact .* check that the server"):
        await run(drawer, address, patience=0.0)


async def test_a_free_seat_is_taken_before_playing(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started(seat=2))
        await line.send(2, match_ended=ended(seat=2))
        await line.until_closed()

    joined = match_service_pb2.JoinMatchResponse(seat=seat_to_wire(2))
    matches = Matches(JoinMatch=joined)
    async with serving(script, matches=matches) as address:
        await run(drawer, address, join=Place("m", 2, b"mine"))
    (request,) = matches.requests
    assert (request.match_id, request.seat) == ("m", seat_to_wire(2))
    assert request.nonce == b"mine"


def test_a_nonce_has_64_bytes_at_most() -> None:
    assert Place("m", nonce=bytes(64)).nonce == bytes(64)
    with pytest.raises(WrongUsage, match="the nonce has 65 bytes: give at most 64"):
        Place("m", nonce=bytes(65))


async def test_a_server_that_is_busy_for_now_is_asked_for_the_seat_again(
    drawer: type[Drawer],
) -> None:
    async def refused(line: Connection) -> None:
        await line.open()
        await line.until_closed()

    async def taken(line: Connection) -> None:
        matches.answers["JoinMatch"] = match_service_pb2.JoinMatchResponse(seat=seat_to_wire(2))
        await line.open()
        await line.send(1, match_started=started(seat=2))
        await line.send(2, match_ended=ended(seat=2))
        await line.until_closed()

    matches = Matches(JoinMatch=(grpc.StatusCode.UNAVAILABLE, "the log is away: try again"))
    async with serving(refused, taken, matches=matches) as address:
        await run(drawer, address, join=Place("m", 2))
    assert len(matches.requests) == 2


@pytest.mark.parametrize("code", ["FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"])
async def test_a_seat_that_cannot_be_taken_ends_the_client(drawer: type[Drawer], code: str) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.until_closed()

    taken = (grpc.StatusCode[code], "seat N is taken: wish for another")
    async with serving(script, matches=Matches(JoinMatch=taken)) as address:
        with pytest.raises(ClientFailed, match="match m: seat N is taken"):
            await run(drawer, address, join=Place("m", 0))
