"""MatchService, BotService and RulesService beside the stream."""

from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from burraco.engine import Discard, Seed, commitment, preset
from burraco.engine.bgn import judge
from burraco.engine.deal import draw_seats, mix_nonces
from burraco.server.store import AuditRow, StoreFailed
from burraco.v1 import (
    actions_pb2,
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    rules_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    views_pb2,
)
from burraco.wire import action_to_wire, points_from_wire
from tests.server.harness import SEED, SOLO, Metadata, Running, reason_of, solo

NAMES = ("north", "east", "south", "west")


@pytest.fixture
def rules(running: Running) -> rules_service_pb2_grpc.RulesServiceStub:
    return rules_service_pb2_grpc.RulesServiceStub(running.channel)


async def export(running: Running, match_id: str = "m") -> str:
    request = match_service_pb2.ExportMatchRequest(match_id=match_id)
    return (await running.matches.ExportMatch(request, metadata=running.organiser)).bgn


async def join(
    running: Running, name: str, seat: cards_pb2.Seat.ValueType | None = None, nonce: bytes = b""
) -> match_service_pb2.JoinMatchResponse:
    request = match_service_pb2.JoinMatchRequest(match_id="m", seat=seat, nonce=nonce)
    return await running.matches.JoinMatch(request, metadata=running.as_bot(name))


async def test_a_bot_is_registered_once_and_knows_who_it_is(running: Running) -> None:
    await running.register(SOLO)
    who = await running.bots.WhoAmI(bot_service_pb2.WhoAmIRequest(), metadata=running.as_bot(SOLO))
    assert (who.name, list(who.scopes)) == (SOLO, [bot_service_pb2.SCOPE_PLAY])
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.register(SOLO)
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS
    assert reason_of(refused.value) == "NAME_TAKEN"


async def test_a_match_id_is_used_once(running: Running) -> None:
    await running.create([""] * 4)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.create([""] * 4)
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS
    chosen = await running.create([""] * 4, match_id="")
    assert chosen.match_id.startswith("m-")


async def test_case_136_free_seats_are_joined_and_each_goes_to_one(running: Running) -> None:
    await running.register(*NAMES)
    await running.create(["", "east", "", ""])
    assert (await join(running, "north", cards_pb2.SEAT_N)).seat == cards_pb2.SEAT_N
    with pytest.raises(grpc.aio.AioRpcError) as taken:
        await join(running, "south", cards_pb2.SEAT_N)
    assert reason_of(taken.value) == "SEAT_TAKEN"
    with pytest.raises(grpc.aio.AioRpcError) as twice:
        await join(running, "north", cards_pb2.SEAT_S)
    assert reason_of(twice.value) == "ALREADY_SEATED"
    assert (await join(running, "south", nonce=b"salt")).seat == cards_pb2.SEAT_S
    assert (await join(running, "west")).seat == cards_pb2.SEAT_W
    with pytest.raises(grpc.aio.AioRpcError) as full:
        await join(running, "west")
    assert reason_of(full.value) == "ALREADY_SEATED"


async def test_whoever_lost_the_answer_to_the_join_that_began_a_match_has_its_seat(
    running: Running,
) -> None:
    await running.register("a", "b")
    await running.create(["a", "a", "a", ""])
    first, second = await running.connect("a"), await running.connect("b")
    await join(running, "b")
    assert (await first.decision()).seat.match_id == "m"
    assert (await second.read()).HasField("match_started")
    with pytest.raises(grpc.aio.AioRpcError) as again:
        await join(running, "b")
    assert reason_of(again.value) == "ALREADY_SEATED"


async def test_nonces_are_mixed_into_the_seed(running: Running) -> None:
    await running.register(*NAMES)
    await running.create([""] * 4)
    for name in NAMES:
        await join(running, name, nonce=name.encode())
    bots = [await running.connect(name) for name in NAMES]
    await bots[0].decision()
    match = running.record().match
    assert match is not None
    assert match.setup.seed == Seed(SEED, mix_nonces([name.encode() for name in NAMES]))


