"""The client against the server itself, a process of its own that is killed in the middle."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from burraco.bots.registry import house_bot
from burraco.sdk import (
    Action,
    MatchEnd,
    MatchState,
    Organiser,
    PlayPlan,
    View,
    play_bot,
)

TOKEN = "organiser-of-this-test".ljust(43, "-")
NAMES = ("north", "east", "south", "west")


class _Server:
    """``burraco serve`` on the loopback; it may be killed and started again at the same place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = "127.0.0.1:0"

    async def start(self) -> None:
        """Start it and wait until it says that it serves."""
        command = "import sys; from burraco.sdk.command import main; sys.exit(main())"
        options = ["--listen", self.address, "--data", str(self._folder), "--metrics", "off"]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", command, "serve", *options),
            env={**os.environ, "BURRACO_ORGANISER_TOKEN": TOKEN},
            stdout=DEVNULL,
            stderr=PIPE,
        )
        assert self._process.stderr is not None
        async with asyncio.timeout(20):
            async for line in self._process.stderr:
                if b'"serving"' in line:
                    self.address = json.loads(line)["address"]
                    return
        raise AssertionError("the server ended before it served")

    async def kill(self) -> None:
        """End it without a word of warning."""
        self._process.kill()
        await self._process.communicate()


@asynccontextmanager
async def a_server(folder: Path) -> AsyncIterator[_Server]:
    server = _Server(folder)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


async def test_matches_go_on_over_a_server_that_is_killed(tmp_path: Path) -> None:
    enough = asyncio.Event()
    asked: list[int] = []

    class Counted(house_bot("club")):  # type: ignore[misc]  # a class that is looked up by name
        def decide(self, view: View) -> Action | Sequence[Action]:
            asked.append(self.table.seat)
            if len(asked) == 40:
                enough.set()
            answer: Action | Sequence[Action] = super().decide(view)
            return answer

    async with a_server(tmp_path) as server:
        async with Organiser(server.address, TOKEN) as organiser:
            tokens = [await organiser.register_bot(name) for name in NAMES]
            await organiser.create_match(NAMES, match_id="m", deals=3)
        async with asyncio.timeout(60):
            playing = [
                asyncio.create_task(play_bot(Counted, server.address, token, PlayPlan(matches=1)))
                for token in tokens
            ]
            await enough.wait()
            await server.kill()
            await server.start()
            results = [(await task)["m"] for task in playing]
        async with Organiser(server.address, TOKEN) as organiser:
            outcome = await organiser.result("m")
            summary = await organiser.show("m")
            notation = await organiser.export("m")
            listed = [match.match_id async for match in organiser.matches(MatchState.ENDED)]
    assert results == [outcome] * 4
    assert outcome.end is MatchEnd.PLAYED
    assert outcome.deals == 3
    assert [(seat.player, seat.illegal_acts) for seat in outcome.seats] == [
        (name, 0) for name in NAMES
    ]
    assert outcome.is_clean
    assert summary.totals == outcome.totals
    assert notation.count("[Result ") == 3
    assert listed == ["m"]
