"""What would be legal instead of a refused act, within what that may cost everybody else."""

from collections.abc import Sequence
from typing import Final

from burraco.engine.actions import Action
from burraco.engine.errors import NOTHING_NEAR, IllegalAction
from burraco.server.clock import Clock
from burraco.server.frames import rules_refusal
from burraco.server.record import PastReveal
from burraco.v1 import errors_pb2

# Of the event loop's time; the search takes a millisecond or two, and tables wait for it.
_SHARE: Final = 0.05


class Advice:
    """Words refusals; under a flood of illegal acts it leaves out the nearest legal one."""

    def __init__(self) -> None:
        self._resting_until = float("-inf")

    def word(
        self, clock: Clock, refused: IllegalAction | PastReveal, actions: Sequence[Action]
    ) -> errors_pb2.Refusal:
        """Why an act is illegal, and what would be legal unless that was asked too often."""
        started = clock.now()
        if started < self._resting_until:
            if isinstance(refused, IllegalAction):
                refused.offer(lambda: NOTHING_NEAR)
            return rules_refusal(refused, actions)
        told = rules_refusal(refused, actions)
        now = clock.now()
        self._resting_until = now + (now - started) / _SHARE
        return told
