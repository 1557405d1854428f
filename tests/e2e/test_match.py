"""Four bots of the SDK, a server in a process of its own, and the loopback between them."""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest

from burraco.bots.arena_processes import Children, LocalServer, local_server
from burraco.bots.greedy import GreedyBot
from burraco.bots.random_bot import RandomBot
from burraco.engine import commitment, preset
from burraco.engine.bgn import judge, parse
from burraco.engine.bgn_tags import read_points
from burraco.sdk import Bot, MatchResult
from burraco.sdk.client import PlayPlan, play_bot
from burraco.sdk.organiser import Organiser

BOTS: dict[str, type[Bot]] = {
    "north": GreedyBot,
    "east": RandomBot,
    "south": GreedyBot,
    "west": RandomBot,
}
SEED = sha256(b"e2e").digest() * 2 + bytes(16)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[LocalServer]:
    store = tmp_path / "store"
    store.mkdir()
    children = Children()
    try:
        async with local_server(children, store, tmp_path / "server.log") as started:
            yield started
    finally:
        children.kill()


async def play(server: LocalServer, match_id: str) -> tuple[MatchResult, list[MatchResult], str]:
    """A match to the target; the organiser's result, those that the bots were told, and its BGN."""
    async with (
        Organiser(server.address, server.token) as organiser,
        asyncio.timeout(60),
        asyncio.TaskGroup() as group,
    ):
        tokens = [await organiser.register_bot(name) for name in BOTS]
        bots = [
            group.create_task(play_bot(bot, server.address, token, PlayPlan(matches=1)))
            for bot, token in zip(BOTS.values(), tokens, strict=True)
        ]
        await organiser.create_match(tuple(BOTS), match_id=match_id, seed=SEED)
        result = await organiser.result(match_id)
        told = [(await bot)[match_id] for bot in bots]
        return result, told, await organiser.export(match_id)


async def test_a_match_to_2000(server: LocalServer) -> None:
    result, told, notation = await play(server, "to-2000")

    assert result.is_clean
    assert max(result.totals) >= preset("classic").target
    assert result.winner == result.totals.index(max(result.totals))
    assert [seat.player for seat in result.seats] == list(BOTS)
    assert told == [result] * 4

    verdicts = list(judge(notation))
    assert len(verdicts) == result.deals > 1
    assert all(verdict.is_ok for verdict in verdicts), notation
    assert totals(notation) == result.totals


async def test_the_seed_that_is_shown_is_the_one_that_was_promised(server: LocalServer) -> None:
    async with Organiser(server.address, server.token) as organiser:
        for name in BOTS:
            await organiser.register_bot(name)
        made = await organiser.create_match(tuple(BOTS), match_id="promised", seed=SEED)
        over = await organiser.adjudicate("promised", "nobody came")

    assert made.commitment == commitment("promised", preset("classic"), SEED)
    assert over.result is not None
    assert over.result.seed == SEED


def totals(notation: str) -> tuple[int, int]:
    """The sum of what the blocks claim, each of which the judge has checked."""
    classic = preset("classic")
    points = [read_points(block.tags["Result"], classic) for block in parse(notation)]
    return sum(pair[0] for pair in points if pair), sum(pair[1] for pair in points if pair)
