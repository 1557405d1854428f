"""The admin port, beside who may use it, and pages of lists."""

import base64
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from burraco.server.store import MatchRow
from burraco.server.terms import MatchState
from burraco.v1 import (
    admin_service_pb2,
    admin_service_pb2_grpc,
    match_service_pb2,
    matches_pb2,
)
from tests.server.harness import reason_of, serving


def ended(number: int, end: matches_pb2.MatchEnd.ValueType) -> MatchRow:
    summary = matches_pb2.MatchSummary(
        match_id=f"m{number}", result=matches_pb2.MatchResult(end=end)
    )
    return MatchRow(
        f"m{number}", MatchState.ENDED, "", number, ("", "", "", ""), summary.SerializeToString()
    )


async def test_quarantined_matches_are_listed_page_by_page(tmp_path: Path) -> None:
    async with serving(tmp_path, admin="127.0.0.1:0") as running:
        void, played = matches_pb2.MATCH_END_VOID, matches_pb2.MATCH_END_PLAYED
        rows = [ended(number, played if number % 3 else void) for number in range(10)]
        await running.arena.store.append([], rows)
        async with grpc.aio.insecure_channel(str(running.arena.admin_at)) as channel:
            admin = admin_service_pb2_grpc.AdminServiceStub(channel)
            request = admin_service_pb2.ListQuarantinedRequest(page_size=2)
            first = await admin.ListQuarantined(request, metadata=running.organiser)
            request.page_token = first.next_page_token
            second = await admin.ListQuarantined(request, metadata=running.organiser)
    assert [match.match_id for match in first.matches] == ["m0", "m3"]
    assert [match.match_id for match in second.matches] == ["m6", "m9"]
    assert not second.next_page_token


async def test_reflection_tells_what_the_admin_port_serves(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, admin="127.0.0.1:0") as running,
        grpc.aio.insecure_channel(str(running.arena.admin_at)) as channel,
    ):
        opened: Any = channel
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(opened)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        answers = stub.ServerReflectionInfo(iter([request]), metadata=running.organiser)
        names = {
            service.name
            async for answer in answers
            for service in answer.list_services_response.service
        }
    assert names == {
        "burraco.v1.AdminService",
        "grpc.channelz.v1.Channelz",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }


@pytest.mark.parametrize(
    "place", ["9" * 60 + " m", "9" * 20 + " m", "5 a\0b", "5 ", "-5 m", "1_0 m", "\u0663 m"]
)
async def test_a_page_token_that_no_server_made_is_refused_by_name(
    tmp_path: Path, database: str, place: str
) -> None:
    token = base64.urlsafe_b64encode(place.encode()).decode()
    # Of the same place, what stands for a number.
    number = base64.urlsafe_b64encode(place.encode().removesuffix(b" m")).decode()
    async with (
        serving(tmp_path, database=database, admin="127.0.0.1:0") as running,
        grpc.aio.insecure_channel(str(running.arena.admin_at)) as channel,
    ):
        admin = admin_service_pb2_grpc.AdminServiceStub(channel)
        calls: list[Any] = [
            running.matches.ListMatches(
                match_service_pb2.ListMatchesRequest(page_token=token), metadata=running.organiser
            ),
            admin.ListQuarantined(
                admin_service_pb2.ListQuarantinedRequest(page_token=token),
                metadata=running.organiser,
            ),
            admin.ListAudit(
                admin_service_pb2.ListAuditRequest(page_token=number), metadata=running.organiser
            ),
        ]
        for call in calls:
            with pytest.raises(grpc.aio.AioRpcError, match="page_token") as refused:
                await call
            assert reason_of(refused.value) == "INVALID_FIELD"


async def test_an_id_that_no_match_can_have_never_comes_to_a_database(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        for match_id in ("a\0b", "", "\u00e9", "x" * 65):
            with pytest.raises(grpc.aio.AioRpcError, match="match_id") as refused:
                await running.summary(match_id)
            assert reason_of(refused.value) == "INVALID_FIELD"
