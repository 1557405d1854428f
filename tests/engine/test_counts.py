"""Counts: how many legal sequences of moves begin in stored scenes, engine against reference."""

import pytest

from tests.reference.counts import DEPTH, Counted, count_in_engine, counted_again, stored

ROWS = stored()


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_counts(row: Counted) -> None:
    engine = tuple(count_in_engine(row.state, depth) for depth in range(1, DEPTH + 1))
    assert engine == row.numbers
    assert counted_again(row) == row
