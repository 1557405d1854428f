"""What a seat may do wrong, what follows, and whose fault it is told to be; a table alone."""

from dataclasses import replace

import pytest

from burraco.engine import DRAW_STOCK, Discard
from burraco.server import living
from burraco.server.journal import Adjudicated, GivenBack, TakenOver
from burraco.server.presets import CLOCKS, POLICIES
from burraco.server.settings import RETRY_SECONDS
from burraco.server.table import FAULTS_VOID
from burraco.server.terms import (
    ClockTerms,
    Fault,
    FaultTerms,
    HandLimit,
    MatchEnd,
    OwnerReturn,
    PlayedBy,
    SeatEnd,
)
from burraco.v1 import matches_pb2, play_pb2
from tests.server.tableside import PLAYERS, Tableside

CLOCKED = ClockTerms(turn_ms=2_000, bank_ms=5_000, warmup_ms=0, disconnect_ms=30_000)
OFF = CLOCKS["off"]
ILLEGAL = (Discard(0),)
APPLIED = play_pb2.VERDICT_KIND_APPLIED


def seated(clocks: ClockTerms, faults: FaultTerms) -> Tableside:
    side = Tableside(clocks, faults)
    side.sit()
    return side


def play_until(side: Tableside, seat: int) -> None:
    """Everybody plays the default until a seat is asked."""
    asked = side.table.asked
    while asked is not None and asked.seat != seat:
        side.act(*side.default())
        asked = side.table.asked


def play_on(side: Tableside) -> None:
    """Everybody plays the default to the end."""
    while side.table.asked is not None:
        side.act(*side.default())


def silence(side: Tableside) -> None:
    """Nobody answers the open decision."""
    asked = side.table.asked
    assert asked is not None
    assert asked.due is not None
    side.move(asked.due - side.clock.now())


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize("strikes", [1, 2, 4])
def test_strikes_by_illegal_acts_are_exact(retries: int, strikes: int) -> None:
    side = seated(OFF, FaultTerms(retries, strikes))
    for struck in range(strikes):
        play_until(side, 0)
        assert side.record.chairs[0].strikes == struck
        default = side.default()
        for left in reversed(range(retries)):
            assert side.act(*ILLEGAL).retries_left == left
        lost = side.act(*ILLEGAL)
        assert len(lost.played) == len(default)
        played = [row for row in side.logged("acted") if row.by is PlayedBy.ILLEGAL_ACTS]
        assert (len(played), played[-1].actions) == (struck + 1, default)
    chair = side.record.chairs[0]
    assert (chair.strikes, chair.illegal_acts) == (strikes, strikes * (retries + 1))
    assert (chair.stood_in, chair.outcome, chair.fault) == (
        True,
        SeatEnd.ILLEGAL_ACTS,
        Fault.BOT,
    )


def test_debug_forgives_illegal_acts_for_ever() -> None:
    side = seated(OFF, POLICIES["debug"].faults)
    for _ in range(50):
        verdict = side.act(*ILLEGAL)
        assert verdict.kind == play_pb2.VERDICT_KIND_ILLEGAL
        assert verdict.HasField("next")
    assert side.record.chairs[0].strikes == 0
    assert side.act(DRAW_STOCK).kind == APPLIED
    assert side.record.chairs[0].outcome is SeatEnd.CLEAN


def test_what_is_played_at_zero_is_what_was_declared() -> None:
    side = seated(CLOCKED, FaultTerms(0, 50))
    for _ in range(20):
        declared = side.default()
        silence(side)
        assert side.logged("acted")[-1].actions == declared


def test_an_owner_who_returns_from_absence_plays_on_from_the_next_decision() -> None:
    side = seated(CLOCKED, FaultTerms(0, 9))
    play_until(side, 1)
    side.drop(0)
    asked = side.table.asked
    assert asked is not None
    side.move(1)
    for _ in range(29):
        side.move(1)
        if side.record.chairs[0].stood_in:
            break
    assert side.logged("taken_over") == [TakenOver(0, SeatEnd.DISCONNECTED)]
    strikes = side.record.chairs[0].strikes
    side.resume(0)
    assert side.logged("given_back") == [GivenBack(0)]
    play_until(side, 0)
    assert side.act(*side.default()).kind == APPLIED
    chair = side.record.chairs[0]
    assert (chair.strikes, chair.outcome, chair.fault) == (
        strikes,
        SeatEnd.DISCONNECTED,
        Fault.NETWORK,
    )


def test_a_return_does_not_touch_the_time_of_who_is_asked() -> None:
    side = Tableside(CLOCKED, FaultTerms(0, 9))
    side.sit("n", "s", "w")
    assert side.logged("taken_over") == [TakenOver(1, SeatEnd.NO_SHOW)]
    side.move(1.5)
    open_before = side.table.asked
    side.resume(1)
    assert side.logged("given_back") == [GivenBack(1)]
    assert side.table.asked is open_before