async def test_seats_are_drawn_from_the_seed(running: Running) -> None:
    await running.register(*NAMES)
    await running.create(NAMES, draw_seats=True, dealer=None)
    bots = {name: await running.connect(name) for name in NAMES}
    order = draw_seats(Seed(SEED, mix_nonces([b""] * 4)), preset("classic"))
    seated = [NAMES[place] for place in order]
    for seat, name in enumerate(seated):
        started = (await bots[name].read_until("match_started")).match_started
        assert started.seat.seat == seat + 1
        assert list(started.players) == seated
    # R12 to R16: the lowest card deals from West.
    first = await bots[seated[0]].decision()
    assert first.view.public.dealer == cards_pb2.SEAT_W


async def test_r19_the_cutter_is_asked_for_the_cut(running: Running) -> None:
    client = await solo(running, asks_cut=True)
    asked = await client.decision()
    assert asked.seat.seat == cards_pb2.SEAT_S
    assert asked.view.public.phase == views_pb2.PHASE_CUT
    assert asked.default_actions[0].HasField("cut")
    await client.act(asked, Discard(0))
    refused = await client.verdict()
    assert refused.refusal.reason == "MUST_CUT_FIRST"
    await client.act(asked, *client.default(asked))
    assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_APPLIED
    assert (await client.decision()).seat.seat == cards_pb2.SEAT_N


async def test_the_commitment_is_shown_first_and_the_seed_at_the_end(running: Running) -> None:
    client = await solo(running)
    summary = await running.summary()
    assert summary.commitment == commitment("m", preset("classic"), SEED)
    assert not summary.result.seed
    ended = await client.play_to_the_end(4)
    assert ended[0].result.seed == SEED
    assert (await running.summary()).result.seed == SEED


async def test_the_seed_of_a_board_is_shown_when_its_last_table_has_ended(
    running: Running,
) -> None:
    await running.register(SOLO)
    client = await running.connect(SOLO)
    for match_id in ("t1", "t2"):
        await running.create([SOLO] * 4, match_id=match_id, seed=b"", board=("b", 2), dealer=None)
    dealt = {
        frame.decision.seat.match_id: frame.decision
        for frame in [await client.read_until("decision") for _ in range(2)]
    }
    assert dealt["t1"].view == dealt["t2"].view
    with pytest.raises(grpc.aio.AioRpcError) as extra:
        await running.create([SOLO] * 4, match_id="t3", seed=b"", board=("b", 2))
    assert reason_of(extra.value) == "BOARD_MISMATCH"
    await adjudicate(running, "t1")
    assert not (await running.summary("t1")).result.seed
    with pytest.raises(grpc.aio.AioRpcError) as too_early:
        await export(running, "t1")
    assert reason_of(too_early.value) == "MATCH_RUNNING"
    await adjudicate(running, "t2")
    seeds = {(await running.summary(match_id)).result.seed for match_id in ("t1", "t2")}
    assert len(seeds) == 1
    assert len(seeds.pop()) == 80


async def test_a_player_learns_only_at_the_end_which_tables_were_of_one_board(
    running: Running,
) -> None:
    await running.register(SOLO)
    for match_id in ("t1", "t2"):
        await running.create([SOLO] * 4, match_id=match_id, seed=b"", board=("b", 2))
    assert await boards_shown(running, running.as_bot(SOLO)) == ["", "", ""]
    assert await boards_shown(running, running.organiser) == ["b", "b", "b"]
    await adjudicate(running, "t1")
    assert await boards_shown(running, running.as_bot(SOLO)) == ["", "", ""]
    await adjudicate(running, "t2")
    assert await boards_shown(running, running.as_bot(SOLO)) == ["b", "b", "b"]


async def boards_shown(running: Running, metadata: Metadata) -> list[str]:
    """What GetMatch of the first table and ListMatches say of their board."""
    one = await running.matches.GetMatch(
        match_service_pb2.GetMatchRequest(match_id="t1"), metadata=metadata
    )
    page = await running.matches.ListMatches(
        match_service_pb2.ListMatchesRequest(), metadata=metadata
    )
    return [one.match.board_id, *(match.board_id for match in page.matches)]


