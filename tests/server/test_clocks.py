"""Time: turns, banks, strikes, warm-up, absence; on a clock that only the test moves."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from burraco.engine import DRAW_STOCK
from burraco.v1 import cards_pb2, match_service_pb2, matches_pb2, play_pb2
from tests.server.harness import SOLO, FakeClock, Running, gone, serving, solo

TERMS = matches_pb2.ClockTerms(turn_ms=2_000, bank_ms=5_000, warmup_ms=10_000, disconnect_ms=4_000)
APPLIED = play_pb2.VERDICT_KIND_APPLIED
TOO_LATE = play_pb2.VERDICT_KIND_TOO_LATE


@pytest.fixture
async def running(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock) as running:
        yield running


async def test_the_first_decision_has_warm_up_turn_and_bank(running: Running) -> None:
    client = await solo(running, clocks=TERMS)
    first = await client.decision()
    assert (first.remaining_ms, first.bank_ms) == (17_000, 5_000)
    await client.act(first, DRAW_STOCK)
    following = (await client.verdict()).next
    assert (following.remaining_ms, following.bank_ms) == (7_000, 5_000)


async def test_the_bank_is_used_only_after_the_turn(running: Running, clock: FakeClock) -> None:
    client = await solo(running, clocks=TERMS)
    first = await client.decision()
    clock.move(12)
    await client.act(first, DRAW_STOCK)
    second = (await client.verdict()).next
    assert second.bank_ms == 5_000
    clock.move(3.5)
    await client.act(second, *client.default(second))
    assert (await client.verdict()).kind == APPLIED
    assert running.record().chairs[0].bank_ms == 3_500


async def test_without_clocks_nothing_is_ever_late(running: Running, clock: FakeClock) -> None:
    client = await solo(running)
    first = await client.decision()
    assert not first.HasField("remaining_ms")
    clock.move(1_000_000)
    await client.act(first, DRAW_STOCK)
    assert (await client.verdict()).kind == APPLIED


async def test_at_zero_the_declared_default_is_played_and_the_answer_is_too_late(
    running: Running, clock: FakeClock
) -> None:
    client = await solo(running, clocks=TERMS)
    first = await client.decision()
    clock.move(17)
    following = await client.decision()
    assert following.decision_id == first.decision_id + 1
    # Case 128: the automatic draw is shown to its owner.
    assert len(following.events[0].own.cards) == 1
    await client.act(first, DRAW_STOCK)
    late = await client.verdict()
    assert late.kind == TOO_LATE
    assert late.played == first.default_actions
    chair = running.record().chairs[0]
    assert (chair.strikes, chair.time_outs, chair.bank_ms) == (1, 1, 0)


@pytest.mark.parametrize("act_first", [True, False], ids=["act-first", "alarm-first"])
async def test_case_119_on_one_tick_exactly_one_of_act_and_time_out_is_played(
    running: Running, clock: FakeClock, act_first: bool
) -> None:
    client = await solo(running, clocks=TERMS)
    first = await client.decision()
    clock.move(16.999)
    if act_first:
        await client.act(first, DRAW_STOCK)
        assert (await client.verdict()).kind == APPLIED
        clock.move(0.001)
    else:
        clock.move(0.001)
        await client.act(first, DRAW_STOCK)
        assert (await client.verdict()).kind == TOO_LATE
    record = running.record()
    assert record.decision == first.decision_id + 1
    assert record.chairs[0].strikes == (0 if act_first else 1)


async def test_a_silent_seat_goes_to_a_stand_in_and_its_match_to_the_end(
    running: Running, clock: FakeClock
) -> None:
    await running.register("silent", "good")
    await running.create(["silent", "good", "good", "good"], clocks=TERMS)
    good = await running.connect("good")
    silent = await running.connect("silent")
    for wait in (17, 2):
        await silent.decision()
        clock.move(wait)
    for _ in ("east", "south", "west"):
        decision = await good.decision()
        await good.act(decision, *good.default(decision))
        following = (await good.verdict()).next
        await good.act(following, *good.default(following))
        assert (await good.verdict()).kind == APPLIED
    await silent.decision()
    clock.move(2)
    ended = await good.play_to_the_end(3)
    seat = ended[0].result.seats[0]
    assert (seat.end, seat.fault) == (matches_pb2.SEAT_END_TIME_OUTS, matches_pb2.FAULT_BOT)
    assert seat.time_outs == 3
    assert seat.decisions == 0
    assert (await silent.read_until("match_ended")).match_ended.result == ended[0].result


async def test_who_never_comes_is_a_no_show_and_a_stand_in_plays(
    running: Running, clock: FakeClock
) -> None:
    await running.register("here", "nowhere")
    await running.create(["nowhere", "here", "here", "here"], clocks=TERMS)
    here = await running.connect("here")
    clock.move(9.9)
    assert (await running.summary()).state == matches_pb2.MATCH_STATE_WAITING
    clock.move(0.1)
    ended = await here.play_to_the_end(3)
    assert ended[0].result.seats[0].end == matches_pb2.SEAT_END_NO_SHOW
    assert ended[0].result.end == matches_pb2.MATCH_END_PLAYED


async def test_who_comes_late_gets_the_seat_back(running: Running, clock: FakeClock) -> None:
    await running.register("here", "late")
    await running.create(["late", "here", "here", "here"], clocks=TERMS)
    here = await running.connect("here")
    clock.move(10)
    first = await here.decision()
    late = await running.connect("late")
    started = await late.read()
    assert started.match_started.seat.seat == cards_pb2.SEAT_N
    decision: play_pb2.Decision | None = first
    while decision is not None:
        await here.act(decision, *here.default(decision))
        verdict = await here.verdict()
        if verdict.HasField("next"):
            decision = verdict.next
        elif decision.seat.seat == cards_pb2.SEAT_W:
            decision = None
        else:
            decision = await here.decision()
    mine = await late.decision()
    await late.act(mine, DRAW_STOCK)
    assert (await late.verdict()).kind == APPLIED
    assert running.record().chairs[0].outcome.value == "no_show"


async def test_case_116_a_blink_is_no_leaving_but_the_bank_of_absence_runs_out(
    running: Running, clock: FakeClock
) -> None:
    await running.register("blinks", "rest")
    await running.create(["blinks", "rest", "rest", "rest"], clocks=TERMS)
    await running.connect("rest")
    session = ""
    for away in (1.5, 2.0):
        blinking = await running.connect("blinks", session_id=session)
        session = blinking.welcome.session_id
        await blinking.decision()
        blinking.close()
        await gone(running, "blinks")
        clock.move(away)
    assert not running.record().chairs[0].stood_in
    clock.move(0.5)
    # The stand-in's draw is in the log before anything else can be asked of the table.
    while running.record().turn == 0:
        await running.summary()
    chair = running.record().chairs[0]
    assert (chair.stood_in, chair.outcome.value) == (True, "disconnected")


async def test_case_137_a_drop_does_not_move_the_deadline(
    running: Running, clock: FakeClock
) -> None:
    await running.register("drops", "rest")
    terms = matches_pb2.ClockTerms(turn_ms=15_000, disconnect_ms=60_000)
    await running.create(["drops", "rest", "rest", "rest"], clocks=terms)
    await running.connect("rest")
    dropping = await running.connect("drops")
    first = await dropping.decision()
    assert first.remaining_ms == 15_000
    clock.move(4)
    dropping.close()
    await gone(running, "drops")
    clock.move(4)
    back = await running.connect("drops", session_id="another")
    again = await back.decision()
    assert again.decision_id == first.decision_id
    assert again.remaining_ms == 7_000


async def test_an_illegal_act_does_not_stop_the_clock(running: Running, clock: FakeClock) -> None:
    client = await solo(running, clocks=TERMS)
    first = await client.decision()
    clock.move(3)
    await client.act(first, *2 * [DRAW_STOCK])
    verdict = await client.verdict()
    assert verdict.next.remaining_ms == 14_000


async def test_a_match_waits_for_ever_for_free_seats(running: Running, clock: FakeClock) -> None:
    await running.register(SOLO)
    await running.create([SOLO, "", "", ""], clocks=TERMS)
    clock.move(1_000)
    assert (await running.summary()).state == matches_pb2.MATCH_STATE_WAITING


async def test_who_takes_leave_is_not_taken_for_a_broken_line(
    running: Running, clock: FakeClock
) -> None:
    await running.register("goes", "rest")
    await running.create(["goes", "rest", "rest", "rest"], clocks=TERMS)
    await running.connect("rest")
    going = await running.connect("goes")
    await going.decision()
    await going.send(play_pb2.ClientFrame(leave=play_pb2.Leave()))
    await going.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=1)))
    await going.read_until("pong")
    going.close()
    await gone(running, "goes")
    clock.move(4)
    while running.record().turn == 0:
        await running.summary()
    assert running.record().chairs[0].outcome.value == "left"


async def test_the_way_to_a_bot_and_back_is_measured_by_a_stamp_and_credited(
    running: Running, clock: FakeClock
) -> None:
    terms = matches_pb2.ClockTerms(turn_ms=1_000, bank_ms=500, network_ms=50)
    await running.register(SOLO)
    client = await running.connect(SOLO)
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=1)))
    pong = (await client.read_until("pong")).pong
    assert pong.stamp
    assert not pong.HasField("round_trip_ms")
    clock.move(0.08)
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=2, stamp=pong.stamp)))
    pong = (await client.read_until("pong")).pong
    assert (pong.stamp, pong.round_trip_ms) == (0, 80)
    await running.create([SOLO] * 4, clocks=terms)
    decision = await client.decision()
    assert (decision.remaining_ms, decision.bank_ms) == (1_500, 500)
    clock.move(0.2)
    await client.act(decision, DRAW_STOCK)
    verdict = await client.verdict()
    assert (verdict.network_ms, verdict.think_ms, verdict.turn_ms) == (50, 150, 850)


async def test_a_policy_by_name_is_told_in_full(running: Running) -> None:
    await running.register(SOLO)
    request = match_service_pb2.CreateMatchRequest(
        match_id="m",
        players=[SOLO] * 4,
        policy="casual",
        clock_preset="fibur",
        overrides={"bank_ms": 9},
    )
    await running.matches.CreateMatch(request, metadata=running.organiser)
    terms = (await (await running.connect(SOLO)).read()).match_started.terms
    assert [(limit.cards, limit.turn_ms) for limit in terms.clocks.hand_limits] == [
        (3, 10_000),
        (10, 20_000),
    ]
    assert (terms.clocks.bank_ms, terms.faults.strikes) == (9, 6)
    assert terms.faults.owner_return == matches_pb2.OWNER_RETURN_ALWAYS
