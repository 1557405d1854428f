"""No viewer can tell worlds apart that differ in nothing but what is hidden from it."""

import pytest

from tests.leaks.checker import search

PAIRS = 2_500


# Far from the deals that ``python -m tests.leaks`` begins with.
@pytest.mark.parametrize("part", range(8))
def test_worlds_that_differ_in_hidden_cards_look_alike(part: int) -> None:
    found = search(1_000_000 + 1_000 * part, PAIRS)
    assert (found.pairs, found.leaks) == (PAIRS, ())
