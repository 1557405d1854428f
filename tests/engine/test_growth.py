"""What may join a sequence is looked at at all: the short cut of ``adds`` leaves nothing out."""

from itertools import product

import pytest

from burraco.engine import JOKER, Bag, Kind, Meld, classify, preset
from burraco.engine.cards import EMPTY, ONE
from burraco.engine.growth import adds
from burraco.engine.melds import (
    NOTHING,
    ONE_JOKER,
    OTHER_TWO,
    OWN_TWO_SHIFT,
    SEQUENCES,
    TWOS,
    rank_slice,
)


@pytest.mark.parametrize(
    ("outside", "wild"),
    [
        pytest.param(NOTHING, EMPTY, id="R32-natural"),
        pytest.param(OTHER_TWO, ONE[TWOS[1]], id="E33-beside-a-two"),
        pytest.param(ONE_JOKER, ONE[JOKER], id="E14-beside-a-joker"),
    ],
)
def test_every_addition_of_one_suit_has_a_card_that_is_looked_for(outside: int, wild: Bag) -> None:
    shapes = [(twos, ranks) for twos in range(3) for ranks in SEQUENCES[twos][outside]]
    pairs = 0
    for (twos, ranks), (more_twos, more) in product(shapes, shapes):
        if more_twos < twos or more & ranks != ranks or (twos, ranks) == (more_twos, more):
            continue
        meld = classify(Bag(_slice(twos, ranks) + wild))
        if meld is None or meld.kind is not Kind.SEQUENCE or meld.suit:
            continue
        pairs += 1
        _learn(meld)
        added = _slice(more_twos - twos, more ^ ranks)
        assert added & meld.near == added
        assert added & meld.touching
    assert pairs > 10_000


def _slice(twos: int, ranks: int) -> int:
    return rank_slice(ranks) | twos << OWN_TWO_SHIFT


def _learn(meld: Meld) -> None:
    """The engine finds out what may join a meld when it is first asked."""
    adds(preset("classic"), EMPTY, (meld,))