@pytest.mark.parametrize(
    ("returns", "comes_back"),
    [
        (OwnerReturn.NEVER, False),
        (OwnerReturn.AFTER_ABSENCE, False),
        (OwnerReturn.ALWAYS, True),
    ],
)
def test_after_strikes_an_owner_returns_only_by_connecting_anew(
    returns: OwnerReturn, comes_back: bool
) -> None:
    side = seated(CLOCKED, FaultTerms(0, 1, owner_return=returns))
    silence(side)
    side.table.presence_changed()
    side.writer.pump()
    assert side.record.chairs[0].stood_in
    side.drop(0)
    side.resume(0)
    assert side.record.chairs[0].stood_in is not comes_back
    if comes_back:
        play_until(side, 0)
        silence(side)
        assert side.record.chairs[0].stood_in, "strikes stay"
        assert side.record.chairs[0].take_overs == 2


@pytest.mark.parametrize(
    ("has_left", "end", "fault"),
    [(False, SeatEnd.DISCONNECTED, Fault.NETWORK), (True, SeatEnd.LEFT, Fault.BOT)],
    ids=["broken-off", "ended-in-order"],
)
def test_whose_fault_an_absence_is(has_left: bool, end: SeatEnd, fault: Fault) -> None:
    side = seated(replace(CLOCKED, turn_ms=60_000), FaultTerms(0, 99))
    side.drop(0, has_left=has_left)
    side.move(30)
    assert side.record.seat_end(0) == (end, fault)


def test_time_that_runs_out_while_nobody_is_connected_is_the_networks() -> None:
    side = seated(CLOCKED, FaultTerms(0, 3))
    side.drop(0)
    silence(side)
    side.resume(0)
    assert side.record.seat_end(0) == (SeatEnd.STRIKES, Fault.NETWORK)
    silence(side)
    assert side.record.seat_end(0) == (SeatEnd.STRIKES, Fault.BOT)


def test_a_seat_lost_to_time_in_gaps_alone_is_lost_by_absence_and_given_back() -> None:
    side = seated(CLOCKED, POLICIES["ranked"].faults)
    side.drop(0)
    for _ in range(3):
        play_until(side, 0)
        silence(side)
    assert side.record.seat_end(0) == (SeatEnd.DISCONNECTED, Fault.NETWORK)
    side.resume(0)
    assert not side.record.chairs[0].stood_in


def test_the_alarm_rests_when_a_seat_is_lost_by_strikes_while_it_is_away() -> None:
    side = seated(CLOCKED, FaultTerms(0, 2))
    silence(side)
    side.drop(0)
    silence(side)
    assert side.record.chairs[0].stood_in
    assert side.table.presence.due() is None


def test_a_forfeit_ends_the_match_for_the_other_side() -> None:
    side = seated(CLOCKED, FaultTerms(0, 1, owner_return=OwnerReturn.ALWAYS, forfeit_after=2))
    silence(side)
    assert side.logged("forfeited") == []
    side.drop(0)
    side.resume(0)
    play_until(side, 0)
    silence(side)
    assert (side.record.end, side.record.winner) == (MatchEnd.FORFEITED, 1)
    result = side.result().result
    assert (result.end, result.winner) == (matches_pb2.MATCH_END_FORFEITED, 2)
    assert [seat.end for seat in result.seats] == [
        matches_pb2.SEAT_END_TIME_OUTS,
        *[matches_pb2.SEAT_END_CLEAN] * 3,
    ]
    assert result.seats[0].take_overs == 2


def test_when_both_sides_forfeit_at_once_nobody_wins() -> None:
    clocks = ClockTerms(turn_ms=2_000, bank_ms=0, warmup_ms=5_000, disconnect_ms=0)
    side = Tableside(clocks, FaultTerms(0, 1, forfeit_after=1))
    side.sit("n", "w")
    assert (side.record.end, side.record.winner) == (MatchEnd.FORFEITED, None)
    assert side.record.forfeits == (0, 1)
    assert side.ended == 1


@pytest.mark.parametrize("policy", POLICIES)
def test_no_policy_forfeits_by_itself(policy: str) -> None:
    assert POLICIES[policy].faults.forfeit_after == 0


