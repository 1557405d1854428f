"""A database that hangs or is gone: typed refusals, no waiting, and play goes on afterwards."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from sqlalchemy import Connection, StaticPool, create_engine, make_url

from burraco.engine import DRAW_STOCK
from burraco.server.store import MatchRow, StoreFailed, StoreUnreachable
from burraco.server.store.postgres import postgres_store
from burraco.server.store.worker import Worker
from burraco.server.store.writer import LogWriter
from burraco.v1 import match_service_pb2, play_pb2
from tests.server.harness import SOLO, Client, serving, solo
from tests.server.postgres import Postgres
from tests.server.test_owners import backend_of, before_commit, row

_BOUND = 60


def database_of(postgres: Postgres) -> str:
    return postgres.make_database().render_as_string(hide_password=False)


async def told(client: Client, decision: play_pb2.Decision, action_id: str) -> str:
    """Send an act and say what came back: a verdict, or the reason why there is none."""
    await client.act(decision, *client.default(decision), action_id=action_id)
    async with asyncio.timeout(_BOUND):
        while True:
            frame = await client.read()
            if frame.HasField("stream_error"):
                return frame.stream_error.refusal.reason
            if frame.HasField("verdict"):
                return play_pb2.VerdictKind.Name(frame.verdict.kind)


async def test_a_frozen_database_costs_typed_refusals_and_no_time_of_the_loop(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with serving(tmp_path, database=database_of(postgres)) as running:
        client = await solo(running)
        decision = await client.decision()
        lags: list[float] = []
        with postgres.frozen():
            ticking = asyncio.create_task(tick(lags))
            assert await told(client, decision, "try") == "LOG_UNAVAILABLE"
            # Nothing that needs no database is any slower.
            ping = play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=5))
            await client.send(ping)
            assert (await client.read_until("pong")).pong.nonce == 5
            request = match_service_pb2.CreateMatchRequest(players=[SOLO] * 4)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await running.matches.CreateMatch(
                    request, metadata=running.organiser, timeout=_BOUND
                )
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert retry_of(refused.value) == 1_000
            ticking.cancel()
        assert max(lags) < 0.5, "the event loop waited for the database"
        while (last := await told(client, decision, "try")) == "LOG_UNAVAILABLE":
            pass
        assert last == "VERDICT_KIND_APPLIED"
        rows = await running.arena.store.log("m")
        assert sum('"action_id":"try"' in stored.payload for stored in rows) == 1


async def test_an_act_whose_match_cannot_be_looked_up_ends_no_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_match_id: str) -> MatchRow | None:
        raise StoreUnreachable("away")

    async with serving(tmp_path) as running:
        client = await solo(running)
        decision = await client.decision()
        monkeypatch.setattr(running.arena.store, "match", away)
        other = play_pb2.Decision(decision_id=1)
        other.seat.match_id, other.seat.seat = "over", decision.seat.seat
        await client.act(other, DRAW_STOCK, action_id="late")
        error = (await client.read_until("stream_error")).stream_error
        assert (error.action_id, error.refusal.reason) == ("late", "LOG_UNAVAILABLE")
        assert await told(client, decision, "now") == "VERDICT_KIND_APPLIED"


async def tick(lags: list[float]) -> None:
    """Note how late the event loop comes back to somebody who waits for nothing."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + 0.02
        await asyncio.sleep(0.02)
        lags.append(loop.time() - due)


def retry_of(error: grpc.aio.AioRpcError) -> int:
    trailing: Any = error.trailing_metadata() or ()
    for key, value in trailing:
        if key == "grpc-status-details-bin":
            retry = error_details_pb2.RetryInfo()
            for detail in status_pb2.Status.FromString(value).details:
                detail.Unpack(retry)
            return retry.retry_delay.ToMilliseconds()
    raise AssertionError("no details")


