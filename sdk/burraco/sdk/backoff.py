"""How long to wait before trying again: longer each time, and never all clients at once."""

import random
from typing import Final

SHORTEST_SECONDS: Final = 0.1
LONGEST_SECONDS: Final = 5.0
# From here on nothing grows any more.
_MOST_FAILURES: Final = 16
# Not of the seed that an author may set: processes that play alike must not wait alike.
_CHANCE: Final = random.SystemRandom()


class BackOff:
    """Waits for one connection."""

    def __init__(self) -> None:
        self._failures = 0

    def succeed(self) -> None:
        """The next wait is a short one again."""
        self._failures = 0

    def next_seconds(self, least: float = 0.0) -> float:
        """How long to wait now, at least as long as the server asked for."""
        longest = min(LONGEST_SECONDS, SHORTEST_SECONDS * 2**self._failures)
        self._failures = min(self._failures + 1, _MOST_FAILURES)
        return least + _CHANCE.uniform(longest / 2, longest)


def later(seconds: float) -> float:
    """A little more than what the server asked for, so that not everybody comes at once."""
    return seconds * _CHANCE.uniform(1.0, 1.25)