async def adjudicate(running: Running, match_id: str = "m") -> matches_pb2.MatchSummary:
    request = match_service_pb2.AdjudicateMatchRequest(match_id=match_id, reason="test")
    return (await running.matches.AdjudicateMatch(request, metadata=running.organiser)).match


async def test_a_finished_match_exports_and_is_judged_to_the_same_score(
    running: Running, rules: rules_service_pb2_grpc.RulesServiceStub
) -> None:
    client = await solo(running, deals=3)
    ended = await client.play_to_the_end(4)
    bgn = await export(running)
    verdicts = list(judge(bgn))
    assert len(verdicts) == 3
    assert all(verdict.is_ok for verdict in verdicts)
    judged = await rules.JudgeNotation(rules_service_pb2.JudgeNotationRequest(bgn=bgn))
    assert judged.ok
    totals = [0, 0]
    for line in judged.verdicts:
        _, _, ns, _, ew = line.split()
        totals[0] += int(ns)
        totals[1] += int(ew)
    assert tuple(totals) == points_from_wire(ended[0].result.totals)


async def test_a_match_is_adjudicated_once_and_exports_what_was_played(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    for _ in range(5):
        await client.act(decision, *client.default(decision))
        verdict = await client.verdict()
        decision = verdict.next if verdict.HasField("next") else await client.decision()
    over = await adjudicate(running)
    assert over.result.end == matches_pb2.MATCH_END_ADJUDICATED
    told = (await client.read_until("match_ended")).match_ended
    assert told.result == over.result
    assert [verdict.is_ok for verdict in judge(await export(running))] == [True]
    with pytest.raises(grpc.aio.AioRpcError) as again:
        await adjudicate(running)
    assert reason_of(again.value) == "MATCH_ENDED"


async def test_a_match_that_is_over_is_shown_to_whoever_watches_it_then(running: Running) -> None:
    client = await solo(running)
    ended = await client.play_to_the_end(4)
    watching = running.matches.WatchMatch(
        match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.organiser
    )
    messages = [message async for message in watching]
    assert [message.result for message in messages] == [ended[0].result]
    assert messages[0].view.phase == views_pb2.PHASE_OVER


async def test_matches_are_listed_page_by_page_and_only_to_whom_they_concern(
    running: Running,
) -> None:
    await running.register("one", "two")
    for number in range(5):
        await running.create(["one", "", "", ""], match_id=f"m{number}")
    await running.create(["two", "", "", ""], match_id="other")

    async def listed(name: str, size: int) -> list[list[str]]:
        pages, token = [], ""
        while True:
            request = match_service_pb2.ListMatchesRequest(page_size=size, page_token=token)
            page = await running.matches.ListMatches(request, metadata=running.as_bot(name))
            pages.append([match.match_id for match in page.matches])
            token = page.next_page_token
            if not token:
                return pages

    assert await listed("one", 2) == [["m0", "m1"], ["m2", "m3"], ["m4"]]
    assert await listed("two", 0) == [["other"]]
    request = match_service_pb2.ListMatchesRequest(state=matches_pb2.MATCH_STATE_ENDED)
    ended = await running.matches.ListMatches(request, metadata=running.organiser)
    assert not ended.matches
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.matches.ListMatches(
            match_service_pb2.ListMatchesRequest(page_token="???"), metadata=running.organiser
        )
    assert reason_of(refused.value) == "INVALID_FIELD"


async def test_rules_are_answered_without_a_token(
    rules: rules_service_pb2_grpc.RulesServiceStub,
) -> None:
    listed = await rules.ListRulesets(rules_service_pb2.ListRulesetsRequest())
    assert [one.name for one in listed.rulesets] == [
        "classic",
        "fibur",
        "international",
        "online",
    ]
    meld = await rules.ClassifyMeld(
        rules_service_pb2.ClassifyMeldRequest(
            cards=[cards_pb2.CARD_7H, cards_pb2.CARD_7D, cards_pb2.CARD_2S]
        )
    )
    assert (meld.meld.points, meld.meld.clean, meld.bonus) == (30, False, 0)
    none = await rules.ClassifyMeld(
        rules_service_pb2.ClassifyMeldRequest(
            rules=rules_pb2.RulesChoice(preset="fibur"),
            cards=[cards_pb2.CARD_2S, cards_pb2.CARD_2S, cards_pb2.CARD_JK],
        )
    )
    assert none.refusal.reason == "TWO_TWO_JOKER_OFF"


async def test_rules_judge_and_enumerate_what_the_seat_to_act_may_do(
    running: Running, rules: rules_service_pb2_grpc.RulesServiceStub
) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, *client.default(first))
    decision = (await client.verdict()).next
    legal = await rules.EnumerateActions(
        rules_service_pb2.EnumerateActionsRequest(view=decision.view)
    )
    assert list(legal.actions) == [action_to_wire(action) for action in client.view(decision).legal]
    for action in legal.actions:
        judged = await rules.JudgeAction(
            rules_service_pb2.JudgeActionRequest(view=decision.view, action=action)
        )
        assert judged.legal
    draw = actions_pb2.Action(draw_stock=actions_pb2.DrawStock())
    refused = await rules.JudgeAction(
        rules_service_pb2.JudgeActionRequest(view=decision.view, action=draw)
    )
    assert (refused.legal, refused.refusal.reason) == (False, "ALREADY_DRAWN")


