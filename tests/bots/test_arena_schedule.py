"""How the tables of an arena are told apart."""

import pytest

from burraco.bots.arena_schedule import file_stem, require_two_sides, side_of
from burraco.engine import Unreadable, preset

NAMES = ("random", "greedy", "club", "club#2")


@pytest.mark.parametrize("pair", [(1, 3), (3, 1)])
def test_files_are_named_by_pairing_board_and_half(pair: tuple[int, int]) -> None:
    assert file_stem(NAMES, pair, 7, 2) == "greedy-club#2-7-2"


def test_partners_are_a_side() -> None:
    assert [side_of(seat) for seat in range(4)] == [0, 1, 0, 1]


def test_three_players_are_no_two_sides() -> None:
    rules = preset("classic")

    assert require_two_sides(rules) is rules
    with pytest.raises(Unreadable, match="players=3"):
        require_two_sides(rules.with_knobs(players=3))