async def test_an_act_whose_commit_hangs_is_answered_when_the_database_knows(
    tmp_path: Path, postgres: Postgres
) -> None:
    """Meanwhile the same act again, and all others, are refused: nobody is told a guess."""
    database = database_of(postgres)
    stopped: list[int] = []
    name = make_url(database).database
    assert name is not None
    async with serving(tmp_path, database=database) as running:
        client = await solo(running)
        decision = await client.decision()

        def stop(connection: Connection) -> None:
            driver = connection.connection.dbapi_connection
            stopped.append(driver.info.backend_pid)  # type: ignore[union-attr]  # a driver's
            os.kill(stopped[0], signal.SIGSTOP)

        with before_commit(stop, name):
            await client.act(decision, DRAW_STOCK, action_id="doubt")
            await until(lambda: running.arena.writer.is_stalled)
            assert await told(client, decision, "doubt") == "LOG_UNAVAILABLE"
            os.kill(stopped[0], signal.SIGCONT)
            async with asyncio.timeout(_BOUND):
                verdict = await client.verdict()
        assert (verdict.action_id, verdict.kind) == ("doubt", play_pb2.VERDICT_KIND_APPLIED)
        again = await told(client, decision, "doubt")
        assert again == "VERDICT_KIND_DUPLICATE"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(_BOUND):
        while not holds():
            await asyncio.sleep(0)


async def test_a_database_that_was_started_again_is_used_again_at_once(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.make_database()
    async with serving(tmp_path, database=url.render_as_string(hide_password=False)) as running:
        client = await solo(running)
        decision = await client.decision()
        postgres.do(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            f" WHERE datname = '{url.database}'"
        )
        assert await told(client, decision, "after") == "VERDICT_KIND_APPLIED"


async def test_what_waits_behind_a_frozen_commit_is_refused_before_it_ends(
    postgres: Postgres,
) -> None:
    store = postgres_store(postgres.make_database())
    await store.open()
    await store.claim()
    outcomes: list[StoreFailed | None] = []
    broken: list[Exception] = []
    writer = LogWriter(store, lambda _: None, broken.append)
    running = asyncio.create_task(writer.run())
    with postgres.frozen():
        writer.append([row(1)], None, outcomes.append)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        writer.append([row(1, "behind")], None, outcomes.append)
        async with asyncio.timeout(_BOUND):
            await writer.flush()
    assert [type(outcome) for outcome in outcomes] == [StoreUnreachable, StoreUnreachable]
    assert not broken
    running.cancel()
    await store.close()


async def test_no_password_is_told_when_a_database_cannot_be_reached() -> None:
    url = make_url("postgresql://somebody:hunter2@127.0.0.1:1/arena?sslpassword=hunter3")
    store = postgres_store(url)
    with pytest.raises(
        Exception, match=r"postgresql://somebody:\S*@127\.0\.0\.1:1/arena: not"
    ) as told:
        await store.open()
    await store.close()
    assert "hunter" not in str(told.value)


async def test_who_waits_for_a_turn_does_not_cut_the_one_before_it() -> None:
    """A transaction's patience begins when it is its turn."""
    ours, theirs = socket.socketpair()
    engine = create_engine("sqlite://", poolclass=StaticPool)
    worker = Worker(engine, lambda _: ours.dup(), _BOUND, "test")
    goes_on = threading.Event()
    first = asyncio.create_task(worker.run(lambda _: goes_on.wait(_BOUND)))
    second = asyncio.create_task(worker.run(lambda _: True, 1e-9))
    for _ in range(10):
        await asyncio.sleep(0)
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)
    goes_on.set()
    assert await first
    assert await second
    await worker.close()
    engine.dispose()
    ours.close()
    theirs.close()


async def test_what_was_read_when_the_connection_got_lost_is_a_typed_failure(
    postgres: Postgres,
) -> None:
    url = postgres.make_database()
    assert url.database is not None
    store = postgres_store(url)
    await store.open()
    await store.claim()

    def lose(connection: Connection) -> None:
        postgres.do(f"SELECT pg_terminate_backend({backend_of(connection)}, 5000)")

    with before_commit(lose, url.database), pytest.raises(StoreUnreachable):
        await store.match("m")
    assert await store.match("m") is None
    await store.close()
