"""Bots that do everything wrong, for trying out what a match does about them."""

import asyncio
import os
from collections.abc import Coroutine
from typing import Final

from burraco.sdk import DRAW_STOCK, Action, Add, Bot, Discard, Phase, View

_NO_SUCH_MELD: Final = 99
_MUCH_TOO_LONG: Final = 3600.0
_GOOD_DECISIONS: Final = 20
_CRASH_STATUS: Final = 70


class IllegalBot(Bot):
    """Adds its cards to a meld that does not exist, and discards before it has drawn."""

    def decide(self, view: View) -> Action:
        """Answer what the rules refuse."""
        if view.phase is Phase.DRAW:
            return Discard(view.hand[0])
        return Add(_NO_SUCH_MELD, view.hand[:1])


class SleepingBot(Bot):
    """Never answers in time, and does not stop anybody else from doing so."""

    def decide(self, view: View) -> Coroutine[None, None, Action]:
        """Sleep for an hour, then draw."""
        return _after(_MUCH_TOO_LONG)


class CrashingBot(Bot):
    """Plays the first legal actions for a while, then takes its whole process down."""

    def __init__(self) -> None:
        self._decisions = 0

    def decide(self, view: View) -> Action:
        """Answer, or end the process without a word."""
        self._decisions += 1
        if self._decisions > _GOOD_DECISIONS:
            self.crash()
        return view.legal[-1]

    def crash(self) -> None:
        """End the process at once: no exception handler and no clean-up runs."""
        os._exit(_CRASH_STATUS)


async def _after(seconds: float) -> Action:
    await asyncio.sleep(seconds)
    return DRAW_STOCK