def test_a_fault_of_ours_that_stays_voids_the_match_and_blames_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_arguments: object) -> None:
        raise AssertionError("planted")

    side = seated(CLOCKED, FaultTerms(0, 1))
    with monkeypatch.context() as patched:
        patched.setattr(living, "policy_act", broken)
        silence(side)
        for _ in range(FAULTS_VOID):
            assert side.record.end is None
            side.move(RETRY_SECONDS)
    assert len(side.faults) == FAULTS_VOID
    result = side.result().result
    assert result.end == matches_pb2.MATCH_END_VOID
    assert not result.HasField("winner")
    assert {(seat.end, seat.fault) for seat in result.seats} == {
        (matches_pb2.SEAT_END_VOID, matches_pb2.FAULT_SERVER)
    }
    assert side.ended == 1
    assert side.logged("voided")[0].error_id == f"fault-{FAULTS_VOID}"


def test_a_fault_of_ours_that_passes_costs_nobody_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_arguments: object) -> None:
        raise AssertionError("planted")

    side = seated(CLOCKED, FaultTerms(0, 1))
    with monkeypatch.context() as patched:
        patched.setattr(living, "policy_act", broken)
        silence(side)
    side.move(RETRY_SECONDS)
    play_on(side)
    assert side.record.end is MatchEnd.PLAYED
    assert len(side.faults) == 1


def test_silence_of_the_log_is_charged_to_nobody() -> None:
    side = seated(CLOCKED, FaultTerms(0, 1))
    asked = side.table.asked
    assert asked is not None
    side.writer.is_broken = True
    side.move(6.5)
    side.act(DRAW_STOCK)
    for _ in range(100):
        side.move(RETRY_SECONDS)
    assert side.table.asked is asked
    side.writer.is_broken = False
    verdict = side.act(DRAW_STOCK)
    assert verdict.kind == APPLIED
    assert side.record.chairs[0].strikes == 0
    assert verdict.think_ms <= 7_000


def test_who_plays_by_calls_alone_is_there() -> None:
    clocks = ClockTerms(turn_ms=8_000, bank_ms=0, warmup_ms=0, disconnect_ms=1_000)
    side = seated(clocks, FaultTerms(0, 1))
    side.act(DRAW_STOCK, is_call=True)
    side.drop(0)
    for _ in range(6):
        side.move(0.9)
    assert not side.record.chairs[0].stood_in
    assert side.act(*side.default(), is_call=True).kind == APPLIED
    play_until(side, 0)
    silence(side)
    assert side.record.seat_end(0) == (SeatEnd.TIME_OUTS, Fault.BOT)


def test_who_comes_by_a_call_gets_its_seat_back() -> None:
    side = Tableside(CLOCKED, FaultTerms(0, 9))
    side.sit("n", "s", "w")
    side.act(DRAW_STOCK, seat=1, is_call=True)
    assert not side.record.chairs[1].stood_in
    play_until(side, 1)
    assert side.act(*side.default(), is_call=True).kind == APPLIED


def test_the_first_bot_after_a_restart_is_not_away_before_the_warm_up_is_over() -> None:
    clocks = ClockTerms(turn_ms=9_000, bank_ms=0, warmup_ms=5_000, disconnect_ms=0)
    side = seated(clocks, FaultTerms(0, 9))
    again = Tableside(clocks, FaultTerms(0, 9))
    for name in PLAYERS:
        side.sinks[name].is_connected = False
    again.table.record = side.record
    again.table.open()
    again.move(4.9)
    assert not any(chair.stood_in for chair in side.record.chairs)
    again.move(0.1)
    assert all(chair.stood_in for chair in side.record.chairs)


def test_a_match_that_is_stopped_is_no_seats_fault() -> None:
    side = seated(OFF, FaultTerms(0, 1))
    side.table.adjudicate(Adjudicated("o", "late"), lambda _error: None)
    side.writer.pump()
    assert {(seat.end, seat.fault) for seat in side.result().result.seats} == {
        (matches_pb2.SEAT_END_STOPPED, matches_pb2.FAULT_ORGANISER)
    }


def test_terms_are_told_in_full() -> None:
    clocks = CLOCKS["fibur"]
    side = seated(clocks, POLICIES["casual"].faults)
    terms = side.sinks["n"].frames[0].match_started.terms
    assert [(limit.cards, limit.turn_ms) for limit in terms.clocks.hand_limits] == [
        tuple(HandLimit(3, 10_000)),
        tuple(HandLimit(10, 20_000)),
    ]
    assert terms.clocks.whole_turn
    assert terms.faults.owner_return == matches_pb2.OWNER_RETURN_ALWAYS


def test_acts_that_the_log_refuses_many_times_win_no_time() -> None:
    side = seated(CLOCKED, FaultTerms(0, 1))
    asked = side.table.asked
    assert asked is not None
    assert asked.due is not None
    due = asked.due
    side.writer.is_broken = True
    for _ in range(50):
        side.act(DRAW_STOCK)
    assert asked.due == due + RETRY_SECONDS
