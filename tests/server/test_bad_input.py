"""Bad input gets its own typed error, changes nothing, and leaves the connection alive."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from burraco.engine import DRAW_STOCK
from burraco.v1 import (
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    play_service_pb2,
    rules_pb2,
)
from burraco.wire import action_to_wire
from tests.server.harness import SOLO, Client, Running, bearer, reason_of, solo


def act_for(decision: play_pb2.Decision) -> play_pb2.Act:
    return play_pb2.Act(
        seat=decision.seat,
        decision_id=decision.decision_id,
        action_id="fine",
        actions=[action_to_wire(DRAW_STOCK)],
    )


def _no_seat(act: play_pb2.Act) -> None:
    act.seat.seat = cards_pb2.SEAT_UNSPECIFIED


def _unknown_seat(act: play_pb2.Act) -> None:
    act.seat.seat = 9  # type: ignore[assignment]  # no such seat


def _no_kind(act: play_pb2.Act) -> None:
    act.actions[0].Clear()


def _unknown_card(act: play_pb2.Act) -> None:
    act.actions[0].discard.card = 77  # type: ignore[assignment]  # no such card


def _zero_card(act: play_pb2.Act) -> None:
    act.actions[0].lay_meld.cards.append(cards_pb2.CARD_UNSPECIFIED)


def _too_many_cards(act: play_pb2.Act) -> None:
    act.actions[0].lay_meld.cards.extend([cards_pb2.CARD_AS] * 10_000)


def _no_actions(act: play_pb2.Act) -> None:
    del act.actions[:]


def _too_many_actions(act: play_pb2.Act) -> None:
    act.actions.extend([act.actions[0]] * 40)


def _no_action_id(act: play_pb2.Act) -> None:
    act.action_id = ""


def _long_action_id(act: play_pb2.Act) -> None:
    act.action_id = "x" * 65


def _control_character(act: play_pb2.Act) -> None:
    act.action_id = "a\nb"


def _note_with_bell(act: play_pb2.Act) -> None:
    act.note = "ding\a"


def _long_note(act: play_pb2.Act) -> None:
    act.note = "n" * 501


BAD_ACTS = [
    pytest.param(_no_seat, "act.seat.seat", id="seat-unspecified"),
    pytest.param(_unknown_seat, "act.seat.seat", id="seat-unknown"),
    pytest.param(_no_kind, "act.actions[0].kind", id="action-without-kind"),
    pytest.param(_unknown_card, "act.actions[0].discard.card", id="card-unknown"),
    pytest.param(_zero_card, "act.actions[0].lay_meld.cards[0]", id="card-unspecified"),
    pytest.param(_too_many_cards, "act.actions[0].lay_meld.cards", id="ten-thousand-cards"),
    pytest.param(_no_actions, "act.actions", id="no-actions"),
    pytest.param(_too_many_actions, "act.actions", id="too-many-actions"),
    pytest.param(_no_action_id, "act.action_id", id="action-id-empty"),
    pytest.param(_long_action_id, "act.action_id", id="action-id-long"),
    pytest.param(_control_character, "act.action_id", id="action-id-control-character"),
    pytest.param(_note_with_bell, "act.note", id="note-control-character"),
    pytest.param(_long_note, "act.note", id="note-long"),
]


@pytest.mark.parametrize(("spoil", "field"), BAD_ACTS)
async def test_case_122_a_bad_act_names_its_field_and_the_stream_goes_on(
    running: Running, spoil: Callable[[play_pb2.Act], None], field: str
) -> None:
    client = await solo(running)
    decision = await client.decision()
    version = (await running.summary()).version
    act = act_for(decision)
    spoil(act)
    await client.send(play_pb2.ClientFrame(act=act))
    error = (await client.read()).stream_error
    assert error.code == "INVALID_ARGUMENT"
    assert error.refusal.reason == "INVALID_FIELD"
    assert error.refusal.facts["field"] == field
    assert error.refusal.message.startswith(field)
    assert error.action_id == act.action_id[:64]
    assert (await running.summary()).version == version
    await still_alive(client, decision)


@pytest.mark.parametrize(("spoil", "field"), BAD_ACTS[:3])
async def test_a_bad_act_is_refused_by_the_unary_twin_too(
    running: Running, spoil: Callable[[play_pb2.Act], None], field: str
) -> None:
    client = await solo(running)
    act = act_for(await client.decision())
    spoil(act)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.play.SubmitAction(
            play_service_pb2.SubmitActionRequest(act=act), metadata=running.as_bot(SOLO)
        )
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "INVALID_FIELD"


async def still_alive(client: Client, decision: play_pb2.Decision) -> None:
    await client.act(decision, DRAW_STOCK, action_id="after")
    assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_APPLIED


async def test_bytes_that_are_no_frame_leave_the_stream_open(running: Running) -> None:
    await running.register(SOLO)
    raw: Any = running.channel.stream_stream("/burraco.v1.PlayService/Play", None, None)
    stream = raw(metadata=running.as_bot(SOLO))
    hello = play_pb2.ClientFrame(hello=play_pb2.Hello()).SerializeToString()
    await stream.write(b"\xff\xff\xff")
    error = play_pb2.ServerFrame.FromString(await stream.read())
    assert error.stream_error.code == "INVALID_ARGUMENT"
    assert error.stream_error.refusal.reason == "MALFORMED_FRAME"
    await stream.write(hello)
    assert play_pb2.ServerFrame.FromString(await stream.read()).HasField("welcome")
    stream.cancel()


async def test_bytes_that_are_no_request_are_an_invalid_argument(running: Running) -> None:
    raw = running.channel.unary_unary("/burraco.v1.MatchService/CreateMatch", None, None)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await raw(b"\xff\xff", metadata=running.organiser)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "MALFORMED_FRAME"


async def test_an_empty_frame_is_refused(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    await client.send(play_pb2.ClientFrame())
    error = (await client.read()).stream_error
    assert error.refusal.facts["field"] == "body"
    await still_alive(client, decision)


async def test_the_first_frame_is_a_hello_and_only_the_first(running: Running) -> None:
    await running.register(SOLO)
    client = Client(running, SOLO)
    await client.send(play_pb2.ClientFrame(ping=play_pb2.Ping()))
    assert (await client.read()).stream_error.refusal.reason == "HELLO_FIRST"
    await client.hello("", 0)
    await client.send(play_pb2.ClientFrame(hello=play_pb2.Hello()))
    assert (await client.read()).stream_error.refusal.reason == "HELLO_AGAIN"


async def test_a_frame_beyond_the_limit_ends_the_stream_and_not_the_match(
    running: Running,
) -> None:
    client = await solo(running)
    act = act_for(await client.decision())
    act.note = "n" * 70_000
    await client.send(play_pb2.ClientFrame(act=act))
    error = (await client.read()).stream_error
    assert (error.code, error.refusal.reason) == ("RESOURCE_EXHAUSTED", "FRAME_TOO_LARGE")
    assert error.refusal.facts["limit"] == str(64 * 1024)
    act.note = "n" * 140_000
    await client.send(play_pb2.ClientFrame(act=act))
    with pytest.raises(grpc.aio.AioRpcError) as cut:
        await drained(client)
    assert cut.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    again = await running.connect(SOLO, session_id=client.welcome.session_id, last_seq=5)
    assert again.welcome.resumed
    assert (await running.summary()).state == matches_pb2.MATCH_STATE_RUNNING


async def drained(client: Client) -> None:
    while await client.stream.read() is not grpc.aio.EOF:  # type: ignore[attr-defined]  # in no stub
        pass


async def test_metadata_beyond_the_limit_is_refused_and_the_channel_goes_on(
    running: Running,
) -> None:
    request = bot_service_pb2.WhoAmIRequest()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.bots.WhoAmI(request, metadata=(*running.organiser, ("x", "y" * 5_000)))
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await running.bots.WhoAmI(request, metadata=running.organiser)).name == "organiser"


async def test_someone_elses_match_and_no_match_look_the_same(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    await running.register("stranger")
    stranger = await running.connect("stranger")
    words = set()
    for match_id in ("m", "nowhere"):
        act = act_for(decision)
        act.seat.match_id = match_id
        await stranger.send(play_pb2.ClientFrame(act=act))
        error = (await stranger.read()).stream_error
        assert (error.code, error.refusal.reason) == ("NOT_FOUND", "MATCH_UNKNOWN")
        words.add(error.refusal.message)
        for call in (
            running.matches.GetMatch(
                match_service_pb2.GetMatchRequest(match_id=match_id),
                metadata=running.as_bot("stranger"),
            ),
            running.play.SubmitAction(
                play_service_pb2.SubmitActionRequest(act=act), metadata=running.as_bot("stranger")
            ),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call
            assert refused.value.code() is grpc.StatusCode.NOT_FOUND
            words.add(refused.value.details() or "")
    assert len(words) == 1
    await still_alive(client, decision)


@pytest.mark.parametrize(
    ("metadata", "code", "reason"),
    [
        pytest.param((), "UNAUTHENTICATED", "TOKEN_MISSING", id="no-token"),
        pytest.param(bearer("guess"), "UNAUTHENTICATED", "TOKEN_UNKNOWN", id="unknown-token"),
        pytest.param(
            (("authorization", "Basic eDp5"),), "UNAUTHENTICATED", "TOKEN_MISSING", id="no-bearer"
        ),
    ],
)
async def test_without_a_known_token_nothing_is_told(
    running: Running, metadata: tuple[tuple[str, str], ...], code: str, reason: str
) -> None:
    who = running.bots.WhoAmI(bot_service_pb2.WhoAmIRequest(), metadata=metadata)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await who
    assert refused.value.code() is grpc.StatusCode[code]
    assert reason_of(refused.value) == reason
    stream = running.play.Play(iter(()), metadata=metadata)
    with pytest.raises(grpc.aio.AioRpcError) as cut:
        await stream.read()
    assert reason_of(cut.value) == reason


async def test_a_token_is_good_for_its_scopes_only(running: Running) -> None:
    await running.register(SOLO)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.matches.CreateMatch(
            match_service_pb2.CreateMatchRequest(), metadata=running.as_bot(SOLO)
        )
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert reason_of(refused.value) == "SCOPE_MISSING"


def _request(**fields: object) -> match_service_pb2.CreateMatchRequest:
    request = match_service_pb2.CreateMatchRequest(players=["", "", "", ""])
    request.MergeFrom(match_service_pb2.CreateMatchRequest(**fields))  # type: ignore[arg-type]
    return request


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (match_service_pb2.CreateMatchRequest(players=["a"]), "players"),
        (match_service_pb2.CreateMatchRequest(players=["", "", "", "a b"]), "players[3]"),
        (_request(match_id="no spaces"), "match_id"),
        (_request(seed=b"short"), "seed"),
        (_request(rules=rules_pb2.RulesChoice(preset="whist")), "rules.preset"),
        (_request(rules=rules_pb2.RulesChoice(overrides={"target": "0"})), "rules.overrides"),
        (_request(rules=rules_pb2.RulesChoice(preset="fibur"), asks_cut=True), "asks_cut"),
        (_request(dealer=9), "dealer"),
        (_request(dealer=1, draw_seats=True), "dealer"),
        (_request(deals=5_000), "deals"),
        (_request(clocks=matches_pb2.ClockTerms(turn_ms=2**31)), "clocks.turn_ms"),
        (_request(faults=matches_pb2.FaultTerms(strikes=1_000)), "faults.strikes"),
        (_request(board_id="b"), "board_tables"),
        (_request(board_tables=2), "board_tables"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_match_that_cannot_be_is_refused_by_field(
    running: Running, request_: match_service_pb2.CreateMatchRequest, field: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.matches.CreateMatch(request_, metadata=running.organiser)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "INVALID_FIELD"
    assert (refused.value.details() or "").startswith(f"{field}:")


async def test_players_are_registered_before_they_play(running: Running) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.create(["nobody", "", "", ""])
    assert reason_of(refused.value) == "PLAYER_UNKNOWN"


async def test_an_unknown_method_is_unimplemented(running: Running) -> None:
    raw = running.channel.unary_unary("/burraco.v1.MatchService/WinMatch", None, None)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await raw(b"", metadata=running.organiser)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
