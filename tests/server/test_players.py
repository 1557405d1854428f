"""Matches of two and of three players over the wire (docs/players.md)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from burraco.engine import DRAW_STOCK, PRESETS, Seed, preset
from burraco.engine.bgn import judge
from burraco.engine.bgn_text import parse
from burraco.engine.deal import draw_seats, mix_nonces
from burraco.engine.match import match_view
from burraco.engine.rules import TARGET_OF_THREE
from burraco.engine.verify import verify
from burraco.server.record import MatchRecord
from burraco.server.recovery import fold
from burraco.server.terms import ClockTerms, FaultTerms, MatchEnd
from burraco.v1 import (
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    play_service_pb2,
    rules_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    views_pb2,
)
from burraco.wire import action_from_wire, action_to_wire, points_from_wire
from tests.server.harness import SEED, SOLO, Client, Running, reason_of, serving
from tests.server.tableside import PLAYERS, Tableside
from tests.support.exported import blocks_of, tag_of, with_tag_everywhere

NAMES = ("north", "east", "south")
SEAT_TAGS = ("North", "East", "South", "West")
CLOCKED = ClockTerms(turn_ms=2_000, bank_ms=0, warmup_ms=5_000, disconnect_ms=0)


def knobs(players: int) -> dict[str, str]:
    return {"players": str(players)}


async def export(running: Running) -> str:
    request = match_service_pb2.ExportMatchRequest(match_id="m")
    return (await running.matches.ExportMatch(request, metadata=running.organiser)).bgn


async def play(running: Running, players: int) -> list[matches_pb2.MatchResult]:
    """Seat bots of their own names, and play match ``m`` to its end."""
    bots = [await running.connect(name) for name in NAMES[:players]]
    ended = await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    return [end.result for (end,) in ended]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("players", [2, 3])
async def test_a_match_is_played_exported_judged_and_verified(
    tmp_path: Path, players: int, name: str
) -> None:
    async with serving(tmp_path) as running:
        await running.register(*NAMES)
        made = await running.create(
            NAMES[:players], deals=3, preset=name, dealer=None, knobs=knobs(players)
        )
        results = await play(running, players)
        notation = await export(running)
    (result,) = {told.SerializeToString(): told for told in results}.values()
    totals = points_from_wire(result.totals)
    assert (result.end, result.deals) == (matches_pb2.MATCH_END_PLAYED, 3)
    assert len(totals) == players
    assert [seat.seat for seat in result.seats] == [1, 2, 3][:players]
    assert [seat.player for seat in result.seats] == [*NAMES[:players]]
    assert all(seat.end == matches_pb2.SEAT_END_CLEAN for seat in result.seats)
    assert len(result.nonces) == players
    if result.HasField("winner"):
        assert totals[result.winner - 1] == max(totals)

    assert all(verdict.is_ok for verdict in judge(notation))
    (verdict,) = verify(notation, {made.commitment})
    assert verdict.is_ok, str(verdict)
    for block in parse(notation):
        assert [tag for tag in SEAT_TAGS if tag in block.tags] == [*SEAT_TAGS[:players]]


async def test_three_players_go_to_their_target_and_the_winner_may_be_south(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as running:
        await running.register(*NAMES)
        made = await running.create(NAMES, deals=0, dealer=cards_pb2.SEAT_S, knobs=knobs(3))
        assert made.terms.rules.knobs["target"] == str(TARGET_OF_THREE)
        (result, *_) = await play(running, 3)
        (verdict,) = verify(await export(running), ())
    totals = points_from_wire(result.totals)
    assert max(totals) >= TARGET_OF_THREE
    assert totals[result.winner - 1] == max(totals)
    assert verdict.is_ok, str(verdict)


@pytest.mark.parametrize("players", [2, 3])
async def test_seats_are_joined_with_nonces_and_drawn(tmp_path: Path, players: int) -> None:
    nonces = [b"salt", b"", b"pepper"][:players]
    async with serving(tmp_path) as running:
        await running.register(*NAMES)
        await running.create(
            [""] * players, deals=2, dealer=None, draw_seats=True, knobs=knobs(players)
        )
        for name, nonce in zip(NAMES, nonces, strict=False):
            request = match_service_pb2.JoinMatchRequest(match_id="m", nonce=nonce)
            await running.matches.JoinMatch(request, metadata=running.as_bot(name))
        await play(running, players)
        summary = await running.summary()
        notation = await export(running)
    rules = preset("classic").with_knobs(players=players)
    drawn = draw_seats(Seed(SEED, mix_nonces(nonces)), rules)
    assert [*summary.players] == [NAMES[place] for place in drawn]
    first, *_ = blocks_of(notation)
    assert tag_of(first, "Dealer") == "NESW"[players - 1]
    (verdict,) = verify(notation, ())
    assert verdict.is_ok, str(verdict)
    one_more = f"{tag_of(first, 'Nonces')} -"
    (forged,) = verify("".join(with_tag_everywhere(blocks_of(notation), "Nonces", one_more)), ())
    assert "nonces are needed" in str(forged)


@pytest.mark.parametrize("players", [2, 3])
async def test_the_player_at_the_dealers_right_cuts(tmp_path: Path, players: int) -> None:
    async with serving(tmp_path) as running:
        await running.register(SOLO)
        await running.create(
            [SOLO] * players, dealer=cards_pb2.SEAT_N, asks_cut=True, knobs=knobs(players)
        )
        client = await running.connect(SOLO)
        decision = await client.decision()
        assert decision.view.public.phase == views_pb2.PHASE_CUT
        assert decision.seat.seat == players
        assert [*decision.view.public.counts] == [0] * players
        await client.act(decision, *client.default(decision))
        verdict = await client.verdict()
        assert verdict.kind == play_pb2.VERDICT_KIND_APPLIED
        # Of two the cutter sits at the dealer's left too, and begins.
        assert verdict.HasField("next") == (players == 2)
        following = verdict.next if players == 2 else await client.decision()
        assert [*following.view.public.counts] == [11] * players


async def until_paired(running: Running) -> tuple[Client, play_pb2.Decision]:
    """One bot on three seats, played greedily until two of them are partners."""
    await running.register(SOLO)
    await running.create([SOLO] * 3, deals=2, dealer=cards_pb2.SEAT_S, knobs=knobs(3))
    client = await running.connect(SOLO)
    decision = await client.decision()
    while not decision.view.public.sides:
        await client.greedy(decision)
        verdict = await client.verdict()
        assert verdict.kind == play_pb2.VERDICT_KIND_APPLIED
        decision = verdict.next if verdict.HasField("next") else await client.decision()
    return client, decision


def facts_of(record: MatchRecord) -> list[object]:
    """What tells two records of three players apart."""
    assert record.match is not None
    views = [match_view(record.match, seat) for seat in (None, 0, 1, 2)]
    return [record.chain, record.decision, record.match.deal, record.players, views]


async def test_a_restart_after_pairing_gives_the_same_match_and_it_goes_on(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        _, open_before = await until_paired(running)
        before, tokens = facts_of(running.record()), running.tokens
        folded, _ = fold(await running.arena.store.log("m"))
        assert facts_of(folded) == before
    async with serving(tmp_path) as running:
        running.tokens = tokens
        assert facts_of(running.record()) == before
        client = await running.connect(SOLO)
        decision = await client.decision()
        assert decision.view == open_before.view
        assert len({*decision.view.public.sides}) == 2
        await client.greedy(decision)
        ended = await client.play_to_the_end(3)
        assert ended[0].result.deals == 2
        assert all(verdict.is_ok for verdict in verify(await export(running), ()))


async def test_a_match_of_three_that_is_stopped_after_pairing_is_scored_as_it_lies(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as running:
        await until_paired(running)
        request = match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="test")
        stopped = await running.matches.AdjudicateMatch(request, metadata=running.organiser)
        notation = await export(running)
    assert stopped.match.result.totals.HasField("s")
    (verdict,) = verify(notation, ())
    assert verdict.is_ok, str(verdict)


def choice(players: int) -> rules_pb2.RulesChoice:
    return rules_pb2.RulesChoice(overrides=knobs(players))


async def test_the_rules_service_answers_for_a_pair(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        client, decision = await until_paired(running)
        service = rules_service_pb2_grpc.RulesServiceStub(running.channel)
        listed = await service.EnumerateActions(
            rules_service_pb2.EnumerateActionsRequest(rules=choice(3), view=decision.view)
        )
        legal = client.view(decision).legal
        assert {action_from_wire(action) for action in listed.actions} == set(legal)
        judged = await service.JudgeAction(
            rules_service_pb2.JudgeActionRequest(
                rules=choice(3), view=decision.view, action=action_to_wire(legal[0])
            )
        )
        assert judged.legal


def _at_west(view: views_pb2.SeatView) -> None:
    view.own.seat = view.public.turn = cards_pb2.SEAT_W


def _all_partners(view: views_pb2.SeatView) -> None:
    view.public.sides[:] = [cards_pb2.SIDE_NS] * 3


def _two_sides_told(view: views_pb2.SeatView) -> None:
    del view.public.sides[1:]


@pytest.mark.parametrize("spoil", [_at_west, _all_partners, _two_sides_told])
async def test_the_rules_service_refuses_what_no_table_of_three_shows(
    tmp_path: Path, spoil: Callable[[views_pb2.SeatView], None]
) -> None:
    async with serving(tmp_path) as running:
        _, decision = await until_paired(running)
        service = rules_service_pb2_grpc.RulesServiceStub(running.channel)
        spoil(decision.view)
        request = rules_service_pb2.EnumerateActionsRequest(rules=choice(3), view=decision.view)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await service.EnumerateActions(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("players", "names", "terms", "told"),
    [
        pytest.param("5", 4, {}, "players 5: a table has 2, 3 or 4", id="five-players"),
        pytest.param("2", 3, {}, "2 names are due, N E, empty for a free seat; not 3", id="names"),
        pytest.param("3", 4, {}, "3 names are due, N E S", id="four-of-three"),
        pytest.param("4", 3, {}, "4 names are due, N E S W", id="three-of-four"),
        pytest.param(
            "3", 3, {"board": ("b", 2)}, "a board compares two sides", id="board-of-three"
        ),
        pytest.param(
            "2", 2, {"dealer": cards_pb2.SEAT_S}, "S is no seat of 2 players: N E", id="dealer"
        ),
    ],
)
async def test_what_makes_no_table_is_refused(
    running: Running, players: str, names: int, terms: dict[str, object], told: str
) -> None:
    usual: dict[str, object] = {"dealer": None, "knobs": {"players": players}}
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.create([""] * names, **(usual | terms))  # type: ignore[arg-type]
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert told in str(refused.value.details())


async def test_a_seat_that_the_table_does_not_have_is_nobodys(running: Running) -> None:
    await running.register(SOLO)
    await running.create([SOLO, ""], dealer=None, knobs=knobs(2))
    request = match_service_pb2.JoinMatchRequest(match_id="m", seat=cards_pb2.SEAT_W)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.matches.JoinMatch(request, metadata=running.as_bot(SOLO))
    assert "W is no seat of 2 players" in str(refused.value.details())
    watched = running.play.WatchSeat(
        play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_S),
        metadata=running.as_bot(SOLO),
    )
    with pytest.raises(grpc.aio.AioRpcError) as unknown:
        await watched.read()
    assert reason_of(unknown.value) == "MATCH_UNKNOWN"
    client = await running.connect(SOLO)
    act = play_pb2.Act(
        seat=play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_W),
        decision_id=1,
        action_id="stray",
        actions=[action_to_wire(DRAW_STOCK)],
    )
    await client.send(play_pb2.ClientFrame(act=act))
    error = (await client.read_until("stream_error")).stream_error
    assert error.refusal.reason == "MATCH_UNKNOWN"


async def test_two_tables_of_two_share_a_board(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await running.register(*NAMES[:2])
        for match_id, players in (("one", NAMES[:2]), ("two", NAMES[1::-1])):
            await running.create(
                players,
                match_id=match_id,
                dealer=cards_pb2.SEAT_E,
                board=("b", 2),
                knobs=knobs(2),
            )
        bots = [await running.connect(name) for name in NAMES[:2]]
        ended = await asyncio.gather(*(bot.play_to_the_end(2) for bot in bots))
        told = {end.seat.match_id: end.result.totals for ends in ended for end in ends}
    assert told["one"] == told["two"]


def three(faults: FaultTerms, *present: str) -> Tableside:
    side = Tableside(
        CLOCKED,
        faults,
        rules=preset("classic").with_knobs(players=3),
        players=PLAYERS[:3],
        dealer=2,
    )
    side.sit(*(present or PLAYERS[:3]))
    return side


def test_of_three_the_better_one_of_the_others_wins_by_a_forfeit() -> None:
    side = three(FaultTerms(0, 1, forfeit_after=1))
    assert side.table.asked is not None
    assert side.table.asked.seat == 0
    assert side.table.asked.due is not None
    side.move(side.table.asked.due - side.clock.now())
    assert (side.record.end, side.record.forfeits) == (MatchEnd.FORFEITED, (0,))
    _, east, south = side.record.totals
    assert east != south
    assert side.record.winner == (1 if east > south else 2)


def test_of_three_the_only_one_that_does_not_forfeit_wins() -> None:
    side = three(FaultTerms(0, 1, forfeit_after=1), "e")
    assert (side.record.end, side.record.forfeits) == (MatchEnd.FORFEITED, (0, 2))
    assert side.record.winner == 1
    assert side.faults == []


@pytest.mark.parametrize("players", [2, 3])
def test_stand_ins_play_a_match_to_its_end(players: int) -> None:
    side = Tableside(
        CLOCKED,
        FaultTerms(0, 1),
        rules=preset("classic").with_knobs(players=players),
        players=PLAYERS[:players],
        dealer=0,
    )
    side.sit("w")
    for _ in range(2_000):
        if side.record.end is not None:
            break
        side.move(0)
    assert side.record.end is MatchEnd.PLAYED
    assert side.faults == []
