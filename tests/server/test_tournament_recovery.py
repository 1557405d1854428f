"""A server that is started again goes on with its tournaments, whatever it was doing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest
from sqlalchemy import create_engine, text

from burraco.engine import preset
from burraco.server.presets import CLOCKS
from burraco.server.store import TournamentRow
from burraco.server.store.sqlite import sqlite_store
from burraco.server.terms import FaultTerms
from burraco.server.tournaments.logbook import LIVING, fold, open_logbook
from burraco.server.tournaments.terms import Terms, terms_to_text
from burraco.tournament.boards import commitment_to
from burraco.tournament.deciding import FEWEST_BOARDS, Asked
from burraco.tournament.field import Entry, Format, Round, Stage, Table
from burraco.tournament.plan import Plan
from burraco.tournament.ranking import Scoring
from burraco.tournament.rows import (
    BoardPlayed,
    BoardVoided,
    Entered,
    Finished,
    Half,
    Opened,
    RoundPaired,
    Row,
    Started,
)
from burraco.v1 import matches_pb2
from burraco.v1 import tournaments_pb2 as pb
from tests.server.events import SECRET, Event, playing
from tests.server.harness import Running, reason_of, serving

BOTS = ("a", "b", "plain")
DATABASE = "burraco.db"


def change(folder: Path, *statements: str) -> None:
    """Change what is stored while nobody serves."""
    engine = create_engine(f"sqlite:///{folder / DATABASE}")
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


async def begun(running: Running, boards: int = 1) -> Event:
    event = Event(running)
    await event.create(boards=boards)
    for name in BOTS:
        await event.enter(name)
    await event.start()
    return event


async def outcome(event: Event) -> tuple[bytes, list[str]]:
    standings = await event.standings()
    rows = sorted(map(repr, await event.rows()))
    return standings.SerializeToString(deterministic=True), rows


async def played_at_once(folder: Path) -> tuple[bytes, list[str]]:
    async with serving(folder) as running, playing(running, *BOTS):
        event = await begun(running)
        await event.until()
        return await outcome(event)


@pytest.mark.parametrize("kept", [5, 6, 7])
async def test_rows_that_were_not_written_are_written_again(tmp_path: Path, kept: int) -> None:
    """As after a crash at that row: matches that have ended are found by their names."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    undisturbed = await played_at_once(tmp_path / "one")
    folder = tmp_path / "two"
    async with serving(folder) as running, playing(running, *BOTS):
        await (await begun(running)).until()
        tokens = running.tokens
    change(
        folder,
        f"DELETE FROM tournament_log WHERE version > {kept}",
        f"UPDATE tournaments SET version = {kept}, state = 'running'",
    )
    async with serving(folder) as running:
        running.tokens.update(tokens)
        async with playing(running, *BOTS):
            event = Event(running)
            assert (await event.until()).status == pb.TOURNAMENT_STATUS_FINISHED
            assert await outcome(event) == undisturbed


