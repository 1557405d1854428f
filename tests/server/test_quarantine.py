"""Logs that are not what the server wrote: their match is void, and no other suffers."""

import asyncio
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from burraco.engine import DRAW_STOCK
from burraco.server.journal import chained
from burraco.server.recovery import LogBroken, fold
from burraco.v1 import cards_pb2, match_service_pb2, matches_pb2, play_pb2, play_service_pb2
from burraco.wire import action_to_wire
from tests.server.harness import SOLO, Running, reason_of, serving, solo

SEAT = play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_N)
STOCK = action_to_wire(DRAW_STOCK)
DAMAGE = {
    "a row is missing": "DELETE FROM log WHERE match_id = 'm' AND version = 3",
    "a payload was altered": (
        "UPDATE log SET payload = replace(payload, 'think_ms', 'thank_ms')"
        " WHERE match_id = 'm' AND version = 4"
    ),
    "a payload is torn": (
        "UPDATE log SET payload = substr(payload, 1, 20) WHERE match_id = 'm' AND version = 4"
    ),
    "a hash was altered": (
        "UPDATE log SET chain = (SELECT chain FROM log WHERE match_id = 'm' AND version = 1)"
        " WHERE match_id = 'm' AND version = 4"
    ),
    "the creation is torn": "UPDATE log SET payload = '{' WHERE match_id = 'm' AND version = 1",
    "the creation is missing": "DELETE FROM log WHERE match_id = 'm' AND version = 1",
    "the whole log is missing": "DELETE FROM log WHERE match_id = 'm'",
    "a row is of another match": (
        "UPDATE log SET payload = (SELECT payload FROM log WHERE match_id = 'whole' AND"
        " version = 1), chain = (SELECT chain FROM log WHERE match_id = 'whole' AND version = 1)"
        " WHERE match_id = 'm' AND version = 1"
    ),
}


def damage(database: str, statement: str) -> None:
    url = make_url(database)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        assert connection.execute(text(statement)).rowcount > 0
    engine.dispose()


