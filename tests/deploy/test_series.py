"""What clients send must never grow the number of series that Prometheus has to keep."""

import asyncio
import importlib
import itertools
import pkgutil
from pathlib import Path
from typing import Final

import grpc

import burraco.v1
from burraco.server.errors import Complaint
from burraco.server.interceptors.handlers import KINDS
from burraco.server.metrics import Metrics
from burraco.server.terms import MatchEnd, PlayedBy, SeatEnd
from tests.deploy.tools import scrape, series_of
from tests.server.harness import Running, bearer, serving, solo
from tests.server.test_every_method import METHODS, refusal

MOST: Final = 400
COUNTED: Final = 'burraco_refused_calls_total{reason="TOKEN_UNKNOWN"} 1.0'
_PHASES: Final = ("cut", "draw", "play", "none")
_VERDICTS: Final = ("applied", "duplicate", "illegal", "stale", "too_late", "conflict")


def methods() -> set[tuple[str, str, str]]:
    """Type, service and name of every method of our API."""
    names = [found.name for found in pkgutil.iter_modules(burraco.v1.__path__)]
    files = [
        importlib.import_module(f"burraco.v1.{name}")
        for name in names
        if name.endswith("_service_pb2")
    ]
    return {
        (KINDS[method.client_streaming, method.server_streaming], service.full_name, method.name)
        for file in files
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def test_every_combination_of_labels_stays_under_the_limit() -> None:
    metrics = Metrics()
    for phase, verdict in itertools.product(_PHASES, (*_VERDICTS, PlayedBy.TIME_OUT.value)):
        metrics.decided(phase, verdict)
    for kind, service, method in methods():
        metrics.rpc_started.labels(kind, service, method).inc()
        if kind == "unary":
            metrics.rpc_seconds.labels(kind, service).observe(1)
        for code in grpc.StatusCode:
            metrics.rpc_handled.labels(service, code.name).inc()
    for end in SeatEnd:
        metrics.seat_ended(end)
    for reason in ("", "no reason of ours", *(complaint.value for complaint in Complaint)):
        metrics.refused(reason)
    collected = [sample for family in metrics.registry.collect() for sample in family.samples]
    assert len({(sample.name, *sorted(sample.labels.items())) for sample in collected}) < MOST
    ends = {
        sample.labels["reason"] for sample in collected if sample.name.endswith("es_ended_total")
    }
    assert ends == {end.value for end in MatchEnd}


async def hammer(running: Running) -> None:
    """Methods that are not there, bytes that are no message, callers that nobody knows."""
    names = [
        f"/{service}/{method}" for service in ("x", "burraco.v1.PlayService") for method in "ab"
    ]
    names += [f"/burraco.v1.MatchService/Odd{number}" for number in range(50)]
    names += [f"/{method.containing_service.full_name}/{method.name}" for method in METHODS]
    callers = [running.organiser, (), *(bearer(f"token-{number}") for number in range(5))]
    for name, caller, sent in itertools.product(names, callers, (b"", b"\xff" * 40)):
        refused = await refusal(
            running.channel.unary_unary(name, None, None)(sent, metadata=caller)
        )
        assert refused is None or refused.code() is not grpc.StatusCode.INTERNAL


async def test_whatever_clients_send_the_series_stay_under_the_limit(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        client = await solo(running)
        await client.play_to_the_end()
        quiet = set(series_of(scrape(running.arena.metrics_at)))
        await running.register(*(f"bot-{number}" for number in range(40)))
        for number in range(40):
            await running.create([f"bot-{number}"] * 4, match_id=f"odd-{number}")
        await hammer(running)
        text = scrape(running.arena.metrics_at)
    grown = set(series_of(text))
    assert quiet <= grown
    assert len(grown) < MOST
    for odd in ("odd", "Odd", "bot-", "token-", "127.0.0.1"):
        assert odd not in text
    assert 'burraco_refused_calls_total{reason="TOKEN_UNKNOWN"} 0.0' not in text


async def test_a_refused_call_is_counted_by_its_reason(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        call = running.channel.unary_unary("/burraco.v1.BotService/WhoAmI", None, None)
        before = scrape(running.arena.metrics_at)
        refused = await refusal(call(b"", metadata=bearer("nobody's")))
        assert refused is not None
        # The client has its answer a moment before the server has counted it.
        async with asyncio.timeout(30):
            while COUNTED not in (after := scrape(running.arena.metrics_at)):
                await asyncio.sleep(0)
    assert 'burraco_refused_calls_total{reason="TOKEN_UNKNOWN"} 0.0' in before
    ended = 'grpc_code="UNAUTHENTICATED",grpc_service="burraco.v1.BotService"'
    assert f"grpc_server_handled_total{{{ended}}} 1.0" in after
