"""Calls about tournaments: who may do what when, and what everybody is shown."""

from pathlib import Path

import grpc
import pytest

from burraco.server.errors import Complaint, draining
from burraco.v1 import match_service_pb2, tournament_service_pb2
from burraco.v1 import tournaments_pb2 as pb
from tests.server.events import (
    SECRET,
    Event,
    entered,
    live,
    refused,
    settled,
)
from tests.server.harness import Running, reason_of, serving


async def test_players_enter_themselves_and_organisers_anybody(running: Running) -> None:
    await running.register("a", "b", "c")
    event = Event(running)
    await event.create(rounds=1)
    own = await event.enter(who=running.as_bot("a"))
    assert (own.name, own.owner, list(own.bots)) == ("a", "a", ["a"])
    assert await event.enter(who=running.as_bot("a")) == own
    pair = await event.enter("b", "c", name="pair#1", owner="club", is_anchor=True)
    assert (list(pair.bots), pair.owner, pair.is_anchor) == (["b", "c"], "club", True)
    bot = running.as_bot("b")
    assert await refused(event.enter("a", who=bot)) == "SCOPE_MISSING"
    assert await refused(event.enter(is_anchor=True, who=bot)) == "SCOPE_MISSING"
    assert await refused(event.enter("a", name="other")) == "ALREADY_ENTERED"
    assert await refused(event.enter("nobody")) == "PLAYER_UNKNOWN"
    assert await refused(event.enter("b", "b")) == "INVALID_FIELD"
    assert await refused(event.withdraw(0, running.as_bot("b"))) == "ENTRY_UNKNOWN"
    assert await refused(event.withdraw(7)) == "ENTRY_UNKNOWN"
    assert (await event.withdraw(0, running.as_bot("a"))).entries[0].has_left


async def test_entries_close_with_the_start_unless_the_format_takes_late_ones(
    running: Running,
) -> None:
    await running.register("a", "b", "c")
    for name, format_, rounds, late in (
        ("rr", pb.TOURNAMENT_FORMAT_ROUND_ROBIN, 0, "ENTRIES_CLOSED"),
        ("swiss", pb.TOURNAMENT_FORMAT_SWISS, 3, ""),
    ):
        event = Event(running, name)
        await event.create(format_, rounds=rounds)
        await event.enter("a")
        assert await refused(event.start()) == "FIELD_TOO_SMALL"
        await event.enter("b")
        await event.start()
        if late:
            assert await refused(event.enter("c")) == late
        else:
            assert (await event.enter("c")).number == 2


async def test_a_tournament_that_is_not_there_or_is_there_already(running: Running) -> None:
    event = Event(running)
    assert await refused(event.shown()) == "TOURNAMENT_UNKNOWN"
    await event.create()
    assert await refused(event.create()) == "TOURNAMENT_EXISTS"
    assert await refused(event.pause()) == "TOURNAMENT_NOT_STARTED"
    assert await refused(event.requeue(1)) == "NO_SUCH_TABLE"


async def test_plans_that_cannot_be_played_are_refused_by_their_field(running: Running) -> None:
    event = Event(running)
    for plan, field in (
        ({"format": pb.TOURNAMENT_FORMAT_SWISS}, "plan.stages.rounds"),
        ({"victory_points": True, "boards": 5}, "plan.boards"),
        ({"format": pb.TOURNAMENT_FORMAT_DUEL}, "plan.question"),
        ({"adjusted_allowed": 2}, "plan.adjusted_allowed"),
    ):
        with pytest.raises(grpc.aio.AioRpcError, match=field):
            await event.create(**plan)


async def test_tournaments_are_listed_page_by_page(running: Running) -> None:
    for name in ("t1", "t2", "t3"):
        await Event(running, name).create()
    event = Event(running, "t2")
    await event.cancel()
    await settled(running)
    token = ""
    found: list[pb.TournamentSummary] = []
    while True:
        request = tournament_service_pb2.ListTournamentsRequest(page_size=2, page_token=token)
        page = await event.stub.ListTournaments(request, metadata=running.organiser)
        found += page.tournaments
        token = page.next_page_token
        if not token:
            break
    assert [summary.tournament_id for summary in found] == ["t1", "t2", "t3"]
    assert found[1].status == pb.TOURNAMENT_STATUS_CANCELLED
    assert (found[1].version, found[1].secret, found[1].reason) == (2, SECRET, "fire")


async def test_players_learn_nothing_of_cards_to_come(running: Running) -> None:
    event = await entered(running, "a", "b")
    await event.start()
    await live(running, 2)
    bot = Event(running)
    bot.organiser = running.as_bot("a")
    texts = [str(await bot.shown()), str(await bot.pairings()), str(await bot.rows())]
    for plan in running.arena.tables.plans():
        for text in texts:
            for secret in (plan.secret.hex(), plan.match_id, plan.board_id, SECRET.hex()):
                assert secret not in text
        request = match_service_pb2.GetMatchRequest(match_id=plan.match_id)
        shown = await running.matches.GetMatch(request, metadata=running.as_bot("a"))
        assert (shown.match.board_id, shown.match.result.seed) == ("", b"")


async def test_a_watcher_is_told_that_the_server_stops(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        event = await entered(running, "a", "b")
        request = tournament_service_pb2.WatchTournamentRequest(tournament_id="t")
        call = event.stub.WatchTournament(request, metadata=running.organiser)
        first = await call.read()
        assert isinstance(first, tournament_service_pb2.WatchTournamentResponse)
        assert first.tournament.status == pb.TOURNAMENT_STATUS_OPEN
        running.arena.streams.end(draining())
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await call.read()
        assert reason_of(ended.value) == Complaint.DRAINING


async def test_a_step_that_is_sent_again_is_answered_though_it_is_over(running: Running) -> None:
    event = await entered(running, "a", "b")
    begun = await event.start(3)
    assert (await event.start(3)).version == begun.version
    await event.cancel(5)
    # Its matches may still be ending: what is refused is not noted either way.
    assert await refused(event.cancel(6)) == "TOURNAMENT_OVER"
    await settled(running)
    assert (await event.cancel(5)).status == pb.TOURNAMENT_STATUS_CANCELLED
    assert (await event.start(3)).status == pb.TOURNAMENT_STATUS_CANCELLED
    assert await refused(event.cancel(6)) == "TOURNAMENT_OVER"
    noted = await running.arena.audit.entries(None, 10)
    assert [entry.act for entry in noted if entry.subject == "t"] == ["TOURNAMENT_CANCELLED"]