async def test_a_stopped_server_goes_on_to_the_same_standings(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    undisturbed = await played_at_once(tmp_path / "one")
    folder = tmp_path / "two"
    async with serving(folder) as running, playing(running, *BOTS):
        event = await begun(running)
        while len(await event.rows()) < 7:
            await asyncio.sleep(0.01)
        tokens = running.tokens
    async with serving(folder) as running:
        running.tokens.update(tokens)
        async with playing(running, *BOTS):
            event = Event(running)
            await event.until()
            assert await outcome(event) == undisturbed


async def test_a_damaged_match_is_played_again_with_other_cards(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await running.register(*BOTS)
        event = await begun(running)
        while len(running.arena.tables) < 2:
            await asyncio.sleep(0)
        tokens = running.tokens
        damaged = sorted(plan.match_id for plan in running.arena.tables.plans())[0]
    change(tmp_path, f"UPDATE log SET payload = '{{}}' WHERE match_id = '{damaged}'")
    async with serving(tmp_path, is_faultless=False) as running:
        running.tokens.update(tokens)
        async with playing(running, *BOTS):
            event = Event(running)
            assert (await event.until()).status == pb.TOURNAMENT_STATUS_FINISHED
        rows = await event.rows()
    (void,) = [row for row in rows if isinstance(row, BoardVoided)]
    again = next(row for row in rows if isinstance(row, BoardPlayed))
    assert (void.attempt, again.attempt) == (0, 1)
    assert damaged not in {half.match_id for half in again.halves}


async def test_a_damaged_tournament_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await running.register(*BOTS)
        await begun(running)
        other = Event(running, "other")
        await other.create()
        while len(running.arena.tables) < 2:
            await asyncio.sleep(0)
    change(
        tmp_path,
        "UPDATE tournament_log SET payload = replace(payload, 'plain', 'plane')"
        " WHERE tournament_id = 't'",
    )
    async with serving(tmp_path, is_faultless=False):
        pass
    async with serving(tmp_path) as running:
        event, other = Event(running), Event(running, "other")
        assert (await event.shown()).status == pb.TOURNAMENT_STATUS_DAMAGED
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await event.standings()
        assert reason_of(refused.value) == "TOURNAMENT_DAMAGED"
        assert refused.value.code() is grpc.StatusCode.DATA_LOSS
        assert (await other.shown()).status == pb.TOURNAMENT_STATUS_OPEN
        assert not running.arena.tables.plans()
        noted = await running.arena.audit.entries(None, 10)
        assert [entry.subject for entry in noted if entry.act == "TOURNAMENT_DAMAGED"] == ["t"]


def duel(gain: int) -> list[Row]:
    """A duel whose first bot has won every board by so much, give or take a little."""
    plan = Plan(
        name="duel",
        stages=(Stage(Format.DUEL, 0),),
        rules=preset("classic"),
        boards=FEWEST_BOARDS,
        halves=2,
        scoring=Scoring(uses_victory_points=False, bye_victory_points=0, bye_difference=0),
        adjusted=500,
        adjusted_allowed=1,
        question=Asked(gain=50, false_alarms=0.05, misses=0.05),
    )
    terms = terms_to_text(Terms(CLOCKS["club"], FaultTerms(2, 3), 8))
    table = Table(((0,), (1,)), 0)
    boards = [
        BoardPlayed(
            0,
            board,
            0,
            tuple(
                Half(f"m{board}{half}", (gain + board, 0), (False, False), "played", ("clean",) * 4)
                for half in (0, 1)
            ),
        )
        for board in range(FEWEST_BOARDS)
    ]
    return [
        Opened("t", plan, terms, commitment_to("t", SECRET), "director"),
        *(Entered(Entry(at, name, name, (name,), False)) for at, name in enumerate(BOTS[:2])),
        Started("director"),
        RoundPaired(0, Round((table,), ())),
        *boards,
    ]


async def store_log(folder: Path, rows: Sequence[Row]) -> None:
    opened, *others = rows
    assert isinstance(opened, Opened)
    book, first = open_logbook(opened, SECRET, 5)
    stored = [first, *book.written(others)]
    row = TournamentRow("t", "running", 5, SECRET, len(stored), b"")
    store = sqlite_store(folder / DATABASE)
    await store.open()
    await store.claim()
    await store.append_tournament(stored, row)
    assert fold(row, await store.tournament_log("t")).progress.version == len(rows)
    assert [found.tournament_id for found in await store.tournaments(None, LIVING, None)] == ["t"]
    await store.close()


@pytest.mark.parametrize(
    ("gain", "decided"), [(200, "better"), (-200, "worse"), (-FEWEST_BOARDS // 2, "equal")]
)
async def test_a_duel_ends_when_it_is_decided(tmp_path: Path, gain: int, decided: str) -> None:
    await store_log(tmp_path, duel(gain))
    async with serving(tmp_path) as running:
        event = Event(running)
        over = await event.until()
        assert over.reason == f"decided: {decided}"
        assert isinstance((await event.rows())[-1], Finished)
        assert (await event.standings()).decision == decided


async def test_a_duel_that_is_not_decided_goes_on(tmp_path: Path) -> None:
    await store_log(tmp_path, duel(25 - FEWEST_BOARDS // 2)[:-1])
    async with serving(tmp_path) as running:
        assert (await Event(running).shown()).status == pb.TOURNAMENT_STATUS_RUNNING
        assert (await Event(running).standings()).decision == "undecided"


async def test_matches_of_a_tournament_that_is_over_are_ended(tmp_path: Path) -> None:
    """As after a crash between the row that ended it and the ends of its matches."""
    async with serving(tmp_path) as running:
        await running.register(*BOTS)
        await begun(running)
        while len(running.arena.tables) < 2:
            await asyncio.sleep(0)
        match_ids = [plan.match_id for plan in running.arena.tables.plans()]
    change(tmp_path, "UPDATE tournaments SET state = 'cancelled'")
    async with serving(tmp_path) as running:
        assert not running.arena.tables.plans()
        for match_id in match_ids:
            result = (await running.summary(match_id)).result
            assert result.end == matches_pb2.MATCH_END_ADJUDICATED
