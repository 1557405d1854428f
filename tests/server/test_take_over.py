"""Two servers on one database: the newer one owns the matches, and the older one stops."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from burraco.server.ownership import watch_ownership
from burraco.server.store import StoreFailed, StoreFenced
from burraco.server.store.relational import RelationalStore
from burraco.v1 import match_service_pb2, match_service_pb2_grpc
from tests.server.harness import bearer, reason_of, serving
from tests.server.test_owners import owner_of
from tests.server.test_process import Served, served

_PATIENCE = 60


async def create(server: Served, folder: Path, match_id: str) -> None:
    token = (folder / "data" / "organiser.token").read_text().strip()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches = match_service_pb2_grpc.MatchServiceStub(channel)
        request = match_service_pb2.CreateMatchRequest(match_id=match_id, players=[""] * 4)
        await matches.CreateMatch(request, metadata=bearer(token), timeout=_PATIENCE)


async def health(channel: grpc.aio.Channel) -> AsyncIterator[str]:
    """What a probe is told, each time that it changes."""
    watching: Any = health_pb2_grpc.HealthStub(channel)
    names = health_pb2.HealthCheckResponse.ServingStatus
    async for answer in watching.Watch(health_pb2.HealthCheckRequest(), timeout=_PATIENCE):
        yield names.Name(answer.status)


async def test_p5_a_second_server_takes_over_and_the_idle_first_one_stops_with_the_reason(
    tmp_path: Path, database: str
) -> None:
    first_folder, second_folder = tmp_path / "first", tmp_path / "second"
    first_folder.mkdir()
    second_folder.mkdir()
    with served(first_folder, "--database", database) as first:
        await create(first, first_folder, "m")
        token = first_folder / "data" / "organiser.token"
        async with grpc.aio.insecure_channel(first.address) as channel:
            states = health(channel)
            assert await anext(states) == "SERVING"
            # The second finds the organiser's token in the database, so it writes none.
            with served(second_folder, "--database", database) as second:
                # Nobody has anything to write, and the first one notices all the same.
                assert await anext(states) == "NOT_SERVING"
                await states.aclose()  # type: ignore[attr-defined]  # it is a generator
                assert first.process.wait(_PATIENCE) == 2
                assert first.process.stderr is not None
                *records, last = first.process.stderr.read().splitlines()
                assert "another server has taken this database over" in last
                fenced = json.loads(records[0])
                assert (fenced["event"], fenced["level"]) == ("fenced", "error")
                assert fenced["why"] == "a server of epoch 2 has taken this database over"
                (second_folder / "data" / "organiser.token").write_text(token.read_text())
                await create(second, second_folder, "late")
                with pytest.raises(grpc.aio.AioRpcError, match="exists already"):
                    await create(second, second_folder, "m")


async def test_p5_a_server_that_writes_notices_at_once(tmp_path: Path, database: str) -> None:
    async with serving(tmp_path, database=database) as running:
        newer = await owner_of(database)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await running.create([""] * 4)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert reason_of(refused.value) in ("LOG_UNAVAILABLE", "DRAINING")
        await running.arena.drain_asked.wait()
        assert running.arena.is_fenced
        await newer.close()


async def test_a_look_at_the_owner_notices_who_took_over(
    store: RelationalStore, database: str
) -> None:
    await store.require_ownership()
    newer = await owner_of(database)
    with pytest.raises(StoreFenced, match="epoch 2 has taken this database over"):
        await store.require_ownership()
    await newer.require_ownership()
    await newer.close()


async def test_a_store_that_does_not_answer_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Away:
        def __init__(self) -> None:
            self.answers: list[StoreFailed | None] = [
                StoreFailed("away"),
                None,
                StoreFenced("taken over"),
            ]

        async def require_ownership(self) -> None:
            if (answer := self.answers.pop(0)) is not None:
                raise answer

    monkeypatch.setattr("burraco.server.ownership.OWNER_SECONDS", 0.0)
    away, told = Away(), list[StoreFenced]()
    await watch_ownership(away, told.append)  # type: ignore[arg-type]  # a fake port
    assert [str(fenced) for fenced in told] == ["taken over"]
    assert away.answers == []
