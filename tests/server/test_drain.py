"""An orderly stop: nothing hangs, nothing acknowledged is lost, and matches go on afterwards."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from burraco.server.acts import Act, Reply
from burraco.server.chairs import digest
from burraco.server.errors import ArenaError, Complaint
from burraco.server.journal import Adjudicated, Joined
from burraco.server.presets import CLOCKS
from burraco.server.terms import FaultTerms, MatchState
from burraco.v1 import match_service_pb2, matches_pb2, play_pb2, play_service_pb2, views_pb2
from tests.server.harness import (
    SOLO,
    Client,
    FakeClock,
    Running,
    gone,
    reason_of,
    serving,
    solo,
)
from tests.server.lines import Line
from tests.server.tableside import Tableside
from tests.server.test_frozen import retry_of

TABLES = 20
STOPPED = Adjudicated("organiser", "why not")


@pytest.fixture
async def running(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock) as running:
        yield running


def seated() -> Tableside:
    side = Tableside(CLOCKS["blitz"], FaultTerms(0, 9))
    side.sit()
    return side


def act_of(side: Tableside, action_id: str, reply: Reply) -> Act:
    """The default of the open decision, by a call."""
    asked, actions = side.table.asked, side.default()
    assert asked is not None
    content = digest(action_id.encode())
    now = side.clock.now()
    return Act(asked.seat, asked.number, action_id, actions, content, "", now, None, reply)


def test_what_waits_for_the_log_is_answered_and_what_waits_behind_it_is_refused() -> None:
    side = seated()
    replies: list[play_pb2.ServerFrame | ArenaError] = []
    for name in ("first", "second"):
        side.table.act(act_of(side, name, replies.append))
    side.table.adjudicate(STOPPED, lambda refusal: replies.append(refusal or _frame()))
    assert replies == []
    side.table.freeze()
    assert [_complaint(reply) for reply in replies] == [Complaint.DRAINING] * 2
    side.writer.pump()
    applied = replies[-1]
    assert isinstance(applied, play_pb2.ServerFrame)
    assert applied.verdict.kind == play_pb2.VERDICT_KIND_APPLIED
    assert side.record.state is MatchState.RUNNING


def test_what_comes_to_a_frozen_table_is_refused_at_once() -> None:
    side = seated()
    replies: list[play_pb2.ServerFrame | ArenaError] = []
    side.table.freeze()
    side.writer.pump()
    rows = len(side.writer.rows)
    side.table.act(act_of(side, "late", replies.append))
    side.table.join(Joined(0, "x", b""), lambda refusal: replies.append(refusal or _frame()))
    side.table.adjudicate(STOPPED, lambda refusal: replies.append(refusal or _frame()))
    assert [_complaint(reply) for reply in replies] == [Complaint.DRAINING] * 3
    assert all(isinstance(reply, ArenaError) and reply.retry_ms for reply in replies)
    side.move(3_600)
    assert len(side.writer.rows) == rows


def _frame() -> play_pb2.ServerFrame:
    return play_pb2.ServerFrame()


def _complaint(reply: play_pb2.ServerFrame | ArenaError) -> Complaint:
    assert isinstance(reply, ArenaError)
    return reply.complaint


async def test_every_call_that_changes_something_is_refused_while_the_server_stops(
    running: Running,
) -> None:
    client = await solo(running)
    decision = await client.decision()
    await running.create([SOLO, "", "", ""], match_id="free")
    await running.register("late")
    running.arena.tables.freeze()
    act = play_pb2.Act(
        seat=decision.seat,
        decision_id=decision.decision_id,
        action_id="late",
        actions=decision.default_actions,
    )
    late, organiser = running.as_bot("late"), running.organiser
    calls: list[Callable[[], Awaitable[Any]]] = [
        lambda: running.play.SubmitAction(
            play_service_pb2.SubmitActionRequest(act=act), metadata=running.as_bot(SOLO)
        ),
        lambda: running.matches.JoinMatch(
            match_service_pb2.JoinMatchRequest(match_id="free"), metadata=late
        ),
        lambda: running.matches.AdjudicateMatch(
            match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="why not"),
            metadata=organiser,
        ),
        lambda: running.create([SOLO] * 4, match_id="new"),
    ]
    for call in calls:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call()
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(refused.value) == "DRAINING"
        assert retry_of(refused.value) > 0
    await client.send(play_pb2.ClientFrame(act=act))
    told = (await client.read_until("stream_error")).stream_error
    assert (told.code, told.refusal.reason, told.action_id) == ("UNAVAILABLE", "DRAINING", "late")
    assert told.retry_ms > 0
    assert running.record().version == 2


async def test_case_131_what_is_stored_is_what_was_acknowledged(tmp_path: Path) -> None:
    """Twenty tables act while the server stops."""
    told: dict[str, list[str]] = {}
    async with serving(tmp_path) as running:
        await running.register(SOLO)
        for table in range(TABLES):
            await running.create([SOLO] * 4, match_id=f"m{table}", deals=20)
        line = Line(running, SOLO)
        line.send(play_pb2.ClientFrame(hello=play_pb2.Hello()))
        playing = asyncio.create_task(line.run(partial(_play_on, line, told)))
        async with asyncio.timeout(60):
            while sum(map(len, told.values())) < 10 * TABLES:
                await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await playing
    assert line.outbox.ending is not None
    assert line.outbox.ending.complaint is Complaint.DRAINING
    assert line.outbox.ending.retry_ms
    (draining,) = (frame.draining for frame in line.frames if frame.HasField("draining"))
    assert 0 < draining.deadline_ms < 20_000
    async with serving(tmp_path) as running:
        for match_id, action_ids in told.items():
            rows = await running.arena.store.log(match_id)
            acted = [json.loads(row.payload) for row in rows if row.kind == "acted"]
            assert [row["action_id"] for row in acted] == action_ids


def _play_on(line: Line, told: dict[str, list[str]], frame: play_pb2.ServerFrame) -> None:
    """Answer everything with its default, and note which acts were acknowledged."""
    decision = frame.decision
    if frame.HasField("verdict"):
        verdict, decision = frame.verdict, frame.verdict.next
        assert verdict.kind == play_pb2.VERDICT_KIND_APPLIED
        told.setdefault(verdict.seat.match_id, []).append(verdict.action_id)
    if decision.decision_id:
        act = play_pb2.Act(
            seat=decision.seat,
            decision_id=decision.decision_id,
            action_id=str(decision.decision_id),
            actions=decision.default_actions,
        )
        line.send(play_pb2.ClientFrame(act=act))


async def test_case_130_a_turn_goes_on_after_a_restart_once_its_bot_is_back(
    tmp_path: Path,
) -> None:
    """The turn has 17 s left; the bot comes back 30 s after the start, within the warm-up."""
    clocks = matches_pb2.ClockTerms(turn_ms=20_000, warmup_ms=40_000, disconnect_ms=60_000)
    clock = FakeClock()
    async with serving(tmp_path, clock) as running:
        client = await solo(running, clocks=clocks)
        for _ in range(4):
            decision = await client.decision()
            await client.act(decision, *client.default(decision))
            following = (await client.verdict()).next
            await client.act(following, *client.default(following))
            assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_APPLIED
        decision = await client.decision()
        assert decision.remaining_ms == 20_000
        clock.move(3)
        version = running.record().version
        tokens = running.tokens
    clock.move(3_600)
    async with serving(tmp_path, clock) as running:
        running.tokens = tokens
        clock.move(30)
        # Of the stop there is one row: what the decision had used.
        assert running.record().version == version + 1
        client = await running.connect(SOLO)
        again = await client.decision()
        assert again.decision_id == decision.decision_id
        # What was left, and the rest of the warm-up.
        assert again.remaining_ms == 17_000 + 10_000
        # A hold that nobody answers runs out into the normal rules, once.
        clock.move(27)
        lost = await client.decision()
        assert [event.WhichOneof("fact") for event in lost.events] == ["card_drawn"]
        chair = running.record().chairs[again.seat.seat - 1]
        assert (chair.strikes, chair.time_outs) == (1, 1)


async def test_case_134_a_drop_between_two_deals_keeps_seat_and_totals(
    running: Running, clock: FakeClock
) -> None:
    clocks = matches_pb2.ClockTerms(turn_ms=60_000, warmup_ms=1_000, disconnect_ms=60_000)
    await running.register("n", "rest")
    seats = ("n", "rest", "rest", "rest")
    await running.create(seats, deals=2, asks_cut=True, clocks=clocks)
    north, rest = await running.connect("n"), await running.connect("rest")
    playing = asyncio.create_task(play_to_the_second_cut(north))
    cut = await play_to_the_second_cut(rest)
    totals = running.record().totals
    assert any(totals)
    playing.cancel()
    north.close()
    await gone(running, "n")
    clock.move(40)
    record = running.record()
    assert (record.players, record.totals) == (seats, totals)
    assert not any(chair.stood_in for chair in record.chairs)
    back = await running.connect(
        "n", session_id=north.welcome.session_id, last_seq=north.frames[-1].seq
    )
    assert back.welcome.resumed
    back.rules = north.rules
    await rest.act(cut, *rest.default(cut))
    ends = await asyncio.gather(back.play_to_the_end(), rest.play_to_the_end(3))
    result = ends[0][0].result
    assert result.deals == 2
    assert [seat.player for seat in result.seats] == list(seats)
    assert [seat.end for seat in result.seats] == [matches_pb2.SEAT_END_CLEAN] * 4
    assert running.arena.tables.find("m") is None


async def play_to_the_second_cut(client: Client) -> play_pb2.Decision:
    """Play greedily up to the question of the second deal's cut."""
    while True:
        frame = await client.read()
        decision = frame.verdict.next if frame.HasField("verdict") else frame.decision
        if not decision.decision_id:
            continue
        if decision.view.public.phase != views_pb2.PHASE_CUT:
            await client.greedy(decision)
        elif decision.view.public.deal == 2:
            return decision
        else:
            await client.act(decision, *client.default(decision))
