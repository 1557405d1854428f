"""The store and its writer: definite outcomes, groups, and refusals in place of waiting."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from burraco.engine import DRAW_STOCK
from burraco.server.settings import RETRY_SECONDS, WRITER_ROWS
from burraco.server.store import (
    LogRow,
    MatchFilter,
    MatchRow,
    StoreFailed,
    StoreFenced,
    StoreUnusable,
    TournamentLogRow,
    TournamentRow,
)
from burraco.server.store.choosing import choose_store
from burraco.server.store.relational import RelationalStore
from burraco.server.store.sqlite import sqlite_store
from burraco.server.store.writer import LogWriter
from burraco.server.terms import MatchState
from burraco.v1 import matches_pb2, play_pb2
from tests.server.harness import FakeClock, Running, serving, solo


def row(version: int, match_id: str = "m") -> LogRow:
    return LogRow(match_id, version, "acted", f"{{{version}}}", bytes([version % 256]) * 32)


def match(match_id: str, created_ms: int, state: MatchState = MatchState.WAITING) -> MatchRow:
    return MatchRow(match_id, state, "", created_ms, ("a", "b", "", ""), b"")


async def test_rows_come_back_in_order(store: RelationalStore) -> None:
    await store.append([row(1), row(2)], [])
    await store.append([row(3), row(1, "other")], [])
    assert [stored.version for stored in await store.log("m")] == [1, 2, 3]
    assert (await store.log("m"))[2] == row(3)


async def test_a_version_is_written_once_and_a_refused_append_leaves_nothing(
    store: RelationalStore,
) -> None:
    await store.append([row(1)], [])
    with pytest.raises(StoreFailed):
        await store.append([row(2), row(1)], [match("m", 1)])
    assert len(await store.log("m")) == 1
    assert await store.match("m") is None
    await store.append([row(2)], [])
    assert len(await store.log("m")) == 2


async def test_matches_are_put_in_place_and_listed_by_age(store: RelationalStore) -> None:
    await store.append([], [match("new", 3), match("old", 1), match("mid", 2)])
    await store.append([], [match("mid", 2, MatchState.ENDED)])
    listed = await store.matches(MatchFilter(None, None, None, 10))
    assert [found.match_id for found in listed] == ["old", "mid", "new"]
    after = await store.matches(MatchFilter((1, "old"), None, "b", 1))
    assert [found.match_id for found in after] == ["mid"]
    assert after[0].players == ("a", "b", "", "")
    assert await store.claim() == ["old", "new"]
    assert not await store.matches(MatchFilter(None, None, "c", 10))


async def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "burraco.db"
    path.write_text("this is a diary, not a database, and long enough to be read as one" * 20)
    with pytest.raises(StoreUnusable, match="not a database"):
        await sqlite_store(path).open()


class Gate:
    """A store that commits when it is told to, and fails when it is told to."""

    def __init__(self) -> None:
        self.groups: list[list[LogRow]] = []
        self.open = asyncio.Event()
        self.bad: set[str] = set()

    async def append(self, rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
        await self.open.wait()
        if any(row.match_id in self.bad for row in rows):
            raise StoreFailed("bad row")
        self.groups.append(list(rows))


async def test_what_arrives_during_a_commit_is_committed_together() -> None:
    gate, told = Gate(), list[tuple[int, StoreFailed | None]]()
    writer = LogWriter(gate, lambda _: None, pytest.fail)  # type: ignore[arg-type]  # a fake port

    def note(version: int, failure: StoreFailed | None) -> None:
        told.append((version, failure))

    running = asyncio.create_task(writer.run())
    for version in range(1, 6):
        writer.append([row(version)], None, partial(note, version))
        if version == 1:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
    gate.open.set()
    await writer.flush()
    assert [len(group) for group in gate.groups] == [1, 4]
    assert told == [(version, None) for version in range(1, 6)]
    running.cancel()


async def test_one_bad_entry_costs_no_other_of_its_group() -> None:
    gate, told = Gate(), dict[str, bool]()
    gate.bad.add("bad")
    gate.open.set()
    writer = LogWriter(gate, lambda _: None, pytest.fail)  # type: ignore[arg-type]  # a fake port

    def note(match_id: str, failure: StoreFailed | None) -> None:
        told[match_id] = failure is None

    for match_id in ("a", "bad", "b"):
        writer.append([row(1, match_id)], None, partial(note, match_id))
    running = asyncio.create_task(writer.run())
    await writer.flush()
    assert told == {"a": True, "bad": False, "b": True}
    running.cancel()


async def test_an_unforeseen_failure_is_reported_and_the_writer_goes_on() -> None:
    class Odd(Gate):
        async def append(self, rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
            if rows[0].match_id == "odd":
                raise RuntimeError("nobody thought of this")
            await super().append(rows, matches)

    gate, told, broken = Odd(), list[StoreFailed | None](), list[Exception]()
    gate.open.set()
    writer = LogWriter(gate, lambda _: None, broken.append)  # type: ignore[arg-type]  # a fake port
    running = asyncio.create_task(writer.run())
    writer.append([row(1, "odd")], None, told.append)
    await writer.flush()
    writer.append([row(1, "even")], None, told.append)
    await writer.flush()
    assert [type(failure) for failure in told] == [StoreFailed, type(None)]
    assert [str(error) for error in broken] == ["nobody thought of this"]
    running.cancel()


async def test_more_rows_than_one_statement_takes_are_all_there(store: RelationalStore) -> None:
    rows = [row(version) for version in range(1, 1_201)]
    await store.append(rows, [])
    assert await store.log("m") == rows


async def test_too_many_waiting_rows_are_refused_at_once() -> None:
    writer = LogWriter(Gate(), lambda _: None, pytest.fail)  # type: ignore[arg-type]  # a fake port
    for version in range(WRITER_ROWS):
        writer.append([row(version % 200)], None, lambda _: None)
    with pytest.raises(StoreFailed, match="wait for the disk"):
        writer.append([row(1)], None, lambda _: None)


class BrokenDisk:
    """Makes a running server's store fail until it is mended."""

    def __init__(self, running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_broken = False
        whole = running.arena.store.append

        async def append(rows: Sequence[LogRow], matches: Sequence[MatchRow]) -> None:
            if self.is_broken:
                raise StoreFailed("disk full") from OperationalError("INSERT", None, OSError())
            await whole(rows, matches)

        monkeypatch.setattr(running.arena.store, "append", append)


async def test_p3_a_failed_commit_is_a_typed_refusal_and_the_same_act_then_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as running:
        disk = BrokenDisk(running, monkeypatch)
        client = await solo(running)
        decision = await client.decision()
        disk.is_broken = True
        await client.act(decision, DRAW_STOCK, action_id="try")
        error = (await client.read()).stream_error
        assert (error.code, error.refusal.reason) == ("UNAVAILABLE", "LOG_UNAVAILABLE")
        assert error.action_id == "try"
        assert running.record().version == 2
        disk.is_broken = False
        await client.act(decision, DRAW_STOCK, action_id="try")
        assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_APPLIED


async def test_a_time_out_that_cannot_be_logged_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    terms = matches_pb2.ClockTerms(turn_ms=1_000, disconnect_ms=1_000)
    async with serving(tmp_path, clock) as running:
        disk = BrokenDisk(running, monkeypatch)
        client = await solo(running, clocks=terms)
        await client.decision()
        disk.is_broken = True
        clock.move(1)
        await running.arena.writer.flush()
        assert running.record().version == 2
        disk.is_broken = False
        clock.move(RETRY_SECONDS)
        following = await client.decision()
        assert following.decision_id == 2
        assert running.record().chairs[0].time_outs == 1


async def test_a_match_that_cannot_be_logged_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as running:
        disk = BrokenDisk(running, monkeypatch)
        disk.is_broken = True
        with pytest.raises(Exception, match="log is not available"):
            await running.create([""] * 4, board=("b", 1))
        disk.is_broken = False
        made = await running.create([""] * 4, board=("b", 1))
        assert made.state == matches_pb2.MATCH_STATE_WAITING


def tournament(version: int, state: str = "open", tournament_id: str = "t") -> TournamentRow:
    return TournamentRow(tournament_id, state, 7, b"s" * 32, version, b"shown")


def step(version: int, tournament_id: str = "t") -> TournamentLogRow:
    return TournamentLogRow(tournament_id, version, "Entered", "{}", bytes([version]) * 32)


async def test_a_tournament_is_kept_with_its_log(store: RelationalStore) -> None:
    await store.append_tournament([step(1), step(2)], tournament(2))
    await store.append_tournament([step(3)], tournament(3, "running"))
    assert await store.tournament_log("t") == [step(1), step(2), step(3)]
    assert await store.tournament("t") == tournament(3, "running")
    assert await store.tournament("u") is None


async def test_a_step_of_a_tournament_is_written_once_or_not_at_all(
    store: RelationalStore,
) -> None:
    await store.append_tournament([step(1)], tournament(1))
    with pytest.raises(StoreFailed):
        await store.append_tournament([step(2), step(1)], tournament(2))
    assert await store.tournament("t") == tournament(1)


async def test_tournaments_are_listed_by_age_and_state(store: RelationalStore) -> None:
    for name, state in (("b", "open"), ("a", "finished"), ("c", "running")):
        await store.append_tournament([step(1, name)], tournament(1, state, name))
    listed = await store.tournaments(None, (), None)
    assert [found.tournament_id for found in listed] == ["a", "b", "c"]
    living = await store.tournaments((7, "a"), ("open", "running"), 1)
    assert [found.tournament_id for found in living] == ["b"]


async def test_a_server_that_was_replaced_writes_to_no_tournament(
    store: RelationalStore, database: str
) -> None:
    await store.append_tournament([step(1)], tournament(1))
    newer = choose_store(database, Path("unused"))
    await newer.open()
    await newer.claim()
    with pytest.raises(StoreFenced):
        await store.append_tournament([step(2)], tournament(2))
    await newer.append_tournament([step(2)], tournament(2))
    await newer.close()
