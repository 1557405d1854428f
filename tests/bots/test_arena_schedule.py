"""The round robin: who meets whom, on which cards, under which ids."""

from collections import Counter

import pytest

from burraco.bots.arena_schedule import (
    Half,
    board_id,
    board_seed,
    file_stem,
    match_id,
    schedule,
)

NAMES = ("random", "greedy", "club", "club#2")


@pytest.mark.parametrize(
    ("entries", "boards", "tables"),
    [
        pytest.param(2, 1, 2, id="one-pairing"),
        pytest.param(3, 24, 144, id="three-pairings"),
        pytest.param(5, 2, 40, id="ten-pairings"),
    ],
)
def test_every_pairing_plays_every_board_twice(entries: int, boards: int, tables: int) -> None:
    halves = schedule(entries, boards)

    pairings = Counter((frozenset(half.sides), half.board) for half in halves)
    assert len(halves) == tables
    assert len(pairings) == boards * entries * (entries - 1) // 2
    assert set(pairings.values()) == {2}


def test_halves_follow_each_other_with_sides_swapped() -> None:
    halves = schedule(4, 3)

    for one, two in zip(halves[::2], halves[1::2], strict=True):
        assert one.sides == two.sides[::-1]
        assert (one.board, one.dealer) == (two.board, two.dealer)


def test_everybody_sits_at_both_sides_equally_often() -> None:
    halves = schedule(4, 5)

    assert Counter(half.sides[0] for half in halves) == Counter(half.sides[1] for half in halves)


def test_the_dealer_goes_round() -> None:
    assert [half.dealer for half in schedule(2, 5)[::2]] == [0, 1, 2, 3, 0]


def test_a_board_has_one_seed_for_everybody() -> None:
    seeds = {board_seed(1, board) for board in range(1, 25)} | {board_seed(2, 1)}

    assert len(seeds) == 25
    assert {len(seed) for seed in seeds} == {80}
    assert board_seed(1, 1) == board_seed(1, 1)


def test_ids_tell_nothing_and_never_meet() -> None:
    halves = schedule(4, 6)
    matches = {match_id(1, NAMES, half) for half in halves}
    boards = Counter(board_id(1, NAMES, half) for half in halves)

    assert len(matches) == len(halves)
    assert set(boards.values()) == {2}
    assert not matches & boards.keys()
    assert all(set(text) <= set("0123456789abcdef") for text in matches | boards.keys())


def test_a_pairing_keeps_its_ids_whoever_else_enters() -> None:
    pair, among = ("greedy", "club"), ("random", "greedy", "club")

    assert match_id(1, pair, Half(2, 0, 1, 0)) == match_id(1, among, Half(2, 1, 2, 0))


def test_files_are_named_by_pairing_board_and_half() -> None:
    assert file_stem(NAMES, Half(7, 1, 3, 1)) == "greedy-club#2-7-2"
