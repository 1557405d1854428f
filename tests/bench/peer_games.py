"""Random gin rummy of one library: ``python -m tests.bench.peer_games open_spiel``.

It runs in the environment of that peer, which knows nothing of this repository but this folder.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.bench.yardstick import yardstick

PEERS = {
    "open_spiel": ("open_spiel",),
    "rlcard": ("rlcard",),
    "pettingzoo": ("pettingzoo[classic]<1.25",),  # the last ones with gin rummy
}
_SECONDS = 8.0


def main() -> None:
    """Print microseconds a step and multiples of the yardstick, without dealing and with it."""
    play = _PLAYERS[sys.argv[1]]()
    list(play(random.Random(0)))
    chance, steps, dealing, playing = random.Random(1), 0, 0.0, 0.0
    while playing < _SECONDS:
        began = time.process_time()
        game = play(chance)
        next(game)
        dealt = time.process_time()
        steps += next(game)
        dealing += dealt - began
        playing += time.process_time() - dealt
    print(speed(steps, playing, dealing))


def speed(steps: int, playing: float, dealing: float) -> str:
    """How long a step takes, from the seconds of whole games."""
    unit = yardstick()
    alone, whole = playing / steps, (playing + dealing) / steps
    return (
        f"{alone * 1e6:7.1f} µs  {alone / unit:7.1f} × yardstick;"
        f" with dealing {whole * 1e6:7.1f} µs  {whole / unit:7.1f} × yardstick"
    )


# A game stops once when it is dealt, and then says after how many steps it was over.
_Play = Callable[[random.Random], Iterator[int]]


def _open_spiel() -> _Play:
    import pyspiel  # type: ignore[import-not-found]  # only the peers have it

    game = pyspiel.load_game("gin_rummy")

    def play(chance: random.Random) -> Iterator[int]:
        state, steps = game.new_initial_state(), 0
        while state.is_chance_node():
            state.apply_action(chance.choice(state.legal_actions()))
        yield steps
        while not state.is_terminal():
            if not state.is_chance_node():
                steps += 1
            state.apply_action(chance.choice(state.legal_actions()))
        yield steps

    return play


def _rlcard() -> _Play:
    import rlcard  # type: ignore[import-not-found]  # only the peers have it

    env = rlcard.make("gin-rummy")

    def play(chance: random.Random) -> Iterator[int]:
        state, _ = env.reset()
        steps = 0
        yield steps
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
        yield steps

    return play


def _pettingzoo() -> _Play:
    from pettingzoo.classic import (  # type: ignore[import-not-found]  # only the peers have it
        gin_rummy_v4,
    )

    env = gin_rummy_v4.env()

    def play(chance: random.Random) -> Iterator[int]:
        env.reset(seed=chance.randrange(1 << 30))
        steps = 0
        yield steps
        for _ in env.agent_iter():
            seen, _, ended, cut_off, _ = env.last()
            env.step(None if ended or cut_off else chance.choice(_allowed(seen)))
            steps += 1
        yield steps

    return play


def _allowed(seen: Mapping[str, Sequence[int]]) -> list[int]:
    return [action for action, allowed in enumerate(seen["action_mask"]) if allowed]


_PLAYERS = {"open_spiel": _open_spiel, "rlcard": _rlcard, "pettingzoo": _pettingzoo}


if __name__ == "__main__":
    main()
