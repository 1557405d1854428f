"""The log: it has every act before the verdict is seen, and folds to the same match."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from burraco.engine.match import match_view
from burraco.server.record import MatchRecord
from burraco.server.recovery import LogBroken, fold, read_row
from burraco.v1 import matches_pb2, play_pb2
from tests.server.harness import SOLO, FakeClock, Running, serving, solo

Stored = tuple[int, str, str, bytes]


def rows_of(folder: Path, match_id: str = "m") -> list[Stored]:
    """What is committed, read by another connection."""
    with sqlite3.connect(folder / "burraco.db") as database:
        found = database.execute(
            "SELECT version, kind, payload, chain FROM log WHERE match_id = ? ORDER BY version",
            (match_id,),
        ).fetchall()
    database.close()
    return found


async def some_acts(running: Running, acts: int) -> play_pb2.Decision:
    """Play a few acts on all seats and give the decision that is open then."""
    client = await solo(running, deals=2)
    decision = await client.decision()
    for _ in range(acts):
        await client.greedy(decision)
        verdict = await client.verdict()
        assert verdict.kind == play_pb2.VERDICT_KIND_APPLIED
        decision = verdict.next if verdict.HasField("next") else await client.decision()
    return decision


def facts_of(record: MatchRecord) -> list[object]:
    """Everything that tells two records apart."""
    assert record.match is not None
    chairs = [
        (c.player, c.bank_ms, c.stood_in, c.end, c.strikes, c.illegal_acts, c.decisions, c.think_ms)
        for c in record.chairs
    ]
    views = [match_view(record.match, seat) for seat in (None, 0, 1, 2, 3)]
    legal = [None if view is None else view.legal for view in views]
    return [
        record.version,
        record.chain,
        record.decision,
        record.tries,
        record.match.deal,
        record.match.results,
        chairs,
        views,
        legal,
    ]


async def test_rows_are_committed_before_the_verdict_is_seen(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        decision = await client.decision()
        for number in range(10):
            await client.act(decision, *client.default(decision), action_id=f"act-{number}")
            verdict = await client.verdict()
            last = json.loads(rows_of(tmp_path)[-1][2])
            assert (last["kind"], last["action_id"]) == ("acted", f"act-{number}")
            decision = verdict.next if verdict.HasField("next") else await client.decision()


async def test_every_row_is_bound_to_the_one_before(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await some_acts(running, 20)
    chain = b""
    for place, (version, kind, payload, stored) in enumerate(rows_of(tmp_path), start=1):
        chain = hashlib.sha256(chain + payload.encode()).digest()
        assert (version, json.loads(payload)["kind"], stored) == (place, kind, chain)


async def test_the_seed_is_in_the_log_before_anything_is_dealt(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await some_acts(running, 1)
    kinds = [kind for _, kind, _, _ in rows_of(tmp_path)]
    assert kinds[:3] == ["created", "started", "acted"]
    assert len(json.loads(rows_of(tmp_path)[0][2])["seed"]) == 160


async def test_case_113_every_prefix_of_the_log_folds_to_the_live_state(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        decision = await client.decision()
        for _ in range(60):
            live = facts_of(running.record())
            stored = await running.arena.store.log("m")
            folded, _ = fold(stored)
            assert facts_of(folded) == live
            await client.greedy(decision)
            verdict = await client.verdict()
            decision = verdict.next if verdict.HasField("next") else await client.decision()


async def test_case_112_a_restart_gives_the_same_match_and_it_goes_on_to_its_end(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        open_before = await some_acts(running, 33)
        before = facts_of(running.record())
        tokens = running.tokens
    async with serving(tmp_path, database=database) as running:
        running.tokens = tokens
        assert facts_of(running.record()) == before
        client = await running.connect(SOLO)
        decision = await client.decision()
        assert decision.decision_id == open_before.decision_id
        assert decision.view == open_before.view
        await client.greedy(decision)
        ended = await client.play_to_the_end(4)
        assert ended[0].result.end == matches_pb2.MATCH_END_PLAYED
        assert ended[0].result.deals == 2


async def test_an_act_from_before_the_restart_is_still_a_duplicate(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        first = await client.decision()
        await client.act(first, *client.default(first), action_id="once")
        await client.verdict()
        tokens = running.tokens
    async with serving(tmp_path) as running:
        running.tokens = tokens
        client = await running.connect(SOLO)
        await client.act(first, *client.default(first), action_id="once")
        assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_DUPLICATE


async def test_case_130_down_time_is_charged_to_nobody(tmp_path: Path) -> None:
    terms = matches_pb2.ClockTerms(turn_ms=2_000, bank_ms=9_000, disconnect_ms=60_000)
    clock = FakeClock()
    async with serving(tmp_path, clock) as running:
        client = await solo(running, clocks=terms)
        first = await client.decision()
        clock.move(5)
        await client.act(first, *client.default(first))
        assert (await client.verdict()).next.bank_ms == 6_000
        clock.move(1)
        tokens = running.tokens
    clock.move(3_600)
    async with serving(tmp_path, clock) as running:
        running.tokens = tokens
        client = await running.connect(SOLO)
        decision = await client.decision()
        assert (decision.decision_id, decision.remaining_ms) == (first.decision_id + 1, 7_000)
        assert running.record().chairs[0].strikes == 0


async def test_case_115_a_match_that_has_ended_is_in_history_once_and_never_resumed(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        ended = await client.play_to_the_end(4)
        tokens = running.tokens
    async with serving(tmp_path) as running:
        running.tokens = tokens
        assert running.arena.tables.find("m") is None
        summary = await running.summary()
        assert summary.state == matches_pb2.MATCH_STATE_ENDED
        assert summary.result == ended[0].result


async def test_a_log_that_was_changed_is_not_played_on(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await some_acts(running, 5)
        await running.create([SOLO] * 4, match_id="whole")
    with sqlite3.connect(tmp_path / "burraco.db") as database:
        database.execute(
            "UPDATE log SET payload = replace(payload, '\"think_ms\":', '\"think_ms\":9')"
            " WHERE match_id = 'm' AND version = 4"
        )
    database.close()
    async with serving(tmp_path, is_faultless=False) as running:
        assert running.arena.tables.find("m") is None
        assert running.arena.tables.find("whole") is not None
        assert "LogBroken" in running.log.getvalue()


@pytest.mark.parametrize("field", ["format", "epoch"])
async def test_case_103_a_match_of_another_version_is_refused_by_name(
    tmp_path: Path, field: str
) -> None:
    async with serving(tmp_path) as running:
        await running.create([""] * 4)
        rows = await running.arena.store.log("m")
    created = json.loads(rows[0].payload)
    assert created[field] == 1
    later = rows[0]._replace(payload=json.dumps({**created, field: 2}))
    with pytest.raises(LogBroken, match=rf"{field} 2: this"):
        read_row(later)
