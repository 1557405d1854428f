"""The admin port, beside who may use it."""

from pathlib import Path
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from burraco.server.store import MatchRow
from burraco.server.terms import MatchState
from burraco.v1 import admin_service_pb2, admin_service_pb2_grpc, matches_pb2
from tests.server.harness import serving


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
