"""Resuming a session: what was missed comes again, and what waits is told with its time left."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from burraco.engine import DRAW_STOCK, Discard
from burraco.server.presets import CLOCKS as CLOCKS_OF
from burraco.server.settings import SEAT_STREAMS
from burraco.server.store import MatchRow, StoreFailed
from burraco.server.terms import FaultTerms
from burraco.v1 import cards_pb2, match_service_pb2, matches_pb2, play_pb2, play_service_pb2
from tests.server.harness import SOLO, Client, FakeClock, Running, gone, reason_of, serving, solo
from tests.server.tableside import Tableside

APPLIED = play_pb2.VERDICT_KIND_APPLIED
CLOCKS = matches_pb2.ClockTerms(turn_ms=2_000, bank_ms=9_000, disconnect_ms=600_000)


@pytest.fixture
async def running(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock) as running:
        yield running


async def back(running: Running, client: Client, last_seq: int) -> Client:
    """The same bot on a new connection, after the old one was cut."""
    client.close()
    await gone(running, client.name)
    again = await running.connect(
        client.name, session_id=client.welcome.session_id, last_seq=last_seq
    )
    assert again.welcome.resumed
    again.rules = client.rules
    return again


def raw(frame: play_pb2.ServerFrame) -> bytes:
    return frame.SerializeToString(deterministic=True)


async def test_after_each_frame_of_a_match_the_next_comes_again_byte_for_byte(
    running: Running,
) -> None:
    client = await solo(running)
    ended = 0
    while ended < 4:
        frame = await client.read()
        assert frame.seq
        again = await back(running, client, frame.seq - 1)
        assert raw(await again.read()) == raw(frame)
        assert again.welcome.last_seq >= frame.seq
        client = again
        if frame.HasField("decision"):
            await client.greedy(frame.decision)
        elif frame.HasField("verdict"):
            assert frame.verdict.kind == APPLIED
            if frame.verdict.HasField("next"):
                await client.greedy(frame.verdict.next)
        ended += frame.HasField("match_ended")


async def test_a_missed_decision_says_what_was_left_and_the_welcome_what_is_left(
    running: Running, clock: FakeClock
) -> None:
    client = await solo(running, clocks=CLOCKS)
    first = await client.decision()
    assert first.remaining_ms == 11_000
    last = client.frames[-1].seq
    clock.move(3.25)
    again = await back(running, client, last - 1)
    assert again.welcome.last_seq == last
    (told,) = again.welcome.open_decisions
    assert (told.seat, told.decision_id, told.attempt) == (first.seat, first.decision_id, 1)
    assert (told.remaining_ms, told.bank_ms) == (7_750, 7_750)
    assert raw(await again.read()) == raw(client.frames[-1])
    await again.act(first, DRAW_STOCK)
    assert (await again.read()).verdict.kind == APPLIED


async def test_a_decision_that_had_arrived_is_told_again_outside_the_order(
    running: Running, clock: FakeClock
) -> None:
    client = await solo(running, clocks=CLOCKS)
    first = await client.decision()
    last = client.frames[-1].seq
    clock.move(1)
    again = await back(running, client, last)
    told = await again.read()
    assert (told.seq, told.decision.decision_id) == (0, first.decision_id)
    assert told.decision.remaining_ms == again.welcome.open_decisions[0].remaining_ms == 10_000
    assert told.decision.view == first.view
    assert told.decision.default_actions == first.default_actions
    assert not told.decision.events
    await again.act(told.decision, DRAW_STOCK)
    verdict = await again.read()
    assert (verdict.seq, verdict.verdict.kind) == (last + 1, APPLIED)


async def test_a_decision_that_arrived_in_a_verdict_is_told_again(running: Running) -> None:
    client = await solo(running)
    await client.act(await client.decision(), DRAW_STOCK)
    following = (await client.verdict()).next
    last = client.frames[-1].seq
    missed = await back(running, client, last - 1)
    assert (await missed.read()).verdict.next == following
    known = await back(running, missed, last)
    assert [told.decision_id for told in known.welcome.open_decisions] == [following.decision_id]
    told = await known.read()
    assert (told.seq, told.decision.view) == (0, following.view)
    # Nothing else was sent: the next frame answers what comes next.
    await known.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=3)))
    assert (await known.read()).pong.last_seq == last


async def test_the_try_that_is_open_is_told(running: Running) -> None:
    client = await solo(running)
    await client.act(await client.decision(), Discard(0))
    assert (await client.verdict()).next.attempt == 2
    again = await back(running, client, client.frames[-1].seq)
    (told,) = again.welcome.open_decisions
    assert told.attempt == 2
    assert not told.HasField("remaining_ms")
    assert (await again.read()).decision.attempt == 2


async def test_every_open_decision_is_told_and_no_other(running: Running) -> None:
    client = await solo(running)
    for name in ("m2", "m3"):
        await running.create([SOLO] * 4, match_id=name)
    asked = [await client.decision() for _ in range(3)]
    again = await back(running, client, client.frames[-1].seq)
    told = {open_.seat.match_id: open_.decision_id for open_ in again.welcome.open_decisions}
    assert told == {decision.seat.match_id: decision.decision_id for decision in asked}
    in_full = [await again.read() for _ in range(3)]
    assert {frame.decision.seat.match_id for frame in in_full} == {"m", "m2", "m3"}
    assert [frame.seq for frame in in_full] == [0, 0, 0]


async def test_a_fresh_session_asks_in_its_order(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    fresh = await running.connect(SOLO)
    assert not fresh.welcome.resumed
    assert fresh.welcome.last_seq == 0
    assert not fresh.welcome.open_decisions
    assert (await fresh.decision()).decision_id == decision.decision_id
    assert [frame.seq for frame in fresh.frames] == [0, 1, 2, 3, 4, 5][: len(fresh.frames)]


async def test_a_seat_that_is_watched_again_begins_with_the_exact_time_left(
    running: Running, clock: FakeClock
) -> None:
    await running.register("curl", "rest")
    await running.create(["curl", "rest", "rest", "rest"], clocks=CLOCKS)
    await running.connect("rest")
    metadata = running.as_bot("curl")
    request = play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N)
    remaining = []
    for seconds in (0.0, 2.5, 1.25):
        clock.move(seconds)
        watching = running.play.WatchSeat(request, metadata=metadata)
        started, asked = await watching.read(), await watching.read()
        watching.cancel()
        assert isinstance(started, play_pb2.ServerFrame)
        assert started.HasField("match_started")
        assert isinstance(asked, play_pb2.ServerFrame)
        remaining.append(asked.decision.remaining_ms)
    assert remaining == [11_000, 8_500, 7_250]


async def test_of_many_streams_of_one_seat_the_newest_stay(running: Running) -> None:
    await running.register("curl", "rest")
    await running.create(["curl", "rest", "rest", "rest"])
    await running.connect("rest")
    request = play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N)
    streams: list[Any] = []
    for _ in range(SEAT_STREAMS + 3):
        streams.append(running.play.WatchSeat(request, metadata=running.as_bot("curl")))
        assert (await streams[-1].read()).HasField("match_started")
        assert (await streams[-1].read()).HasField("decision")
    for old in streams[:3]:
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await old.read()
        assert reason_of(ended.value) == "SUPERSEDED"
    table = running.arena.tables.find("m")
    assert table is not None
    assert len(table.publisher.links[0]) == SEAT_STREAMS
    for stream in streams[3:]:
        stream.cancel()
    async with asyncio.timeout(60):
        while table.publisher.links[0]:
            await asyncio.sleep(0)


async def ends(client: Client, count: int) -> set[tuple[str, int]]:
    frames = [await client.read_until("match_ended") for _ in range(count)]
    told = [(frame.match_ended.seat.match_id, frame.match_ended.seat.seat) for frame in frames]
    assert len(set(told)) == count
    return set(told)


async def nothing_more(client: Client, running: Running) -> None:
    """Nothing else is on its way, nor being looked for."""
    session = running.arena.sessions.of(client.name)
    assert session is not None
    async with asyncio.timeout(60):
        while session.told is not None:
            await asyncio.sleep(0)
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=99)))
    assert (await client.read()).pong.nonce == 99


async def test_ends_that_a_bot_asks_for_are_told_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        (told, *_) = await client.play_to_the_end(4)
        await running.create([SOLO] * 4, match_id="open")
        tokens = running.tokens
    async with serving(tmp_path) as running:
        running.tokens = tokens
        again = await running.connect(SOLO, matches=["m", "open", "never-was", "m"])
        assert not again.welcome.resumed
        assert await ends(again, 4) == {("m", seat) for seat in (1, 2, 3, 4)}
        shown = [frame.match_ended for frame in again.frames if frame.HasField("match_ended")]
        assert {end.result.SerializeToString() for end in shown} == {
            told.result.SerializeToString()
        }
        kinds = {frame.WhichOneof("body") for frame in again.frames}
        assert kinds <= {"welcome", "match_started", "decision", "match_ended"}


@pytest.mark.parametrize("summary", [b"\xff\xff", b""], ids=["torn", "gone"])
async def test_an_end_whose_summary_is_damaged_is_told_from_the_log(
    tmp_path: Path, summary: bytes
) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        (told, *_) = await client.play_to_the_end(4)
        await running.arena.writer.flush()
        row = await running.arena.store.match("m")
        assert row is not None
        await running.arena.store.append([], [replace(row, summary=summary)])
        tokens = running.tokens
    async with serving(tmp_path) as running:
        running.tokens = tokens
        again = await running.connect(SOLO, matches=["m"])
        assert await ends(again, 4) == {("m", seat) for seat in (1, 2, 3, 4)}
        shown = [frame.match_ended for frame in again.frames if frame.HasField("match_ended")]
        assert {end.result.SerializeToString() for end in shown} == {
            told.result.SerializeToString()
        }


async def test_a_seat_that_only_the_row_of_a_match_names_is_not_asked_for_ever(
    running: Running,
) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    await running.register("other")
    await running.arena.writer.flush()
    row = await running.arena.store.match("m")
    assert row is not None
    await running.arena.store.append([], [replace(row, players=("other",) * 4, summary=b"")])
    other = await running.connect("other", matches=["m"])
    await nothing_more(other, running)
    assert not any(frame.HasField("match_ended") for frame in other.frames)


async def test_an_end_that_was_not_acknowledged_is_told_once(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    client.close()
    await gone(running, SOLO)
    again = await running.connect(SOLO, matches=["m"])
    assert await ends(again, 4) == {("m", seat) for seat in (1, 2, 3, 4)}
    await nothing_more(again, running)


async def test_an_end_that_was_acknowledged_is_told_again_to_whoever_asks(
    running: Running,
) -> None:
    """A client that forgot what it had acknowledged, as after a crash of its own."""
    client = await solo(running)
    await client.play_to_the_end(4)
    last = client.frames[-1].seq
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping(last_seq=last)))
    await client.read_until("pong")
    again = await running.connect(SOLO, matches=["m"])
    assert len(await ends(again, 4)) == 4
    await nothing_more(again, running)


async def test_ends_of_others_are_nobodys_business(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    await running.register("other")
    other = await running.connect("other", matches=["m"])
    await nothing_more(other, running)
    assert {frame.WhichOneof("body") for frame in other.frames} == {"welcome", "pong"}


async def test_a_resumed_session_is_told_in_its_order_alone(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    again = await running.connect(
        SOLO,
        session_id=client.welcome.session_id,
        last_seq=client.frames[-1].seq,
        matches=["m"],
    )
    assert again.welcome.resumed
    await nothing_more(again, running)


async def test_a_store_that_does_not_answer_holds_nothing_up_and_is_asked_again(
    running: Running, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    last = client.frames[-1].seq
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping(last_seq=last)))
    await client.read_until("pong")
    store, answers, asked = running.arena.store, asyncio.Event(), 0
    look_up = store.match

    async def away(match_id: str) -> MatchRow | None:
        nonlocal asked
        asked += 1
        if asked == 1:
            await answers.wait()
            raise StoreFailed("away")
        return await look_up(match_id)

    monkeypatch.setattr(store, "match", away)
    again = await running.connect(SOLO, matches=["m"])
    await again.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=5)))
    assert (await again.read()).pong.nonce == 5
    answers.set()
    telling = asyncio.create_task(ends(again, 4))
    async with asyncio.timeout(60):
        while not telling.done():
            await asyncio.sleep(0)
            clock.move(0.5)
    assert len(await telling) == 4
    assert asked >= 2


async def test_a_player_whose_match_ends_as_it_comes_is_told() -> None:
    """Between the old session and the greeting of the new one nobody is told anything."""
    side = Tableside(CLOCKS_OF["off"], FaultTerms(0, 9))
    side.sit()
    sink = side.sinks["n"]
    side.table.publisher.detach(sink)
    before = len(sink.frames)
    while side.table.asked is not None:
        side.act(*side.default())
    assert len(sink.frames) == before
    side.table.greet(sink)
    (told,) = sink.frames[before:]
    assert told.match_ended.seat.seat == cards_pb2.SEAT_N
    assert told.match_ended.result.end == matches_pb2.MATCH_END_PLAYED


async def test_a_match_that_an_organiser_stopped_before_it_began_is_told_too(
    running: Running,
) -> None:
    await running.register(SOLO)
    await running.create([SOLO, "", "", ""], match_id="w")
    stop = match_service_pb2.AdjudicateMatchRequest(match_id="w", reason="nobody came")
    await running.matches.AdjudicateMatch(stop, metadata=running.organiser)
    client = await running.connect(SOLO, matches=["w"])
    (told,) = await ends(client, 1)
    assert told == ("w", cards_pb2.SEAT_N)