async def played(running: Running) -> dict[str, str]:
    """Two matches with a few acts each."""
    client = await solo(running)
    await running.create([SOLO] * 4, match_id="whole")
    acts = 0
    while acts < 8 or running.record("m").version < 5:
        frame = await client.read()
        if frame.HasField("decision"):
            decision = frame.decision
        elif frame.verdict.HasField("next"):
            decision = frame.verdict.next
        else:
            continue
        await client.act(decision, *client.default(decision))
        acts += 1
    await running.arena.writer.flush()
    return running.tokens


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE.keys())
async def test_a_damaged_log_makes_its_match_void_and_no_other(
    tmp_path: Path, database: str, statement: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        tokens = await played(running)
    damage(database, statement)
    for start in range(2):
        async with serving(tmp_path, database=database, is_faultless=start > 0) as running:
            running.tokens = tokens
            assert running.arena.tables.find("m") is None
            assert running.record("whole").match is not None
            await is_void(running)
            gauge = running.arena.metrics.registry.get_sample_value("burraco_matches_quarantined")
            assert gauge == (1 if start == 0 else 0)
            assert running.log.getvalue().count("LogBroken") == (1 if start == 0 else 0)
            client = await running.connect(SOLO)
            decision = await client.decision()
            assert decision.seat.match_id == "whole"


async def is_void(running: Running) -> None:
    """The match is listed and shown as void by a fault of the server, and cannot be used."""
    summary = await running.summary("m")
    assert summary.state == matches_pb2.MATCH_STATE_ENDED
    assert summary.result.end == matches_pb2.MATCH_END_VOID
    assert {seat.fault for seat in summary.result.seats} == {matches_pb2.FAULT_SERVER}
    assert [seat.player for seat in summary.result.seats] == [SOLO] * 4
    assert not summary.result.seed
    listed = await running.matches.ListMatches(
        match_service_pb2.ListMatchesRequest(state=matches_pb2.MATCH_STATE_ENDED),
        metadata=running.organiser,
    )
    assert [match.result for match in listed.matches] == [summary.result]
    request = match_service_pb2.WatchMatchRequest(match_id="m")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await running.matches.WatchMatch(request, metadata=running.organiser).read()
    assert refused.value.code() is grpc.StatusCode.DATA_LOSS
    assert reason_of(refused.value) == "MATCH_QUARANTINED"


async def test_operators_find_in_the_audit_log_where_the_log_of_a_match_breaks(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        await played(running)
    damage(database, DAMAGE["a payload is torn"])
    for start in range(2):
        async with serving(tmp_path, database=database, is_faultless=start > 0) as running:
            entries = await running.arena.audit.entries(None, 200)
            noted = [entry for entry in entries if entry.act == "MATCH_QUARANTINED"]
            assert [(entry.actor, entry.subject, entry.detail) for entry in noted] == [
                ("host", "m", "match m: the log breaks at row 4")
            ]


async def test_players_are_told_that_their_match_is_void(tmp_path: Path, database: str) -> None:
    async with serving(tmp_path, database=database) as running:
        tokens = await played(running)
    damage(database, DAMAGE["a payload is torn"])
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        running.tokens = tokens
        client = await running.connect(SOLO)
        told = [(await client.read_until("match_ended")).match_ended for _ in range(4)]
        assert {ended.seat.match_id for ended in told} == {"m"}
        assert sorted(ended.seat.seat for ended in told) == [1, 2, 3, 4]
        assert {ended.result.end for ended in told} == {matches_pb2.MATCH_END_VOID}


async def test_p3_a_bot_that_asks_after_a_void_match_is_told_after_every_start(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        tokens = await played(running)
    damage(database, DAMAGE["a payload is torn"])
    for start in range(3):
        async with serving(tmp_path, database=database, is_faultless=start > 0) as running:
            running.tokens = tokens
            request = match_service_pb2.GetMatchRequest(match_id="m")
            shown = await running.matches.GetMatch(request, metadata=running.as_bot(SOLO))
            assert shown.match.result.end == matches_pb2.MATCH_END_VOID
            for call in asks(running, SOLO):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await call
                assert reason_of(refused.value) == "MATCH_QUARANTINED"
            client = await running.connect(SOLO, matches=["m", "whole"])
            told = [(await client.read_until("match_ended")).match_ended for _ in range(4)]
            assert [ended.seat.match_id for ended in told] == ["m"] * 4
            assert [ended.result for ended in told] == [shown.match.result] * 4


async def test_an_act_for_a_void_match_is_refused_by_name(tmp_path: Path, database: str) -> None:
    async with serving(tmp_path, database=database) as running:
        tokens = await played(running)
    damage(database, DAMAGE["a payload is torn"])
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        running.tokens = tokens
        client = await running.connect(SOLO)
        decision = await client.decision()
        decision.seat.match_id = "m"
        await client.act(decision, DRAW_STOCK, action_id="late")
        error = (await client.read_until("stream_error")).stream_error
        assert (error.code, error.refusal.reason) == ("DATA_LOSS", "MATCH_QUARANTINED")
        assert error.action_id == "late"


async def test_a_damaged_table_of_a_board_leaves_the_other_table_alone(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'burraco.db'}"
    async with serving(tmp_path, database=database) as running:
        await solo(running, board=("b", 2))
        await running.create([SOLO] * 4, match_id="whole", board=("b", 2))
        await running.arena.writer.flush()
        tokens = running.tokens
    damage(database, "UPDATE log SET chain = payload WHERE match_id = 'm' AND version = 2")
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        running.tokens = tokens
        client = await running.connect(SOLO)
        assert (await client.decision()).seat.match_id == "whole"
        assert running.arena.tables.find("m") is None
        shown = await running.summary("m")
        assert not shown.result.seed


async def test_a_row_that_nobody_could_have_played_is_a_broken_log(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    await asyncio.sleep(0)
    rows = await running.arena.store.log("m")
    payload = (
        '{"decision":7,"seat":2,"by":"bot","actions":["-Jk"],"action_id":"x","content":"",'
        '"note":"","think_ms":0,"bank_ms":0,"kind":"acted"}'
    )
    forged = rows[-1]._replace(
        version=len(rows) + 1, kind="acted", payload=payload, chain=chained(rows[-1].chain, payload)
    )
    with pytest.raises(LogBroken, match=f"row {len(rows) + 1} "):
        fold([*rows, forged])


async def test_a_stranger_is_told_nothing_of_a_void_match(tmp_path: Path, database: str) -> None:
    async with serving(tmp_path, database=database) as running:
        tokens = await played(running)
        await running.register("stranger")
    damage(database, DAMAGE["a payload is torn"])
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        running.tokens |= tokens
        for player, reason in (("stranger", "MATCH_UNKNOWN"), (SOLO, "MATCH_QUARANTINED")):
            for call in asks(running, player):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await call
                assert reason_of(refused.value) == reason
            client = await running.connect(player)
            act = play_pb2.Act(seat=SEAT, decision_id=1, action_id="x", actions=[STOCK])
            await client.send(play_pb2.ClientFrame(act=act))
            error = (await client.read_until("stream_error")).stream_error
            assert error.refusal.reason == reason


def asks(running: Running, player: str) -> list[Any]:
    """Calls of a player for its seat in the damaged match."""
    act = play_pb2.Act(seat=SEAT, decision_id=1, action_id="x", actions=[STOCK])
    metadata = running.as_bot(player)
    watched = play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N)
    return [
        running.play.WatchSeat(watched, metadata=metadata).read(),
        running.play.SubmitAction(play_service_pb2.SubmitActionRequest(act=act), metadata=metadata),
    ]


async def test_a_damaged_match_is_named_in_the_servers_log(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'burraco.db'}"
    async with serving(tmp_path, database=database) as running:
        await played(running)
    damage(database, DAMAGE["a payload is torn"])
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        lines = map(json.loads, running.log.getvalue().splitlines())
    (line,) = [line for line in lines if line["event"] == "internal_error"]
    assert (line["kind"], line["match_id"]) == ("LogBroken", "m")


async def test_lost_seats_of_a_damaged_match_hold_up_no_start(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        await played(running)
    damage(database, DAMAGE["a payload is torn"])
    damage(database, "DELETE FROM seats WHERE match_id = 'm' AND seat = 2")
    async with serving(tmp_path, database=database, is_faultless=False) as running:
        assert (await running.summary("m")).result.end == matches_pb2.MATCH_END_VOID
        assert running.record("whole").match is not None


async def test_a_damaged_state_of_a_match_fails_no_list_and_shows_no_seed(
    tmp_path: Path, database: str
) -> None:
    stop = match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="test")
    async with serving(tmp_path, database=database) as running:
        await running.register(SOLO)
        for match_id in ("m", "played"):
            await running.create([SOLO] * 4, match_id=match_id, board=("b", 2))
        await running.create([SOLO] * 4, match_id="whole")
        await running.matches.AdjudicateMatch(stop, metadata=running.organiser)
        await running.arena.writer.flush()
        before = await listed(running)
        damage(database, "UPDATE matches SET state = 'torn'")
        assert await listed(running) == before
        assert not (await running.summary("m")).result.seed
        tokens = running.tokens
    async with serving(tmp_path, database=database) as running:
        running.tokens = tokens
        again = await listed(running)
        assert {name: match.state for name, match in again.items()} == {
            name: match.state for name, match in before.items()
        }
        assert not (await running.summary("m")).result.seed


async def listed(running: Running) -> dict[str, matches_pb2.MatchSummary]:
    page = await running.matches.ListMatches(
        match_service_pb2.ListMatchesRequest(), metadata=running.organiser
    )
    return {match.match_id: match for match in page.matches}
