"""The table of victory points at each of its edges (rules/tournaments.md)."""

from itertools import pairwise
from pathlib import Path

import pytest

from burraco.tournament.victory_points import leaver_points, victory_points

RULES = Path(__file__).parents[2] / "docs" / "rules" / "tournaments.md"


def rows() -> list[tuple[int, int, int, int]]:
    """Deals, the least and the most difference, and the winner's points, as the page has them."""
    found = []
    for line in RULES.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or "–" not in cells[0]:
            continue
        winner = int(cells[0].split("–")[0])
        for deals, cell in zip((2, 3, 4), cells[1:], strict=True):
            low, _, high = cell.partition("–")
            if cell.startswith(">"):
                low, high = str(int(cell[1:]) + 5), "100000"
            found.append((deals, int(low), int(high), winner))
    return found


def test_the_page_has_every_row() -> None:
    assert len(rows()) == 33


@pytest.mark.parametrize(("deals", "low", "high", "winner"), rows())
def test_each_edge_of_the_table(deals: int, low: int, high: int, winner: int) -> None:
    for difference in {low, (low + high) // 10 * 5, high}:
        assert victory_points(difference, deals) == (winner, 20 - winner)
        if difference:
            assert victory_points(-difference, deals) == (20 - winner, winner)


@pytest.mark.parametrize("deals", [2, 3, 4])
def test_no_difference_of_points_is_without_its_row(deals: int) -> None:
    edges = sorted((low, high) for count, low, high, _ in rows() if count == deals)
    assert edges[0][0] == 0
    assert all(low == high + 5 for (_, high), (low, _) in pairwise(edges))


@pytest.mark.parametrize(
    ("one", "other", "deals", "points"),
    [(875, 325, 4, (13, 7)), (845, 405, 3, (14, 6)), (635, 155, 2, (15, 5))],
)
def test_the_examples_of_the_rules(
    one: int, other: int, deals: int, points: tuple[int, int]
) -> None:
    assert victory_points(one - other, deals) == points


def test_a_side_that_leaves() -> None:
    assert [leaver_points(deals) for deals in (2, 3, 4)] == [6, 6, 8]