@pytest.mark.parametrize("spoil", ["seat", "copies", "hand", "empty"])
async def test_a_view_that_no_seat_can_have_is_refused(
    running: Running, rules: rules_service_pb2_grpc.RulesServiceStub, spoil: str
) -> None:
    client = await solo(running)
    view = (await client.decision()).view
    if spoil == "seat":
        view.own.seat = cards_pb2.SEAT_S
    elif spoil == "copies":
        view.own.hand.extend([cards_pb2.CARD_5H] * 3)
    elif spoil == "hand":
        view.own.hand.extend([cards_pb2.CARD_5H] * 5_000)
    else:
        view.Clear()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await rules.EnumerateActions(rules_service_pb2.EnumerateActionsRequest(view=view))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert reason_of(refused.value) == "INVALID_FIELD"


async def test_health_needs_no_token(running: Running) -> None:
    health: Any = health_pb2_grpc.HealthStub(running.channel)
    checked = await health.Check(health_pb2.HealthCheckRequest())
    assert checked.status == health_pb2.HealthCheckResponse.SERVING


async def test_an_end_that_cannot_be_noted_is_none(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    await running.create([""] * 4)

    async def note(_noted: AuditRow) -> None:
        raise StoreFailed("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(running.arena.store, "note", note)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await adjudicate(running, "m")
    assert reason_of(refused.value) == "LOG_UNAVAILABLE"
    assert (await running.summary()).state == matches_pb2.MATCH_STATE_WAITING
    assert (await adjudicate(running, "m")).state == matches_pb2.MATCH_STATE_ENDED


async def test_the_tables_of_a_board_are_played_by_the_same_rules(running: Running) -> None:
    await running.create([""] * 4, match_id="t1", board=("b", 2))
    with pytest.raises(grpc.aio.AioRpcError, match="its seed, rules and number") as refused:
        await running.create([""] * 4, match_id="t2", board=("b", 2), preset="fibur")
    assert reason_of(refused.value) == "BOARD_MISMATCH"
    await running.create([""] * 4, match_id="t2", board=("b", 2))


async def test_who_asks_for_a_change_while_the_server_stops_is_told_so(running: Running) -> None:
    await running.register(SOLO)
    await running.create([""] * 4)
    running.arena.tables.freeze()
    for call in (join(running, SOLO), adjudicate(running, "m")):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call
        assert reason_of(refused.value) == "DRAINING"
