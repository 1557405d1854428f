"""Victory points from the difference of match points (rules/tournaments.md, FIBUR)."""

from bisect import bisect_left
from typing import Final

# The largest difference of match points that still counts 10–10, 11–9, … 19–1, by number of deals.
_UP_TO: Final = {
    2: (40, 120, 200, 300, 400, 500, 620, 740, 870, 1000),
    3: (50, 150, 250, 350, 500, 650, 800, 1000, 1250, 1500),
    4: (100, 300, 500, 700, 900, 1100, 1300, 1500, 1700, 2000),
}
_EVEN: Final = 10
DEALS: Final = frozenset(_UP_TO)


def victory_points(difference: int, deals: int) -> tuple[int, int]:
    """Victory points of a side and of its opponents, by what it leads by after 2, 3 or 4 deals.

    >>> victory_points(875 - 325, 4)
    (13, 7)
    >>> victory_points(155 - 635, 2)
    (5, 15)
    """
    more = bisect_left(_UP_TO[deals], abs(difference))
    return (_EVEN + more, _EVEN - more) if difference >= 0 else (_EVEN - more, _EVEN + more)


def leaver_points(deals: int) -> int:
    """Victory points of a side that leaves a round of so many deals."""
    return 8 if deals == 4 else 6
