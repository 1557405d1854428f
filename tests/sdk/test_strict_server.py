"""The strict client against the real server, over connections that break."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from burraco.bots.greedy import GreedyBot
from burraco.sdk import (
    DRAW_STOCK,
    Action,
    Add,
    Bot,
    MatchResult,
    Phase,
    PlayOptions,
    PlayPlan,
    Refusal,
    SeenEvent,
    View,
    play_bot,
)
from tests.faults.proxy import Fault, Manner, Proxy
from tests.server.harness import Running, serving

NAMES = ("north", "east", "south", "west")
# Bytes from the server after which connections break, each at another one.
SHORTEST, STEP, LENGTHS = 1_200, 611, 9


async def four(
    running: Running, bots: Sequence[type[Bot]], port: int, options: PlayOptions, deals: int
) -> list[MatchResult]:
    """Play one match; the results that each bot was told."""
    await running.register(*NAMES)
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        playing = [
            group.create_task(
                play_bot(bot, f"127.0.0.1:{port}", running.tokens[name], PlayPlan(options, 1))
            )
            for name, bot in zip(NAMES, bots, strict=True)
        ]
        await running.create(NAMES, deals=deals)
    return [task.result()["m"] for task in playing]


def port_of(running: Running) -> int:
    return int(str(running.arena.listen).rpartition(":")[2])


async def test_strict_bots_hear_every_event_once_over_connections_that_break(
    tmp_path: Path,
) -> None:
    heard: dict[int, list[SeenEvent]] = {}
    told: dict[int, list[SeenEvent]] = {}
    missed: Counter[int] = Counter()
    lengths = count()

    class Listener(GreedyBot):
        def decide(self, view: View) -> Action:
            told.setdefault(self.table.seat, []).extend(self.table.events)
            missed[self.table.seat] += self.table.missed
            self.note = f"attempt {self.table.attempt}"
            return super().decide(view)

        def on_event(self, event: SeenEvent) -> None:
            heard.setdefault(self.table.seat, []).append(event)

        def end(self, result: MatchResult) -> None:
            told.setdefault(self.table.seat, []).extend(self.table.events)
            missed[self.table.seat] += self.table.missed

    def next_fault() -> Fault:
        return Fault(Manner.CUT, SHORTEST + STEP * (next(lengths) % LENGTHS), upstream=False)

    async with (
        serving(tmp_path) as running,
        Proxy(port_of(running), next_fault).running() as proxy,
    ):
        results = await four(running, [Listener] * 4, proxy.port, PlayOptions(strict=True), 3)
        assert proxy.struck > 20
    assert results == [results[0]] * 4
    assert results[0].is_clean
    assert heard == told
    assert sorted(heard) == [0, 1, 2, 3]
    assert missed.total() == 0
    facts = {seat: [type(event.fact) for event in events] for seat, events in heard.items()}
    assert all(facts[seat] == facts[0] for seat in facts)


async def test_140_a_house_bot_is_refused_what_any_bot_is(tmp_path: Path) -> None:
    refusals: dict[int, Refusal | None] = {}

    def wrong(bot: Bot, view: View) -> Action:
        """An addition to a meld that nobody has, once; then whatever may be played."""
        if bot.table.attempt == 1 and view.phase is Phase.PLAY and bot.table.seat not in refusals:
            refusals[bot.table.seat] = None
            return Add(99, view.hand[:1])
        if bot.table.refusal is not None and refusals[bot.table.seat] is None:
            refusals[bot.table.seat] = bot.table.refusal
        return DRAW_STOCK if view.phase is Phase.DRAW else view.legal[-1]

    class Own(Bot):
        def decide(self, view: View) -> Action:
            return wrong(self, view)

    class House(GreedyBot):
        def decide(self, view: View) -> Action:
            return wrong(self, view)

    async with serving(tmp_path) as running:
        results = await four(
            running, [Own, House, GreedyBot, GreedyBot], port_of(running), PlayOptions(), 1
        )
    own, house = refusals[0], refusals[1]
    assert own is not None
    assert house is not None
    assert (own.reason, own.rule) == (house.reason, house.rule)
    assert [seat.illegal_acts for seat in results[0].seats] == [1, 1, 0, 0]
