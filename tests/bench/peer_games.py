"""Random gin rummy of one library: ``python -m tests.bench.peer_games open_spiel``.

It runs in the environment of that peer, which knows nothing of this repository but this folder.
"""

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from tests.bench.yardstick import yardstick

PEERS = {
    "open_spiel": ("open_spiel",),
    "rlcard": ("rlcard",),
    "pettingzoo": ("pettingzoo[classic]<1.25",),  # the last ones with gin rummy
}
_SECONDS = 8.0


def main() -> None:
    """Print microseconds a step and multiples of the yardstick."""
    play = _PLAYERS[sys.argv[1]]()
    play(random.Random(0))
    chance, steps = random.Random(1), 0
    began = time.process_time()
    while time.process_time() - began < _SECONDS:
        steps += play(chance)
    each = (time.process_time() - began) / steps
    print(f"{each * 1e6:7.1f} µs  {each / yardstick():7.1f} × yardstick")


_Play = Callable[[random.Random], int]


def _open_spiel() -> _Play:
    import pyspiel  # type: ignore[import-not-found]  # only the peers have it

    game = pyspiel.load_game("gin_rummy")

    def play(chance: random.Random) -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                steps += 1
            state.apply_action(chance.choice(state.legal_actions()))
        return steps

    return play


def _rlcard() -> _Play:
    import rlcard  # type: ignore[import-not-found]  # only the peers have it

    env = rlcard.make("gin-rummy")

    def play(chance: random.Random) -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
        return steps

    return play


def _pettingzoo() -> _Play:
    from pettingzoo.classic import (  # type: ignore[import-not-found]  # only the peers have it
        gin_rummy_v4,
    )

    env = gin_rummy_v4.env()

    def play(chance: random.Random) -> int:
        env.reset(seed=chance.randrange(1 << 30))
        steps = 0
        for _ in env.agent_iter():
            seen, _, ended, cut_off, _ = env.last()
            env.step(None if ended or cut_off else chance.choice(_allowed(seen)))
            steps += 1
        return steps

    return play


def _allowed(seen: Mapping[str, Sequence[int]]) -> list[int]:
    return [action for action, allowed in enumerate(seen["action_mask"]) if allowed]


_PLAYERS = {"open_spiel": _open_spiel, "rlcard": _rlcard, "pettingzoo": _pettingzoo}


if __name__ == "__main__":
    main()
