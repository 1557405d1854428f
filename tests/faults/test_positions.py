"""Wherever in a match a connection breaks, the match is played as if it had not."""

from pathlib import Path

from tests.faults.positions import strike_positions
from tests.server.harness import serving


async def test_the_log_is_the_undisturbed_one(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        done = await strike_positions(running, 17)
    assert done.wrong == []
    assert done.struck >= done.positions // 17
