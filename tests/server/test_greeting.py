"""A bot that begins a session is told about all its seats: once, and at the pace it reads."""

import asyncio

import pytest

from burraco.server import outbox, sessions
from burraco.server.acts import Act
from burraco.server.chairs import digest
from burraco.server.presets import CLOCKS
from burraco.server.terms import ClockTerms, FaultTerms
from tests.server.harness import SOLO, Running, gone, solo
from tests.server.tableside import FakeSink, Tableside


@pytest.fixture
def side() -> Tableside:
    return Tableside(CLOCKS["off"], FaultTerms(0, 9))


def told(sink: FakeSink) -> list[str | None]:
    return [frame.WhichOneof("body") for frame in sink.frames]


def renew(side: Tableside, name: str) -> FakeSink:
    """What happens where a bot begins a new session: the one before is told nothing more."""
    side.table.publisher.detach(side.sinks[name])
    sink = side.sinks[name] = FakeSink(name)
    sink.is_connected = True
    side.table.greet(sink)
    return sink


def begin_an_act(side: Tableside) -> None:
    """Let the table wait for the log."""
    asked = side.table.asked
    assert asked is not None
    act = Act(
        seat=asked.seat,
        decision=asked.number,
        action_id="waits",
        actions=side.default(),
        content=digest(b"waits"),
        note="",
        arrived=side.clock.now(),
        link=None,
        reply=lambda _outcome: None,
    )
    side.table.act(act)


def test_a_session_that_begins_while_the_start_is_written_is_told_once(side: Tableside) -> None:
    for sink in side.sinks.values():
        sink.is_connected = True
    side.table.open()
    again = renew(side, "n")
    side.writer.pump()
    assert told(again) == ["match_started", "decision"]
    side.act(*side.default())
    assert told(again).count("decision") == 1


def test_of_sessions_that_begin_while_the_log_is_waited_for_the_last_is_told(
    side: Tableside,
) -> None:
    side.sit()
    begin_an_act(side)
    *before, last = [renew(side, "n") for _ in range(4)]
    side.writer.pump()
    assert told(last) == ["match_started", "decision"]
    assert not any(sink.frames for sink in before)
    side.act(*side.default())
    assert not any(sink.frames for sink in before)


def test_a_session_that_is_gone_before_it_is_greeted_is_told_nothing(side: Tableside) -> None:
    side.sit()
    begin_an_act(side)
    gone = renew(side, "n")
    del side.sinks["n"]
    side.writer.pump()
    assert not gone.frames
    assert not side.table.publisher.links[0]


async def test_a_bot_is_told_of_more_matches_than_frames_may_wait(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "OUTBOX_MOST", 200)
    client = await solo(running)
    for number in range(99):
        await running.create([SOLO] * 4, match_id=f"m{number}")
    for _ in range(2):
        started: set[bytes] = set()
        asked: set[bytes] = set()
        while len(started) < 400 or len(asked) < 100:
            frame = await client.read()
            if frame.HasField("match_started"):
                started.add(frame.match_started.seat.SerializeToString())
            else:
                asked.add(frame.decision.seat.SerializeToString())
        client.close()
        await gone(running, SOLO)
        # A session that is not known here: everything comes anew.
        client = await running.connect(SOLO, session_id="another")


async def test_more_open_decisions_than_a_session_keeps_come_afresh(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SESSION_FRAMES", 3)
    client = await solo(running)
    for number in range(3):
        await running.create([SOLO] * 4, match_id=f"m{number}")
    asked = [await client.decision() for _ in range(4)]
    client.close()
    await gone(running, SOLO)
    again = await running.connect(
        SOLO, session_id=client.welcome.session_id, last_seq=client.frames[-1].seq
    )
    assert not again.welcome.resumed
    told = {(await again.decision()).seat.match_id for _ in range(4)}
    assert told == {decision.seat.match_id for decision in asked}


async def test_a_greeting_ends_with_its_session_and_with_the_server(running: Running) -> None:
    client = await solo(running)
    for number in range(40):
        await running.create([SOLO] * 4, match_id=f"m{number}")
    for _ in range(3):
        # Each takes the session from the one before, in the middle of what that is told.
        client = await running.connect(SOLO, session_id="another")
    while len(client.rules) < 41:
        await client.read()
    sinks = {
        id(link.sink)
        for table in running.arena.tables.of(SOLO)
        for links in table.publisher.links
        for link in links
    }
    assert sinks == {id(running.arena.sessions.of(SOLO))}
    await running.connect(SOLO, session_id="another")
    await asyncio.sleep(0)


def test_whoever_has_come_back_and_is_not_greeted_yet_is_not_away() -> None:
    clocks = ClockTerms(turn_ms=60_000, bank_ms=0, warmup_ms=0, disconnect_ms=5_000)
    side = Tableside(clocks, FaultTerms(0, 9))
    side.sit()
    side.drop(1)
    side.move(4)
    side.sinks["e"].is_connected = True
    side.move(10)
    assert not side.record.chairs[1].stood_in
