"""P6, every match ends: whatever four bots do or leave undone, on a clock that a test moves."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burraco.engine import Discard
from burraco.engine.match import match_view
from burraco.engine.standin import greedy_action
from burraco.server.journal import Acted
from burraco.server.presets import CLOCKS, POLICIES
from burraco.server.record import MatchRecord
from burraco.server.recovery import fold
from burraco.server.terms import (
    ClockTerms,
    FaultTerms,
    HandLimit,
    MatchState,
    OwnerReturn,
    PlayedBy,
)
from tests.server.tableside import Tableside

DEEDS = (
    "greedy",
    "greedy",
    "greedy",
    "default",
    "slow",
    "silent",
    "illegal",
    "drop",
    "back",
    "call",
)
FEW = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
CLOCKS_ON = [CLOCKS[name] for name in ("bullet", "blitz", "club", "human", "fibur")]
VARIED = st.builds(
    ClockTerms,
    turn_ms=st.integers(1, 5_000),
    bank_ms=st.integers(0, 10_000),
    warmup_ms=st.integers(0, 5_000),
    disconnect_ms=st.integers(0, 10_000),
    increment_ms=st.integers(0, 500),
    network_ms=st.integers(0, 500),
    hand_limits=st.sampled_from([(), (HandLimit(5, 700), HandLimit(9, 1_500))]),
    whole_turn=st.booleans(),
)
FAULTS = st.builds(
    FaultTerms,
    illegal_retries=st.integers(0, 3),
    strikes=st.integers(0, 5),
    forgives_illegal=st.booleans(),
    owner_return=st.sampled_from(OwnerReturn),
    forfeit_after=st.integers(0, 3),
)


class Bots:
    """Four bots that do one deed after the other."""

    def __init__(self, side: Tableside) -> None:
        self.side = side

    def do(self, deed: str, at: int) -> None:
        side, asked = self.side, self.side.table.asked
        assert asked is not None
        if deed == "silent":
            self.wait()
        elif deed == "illegal":
            side.act(Discard(0), Discard(0))
        elif deed == "drop":
            side.drop(at % 4, has_left=at % 8 > 3)
        elif deed == "back":
            side.resume(at % 4)
        elif deed == "call":
            side.act(*side.default(), is_call=True)
        elif deed == "slow" and asked.due is not None:
            side.move((asked.due - side.clock.now()) * 0.9)
        elif deed == "default":
            side.act(*side.default())
        else:
            view = match_view(asked.match, asked.seat)
            assert view is not None
            side.act(greedy_action(view))

    def wait(self) -> None:
        asked = self.side.table.asked
        if asked is not None and asked.due is not None:
            self.side.move(max(0.0, asked.due - self.side.clock.now()))


def play(clocks: ClockTerms, faults: FaultTerms, deeds: list[str], ways: list[int]) -> Tableside:
    """Do deeds in turn and for ever, until the match is over; silence at last."""
    side = Tableside(clocks, faults)
    side.sinks["e"].round_trip_ms = 40
    side.sit()
    bots = Bots(side)
    for at in range(2_000):
        if side.table.asked is None:
            break
        bots.do(deeds[at % len(deeds)], ways[at % len(ways)] + at)
    for _ in range(2_000):
        if side.table.asked is None:
            break
        bots.wait()
    return side


def folded(side: Tableside) -> MatchRecord:
    return fold(side.writer.rows)[0]


def check_over(side: Tableside) -> None:
    assert side.record.state is MatchState.ENDED, side.record.decision
    assert side.ended == 1
    assert not side.faults
    assert all(sink.frames[-1].HasField("match_ended") for sink in side.sinks.values())


def check_sums(side: Tableside) -> None:
    """Banks, thinking time and strikes of the record are the sums of its rows."""
    acted: list[Acted] = side.logged("acted")
    record, faults = side.record, side.record.plan.faults
    for seat, chair in enumerate(record.chairs):
        own = [row for row in acted if row.seat == seat]
        answers = [row for row in own if row.by is PlayedBy.BOT]
        assert chair.think_ms == sum(row.think_ms for row in answers)
        assert chair.network_ms == sum(row.network_ms for row in answers)
        assert all(row.network_ms <= record.plan.clocks.network_ms for row in own)
        lost = [row for row in own if row.by in (PlayedBy.TIME_OUT, PlayedBy.ILLEGAL_ACTS)]
        assert chair.time_outs == sum(row.by is PlayedBy.TIME_OUT for row in lost)
        if not record.plan.clocks.whole_turn:
            assert chair.strikes == len(lost)
        if faults.owner_return is OwnerReturn.NEVER:
            assert chair.strikes <= max(1, faults.strikes)
        assert chair.take_overs == sum(row.seat == seat for row in side.logged("taken_over"))


@FEW
@given(VARIED, FAULTS, st.lists(st.sampled_from(DEEDS), min_size=1, max_size=12), st.data())
def test_p6_every_match_ends_whatever_its_bots_do(
    clocks: ClockTerms, faults: FaultTerms, deeds: list[str], data: st.DataObject
) -> None:
    ways = data.draw(st.lists(st.integers(0, 7), min_size=1, max_size=5))
    side = play(clocks, faults, deeds, ways)
    check_over(side)
    check_sums(side)


@pytest.mark.parametrize("policy", ["ranked", "casual"])
@pytest.mark.parametrize("clocks", CLOCKS_ON, ids=["bullet", "blitz", "club", "human", "fibur"])
def test_p6_under_every_preset(policy: str, clocks: ClockTerms) -> None:
    deeds = ["greedy", "silent", "default", "illegal", "drop", "greedy", "back", "silent"]
    side = play(clocks, POLICIES[policy].faults, deeds, [0, 5, 2])
    check_over(side)
    check_sums(side)
