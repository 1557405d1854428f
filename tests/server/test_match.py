"""A whole match over the wire."""

import asyncio
from pathlib import Path

from burraco.v1 import matches_pb2
from tests.server.harness import serving

NAMES = ("north", "east", "south", "west")


async def test_four_bots_play_a_match_to_its_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await running.register(*NAMES)
        made = await running.create(NAMES, deals=2)
        assert made.state == matches_pb2.MATCH_STATE_WAITING
        bots = [await running.connect(name) for name in NAMES]
        ended = await asyncio.gather(*(bot.play_to_the_end(4 // 4) for bot in bots))
        results = [end.result for (end,) in ended]
        assert all(result == results[0] for result in results)
        assert results[0].end == matches_pb2.MATCH_END_PLAYED
        assert results[0].deals == 2
        assert [seat.end for seat in results[0].seats] == [matches_pb2.SEAT_END_CLEAN] * 4
        assert (await running.summary()).result.totals == results[0].totals
