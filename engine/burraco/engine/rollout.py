"""Playing a deal on without looking back: for search, self-play and counting.

A rollout steps one state of its own instead of making a new one for each action, and chance comes
from a seed by arithmetic alone, so that it runs the same on every machine.
"""

from collections.abc import Callable
from typing import Final, final

from burraco.engine.actions import Action
from burraco.engine.legal import legal
from burraco.engine.state import DealState, Phase
from burraco.engine.transition import carry_out

Policy = Callable[[DealState], Action]

_WORD: Final = (1 << 64) - 1
_CHOICE_WIDTH: Final = 32
# Knuth's constants for 64 bits; neighbouring seeds start far apart by the golden ratio.
_MULTIPLIER: Final = 6364136223846793005
_INCREMENT: Final = 1442695040888963407
_SPREAD: Final = 0x9E3779B97F4A7C15


def rollout(state: DealState, policy: Policy, limit: int) -> DealState:
    """Play until the deal is over, at most ``limit`` actions; the state passed in stays as it is.

    The policy answers with a legal action, and this is not checked. It is shown the running state
    itself, which changes under it with the next action: whoever wants to keep it copies it.
    """
    running = state.copy()
    for _ in range(limit):
        if running.phase is Phase.OVER:
            break
        carry_out(running, policy(running))
    return running


def random_action(state: DealState, bits: int) -> Action:
    """The legal action that 32 random bits choose, all of them equally likely."""
    actions = legal(state)
    return actions[len(actions) * bits >> _CHOICE_WIDTH]


@final
class RandomPolicy:
    """Any legal action, by chance that follows from the seed (a linear congruential generator)."""

    __slots__ = ("_word",)

    def __init__(self, seed: int) -> None:
        self._word = seed * _SPREAD + _INCREMENT & _WORD

    def __call__(self, state: DealState) -> Action:
        """The next choice, one of the legal actions."""
        self._word = self._word * _MULTIPLIER + _INCREMENT & _WORD
        return random_action(state, self._word >> _CHOICE_WIDTH)
