"""Terms by name, whole and single, and rows from before a term was there."""

import json

import pytest

from burraco.engine import Discard, preset
from burraco.engine.errors import IllegalAction
from burraco.engine.match import match_view
from burraco.server.advice import Advice
from burraco.server.chairs import Answers, digest
from burraco.server.errors import ArenaError
from burraco.server.journal import Acted, Created, row_from_json, row_to_json
from burraco.server.presets import CLOCKS, POLICIES
from burraco.server.record import play_all
from burraco.server.term_requests import read_terms
from burraco.server.terms import ClockTerms, FaultTerms, HandLimit, MatchPlan, OwnerReturn, PlayedBy
from burraco.v1 import matches_pb2
from burraco.v1.match_service_pb2 import CreateMatchRequest
from tests.server.harness import FakeClock
from tests.server.tableside import Tableside


def test_nothing_asked_for_is_ranked_with_its_clocks() -> None:
    assert read_terms(CreateMatchRequest()) == (CLOCKS["blitz"], POLICIES["ranked"].faults)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_by_name_brings_its_clocks(policy: str) -> None:
    found = read_terms(CreateMatchRequest(policy=policy))
    assert found == (CLOCKS[POLICIES[policy].clocks], POLICIES[policy].faults)


@pytest.mark.parametrize("clocks", CLOCKS)
def test_clocks_by_name_go_with_any_policy(clocks: str) -> None:
    request = CreateMatchRequest(policy="casual", clock_preset=clocks)
    assert read_terms(request) == (CLOCKS[clocks], POLICIES["casual"].faults)


def test_single_values_are_overridden() -> None:
    overrides = {"turn_ms": 7, "whole_turn": 1, "strikes": 9, "forfeit_after": 2, "owner_return": 1}
    clocks, faults = read_terms(CreateMatchRequest(policy="ranked", overrides=overrides))
    assert clocks == ClockTerms(7, 20_000, 10_000, 10_000, network_ms=200, whole_turn=True)
    assert faults == FaultTerms(2, 9, owner_return=OwnerReturn.NEVER, forfeit_after=2)


def test_whole_terms_are_taken_as_they_are() -> None:
    limits = [matches_pb2.HandLimit(cards=3, turn_ms=10), matches_pb2.HandLimit(cards=9, turn_ms=5)]
    request = CreateMatchRequest(
        clocks=matches_pb2.ClockTerms(turn_ms=1, increment_ms=2, network_ms=3, hand_limits=limits),
        faults=matches_pb2.FaultTerms(strikes=4, forgives_illegal=True),
    )
    clocks, faults = read_terms(request)
    assert clocks.hand_limits == (HandLimit(3, 10), HandLimit(9, 5))
    assert (clocks.increment_ms, clocks.network_ms) == (2, 3)
    assert faults == FaultTerms(0, 4, forgives_illegal=True)


def limited(*limits: tuple[int, int], turn_ms: int = 1) -> matches_pb2.ClockTerms:
    made = [matches_pb2.HandLimit(cards=cards, turn_ms=ms) for cards, ms in limits]
    return matches_pb2.ClockTerms(turn_ms=turn_ms, hand_limits=made)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (CreateMatchRequest(policy="kind"), "policy"),
        (CreateMatchRequest(policy="debug", faults=matches_pb2.FaultTerms()), "policy"),
        (CreateMatchRequest(clock_preset="slow"), "clock_preset"),
        (CreateMatchRequest(clock_preset="off", clocks=limited()), "clock_preset"),
        (CreateMatchRequest(overrides={"speed": 1}), "overrides"),
        (CreateMatchRequest(overrides={"turn_ms": 3_600_001}), "overrides[turn_ms]"),
        (CreateMatchRequest(overrides={"strikes": 101}), "overrides[strikes]"),
        (CreateMatchRequest(overrides={"whole_turn": 2}), "overrides[whole_turn]"),
        (CreateMatchRequest(overrides={"owner_return": 9}), "overrides[owner_return]"),
        (
            CreateMatchRequest(faults=matches_pb2.FaultTerms(owner_return=9)),  # type: ignore[arg-type]  # no such value
            "faults.owner_return",
        ),
        (CreateMatchRequest(clocks=limited(*[(1, 1)] * 17)), "clocks.hand_limits"),
        (CreateMatchRequest(clocks=limited((5, 1), turn_ms=0)), "clocks.hand_limits"),
        (CreateMatchRequest(clocks=limited((5, 1), (5, 1))), "clocks.hand_limits[1]"),
        (CreateMatchRequest(clocks=limited((109, 1))), "clocks.hand_limits[0]"),
        (CreateMatchRequest(clocks=limited((5, 0))), "clocks.hand_limits[0]"),
    ],
)
def test_terms_that_cannot_be_are_refused_by_field(
    request_: CreateMatchRequest, field: str
) -> None:
    with pytest.raises(ArenaError) as refused:
        read_terms(request_)
    assert refused.value.facts["field"] == field


