"""Whatever is wrong with a field of a request, the refusal names it; the table is the protos."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from burraco.server.fields import ALTERNATIVES, RULES
from burraco.v1 import (
    actions_pb2,
    admin_service_pb2,
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    play_service_pb2,
    rules_pb2,
    rules_service_pb2,
    tournament_service_pb2,
    tournaments_pb2,
    views_pb2,
)
from tests.server.bad_fields import Case, Walk, is_map
from tests.server.harness import SEED, SOLO, Client, Metadata, Running, serving, solo
from tests.server.test_authorisation import METHODS as EVERY_METHOD

# Wrong values that are none for this field, each with the reason.
ACCEPTED: Final[Mapping[str, str]] = {
    "Hello.last_seq large": "from where a session cannot go on, it begins afresh",
    "Act.decision_id large": "a decision that is not open is answered with STALE",
    "AddCards.meld large": "a meld that is not there is refused by the rules, with a verdict",
    "Cut.size large": "cuts of other sizes are refused by the rules (R19), with a verdict",
    "Ping.nonce large": "it is returned as it is",
    "Ping.stamp large": "a stamp that no Pong gave measures nothing",
    "CreateMatchRequest.rules missing": "without rules it is classic",
    "CreateMatchRequest.clocks missing": "without clocks they are those of clock_preset",
    "CreateMatchRequest.faults missing": "without faults they are those of policy",
    "FaultTerms.owner_return unspecified": "documented to stand for AFTER_ABSENCE",
    "ListMatchesRequest.state unspecified": "documented to stand for all states",
    "ClassifyMeldRequest.rules missing": "without rules it is classic",
    "JudgeActionRequest.rules missing": "without rules it is classic",
    "EnumerateActionsRequest.rules missing": "without rules it is classic",
    "JudgeNotationRequest.bgn newline": "blocks of BGN have lines",
    "JudgeNotationRequest.bgn long": "it may be as long as a frame",
    "CreateTournamentRequest.rules missing": "without rules it is classic",
    "CreateTournamentRequest.clocks missing": "without clocks they are those of clock_preset",
    "CreateTournamentRequest.faults missing": "without faults they are those of policy",
    "PublicView.totals missing": "without totals they are 0",
    "PublicView.points missing": "a deal that goes on has none",
    "TableMeld.kind unspecified": "it follows from the cards, which alone count",
    "TableMeld.grade unspecified": "it follows from the cards, and is unspecified for no burraco",
    "TableMeld.points large": "it follows from the cards, which alone count",
}
_CARDS = [cards_pb2.CARD_7H, cards_pb2.CARD_7D, cards_pb2.CARD_7C]
_CHOICE = rules_pb2.RulesChoice(preset="classic")
_SEAT = play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_N)
_DRAW = actions_pb2.Action(draw_stock=actions_pb2.DrawStock())
OURS = {
    name: method
    for name, method in EVERY_METHOD.items()
    if method.containing_service.full_name.startswith("burraco.v1.")
}
ORGANISERS = ("CreateMatch", "AdjudicateMatch")
UNARY = {name: method for name, method in OURS.items() if not method.client_streaming}


def samples(view: views_pb2.SeatView, decision: int) -> dict[str, Message]:
    """One good message of every type that a request is made of."""
    act = play_pb2.Act(seat=_SEAT, decision_id=decision, action_id="a", actions=[_DRAW], note="n")
    limit = matches_pb2.HandLimit(cards=3, turn_ms=500)
    clocks = matches_pb2.ClockTerms(turn_ms=1000, hand_limits=[limit])
    stage = tournaments_pb2.TournamentStage(format=tournaments_pb2.TOURNAMENT_FORMAT_DUEL)
    question = tournaments_pb2.DuelQuestion(gain=25, false_alarms=0.05, misses=0.05)
    plan = tournaments_pb2.TournamentPlan(name="test", stages=[stage], question=question)
    faults = matches_pb2.FaultTerms(owner_return=matches_pb2.OWNER_RETURN_NEVER, strikes=1)
    play = bot_service_pb2.SCOPE_PLAY
    found: list[Message] = [
        _CHOICE,
        _SEAT,
        act,
        clocks,
        faults,
        view,
        view.public,
        view.own,
        limit,
        cards_pb2.SidePoints(ns=5),
        views_pb2.TableMeld(cards=_CARDS),
        _DRAW,
        actions_pb2.DrawStock(),
        actions_pb2.TakePile(),
        actions_pb2.LayMeld(cards=_CARDS),
        actions_pb2.AddCards(cards=_CARDS),
        actions_pb2.Discard(card=cards_pb2.CARD_7C),
        actions_pb2.Cut(size=30),
        play_pb2.Hello(client="test"),
        play_pb2.Ping(nonce=1),
        play_pb2.Leave(),
        play_pb2.ClientFrame(act=act),
        play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N),
        play_service_pb2.SubmitActionRequest(act=act),
        match_service_pb2.CreateMatchRequest(
            match_id="made",
            rules=_CHOICE,
            players=[""] * 4,
            deals=1,
            seed=SEED,
            dealer=cards_pb2.SEAT_W,
            clocks=clocks,
            faults=faults,
            overrides={"strikes": 3},
        ),
        match_service_pb2.JoinMatchRequest(match_id="free", nonce=b"n"),
        match_service_pb2.GetMatchRequest(match_id="m"),
        match_service_pb2.ListMatchesRequest(page_size=1),
        match_service_pb2.WatchMatchRequest(match_id="m"),
        match_service_pb2.ExportMatchRequest(match_id="m"),
        match_service_pb2.AdjudicateMatchRequest(match_id="free", reason="test"),
        stage,
        question,
        plan,
        tournament_service_pb2.CreateTournamentRequest(
            tournament_id="made",
            plan=plan,
            rules=_CHOICE,
            secret=SEED[:32],
            clocks=clocks,
            faults=faults,
            overrides={"strikes": 3},
        ),
        tournament_service_pb2.EnterTournamentRequest(tournament_id="t", bots=[SOLO]),
        tournament_service_pb2.WithdrawEntryRequest(tournament_id="t", reason="test"),
        tournament_service_pb2.StartTournamentRequest(tournament_id="t", expected_version=1),
        tournament_service_pb2.PauseTournamentRequest(tournament_id="t", reason="test"),
        tournament_service_pb2.ResumeTournamentRequest(tournament_id="t"),
        tournament_service_pb2.CancelTournamentRequest(tournament_id="t", reason="test"),
        tournament_service_pb2.GetTournamentRequest(tournament_id="t"),
        tournament_service_pb2.ListTournamentsRequest(page_size=1),
        tournament_service_pb2.GetStandingsRequest(tournament_id="t"),
        tournament_service_pb2.GetPairingsRequest(tournament_id="t"),
        tournament_service_pb2.WatchTournamentRequest(tournament_id="t"),
        tournament_service_pb2.RequeueTableRequest(
            tournament_id="t", expected_version=1, table=1, reason="test"
        ),
        tournament_service_pb2.AdjudicateTableRequest(
            tournament_id="t", expected_version=1, table=1, reason="test"
        ),
        tournament_service_pb2.ExportTournamentRequest(tournament_id="t"),
        rules_service_pb2.ListRulesetsRequest(),
        rules_service_pb2.ClassifyMeldRequest(rules=_CHOICE, cards=_CARDS),
        rules_service_pb2.JudgeActionRequest(rules=_CHOICE, view=view, action=_DRAW),
        rules_service_pb2.EnumerateActionsRequest(rules=_CHOICE, view=view),
        rules_service_pb2.JudgeNotationRequest(bgn='[BGN "1"]\n'),
        rules_service_pb2.ExplainRuleRequest(subject="R26"),
        bot_service_pb2.RegisterBotRequest(name="new"),
        bot_service_pb2.WhoAmIRequest(),
        bot_service_pb2.CreateTokenRequest(name="new", scopes=[play]),
        bot_service_pb2.ListTokensRequest(page_size=1),
        bot_service_pb2.RotateTokenRequest(token_id="0123456789abcdef"),
        bot_service_pb2.RevokeTokenRequest(token_id="0123456789abcdef"),
        admin_service_pb2.DrainRequest(reason="test"),
        admin_service_pb2.ListQuarantinedRequest(page_size=1),
        admin_service_pb2.ListAuditRequest(page_size=1),
    ]
    return {message.DESCRIPTOR.name: message for message in found}


def walk() -> Walk:
    return Walk(samples(views_pb2.SeatView(), 1))


def reachable() -> dict[str, Any]:
    """Every type of message that a request is made of, by name."""
    waiting = [method.input_type for method in OURS.values()]
    found: dict[str, Any] = {}
    while waiting:
        descriptor = waiting.pop()
        if descriptor.name in found:
            continue
        found[descriptor.name] = descriptor
        waiting += [
            field.message_type
            for field in descriptor.fields
            if field.message_type is not None and not is_map(field)
        ]
    return found


def test_every_field_of_every_request_has_a_rule() -> None:
    wanted = {name: {field.name for field in found.fields} for name, found in reachable().items()}
    # A frame is taken apart where it is read.
    assert wanted.pop("ClientFrame") == {"hello", "act", "ping", "leave"}
    assert {name: set(rules) for name, rules in RULES.items()} == wanted


def test_alternatives_are_those_of_the_protos() -> None:
    found = {
        name: [oneof.name for oneof in descriptor.oneofs if len(oneof.fields) > 1]
        for name, descriptor in reachable().items()
    }
    assert found.pop("ClientFrame") == ["body"]
    assert {name: names for name, names in found.items() if names} == {
        name: [oneof] for name, oneof in ALTERNATIVES.items()
    }


def test_every_accepted_value_is_one_that_is_tried() -> None:
    spots = {case.spot for found in reachable().values() for case in walk().cases(found)}
    assert set(ACCEPTED) <= spots


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[tuple[Running, Client, dict[str, Message]]]:
    """A match that waits for a draw, another one with free seats, and good messages for both."""
    async with serving(folder, admin="127.0.0.1:0") as running:
        client = await solo(running)
        decision = await client.decision()
        await running.create([""] * 4, match_id="free")
        yield running, client, samples(decision.view, decision.decision_id)


Answer = tuple[str, str, str]
USED: Final[Answer] = ("OK", "", "")


def judged(case: Case, answer: Answer) -> str:
    """What is wrong with an answer to a wrong value, empty for nothing."""
    code, reason, field = answer
    if case.spot in ACCEPTED:
        is_wrong = code in ("INTERNAL", "UNKNOWN") or (reason, field) == (
            "INVALID_FIELD",
            case.path,
        )
        return f"{case.spot}: {code} {reason}" if is_wrong else ""
    within = case.spot.endswith(" missing") and field.startswith(f"{case.path}.")
    if (code, reason) == ("INVALID_ARGUMENT", "INVALID_FIELD") and (within or field == case.path):
        return ""
    return f"{case.spot}: {code} {reason} {field or '-'}, not {case.path}"


def told(error: grpc.aio.AioRpcError) -> Answer:
    """Code, reason and field of a call that failed."""
    trailing: Any = error.trailing_metadata() or ()
    facts = error_details_pb2.ErrorInfo()
    for key, value in trailing:
        if key == "grpc-status-details-bin":
            status_pb2.Status.FromString(value).details[0].Unpack(facts)
    return error.code().name, facts.reason, facts.metadata.get("field", "")


async def call(
    channel: grpc.aio.Channel,
    method: Any,  # noqa: ANN401 - a descriptor
    request: Message,
    who: Metadata,
) -> Answer:
    path = f"/{method.containing_service.full_name}/{method.name}"
    raw = request.SerializeToString()
    try:
        if method.server_streaming:
            stream: Any = channel.unary_stream(path, None, None)(raw, metadata=who)
            await stream.read()
            stream.cancel()
        else:
            unary: Any = channel.unary_unary(path, None, None)
            await unary(raw, metadata=who)
    except grpc.aio.AioRpcError as error:
        return told(error)
    return USED


@pytest.mark.parametrize("name", UNARY)
async def test_a_wrong_field_of_a_call_is_refused_by_name(tmp_path: Path, name: str) -> None:
    method = UNARY[name]
    service = method.containing_service.name
    async with (
        world(tmp_path) as (running, _, good),
        grpc.aio.insecure_channel(str(running.arena.admin_at)) as admin,
    ):
        channel = admin if service == "AdminService" else running.channel
        is_bot = service in ("PlayService", "MatchService") and method.name not in ORGANISERS
        who = running.as_bot(SOLO) if is_bot else running.organiser
        base = good[method.input_type.name]
        faults = []
        for case in Walk(good).cases(method.input_type):
            request = GetMessageClass(method.input_type)()
            request.CopyFrom(base)
            case.spoil(request)
            faults.append(judged(case, await call(channel, method, request, who)))
        assert [fault for fault in faults if fault] == []
        # What all of them were made from is not refused by its fields.
        code, reason, _ = await call(channel, method, base, who)
        assert code not in ("INVALID_ARGUMENT", "INTERNAL", "UNKNOWN"), reason


async def exchange(stream: Any, frame: play_pb2.ClientFrame) -> Answer:  # noqa: ANN401
    """Code, reason and field of the answer to a frame; OK and nothing where it was used."""
    await stream.write(frame)
    while True:
        answer = await stream.read()
        assert isinstance(answer, play_pb2.ServerFrame)
        if answer.HasField("stream_error"):
            error = answer.stream_error
            return error.code, error.refusal.reason, error.refusal.facts.get("field", "")
        if answer.WhichOneof("body") in ("welcome", "verdict", "pong"):
            return USED


async def test_a_wrong_field_of_a_frame_is_refused_by_name(tmp_path: Path) -> None:
    async with world(tmp_path) as (running, client, good):
        faults, hellos = [], []
        for case in Walk(good).cases(play_pb2.ClientFrame.DESCRIPTOR):
            frame = play_pb2.ClientFrame()
            case.spoil(frame)
            if frame.HasField("hello"):
                hellos.append((case, frame))
            else:
                faults.append(judged(case, await exchange(client.stream, frame)))
        for case, frame in hellos:
            faults.append(judged(case, await exchange(Client(running, SOLO).stream, frame)))
        assert [fault for fault in faults if fault] == []


async def test_fields_of_newer_clients_are_ignored(running: Running) -> None:
    await running.register(SOLO)
    # Field 1000, a text, which no request has.
    unknown = b"\xc2\x3e\x03new"
    method: Any = running.channel.unary_unary("/burraco.v1.BotService/WhoAmI", None, None)
    raw = await method(unknown, metadata=running.as_bot(SOLO))
    assert bot_service_pb2.WhoAmIResponse.FromString(raw).name == SOLO
