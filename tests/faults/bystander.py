"""Somebody who only wants to play: how long its acts take while others misbehave."""

import asyncio
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import quantiles

import grpc.aio

from burraco.v1 import match_service_pb2, match_service_pb2_grpc, matches_pb2, play_pb2
from burraco.v1 import play_service_pb2_grpc as service
from tests.faults.player import Player
from tests.server.harness import bearer

SEATS = 4
NAME = "bystander"


@dataclass(frozen=True, slots=True)
class Quickness:
    """Milliseconds from act to verdict, and what was wrong."""

    acts: int
    p50: float
    p99: float
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.acts} acts, p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms"


def another_process() -> ProcessPoolExecutor:
    """Where a bystander plays, so that nobody but the server can slow it."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


async def bystand(
    process: Executor, address: str, tokens: tuple[str, str], seconds: float
) -> Quickness:
    """Play for some seconds in another process; ``tokens`` of the organiser and the bystander."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(process, _play_here, address, tokens, seconds)


def _play_here(address: str, tokens: tuple[str, str], seconds: float) -> Quickness:
    return asyncio.run(play_for(address, tokens, seconds))


async def play_for(address: str, tokens: tuple[str, str], seconds: float) -> Quickness:
    """Play matches with itself, one after the other, and time every act."""
    times: list[float] = []
    wrong: list[str] = []
    end = time.monotonic() + seconds
    async with grpc.aio.insecure_channel(address) as channel:
        matches = match_service_pb2_grpc.MatchServiceStub(channel)
        while time.monotonic() < end:
            request = match_service_pb2.CreateMatchRequest(
                players=[NAME] * SEATS, deals=1, clocks=matches_pb2.ClockTerms()
            )
            made = await matches.CreateMatch(request, metadata=bearer(tokens[0]))
            wrong += await _one_match(channel, tokens[1], made.match.match_id, times)
    hundredths = quantiles(times, n=100)
    return Quickness(len(times), hundredths[49] * 1000, hundredths[98] * 1000, tuple(wrong))


async def _one_match(
    channel: grpc.aio.Channel, token: str, match_id: str, times: list[float]
) -> list[str]:
    player = Player(NAME, token, SEATS)
    mine = {(match_id, seat) for seat in range(SEATS)}
    stream = service.PlayServiceStub(channel).Play(metadata=bearer(token))  # type: ignore[call-arg]  # written by hand
    await stream.write(play_pb2.ClientFrame(hello=play_pb2.Hello()))
    sent: dict[str, float] = {}
    while not mine <= player.journal.ended.keys():
        frame = await stream.read()
        if not isinstance(frame, play_pb2.ServerFrame):
            return [f"{NAME}: the stream ended"]
        now = time.monotonic()
        if frame.HasField("verdict") and frame.verdict.action_id in sent:
            times.append(now - sent[frame.verdict.action_id])
        for act in player.take(frame):
            sent[act.action_id] = time.monotonic()
            await stream.write(play_pb2.ClientFrame(act=act))
    stream.cancel()
    return [f"{NAME}: {fault}" for fault in player.journal.faults]
