"""Disconnects at chosen moments of a bot's life, in every manner: a matrix that is worked off."""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from random import Random
from typing import Final

from tests.faults.proxy import SILENCING, Manner, Proxy


class Moment(StrEnum):
    """When a connection is struck."""

    BEFORE_HELLO = "before_hello"
    WAITING = "waiting"
    DECISION_OPEN = "decision_open"
    ACT_IN_FLIGHT = "act_in_flight"
    VERDICT_IN_FLIGHT = "verdict_in_flight"
    MATCH_END = "match_end"


MANNERS: Final = (Manner.CUT, Manner.HALF_CLOSE, Manner.BLACK_HOLE, Manner.SLOW_DRIP)
# Which way the next bytes go that the fault befalls.
_UPSTREAM: Final = {
    Moment.BEFORE_HELLO: True,
    Moment.WAITING: False,
    Moment.DECISION_OPEN: True,
    Moment.ACT_IN_FLIGHT: True,
    Moment.VERDICT_IN_FLIGHT: False,
    Moment.MATCH_END: False,
}
# Moments that come often are let pass some times, so that bots get on with their matches.
_RARE: Final = (Moment.BEFORE_HELLO, Moment.MATCH_END)


class Matrix:
    """So many strikes for each moment and manner, in a random order."""

    def __init__(self, each: int, chance: Random) -> None:
        self._chance = chance
        self._left = {moment: list(MANNERS) * each for moment in Moment}
        for manners in self._left.values():
            chance.shuffle(manners)
        self.struck: Counter[tuple[Moment, Manner]] = Counter()

    def hook(self, proxy: Proxy) -> Callable[[Moment], None]:
        """What a bot is to call at each moment; ``proxy`` is its own."""
        is_struck, passing = False, 0

        def at(moment: Moment) -> None:
            nonlocal is_struck, passing
            if moment is Moment.BEFORE_HELLO:
                is_struck = self._chance.random() < 0.3
            if is_struck or not self._left[moment]:
                return
            passing -= 1
            if passing > 0 and moment not in _RARE:
                return
            passing = self._chance.randint(1, 8)
            manner = self._left[moment].pop()
            self.struck[moment, manner] += 1
            is_struck = manner in SILENCING
            _strike(proxy, moment, manner)

        return at


def _strike(proxy: Proxy, moment: Moment, manner: Manner) -> None:
    for link in tuple(proxy.links):
        if moment is Moment.DECISION_OPEN and manner is Manner.CUT:
            link.cut()
        else:
            link.strike(manner, upstream=_UPSTREAM[moment])
