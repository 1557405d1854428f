"""RulesService explains: rules by number, and refused actions with what would be legal."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from burraco.engine import LayMeld, View, parse_cards, preset, view
from burraco.v1 import rules_pb2, rules_service_pb2, rules_service_pb2_grpc
from burraco.wire import action_to_wire, cards_to_wire, view_to_wire
from tests.server.harness import reason_of, serving
from tests.support.scenes import scene


@pytest.fixture
async def rules(tmp_path: Path) -> AsyncIterator[rules_service_pb2_grpc.RulesServiceStub]:
    async with serving(tmp_path) as running:
        yield rules_service_pb2_grpc.RulesServiceStub(running.channel)


async def test_rules_are_explained_without_a_token(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    told = await rules.ExplainRule(rules_service_pb2.ExplainRuleRequest(subject="e41"))
    assert told.subject == "E41"
    assert [passage.label for passage in told.passages] == ["E41"]
    assert [(knob.knob, knob.by_preset["fibur"]) for knob in told.knobs] == [
        ("second_set_of_rank", "no")
    ]


async def test_an_unknown_subject_names_what_is_near(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await rules.ExplainRule(rules_service_pb2.ExplainRuleRequest(subject="E32"))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "INVALID_FIELD"
    assert "near it: E30, E31, E33, E34" in (refused.value.details() or "")


def _seen() -> View:
    state = scene(north="7h 7d 7c Jk", ns="3h..9h", taken="NS")
    return view(state, state.turn, 1, (0, 0))


async def test_a_refused_action_tells_what_would_be_legal(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    action = action_to_wire(LayMeld(parse_cards("7h7d7cJk")))
    judged = await rules.JudgeAction(
        rules_service_pb2.JudgeActionRequest(view=view_to_wire(_seen()), action=action)
    )
    assert not judged.legal
    assert dict(judged.refusal.facts) == {"left": "nothing", "nearest": "M2=7h7dJk"}
    assert judged.refusal.message.endswith("; legal instead: lay 7h 7d Jk")


async def test_refused_cards_tell_the_meld_among_them(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    request = rules_service_pb2.ClassifyMeldRequest(
        rules=rules_pb2.RulesChoice(preset="fibur", overrides={"set_ranks": "3A"}),
        cards=cards_to_wire(parse_cards("6c7c8cQc")),
    )
    refused = (await rules.ClassifyMeld(request)).refusal
    assert (refused.reason, refused.facts["nearest"]) == ("NOT_CONSECUTIVE", "M1=6c7c8c")
    sevens = rules_service_pb2.ClassifyMeldRequest(
        rules=request.rules, cards=cards_to_wire(parse_cards("7h7d7c"))
    )
    refused = (await rules.ClassifyMeld(sevens)).refusal
    assert (refused.reason, refused.facts["allowed"]) == ("SET_RANK_NOT_ALLOWED", "A3")


async def test_a_combination_that_makes_no_game_is_refused_with_the_reason(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    assert preset("fibur").deals
    request = rules_service_pb2.ClassifyMeldRequest(
        rules=rules_pb2.RulesChoice(preset="fibur", overrides={"target": "2000"}),
        cards=cards_to_wire(parse_cards("6c7c8c")),
    )
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await rules.ClassifyMeld(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "exactly one of the two is above 0" in (refused.value.details() or "")