def plan(clocks: ClockTerms, faults: FaultTerms) -> MatchPlan:
    names = ("n", "e", "s", "w")
    rules = preset("classic")
    return MatchPlan("m", rules, names, 1, bytes(80), 0, False, False, clocks, faults, "", 0, 0)


@pytest.mark.parametrize("clocks", CLOCKS)
@pytest.mark.parametrize("policy", POLICIES)
def test_terms_are_read_back_from_the_log(clocks: str, policy: str) -> None:
    created = Created(plan(CLOCKS[clocks], POLICIES[policy].faults))
    assert row_from_json(row_to_json(created)[1]) == created


def test_rows_from_before_these_terms_mean_what_they_meant() -> None:
    fields = json.loads(row_to_json(Created(plan(ClockTerms(1, 2, 3, 4), FaultTerms(5, 6))))[1])
    for name in ("increment_ms", "network_ms", "hand_limits", "whole_turn"):
        del fields["clocks"][name]
    for name in ("forgives_illegal", "owner_return", "forfeit_after"):
        del fields["faults"][name]
    assert row_from_json(json.dumps(fields)) == Created(
        plan(ClockTerms(1, 2, 3, 4), FaultTerms(5, 6))
    )
    acted = Acted(1, 0, PlayedBy.BOT, (Discard(0),), "a", b"", "", 5, 6)
    fields = json.loads(row_to_json(acted)[1])
    for name in ("network_ms", "turn_ms", "away"):
        del fields[name]
    assert row_from_json(json.dumps(fields)) == acted


def test_every_answer_is_found_again_and_no_other() -> None:
    answers = Answers()
    noted = {f"act-{number}": digest(b"%d" % number) for number in range(3_000)}
    for action_id, content in noted.items():
        assert answers.content_of(action_id) is None
        answers.note(action_id, content)
    assert all(answers.content_of(action_id) == noted[action_id] for action_id in noted)
    assert answers.content_of("another") is None


class CostlyClock(FakeClock):
    """A clock by which every look at it costs ten milliseconds."""

    def now(self) -> float:
        self.move(0.01)
        return super().now()


def refusal(side: Tableside) -> IllegalAction:
    asked = side.table.asked
    assert asked is not None
    assert match_view(asked.match, asked.seat) is not None
    with pytest.raises(IllegalAction) as refused:
        play_all(asked.match, asked.seat, (Discard(0),))
    return refused.value


def test_under_a_flood_refusals_leave_out_what_would_be_legal() -> None:
    side = Tableside(CLOCKS["off"], FaultTerms(0, 1))
    side.sit()
    advice, clock = Advice(), CostlyClock()
    told = [advice.word(clock, refusal(side), (Discard(0),)) for _ in range(40)]
    assert {message.reason for message in told} == {"MUST_DRAW_FIRST"}
    advised = [at for at, message in enumerate(told) if "nearest" in message.facts]
    assert advised[0] == 0
    assert 0 < len(advised) <= 4
    assert "legal instead" not in told[1].message
