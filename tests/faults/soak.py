"""Very many decisions through the SDK: does memory grow with them?"""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression
from typing import Any, Final

import psutil

from burraco.engine.standin import greedy_action
from burraco.sdk import Action, Bot, View
from burraco.sdk.client import PlayPlan, play_bot
from burraco.sdk.organiser import Organiser
from tests.faults.server import serving_process

_NAMES: Final = ("north", "east", "south", "west")
_MIB: Final = 1 << 20
# Matches that are played at the same time, and how many samples are taken in all.
_AT_ONCE: Final = 8
_SAMPLES: Final = 100
# More than this for 100,000 decisions is growth: a match that has ended leaves nothing behind, and
# tables of what comes again and again are all but full in the second half of a long run.
_MOST_MIB: Final = 2.0
_COUNTED: Final = 100_000


class Counting(Bot):
    """Plays greedily and counts."""

    decisions = 0

    def decide(self, view: View) -> Action:
        Counting.decisions += 1
        return greedy_action(view)


@dataclass(slots=True)
class Soaked:
    """Samples of decisions, and of the megabytes of the server and of this process."""

    samples: list[tuple[int, float, float]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def slopes(self) -> tuple[float, float]:
        """Megabytes that 100,000 decisions add in the second half, by least squares."""
        late = self.samples[len(self.samples) // 2 :]
        decisions = [sample[0] / _COUNTED for sample in late]
        return (
            linear_regression(decisions, [sample[1] for sample in late]).slope,
            linear_regression(decisions, [sample[2] for sample in late]).slope,
        )

    def lines(self) -> list[str]:
        """For a person."""
        first, last, (server, sdk) = self.samples[0], self.samples[-1], self.slopes()
        course = [f"{at // 1000}k {server:.0f}/{sdk:.0f}" for at, server, sdk in self.samples[::10]]
        return [
            "decisions, MiB of server/SDK: " + ", ".join(course),
            f"{last[0]} decisions in {self.seconds:.0f} s",
            f"server: {first[1]:.0f} to {last[1]:.0f} MiB; {server:+.2f} in {_COUNTED:,} decisions"
            " of the second half",
            f"SDK: {first[2]:.0f} to {last[2]:.0f} MiB; {sdk:+.2f} in the same",
            f"violations {len(self.wrong)}",
            *self.wrong,
        ]


async def soak(folder: Path, decisions: int) -> Soaked:
    """Play match after match until so many decisions have been answered."""
    began, done = time.monotonic(), Soaked()
    async with (
        serving_process(folder, None) as server,
        Organiser(server.address, server.organiser) as organiser,
    ):
        tokens = [await organiser.register_bot(name) for name in _NAMES]
        bots = [
            asyncio.create_task(play_bot(Counting, server.address, token, PlayPlan()))
            for token in tokens
        ]
        tables = [asyncio.create_task(_tables(organiser)) for _ in range(_AT_ONCE)]
        processes = psutil.Process(server.pid), psutil.Process(os.getpid())
        try:
            while Counting.decisions < decisions:
                sizes = [process.memory_info().rss / _MIB for process in processes]
                done.samples.append((Counting.decisions, sizes[0], sizes[1]))
                await _until(Counting.decisions + decisions // _SAMPLES, [*bots, *tables])
        finally:
            for task in (*bots, *tables):
                task.cancel()
            await asyncio.gather(*bots, *tables, return_exceptions=True)
        done.wrong += [f"{server.faults()} internal errors"] if server.faults() else []
        await server.stop()
    for who, slope in zip(("server", "SDK"), done.slopes(), strict=True):
        if slope > _MOST_MIB:
            done.wrong.append(f"the memory of the {who} grows")
    done.seconds = time.monotonic() - began
    return done


async def _tables(organiser: Organiser) -> None:
    """One match after the other."""
    while True:
        made = await organiser.create_match(_NAMES, deals=4)
        await organiser.result(made.match_id)


async def _until(decisions: int, working: Sequence[asyncio.Task[Any]]) -> None:
    """Wait for so many decisions, or for whoever fails."""
    while Counting.decisions < decisions:
        ended, _ = await asyncio.wait(working, timeout=0.05)
        for task in ended:
            task.result()
