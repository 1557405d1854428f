"""Turns, banks, increments, limits by hand size and network time; a table alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burraco.engine import DRAW_STOCK
from burraco.server.presets import CLOCKS, POLICIES
from burraco.server.roundtrips import RoundTrip
from burraco.server.settings import LONGEST_MS
from burraco.server.terms import ClockTerms, FaultTerms, HandLimit
from burraco.v1 import play_pb2
from tests.server.tableside import Tableside

PATIENT = FaultTerms(illegal_retries=0, strikes=100)
APPLIED = play_pb2.VERDICT_KIND_APPLIED


def seated(clocks: ClockTerms, *, round_trip_ms: int = 0) -> Tableside:
    side = Tableside(clocks, PATIENT)
    side.sinks["n"].round_trip_ms = round_trip_ms
    side.sit()
    return side


def remaining(side: Tableside) -> int | None:
    asked = side.table.asked
    assert asked is not None
    return asked.remaining_ms(side.clock.now())


def test_the_presets_reach_from_bots_to_people() -> None:
    assert list(CLOCKS) == ["off", "bullet", "blitz", "club", "human", "fibur"]
    turns = [CLOCKS[name].turn_ms for name in ("bullet", "blitz", "club", "human")]
    assert turns[0] == 200
    assert turns == sorted(turns)
    assert {policy.clocks for policy in POLICIES.values()} <= CLOCKS.keys()


@pytest.mark.parametrize(
    ("cards", "turn_ms"), [(1, 10_000), (3, 10_000), (4, 20_000), (10, 20_000), (11, 40_000)]
)
def test_fibur_limits_a_turn_by_the_hand(cards: int, turn_ms: int) -> None:
    assert CLOCKS["fibur"].turn_of(cards) == turn_ms


def test_an_increment_is_added_after_each_answer_and_told() -> None:
    side = seated(ClockTerms(1_000, 500, 0, 0, increment_ms=300))
    verdict = side.act(DRAW_STOCK)
    assert (verdict.turn_ms, verdict.bank_ms) == (1_000, 800)
    assert verdict.next.bank_ms == 800
    side.move(1.2)
    verdict = side.act(*side.default())
    assert (verdict.turn_ms, verdict.bank_ms, verdict.think_ms) == (0, 900, 1_200)


def test_a_decision_that_is_lost_has_no_increment() -> None:
    side = seated(ClockTerms(1_000, 500, 0, 0, increment_ms=300))
    side.move(1.5)
    assert side.record.chairs[0].bank_ms == 0


def test_a_bank_does_not_grow_beyond_an_hour() -> None:
    side = seated(ClockTerms(1_000, LONGEST_MS, 0, 0, increment_ms=LONGEST_MS))
    assert side.act(DRAW_STOCK).bank_ms == LONGEST_MS


def test_limits_by_hand_size_hold_for_each_decision() -> None:
    side = seated(ClockTerms(9_000, 0, 0, 0, hand_limits=(HandLimit(11, 4_000),)))
    assert remaining(side) == 4_000
    side.act(DRAW_STOCK)
    assert side.record.hand_size(0) == 12
    assert remaining(side) == 9_000


def test_a_whole_turn_shares_the_time_of_its_beginning() -> None:
    limits = (HandLimit(11, 4_000),)
    side = seated(ClockTerms(9_000, 1_000, 0, 0, hand_limits=limits, whole_turn=True))
    side.move(1.5)
    verdict = side.act(DRAW_STOCK)
    assert (verdict.turn_ms, verdict.bank_ms) == (2_500, 1_000)
    assert (verdict.next.remaining_ms, verdict.next.bank_ms) == (3_500, 1_000)
    side.move(1)
    assert side.act(*side.default()).turn_ms == 1_500
    assert remaining(side) == 5_000


def test_warm_up_is_no_part_of_the_turn() -> None:
    side = seated(ClockTerms(4_000, 0, 3_000, 0, whole_turn=True))
    side.move(3.5)
    side.act(DRAW_STOCK)
    assert remaining(side) == 3_500


def test_a_turn_whose_time_is_over_is_one_strike() -> None:
    side = seated(ClockTerms(4_000, 0, 0, 60_000, whole_turn=True))
    side.move(4)
    chair = side.record.chairs[0]
    assert (chair.strikes, chair.time_outs) == (1, 2)
    assert side.record.turn == 1


def test_network_time_is_credited_and_shown() -> None:
    side = seated(ClockTerms(1_000, 500, 0, 0, network_ms=100), round_trip_ms=80)
    assert remaining(side) == 1_500
    side.move(0.7)
    verdict = side.act(DRAW_STOCK)
    assert (verdict.think_ms, verdict.network_ms, verdict.turn_ms) == (620, 80, 380)
    chair = side.record.chairs[0]
    assert (chair.think_ms, chair.network_ms) == (620, 80)


def test_no_more_network_time_is_credited_than_the_cap_or_than_passed() -> None:
    side = seated(ClockTerms(1_000, 500, 0, 0, network_ms=100), round_trip_ms=5_000)
    side.move(0.04)
    assert side.act(DRAW_STOCK).network_ms == 40
    side.move(0.5)
    verdict = side.act(*side.default())
    assert (verdict.network_ms, verdict.think_ms) == (100, 400)


def test_an_answer_that_only_the_network_made_late_is_in_time() -> None:
    side = seated(ClockTerms(1_000, 0, 0, 0, network_ms=100), round_trip_ms=80)
    side.move(1.079)
    assert side.act(DRAW_STOCK).kind == APPLIED
    side.move(1.08)
    assert side.record.chairs[0].time_outs == 1


def test_without_clocks_nothing_is_told_of_turn_and_bank() -> None:
    side = seated(CLOCKS["off"])
    side.move(5)
    verdict = side.act(DRAW_STOCK)
    assert verdict.think_ms == 5_000
    assert not verdict.HasField("turn_ms")
    assert not verdict.HasField("bank_ms")


@settings(deadline=None, max_examples=30, derandomize=True)
@given(
    st.builds(
        ClockTerms,
        turn_ms=st.integers(1, 3_000),
        bank_ms=st.integers(0, 3_000),
        warmup_ms=st.just(0),
        disconnect_ms=st.just(60_000),
        increment_ms=st.integers(0, 300),
        network_ms=st.integers(0, 200),
    ),
    st.lists(st.integers(0, 6_000), min_size=1, max_size=30),
)
def test_the_bank_is_the_sum_of_what_went_in_and_out(clocks: ClockTerms, waits: list[int]) -> None:
    side = seated(clocks, round_trip_ms=120)
    for wait in waits:
        side.move(wait / 1000)
        if side.table.asked is None:  # every seat was lost, and the stand-ins have played it out
            break
        side.act(*side.default())
    for seat, chair in enumerate(side.record.chairs):
        bank = clocks.bank_ms
        for row in side.logged("acted"):
            if row.seat == seat:
                bank = max(0, bank - max(0, row.think_ms - clocks.turn_ms))
                bank += clocks.increment_ms if row.by.value == "bot" else 0
                assert row.bank_ms == bank
                assert row.network_ms <= min(120, clocks.network_ms)
        assert chair.bank_ms == bank


def test_a_round_trip_is_the_shortest_of_the_latest() -> None:
    measured = RoundTrip()
    assert measured.milliseconds is None
    for at, taken in enumerate((0.5, 0.03, 0.2)):
        measured.echo(measured.stamp(at), at + taken)
    assert measured.milliseconds == 30
    for at in range(8):
        measured.echo(measured.stamp(at), at + 0.25)
    assert measured.milliseconds == 250


def test_a_stamp_counts_once_and_only_the_last() -> None:
    measured = RoundTrip()
    first = measured.stamp(0)
    second = measured.stamp(1)
    measured.echo(first, 1.5)
    measured.echo(0, 1.5)
    assert measured.milliseconds is None
    measured.echo(second, 1.5)
    measured.echo(second, 9)
    assert measured.milliseconds == 500
