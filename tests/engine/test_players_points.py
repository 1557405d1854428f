"""Two and three players (docs/players.md H12 to H16): points, and the end of a match."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from burraco.engine import (
    DRAW_STOCK,
    TAKE_PILE,
    DealState,
    End,
    EndedBy,
    MatchSetup,
    MatchStep,
    Ruleset,
    legal,
    preset,
    start_match,
)
from burraco.engine import play as play_match
from burraco.engine.cards import size
from burraco.engine.match import DealResult
from burraco.engine.scoring import deal_points, half
from tests.support.blocks import state_of
from tests.support.players import (
    CLOSED,
    ELEVEN,
    SEED,
    STOCK,
    THREE,
    TWO,
    E,
    N,
    S,
    rules_for,
)
from tests.support.playing import discard, play


@pytest.mark.parametrize(
    ("pair", "each"),
    [
        (205, 105),
        (-105, -50),
        (200, 100),
        (-200, -100),
        (0, 0),
        (5, 5),
        (-5, 0),
        (10, 5),
        (15, 10),
        (-15, -5),
        (-115, -55),
        (1995, 1000),
    ],
)
def test_H13_half_rounded_up_to_a_multiple_of_5(pair: int, each: int) -> None:
    assert half(pair) == each


def _closing(melds: str, hands: str, taken: str) -> DealState:
    """East, alone with 3c to 9c (45 and 200) and one king left, closes (100): 345."""
    state = state_of(
        THREE,
        'Turn "E play"',
        f'Hands "E:Kd {hands}"',
        f'Melds "NS: {melds} E: 3c4c5c6c7c8c9c"',
        f'Pozzetto "{taken}"',
    )
    return play(state, discard("Kd"))


@pytest.mark.parametrize(
    ("melds", "hands", "taken", "points"),
    [
        pytest.param(
            "3h4h5h6h7h8h9h", "N:KsQs S:9dJd", "E taken, NS taken", (105, 345, 105),
            id="45+200-40=205-gives-105",
        ),
        pytest.param(
            "7h7d7s", "N:Ks S:Qs", "E taken", (-50, 345, -50), id="15-20-100=-105-gives-minus-50"
        ),
        pytest.param(
            "7h7d7s", "N:8h S:KsQs", "E taken", (-55, 345, -55), id="15-30-100=-115-gives-minus-55"
        ),
        pytest.param(
            "8h8d8s, 7h7d7s", "N:Jk S:As", "E taken, NS taken", (0, 345, 0), id="45-45=0"
        ),
    ],
)  # fmt: skip
def test_H13_the_lone_players_points_are_whole_and_the_pairs_halved(
    melds: str, hands: str, taken: str, points: tuple[int, ...]
) -> None:
    assert deal_points(_closing(melds, hands, taken)) == points


def test_H13_an_unopened_pozzetto_counts_against_the_pair() -> None:
    """The 11 cost 5 x 5 + 6 x 10 = 85: 7d 3d 4d 5d 6d and 8d 9d Td Jd Qd 8d; 85 gives -40 each."""
    closed = _closing("", "N:", f"E taken, NS unopened S:{ELEVEN}")
    assert deal_points(closed) == (-40, 345, -40)


def test_H13_the_pairs_closing_and_the_lone_playersparse_cards() -> None:
    """The pair 45 + 200 + 100 - 10 = 335 gives 170 each; E holds a joker and has taken: -30."""
    state = state_of(
        THREE,
        'Turn "S play"',
        'Hands "N:Qs E:Jk S:Kd"',
        'Melds "NS: 3h4h5h6h7h8h9h"',
        'Pozzetto "E taken, NS taken"',
    )
    assert deal_points(play(state, discard("Kd"))) == (170, -30, 170)


# Kd is drawn and the stock has two cards left: the deal is over under classic.
_NOBODY = (
    'Turn "N draw"',
    'Hands "N:9h S:Jk"',
    'Melds "E: 7h7d7c"',
    'Pile "4c"',
    'Stock "KdKcQd"',
)


def test_H13_everybody_alone_and_whole_when_nobody_took_a_pozzetto() -> None:
    """N -10 -10 -100, E 15 -100, S -30 -100."""
    after = play(state_of(THREE, *_NOBODY), DRAW_STOCK)
    assert after.end == End(EndedBy.STOCK, None)
    assert deal_points(after) == (-120, -85, -130)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        pytest.param("fibur", (-10, 15, -30), id="H14-waived-for-all"),
        pytest.param("online", (-110, -85, -130), id="R69-not-waived"),
    ],
)
def test_H14_where_nobody_took_one(name: str, points: tuple[int, ...]) -> None:
    state = state_of(f'Rules "{name} players=3"', *_NOBODY)
    assert deal_points(play(state, DRAW_STOCK, discard("Kd"))) == points


def test_H14_nothing_is_waived_once_somebody_took_one() -> None:
    """E 15; the pair -10 -30 -100 = -140 gives -70 each."""
    state = state_of('Rules "fibur players=3"', *_NOBODY, 'Pozzetto "E taken"')
    assert deal_points(play(state, DRAW_STOCK, discard("Kd"))) == (-70, 15, -70)


def test_H12_two_players_have_a_number_each() -> None:
    """N 15 -100; E -10 - 10, and has its pozzetto."""
    state = state_of(
        TWO,
        'Turn "E draw"',
        'Hands "E:9h"',
        'Melds "N: 7h7d7c"',
        'Pile "4c"',
        'Stock "KdKcQd"',
        'Pozzetto "E taken"',
    )
    assert deal_points(play(state, DRAW_STOCK)) == (-85, -20)


def _finish(before: Sequence[int], rules: Ruleset) -> MatchStep:
    """The deal of ``_closing`` with (-55, 345, -55), after totals of ``before``."""
    state = state_of(
        THREE,
        'Turn "E play"',
        'Hands "N:8h E:Kd S:KsQs"',
        'Melds "NS: 7h7d7s E: 3c4c5c6c7c8c9c"',
        'Pozzetto "E taken"',
    )
    match = replace(
        start_match(MatchSetup(rules, SEED, S, 0, False)).match,
        deal=state,
        number=2,
        results=(DealResult(S, CLOSED, tuple(before)),),
    )
    return play_match(match, discard("Kd"))


@pytest.mark.parametrize(
    ("before", "winner"),
    [
        pytest.param((0, 1160, 0), E, id="1505-against-less"),
        pytest.param((1565, 1160, 0), N, id="1510-against-1505"),
        pytest.param((0, 0, 1560), S, id="one-who-did-not-close"),
        pytest.param((1560, 1165, 1560), E, id="two-equal-ones-below-the-highest"),
    ],
)
def test_H15_the_match_ends_at_1505(before: Sequence[int], winner: int) -> None:
    match = _finish(before, rules_for("classic", 3)).match
    assert (match.is_over, match.winner) == (True, winner)
    assert match.totals == (before[0] - 55, before[1] + 345, before[2] - 55)


@pytest.mark.parametrize(
    ("before", "sizes"),
    [
        pytest.param((0, 1155, 0), [11, 11, 11], id="1500"),
        pytest.param((1560, 1160, 0), [11, 11, 11], id="E64-equal-highest-totals"),
        pytest.param((1600, 1200, 1600), [11, 11, 11], id="E64-three-of-1545"),
        pytest.param((0, 655, 0), [18, 11], id="H10-1000"),
        pytest.param((0, 660, 0), [11, 11, 11], id="H10-1005"),
    ],
)
def test_H15_or_another_deal_follows(before: Sequence[int], sizes: list[int]) -> None:
    match = _finish(before, rules_for("classic", 3)).match
    assert (match.is_over, match.winner, match.number, match.dealer) == (False, None, 3, N)
    assert match.deal is not None
    assert [size(pozzetto) for pozzetto in match.deal.pozzetti] == sizes
    assert match.deal.sides == (0, 1, 2)


def test_H15_after_a_number_of_deals_the_highest_total_wins() -> None:
    rules = preset("classic").with_knobs(players=3, deals=2)
    assert _finish((0, 0, 0), rules).match.winner == E
    equal = _finish((400, 0, 0), rules).match
    assert (equal.is_over, equal.totals, equal.winner) == (True, (345, 345, -55), None)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", ["classic", "fibur"])
def test_H16_eight_passive_turns_end_a_deal(name: str, players: int) -> None:
    hands = 'Hands "N:5d E:6d S:7d"' if players == 3 else 'Hands "N:5d E:6d"'
    state = state_of(
        f'Rules "{name} players={players}"', 'Turn "N draw"', hands, 'Pile "4c"', STOCK
    )
    for turn in range(8):
        assert (state.end, state.passive, state.turn) == (None, turn, turn % players)
        (kept,) = state.pile
        taken = play(state, TAKE_PILE)
        other = next(action for action in legal(taken) if action != discard(str(kept)))
        state = play(taken, other)
    assert state.end == End(EndedBy.STALEMATE, None)
