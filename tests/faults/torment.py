"""What is done to a server and its database while bots play."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from burraco.server.failpoints import KILL, POINTS
from tests.faults.player import Player
from tests.faults.server import ServerProcess
from tests.server.postgres import Postgres

# Less than the first write to the log of a match needs.
_FULL: Final = 1_024
# How long a fail point may take to be passed, and a full disk to be felt.
_POINT_SECONDS: Final = 60
_FELT_SECONDS: Final = 10
# Points that are passed seldom are armed for their first passing.
_RARE: Final = ("publisher.end", "recovery.fold")
_ACTS_OF_A_DEAL: Final = 100
# A point is struck at one of its first so many passings.
_TURNS: Final = 20

Stroke = Callable[[], Coroutine[None, None, None]]


@dataclass(frozen=True, slots=True)
class Strokes:
    """How often each thing is done; ``points`` is for every fail point and effect."""

    kills: int = 0
    freezes: int = 0
    points: int = 0
    full_disks: int = 0
    database_kills: int = 0
    database_freezes: int = 0


class Torment:
    """Does it all in a random order, each thing after some more acts have been sent."""

    def __init__(
        self,
        server: ServerProcess,
        postgres: Postgres | None,
        players: Sequence[Player],
        chance: Random,
    ) -> None:
        self._server = server
        self._postgres = postgres
        self._players = players
        self._chance = chance
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        # Faults of the server's own that it was made to have, at most.
        self.raised = 0

    async def run(self, strokes: Strokes, deals: int) -> None:
        """Spread the strokes over so many deals in all."""
        todo = self._list(strokes)
        self._chance.shuffle(todo)
        apart = max(1, round(self._spare_acts(strokes, deals) / max(1, len(todo))))
        for stroke in todo:
            await self._after_more_acts(self._chance.randint(1, apart))
            if self._is_over():
                return
            await stroke()

    def _spare_acts(self, strokes: Strokes, deals: int) -> float:
        """Twice the acts between two strokes, without those that fail points take themselves."""
        each = sum(len(effects) for effects in POINTS.values()) * _TURNS / 2
        return max(0.0, 1.4 * (deals * _ACTS_OF_A_DEAL - strokes.points * each))

    def _list(self, strokes: Strokes) -> list[Stroke]:
        todo: list[Stroke] = [self._kill] * strokes.kills + [self._freeze] * strokes.freezes
        todo += [self._fail_everywhere] * strokes.points
        if self._postgres is None:
            return todo + [self._fill_disk] * strokes.full_disks
        todo += [partial(self._kill_database, self._postgres)] * strokes.database_kills
        todo += [partial(self._freeze_database, self._postgres)] * strokes.database_freezes
        return todo

    async def _kill(self) -> None:
        await self._server.kill()
        await self._server.start()
        self.counts["kills"] += 1

    async def _freeze(self) -> None:
        await self._server.freeze(self._chance.uniform(0.1, 1.0))
        self.counts["freezes"] += 1

    async def _fail_everywhere(self) -> None:
        """Start it with one fail point after the other, and at last without."""
        points = [(point, effect) for point, effects in POINTS.items() for effect in effects]
        self._chance.shuffle(points)
        for point, effect in points:
            await self._fail_at(point, effect)
        await self._server.kill()
        await self._server.start()

    async def _fail_at(self, point: str, effect: str) -> None:
        turn = 1 if point in _RARE else self._chance.randint(1, _TURNS)
        await self._server.kill()
        await self._server.start(f"{point}:{effect}:{turn}")
        if effect == KILL:
            await self._until(lambda: not self._server.is_running, _POINT_SECONDS)
            self.counts[f"{point}:{effect}"] += not self._server.is_running
        else:
            before = self._server.faults()
            self.raised += 1
            await self._until(lambda: self._server.faults() > before, _POINT_SECONDS)
            self.counts[f"{point}:{effect}"] += self._server.faults() > before

    async def _fill_disk(self) -> None:
        before = self._put_off()
        self._server.limit_files(_FULL)
        try:
            await self._until(lambda: self._put_off() > before, _FELT_SECONDS)
        finally:
            if self._server.is_running:
                self._server.limit_files(None)
        if not self._server.is_running:
            self.wrong.append("the server ended when its disk was full")
            await self._server.start()
        self.counts["full disks"] += self._put_off() > before

    async def _kill_database(self, postgres: Postgres) -> None:
        await asyncio.to_thread(postgres.kill)
        await asyncio.to_thread(postgres.restart)
        self.counts["database kills"] += 1

    async def _freeze_database(self, postgres: Postgres) -> None:
        with postgres.frozen():
            await asyncio.sleep(self._chance.uniform(0.1, 4.0))
        self.counts["database freezes"] += 1

    async def _after_more_acts(self, more: int) -> None:
        due = more + self._acts()
        await self._until(lambda: self._acts() >= due, None)

    async def _until(self, is_so: Callable[[], bool], seconds: float | None) -> None:
        """Wait until something is so, all is over, or the time is up."""
        loop = asyncio.get_running_loop()
        end = None if seconds is None else loop.time() + seconds
        while not (is_so() or self._is_over()) and (end is None or loop.time() < end):
            await asyncio.sleep(0.005)

    def _is_over(self) -> bool:
        return all(player.is_done for player in self._players)

    def _acts(self) -> int:
        return sum(len(player.journal.acts) for player in self._players)

    def _put_off(self) -> int:
        return sum(player.journal.put_off for player in self._players)
