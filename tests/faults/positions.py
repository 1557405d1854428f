"""A connection killed after each frame of a match, both ways: the log is the undisturbed one."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from burraco.server.journal import Acted
from burraco.server.recovery import read_row
from tests.faults.history import violations
from tests.faults.moments import Moment
from tests.faults.player import Player
from tests.faults.proxy import Manner, Proxy
from tests.server.harness import Running

SEATS = 4
# Whose frame is on its way at a moment, where one is; elsewhere the connection breaks at once.
_IN_FLIGHT = {Moment.ACT_IN_FLIGHT: True, Moment.VERDICT_IN_FLIGHT: False}


@dataclass(slots=True)
class Struck:
    """How many positions a match has, how many were struck, and what was wrong."""

    positions: int = 0
    struck: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


async def strike_positions(running: Running, step: int) -> Struck:
    """Play the same match again and again, with a break at every ``step``-th position."""
    began, done = time.monotonic(), Struck()
    undisturbed = await _play(running, 0, done)
    for position in range(1, done.positions + 1, step):
        if await _play(running, position, done) != undisturbed:
            done.wrong.append(f"position {position}: the log is another")
    done.seconds = time.monotonic() - began
    return done


async def _play(running: Running, position: int, done: Struck) -> list[tuple[object, ...]]:
    """Play with a break at a position, 0 for none; gives what the log says was played."""
    name = f"solo{position}"
    await running.register(name)
    await running.create([name] * SEATS, match_id=name)
    proxy = Proxy(int(str(running.arena.listen).rpartition(":")[2]))
    passed, at = _breaker(proxy, position)
    async with proxy.running():
        player = Player(name, running.tokens[name], SEATS, at)
        await player.play(proxy.address)
        done.struck += proxy.struck
    if not position:
        done.positions = passed()
    rows = await running.arena.store.log(name)
    wrong = violations({name: rows}, [player.journal])
    done.wrong += [f"position {position}: {what}" for what in wrong]
    acted = [row for row in map(read_row, rows) if isinstance(row, Acted)]
    return [(row.decision, row.seat, row.by, row.actions) for row in acted]


def _breaker(proxy: Proxy, position: int) -> tuple[Callable[[], int], Callable[[Moment], None]]:
    passed = 0

    def at(moment: Moment) -> None:
        nonlocal passed
        passed += 1
        if passed != position:
            return
        for link in tuple(proxy.links):
            if moment in _IN_FLIGHT:
                link.strike(Manner.CUT, upstream=_IN_FLIGHT[moment])
            else:
                link.cut()

    return lambda: passed, at
