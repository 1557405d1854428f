"""Tournaments on a live server: what organisers and players do, and what comes of it."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from burraco.engine.verify import verify
from burraco.server.store import StoreFailed, TournamentLogRow, TournamentRow
from burraco.tournament.boards import commitment_to
from burraco.tournament.rows import (
    BoardPlayed,
    Cancelled,
    RoundPaired,
    Started,
    UnreadableRow,
    row_from_json,
    row_to_json,
)
from burraco.v1 import match_service_pb2
from burraco.v1 import tournaments_pb2 as pb
from tests.server.events import (
    FINISHED,
    RUNNING,
    SECRET,
    Event,
    decide_round,
    entered,
    export,
    live,
    playing,
    refused,
    settled,
)
from tests.server.harness import FakeClock, Running, serving

SCRIPT = Path(__file__).parents[2] / "tools" / "verify.mjs"
NODE = shutil.which("node")


async def test_a_round_robin_is_played_to_its_end(running: Running) -> None:
    event = Event(running)
    async with playing(running, "a", "b", "plain"):
        made = await event.create()
        assert made.status == pb.TOURNAMENT_STATUS_OPEN
        assert made.commitment.hex() == commitment_to("t", SECRET)
        assert not made.secret
        for name in ("a", "b", "plain"):
            await event.enter(name)
        await event.start()
        over = await event.until()
    assert over.status == FINISHED
    assert (over.secret, over.rounds_played) == (SECRET, 3)
    standings = await event.standings()
    assert [place.rank for place in standings.places] == [1, 2, 3]
    assert standings.places[-1].entry == 2
    assert [place.deals for place in standings.places] == [4, 4, 4]
    assert sum(place.difference for place in standings.places) == 0
    for place in standings.places:
        assert place.low <= place.points_per_deal <= place.high
        assert (place.byes, place.faults) == (1, 0)


async def test_157_of_two_starts_at_once_one_pairs_and_both_are_answered_alike(
    running: Running,
) -> None:
    event = await entered(running, "a", "b", "c", "d")
    first, second = await asyncio.gather(event.start(5), event.start(5))
    assert (first.status, second.status) == (RUNNING, RUNNING)
    assert first.version == second.version == 7
    rows = await event.rows()
    assert sum(isinstance(row, Started) for row in rows) == 1
    assert sum(isinstance(row, RoundPaired) for row in rows) == 1
    await live(running, 4)
    assert len({plan.match_id for plan in running.arena.tables.plans()}) == 4
    assert await refused(event.start(4)) == "TOURNAMENT_MOVED_ON"
    assert await refused(event.start(7)) == "TOURNAMENT_STARTED"


async def test_158_who_has_withdrawn_is_paired_no_more_and_stands_below(running: Running) -> None:
    names = ("a", "b", "c", "d", "e", "f")
    event = await entered(running, *names, format=pb.TOURNAMENT_FORMAT_SWISS, rounds=9)
    await event.start()
    await decide_round(event)
    while (await event.pairings()).number < 2:
        await asyncio.sleep(0)
    winners = [place.entry for place in (await event.standings()).places][:2]
    for entry in winners:
        await event.withdraw(entry)
    await decide_round(event)
    while (await event.pairings()).number < 3:
        await asyncio.sleep(0)
    assert len((await event.pairings()).tables) == 2
    assert {place.entry for place in (await event.standings()).places[-2:]} == set(winners)
    for entry in sorted(set(range(6)) - set(winners))[:3]:
        await event.withdraw(entry)
    over = await event.until()
    assert (over.status, over.reason) == (FINISHED, "fewer than two are left")
    assert sum(entry.has_left for entry in over.entries) == 5
    await settled(running)


async def test_160_each_half_is_credited_to_whoever_sat_there(running: Running) -> None:
    async with playing(running, "x", "plain"):
        event = await entered(running, "x", "plain", boards=2)
        await event.start()
        await event.until()
    (table,) = (await event.pairings()).tables
    bots = {0: "x", 1: "plain"}
    first, second = bots[table.first[0]], bots[table.second[0]]
    assert [(half.board, half.half) for half in table.halves] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for half in table.halves:
        match = await running.summary(half.match_id)
        seats = [first, second] * 2 if half.half == 0 else [second, first] * 2
        assert list(match.players) == seats
        by_side = dict(zip(seats[:2], (match.totals.ns, match.totals.ew), strict=True))
        assert (half.first_points, half.second_points) == (by_side[first], by_side[second])
    winner = (await event.standings()).places[0]
    assert bots[winner.entry] == "x"
    assert winner.wins == 1


async def test_161_the_format_is_read_from_the_event_itself(running: Running) -> None:
    event = await entered(running, "a", "b", format=pb.TOURNAMENT_FORMAT_SWISS, rounds=1)
    await event.start()
    await decide_round(event)
    over = await event.until()
    assert [stage.format for stage in over.plan.stages] == [pb.TOURNAMENT_FORMAT_SWISS]
    kind, payload = row_to_json((await event.rows())[0])
    with pytest.raises(UnreadableRow, match=r"Opened\.plan\.stages"):
        row_from_json(kind, payload.replace('"format":"swiss",', ""))


async def test_163_both_halves_of_a_board_are_one_deal_with_sides_swapped(
    running: Running,
) -> None:
    async with playing(running, "a", "b"):
        event = await entered(running, "a", "b", boards=2)
        await event.start()
        await event.until()
    halves = (await event.pairings()).tables[0].halves
    matches = [await running.summary(half.match_id) for half in halves]
    exports = [await export(running, half.match_id) for half in halves]
    assert ["[Suits " in bgn for bgn in exports] == [False, True, False, True]
    for verdict in verify("\n".join(exports), [match.commitment for match in matches]):
        assert verdict.is_ok, str(verdict)
    assert all('[Event "t"]' in bgn for bgn in exports)
    if NODE is not None:
        script = (NODE, str(SCRIPT), "/dev/stdin")
        text = "\n".join(exports).encode()
        checked = subprocess.run(script, input=text, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stdout
        # In its own suits the second half would be another deal.
        alike = exports[1].replace("[Suits ", "[Was ").encode()
        checked = subprocess.run(script, input=alike, capture_output=True, check=False)
        assert checked.returncode == 1
    assert not next(iter(verify(exports[1].replace("[Suits ", "[Was "), ()))).is_ok
    assert len({match.board_id for match in matches}) == 2
    for first, second in (matches[:2], matches[2:]):
        assert first.board_id == second.board_id
        assert first.result.seed == second.result.seed != b""
        assert list(first.players) == list(second.players)[::-1]


async def test_the_tables_of_a_round_play_the_same_boards(running: Running) -> None:
    event = await entered(running, "a", "b", "c", "d", tables_at_once=4)
    await event.start()
    await live(running, 4)
    plans = running.arena.tables.plans()
    assert len({plan.board_id for plan in plans}) == 1
    assert {plan.board_tables for plan in plans} == {4}
    assert {plan.event for plan in plans} == {"t"}


async def test_no_more_matches_are_played_than_the_plan_says(running: Running) -> None:
    event = await entered(running, "a", "b", "c", "d", boards=3, tables_at_once=5)
    await event.start()
    await live(running, 4)
    await event.adjudicate(1, (5, -5))
    while len((await event.pairings()).tables[0].halves) != 0:
        await asyncio.sleep(0)
    while {plan.players[0] for plan in running.arena.tables.plans()} & {"a", "d"}:
        await asyncio.sleep(0)
    await live(running, 4)
    assert len(running.arena.tables) == 4


async def test_nothing_begins_while_it_pauses_and_what_is_played_ends(running: Running) -> None:
    event = await entered(running, "a", "b", boards=2, tables_at_once=2)
    await event.start()
    await live(running, 2)
    paused = await event.pause()
    assert (paused.status, paused.reason) == (pb.TOURNAMENT_STATUS_PAUSED, "lunch")
    assert (await event.pause()).version == paused.version
    async with playing(running, "a", "b"):
        await settled(running)
        while not any(isinstance(row, BoardPlayed) for row in await event.rows()):
            await asyncio.sleep(0)
        assert len(running.arena.tables) == 0
        assert (await event.shown()).status == pb.TOURNAMENT_STATUS_PAUSED
        await event.resume()
        assert (await event.until()).status == FINISHED


async def test_a_cancelled_tournament_ends_its_matches_and_shows_its_secret(
    running: Running,
) -> None:
    event = await entered(running, "a", "b")
    await event.start()
    await live(running, 2)
    over = await event.cancel()
    assert (over.status, over.reason) == (pb.TOURNAMENT_STATUS_CANCELLED, "fire")
    assert over.secret == SECRET
    await settled(running)
    assert isinstance((await event.rows())[-1], Cancelled)
    assert await refused(event.withdraw(0)) == "TOURNAMENT_OVER"
    assert await refused(event.pause()) == "TOURNAMENT_OVER"


async def test_a_requeued_table_plays_other_cards(running: Running) -> None:
    event = await entered(running, "a", "b", "c", "d")
    await event.start()
    await live(running, 4)
    before = {plan.match_id for plan in running.arena.tables.plans()}
    await event.requeue(1)
    while len({plan.match_id for plan in running.arena.tables.plans()} - before) < 2:
        await asyncio.sleep(0)
    while len(running.arena.tables) > 4:
        await asyncio.sleep(0)
    plans = running.arena.tables.plans()
    again = [plan for plan in plans if plan.match_id not in before]
    others = [plan for plan in plans if plan.match_id in before]
    assert {plan.board_tables for plan in again} == {2}
    assert not {plan.secret for plan in again} & {plan.secret for plan in others}


async def test_the_seed_of_a_board_is_shown_though_a_table_never_played_it(
    running: Running,
) -> None:
    event = await entered(running, "a", "b", "c", "d", rounds=1, tables_at_once=2)
    await event.start()
    await live(running, 2)
    # The first table has all the room, so the second has not begun.
    await event.adjudicate(2, (5, -5))
    async with playing(running, "a", "b", "c", "d"):
        await event.until()
    played, decided = (await event.pairings()).tables
    assert (len(played.halves), len(decided.halves)) == (2, 0)
    for half in played.halves:
        assert "[Seed " in await export(running, half.match_id)


async def test_who_does_not_come_is_at_fault_and_forfeits_beyond_what_is_allowed(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with serving(tmp_path, clock) as running:
        event = await entered(running, "a", "absent", boards=3, adjusted_allowed=1)
        await event.start()
        async with playing(running, "a"):
            while (await event.shown()).status == RUNNING:
                clock.move(1)
                await asyncio.sleep(0.001)
        standings = await event.standings()
        present, absent = standings.places
        assert (present.entry, absent.entry) == (0, 1)
        assert (present.faults, absent.faults) == (0, 4)
        assert absent.difference == -500 * 6
        assert present.difference >= 0
        (table,) = (await event.pairings()).tables
        assert {half.board for half in table.halves} == {0, 1}


async def test_a_result_that_the_store_refuses_is_written_later(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, clock) as running:
        event = await entered(running, "a", "b")
        await event.start()
        append, refusals = running.arena.store.append_tournament, 0

        async def refuse(rows: list[TournamentLogRow], row: TournamentRow) -> None:
            nonlocal refusals
            refusals += 1
            raise StoreFailed("no disk")

        async with playing(running, "a", "b"):
            await live(running, 2)
            monkeypatch.setattr(running.arena.store, "append_tournament", refuse)
            while not refusals:
                await asyncio.sleep(0)
            assert await refused(event.pause()) == "LOG_UNAVAILABLE"
            monkeypatch.setattr(running.arena.store, "append_tournament", append)
            while (await event.shown()).status == RUNNING:
                clock.move(1)
                await asyncio.sleep(0)
        assert (await event.shown()).status == FINISHED


async def test_a_match_that_an_organiser_ends_counts_as_it_stood(running: Running) -> None:
    event = await entered(running, "a", "b")
    await event.start()
    await live(running, 2)
    for plan in running.arena.tables.plans():
        request = match_service_pb2.AdjudicateMatchRequest(match_id=plan.match_id, reason="late")
        await running.matches.AdjudicateMatch(request, metadata=running.organiser)
    assert (await event.until()).status == FINISHED
    (played,) = [row for row in await event.rows() if isinstance(row, BoardPlayed)]
    assert [(half.end, half.points, half.at_fault) for half in played.halves] == [
        ("adjudicated", (0, 0), (False, False))
    ] * 2


async def test_an_individual_changes_partners(running: Running) -> None:
    names = ("a", "b", "c", "plain")
    async with playing(running, *names):
        event = await entered(running, *names, format=pb.TOURNAMENT_FORMAT_INDIVIDUAL, rounds=2)
        await event.start()
        await event.until()
    partners = []
    for number in (1, 2):
        (table,) = (await event.pairings(number)).tables
        match = await running.summary(table.halves[0].match_id)
        first, second = ([names[entry] for entry in side] for side in (table.first, table.second))
        assert list(match.players) == [first[0], second[0], first[1], second[1]]
        partners.append({frozenset(first), frozenset(second)})
    assert not partners[0] & partners[1]
    assert [place.deals for place in (await event.standings()).places] == [4] * 4


async def test_an_evening_of_three_mitchell_rounds_and_a_danish_one(running: Running) -> None:
    names = tuple("abcdef")
    await running.register(*names)
    event = Event(running)
    stages = [
        pb.TournamentStage(format=pb.TOURNAMENT_FORMAT_MITCHELL, rounds=3),
        pb.TournamentStage(format=pb.TOURNAMENT_FORMAT_DANISH, rounds=1),
    ]
    await event.create(victory_points=True, stages=stages)
    for name in names:
        await event.enter(name)
    await event.start()
    for number in range(1, 5):
        while (await event.pairings()).number < number:
            await asyncio.sleep(0)
        assert (await event.pairings()).stage == (1 if number < 4 else 2)
        await decide_round(event)
    assert (await event.until()).rounds_played == 4
    places = (await event.standings()).places
    assert sum(place.victory_points for place in places) == 4 * 3 * 20
    await settled(running)
