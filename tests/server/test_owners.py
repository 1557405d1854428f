"""Owner epochs (P5) and lost commits (P3), on real databases with real connections."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text

from burraco.server.store import AuditRow, LogRow, MatchRow, StoreFailed, StoreFenced
from burraco.server.store.choosing import choose_store
from burraco.server.store.postgres import postgres_store
from burraco.server.store.relational import RelationalStore
from burraco.server.terms import MatchState
from tests.server.postgres import Postgres

_PATIENCE = 0.5
_BOUND = 30


def row(version: int, match_id: str = "m") -> LogRow:
    return LogRow(match_id, version, "acted", f"{{{version}}}", bytes([version]) * 32)


def match(match_id: str, state: MatchState = MatchState.RUNNING) -> MatchRow:
    return MatchRow(match_id, state, "", 1, ("a", "b", "c", "d"), b"")


async def owner_of(database: str) -> RelationalStore:
    store = choose_store(database, Path("unused"))
    await store.open()
    await store.claim()
    return store


async def test_p5_a_server_that_was_taken_over_writes_nothing_more(
    store: RelationalStore, database: str
) -> None:
    await store.append([row(1)], [match("m")])
    newer = await owner_of(database)
    for rows, matches in (
        ([row(2)], []),
        ([row(2)], [match("m", MatchState.ENDED)]),
        ([row(1, "new")], [match("new")]),
        ([], [match("m", MatchState.ENDED)]),
    ):
        with pytest.raises(StoreFenced, match="has taken"):
            await store.append(rows, matches)
    with pytest.raises(StoreFenced, match="has taken"):
        await store.note(AuditRow(1, "somebody", "t", "act", "m", ""))
    assert await newer.log("m") == [row(1)]
    assert await newer.match("m") == match("m")
    assert await newer.match("new") is None
    await newer.append([row(2)], [])
    assert await newer.log("m") == [row(1), row(2)]
    await newer.close()


async def test_one_match_that_is_fenced_refuses_its_whole_transaction(
    store: RelationalStore, database: str
) -> None:
    await store.append([row(1), row(1, "done")], [match("m"), match("done", MatchState.ENDED)])
    newer = await owner_of(database)
    with pytest.raises(StoreFenced):
        await store.append([row(2, "done"), row(2)], [])
    assert await newer.log("done") == [row(1, "done")]
    await newer.close()


async def test_every_claim_gives_the_matches_that_have_not_ended_and_raises_the_epoch(
    store: RelationalStore, database: str
) -> None:
    await store.append([row(1), row(1, "done")], [match("m"), match("done", MatchState.ENDED)])
    first = await store.claim()
    second = await store.claim()
    assert first == second == ["m"]
    await store.append([row(2)], [])


async def test_p5_a_stale_owner_that_waited_out_a_take_over_is_refused(
    postgres: Postgres,
) -> None:
    """The race: the old owner waits for the lock that the new one holds, and gets it afterwards."""
    url = postgres.make_database()
    old = postgres_store(url, _BOUND)
    await old.open()
    await old.claim()
    await old.append([row(1)], [match("m")])
    engine = create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.connect() as taking_over:
        taking_over.execute(text("SELECT epoch FROM service FOR UPDATE"))
        taking_over.execute(text("SELECT epoch FROM matches FOR UPDATE"))
        writing = asyncio.create_task(old.append([row(2)], [match("m", MatchState.ENDED)]))
        creating = asyncio.create_task(old.append([row(1, "new")], [match("new")]))
        await until(lambda: postgres.waits_for_lock(url))
        assert not writing.done()
        taking_over.execute(text("UPDATE service SET epoch = epoch + 1"))
        taking_over.execute(text("UPDATE matches SET epoch = epoch + 1"))
        taking_over.commit()
    engine.dispose()
    with pytest.raises(StoreFenced, match="match m: a server of epoch 2 has taken it over"):
        await writing
    with pytest.raises(StoreFenced, match="epoch 2 has taken this database over"):
        await creating
    assert await old.log("m") == [row(1)]
    assert await old.match("m") == match("m")
    assert await old.log("new") == []
    await old.close()


async def test_p5_sqlite_reads_the_epoch_under_the_lock_of_the_file(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'burraco.db'}"
    old = await owner_of(database)
    await old.append([row(1)], [match("m")])
    engine = create_engine(database)
    with engine.connect() as taking_over:
        taking_over.execute(text("UPDATE matches SET epoch = epoch + 1"))
        writing = asyncio.create_task(old.append([row(2)], []))
        await asyncio.to_thread(lambda: None)
        taking_over.commit()
    engine.dispose()
    with pytest.raises(StoreFenced, match="match m: a server of epoch 2"):
        await writing
    assert await old.log("m") == [row(1)]
    await old.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(_BOUND):
        while not await asyncio.to_thread(holds):
            pass


@contextmanager
def before_commit(act: Callable[[Connection], None], table: str) -> Iterator[None]:
    """Do something between the last statement and COMMIT of the next transaction with rows."""
    done: list[bool] = []

    def listen(connection: Connection) -> None:
        if done or make_url(str(connection.engine.url)).database != table:
            return
        done.append(True)
        act(connection)

    event.listen(Engine, "commit", listen)
    try:
        yield
    finally:
        event.remove(Engine, "commit", listen)


def backend_of(connection: Connection) -> int:
    driver: Any = connection.connection.dbapi_connection
    return int(driver.info.backend_pid)


async def prepared(postgres: Postgres) -> tuple[RelationalStore, str]:
    url = postgres.make_database()
    store = postgres_store(url, _PATIENCE)
    await store.open()
    await store.claim()
    await store.append([row(1)], [match("m")])
    assert url.database is not None
    return store, url.database


async def test_p3_a_commit_that_was_done_before_its_answer_got_lost_is_done(
    postgres: Postgres,
) -> None:
    store, database = await prepared(postgres)

    def commit_and_lose(connection: Connection) -> None:
        backend = backend_of(connection)
        driver: Any = connection.connection.dbapi_connection
        driver.commit()
        # Something to commit once more, so that the driver asks for it.
        driver.execute("SELECT 1")
        postgres.do(f"SELECT pg_terminate_backend({backend}, 5000)")

    with before_commit(commit_and_lose, database):
        await store.append([row(2)], [])
    assert await store.log("m") == [row(1), row(2)]
    await store.append([row(3)], [])
    await store.close()


async def test_p3_a_commit_that_never_arrived_is_a_failure_and_nothing_is_stored(
    postgres: Postgres,
) -> None:
    store, database = await prepared(postgres)

    def lose(connection: Connection) -> None:
        postgres.do(f"SELECT pg_terminate_backend({backend_of(connection)}, 5000)")

    with before_commit(lose, database), pytest.raises(StoreFailed):
        await store.append([row(2)], [])
    assert await store.log("m") == [row(1)]
    await store.append([row(2)], [])
    assert await store.log("m") == [row(1), row(2)]
    await store.close()


async def test_p3_a_commit_that_hangs_in_the_database_is_waited_for(postgres: Postgres) -> None:
    """The connection is cut while COMMIT waits in a stopped process, which then does it."""
    store, database = await prepared(postgres)
    stopped: list[int] = []

    def stop(connection: Connection) -> None:
        stopped.append(backend_of(connection))
        os.kill(stopped[0], signal.SIGSTOP)

    with before_commit(stop, database):
        writing = asyncio.create_task(store.append([row(2)], []))
        url = make_url("postgresql://").set(database=database)
        await until(lambda: postgres.waits_for_lock(url))
        assert not writing.done()
        os.kill(stopped[0], signal.SIGCONT)
        async with asyncio.timeout(_BOUND):
            await writing
    assert await store.log("m") == [row(1), row(2)]
    await store.close()


async def test_whoever_makes_a_match_locks_in_the_order_of_a_take_over(
    postgres: Postgres,
) -> None:
    """In another order the two would wait for each other, and a start would fail."""
    url = postgres.make_database()
    old = postgres_store(url, _BOUND)
    await old.open()
    await old.claim()
    await old.append([row(1)], [match("m")])
    engine = create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.connect() as taking_over:
        taking_over.execute(text("SELECT epoch FROM service FOR UPDATE"))
        writing = asyncio.create_task(old.append([row(2), row(1, "new")], [match("new")]))
        await until(lambda: postgres.waits_for_lock(url))
        taking_over.execute(text("SELECT epoch FROM matches FOR UPDATE NOWAIT"))
    engine.dispose()
    await writing
    assert await old.log("m") == [row(1), row(2)]
    await old.close()
