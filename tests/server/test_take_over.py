"""Two servers on one database: the newer one owns the matches, and the older one stops."""

from pathlib import Path

import grpc
import pytest

from burraco.v1 import match_service_pb2, match_service_pb2_grpc
from tests.server.harness import bearer, reason_of
from tests.server.test_process import Served, served

_PATIENCE = 60


async def create(server: Served, folder: Path, match_id: str) -> None:
    token = (folder / "data" / "organiser.token").read_text().strip()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches = match_service_pb2_grpc.MatchServiceStub(channel)
        request = match_service_pb2.CreateMatchRequest(match_id=match_id, players=[""] * 4)
        await matches.CreateMatch(request, metadata=bearer(token), timeout=_PATIENCE)


async def test_p5_a_second_server_takes_over_and_the_first_one_stops_with_the_reason(
    tmp_path: Path, database: str
) -> None:
    first_folder, second_folder = tmp_path / "first", tmp_path / "second"
    first_folder.mkdir()
    second_folder.mkdir()
    with served(first_folder, "--database", database) as first:
        await create(first, first_folder, "m")
        token = first_folder / "data" / "organiser.token"
        # The second finds the organiser's token in the database, so it writes none.
        with served(second_folder, "--database", database) as second:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await create(first, first_folder, "late")
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert reason_of(refused.value) in ("LOG_UNAVAILABLE", "DRAINING")
            assert first.process.wait(_PATIENCE) == 2
            assert first.process.stderr is not None
            last = first.process.stderr.read().splitlines()[-1]
            assert "another server has taken this database over" in last
            (second_folder / "data" / "organiser.token").write_text(token.read_text())
            await create(second, second_folder, "late")
            with pytest.raises(grpc.aio.AioRpcError, match="exists already"):
                await create(second, second_folder, "m")
