"""Sessions: frames are numbered, kept until known, and sent again byte for byte."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from burraco.engine import DRAW_STOCK
from burraco.server.settings import OUTBOX_FRAMES, OUTBOX_SECONDS, SESSION_FRAMES
from burraco.v1 import match_service_pb2, play_pb2
from tests.server.harness import SOLO, FakeClock, Running, gone, reason_of, serving, solo
from tests.server.lines import Line

APPLIED = play_pb2.VERDICT_KIND_APPLIED


@pytest.fixture
async def running(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock) as running:
        yield running


async def test_frames_are_numbered_without_gaps_and_the_welcome_stands_outside(
    running: Running,
) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    assert client.frames[0].HasField("welcome")
    assert [frame.seq for frame in client.frames] == list(range(len(client.frames)))


async def test_missed_frames_come_again_byte_for_byte(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    sent = [frame.SerializeToString(deterministic=True) for frame in client.frames[1:]]
    client.close()
    await gone(running, SOLO)
    again = await running.connect(SOLO, session_id=client.welcome.session_id, last_seq=2)
    assert again.welcome.resumed
    assert again.welcome.session_id == client.welcome.session_id
    assert again.welcome.fence > client.welcome.fence
    await again.decision()
    resent = [frame.SerializeToString(deterministic=True) for frame in again.frames[1:]]
    assert resent == sent[2:]


async def test_what_happens_while_a_bot_is_away_waits_for_it(running: Running) -> None:
    await running.register("away", "rest")
    await running.create(["rest", "away", "rest", "rest"])
    away = await running.connect("away")
    rest = await running.connect("rest")
    await away.read_until("match_started")
    away.close()
    await gone(running, "away")
    decision = await rest.decision()
    await rest.act(decision, DRAW_STOCK)
    following = (await rest.verdict()).next
    await rest.act(following, *rest.default(following))
    assert (await rest.verdict()).kind == APPLIED
    back = await running.connect("away", session_id=away.welcome.session_id, last_seq=1)
    mine = await back.decision()
    facts = [event.WhichOneof("fact") for event in mine.events]
    assert facts == ["deal_started", "card_drawn", "card_discarded"]


async def test_an_unknown_session_gets_a_snapshot(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    client.close()
    await gone(running, SOLO)
    fresh = await running.connect(SOLO, session_id="no-such-session", last_seq=3)
    assert not fresh.welcome.resumed
    again = await fresh.decision()
    bodies = [frame.WhichOneof("body") for frame in fresh.frames]
    assert bodies == ["welcome", "match_started", "decision"]
    assert again.view == decision.view
    assert again.decision_id == decision.decision_id


async def test_a_number_that_was_never_sent_cannot_be_resumed(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    again = await running.connect(SOLO, session_id=client.welcome.session_id, last_seq=99)
    assert not again.welcome.resumed


async def test_the_newest_connection_wins_and_the_old_one_is_told(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    newer = await running.connect(SOLO, session_id=client.welcome.session_id, last_seq=5)
    told = (await client.read_until("superseded")).superseded
    assert told.fence == newer.welcome.fence
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await client.stream.read()
    assert ended.value.code() is grpc.StatusCode.ABORTED
    assert reason_of(ended.value) == "SUPERSEDED"
    session = running.arena.sessions.of(SOLO)
    assert session is not None
    assert session.is_connected


async def test_an_older_connection_changes_nothing_any_more(running: Running) -> None:
    """It has not gone yet when it acts, pings and takes leave."""
    client = await solo(running)
    decision = await client.decision()
    older, newer = Line(running, SOLO), Line(running, SOLO)
    resume = play_pb2.Hello(session_id=client.welcome.session_id)
    await older.handle(play_pb2.ClientFrame(hello=resume))
    await newer.handle(play_pb2.ClientFrame(hello=resume))
    session = running.arena.sessions.of(SOLO)
    assert session is not None
    kept = list(session.kept)
    act = play_pb2.Act(
        seat=decision.seat,
        decision_id=decision.decision_id,
        action_id="old",
        actions=decision.default_actions,
    )
    await older.handle(
        play_pb2.ClientFrame(act=act),
        play_pb2.ClientFrame(ping=play_pb2.Ping(last_seq=session.last)),
        play_pb2.ClientFrame(leave=play_pb2.Leave()),
    )
    assert (list(session.kept), session.has_left) == (kept, False)
    assert running.record().version == 2
    told = await older.drain()
    after = [frame.WhichOneof("body") for frame in told].index("superseded") + 1
    errors = [frame.stream_error for frame in told[after:]]
    assert {(error.code, error.refusal.reason) for error in errors} == {("ABORTED", "SUPERSEDED")}
    assert [error.action_id for error in errors] == ["old", "", ""]
    # The newer one plays on.
    await newer.handle(play_pb2.ClientFrame(act=act))
    async with asyncio.timeout(60):
        while running.record().version == 2:
            await asyncio.sleep(0)


async def test_the_end_of_a_match_is_told_again_until_it_is_known(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    client.close()
    await gone(running, SOLO)
    fresh = await running.connect(SOLO)
    ends = [await fresh.read() for _ in range(4)]
    assert {end.match_ended.seat.seat for end in ends} == {1, 2, 3, 4}
    await fresh.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=7, last_seq=4)))
    pong = (await fresh.read()).pong
    assert (pong.nonce, pong.last_seq) == (7, 4)
    last = await running.connect(SOLO)
    await last.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=8)))
    assert (await last.read()).pong.last_seq == 0


async def test_an_answer_shows_that_what_it_answers_has_arrived(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end(4)
    session = running.arena.sessions.of(SOLO)
    assert session is not None
    first_kept = play_pb2.ServerFrame.FromString(session.kept[0])
    assert first_kept.seq > session.last - 12


async def test_live_events_come_as_they_happen_to_whom_asks(running: Running) -> None:
    await running.register("live", "rest")
    await running.create(["rest", "live", "rest", "rest"])
    rest = await running.connect("rest")
    live = await running.connect("live", wants_live_events=True)
    decision = await rest.decision()
    dealt = (await live.read_until("live_events")).live_events
    assert [event.WhichOneof("fact") for event in dealt.events] == ["deal_started"]
    assert len(dealt.events[0].own.cards) == 11
    await rest.act(decision, DRAW_STOCK)
    drawn = (await live.read_until("live_events")).live_events
    assert [event.WhichOneof("fact") for event in drawn.events] == ["card_drawn"]
    assert not drawn.events[0].HasField("own")


async def test_a_reader_that_does_not_read_is_cut_with_a_typed_error(
    running: Running, clock: FakeClock
) -> None:
    """The stream's window fills, then the outbox; the bot may resume afterwards."""
    client = await solo(running)
    await client.decision()
    session = running.arena.sessions.of(SOLO)
    assert session is not None
    filler = play_pb2.ServerFrame(stream_error=play_pb2.StreamError(code="x" * 30_000))
    for _ in range(SESSION_FRAMES // 2):
        session.tell(filler)
        await asyncio.sleep(0)
    for _ in range(OUTBOX_FRAMES + 1):
        session.tell(filler)
    clock.move(OUTBOX_SECONDS)
    with pytest.raises(grpc.aio.AioRpcError) as cut:
        await client.read_until("match_ended")
    assert cut.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(cut.value) == "SLOW_READER"
    again = await running.connect(SOLO, session_id=client.welcome.session_id, last_seq=5)
    assert again.welcome.resumed


async def test_case_121_streams_that_are_dropped_leave_no_task_behind(running: Running) -> None:
    await solo(running)
    before = len(asyncio.all_tasks())
    calls: list[Any] = []
    for _ in range(50):
        call = running.matches.WatchMatch(
            match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.organiser
        )
        await call.read()
        calls.append(call)
    table = running.arena.tables.find("m")
    assert table is not None
    assert len(table.publisher.viewers) == 50
    for call in calls:
        call.cancel()
    while table.publisher.viewers or len(asyncio.all_tasks()) > before:
        await asyncio.sleep(0)
