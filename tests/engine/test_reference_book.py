"""The book of melds in the reference, and its finders, against trying everything."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS
from tests.reference.adapter import knobs_of, table_of
from tests.reference.cards import FACES, PACK, Cards, in_order
from tests.reference.knobs import PRESETS as KNOBS
from tests.reference.melds import BOOK, grown_melds, meld_of, new_melds
from tests.support.brute import best_reading, parts
from tests.support.dense import dense_scene

NUMBERS = st.integers(0, 2**32 - 1)
# One suit and two ranks stand for all: the ace is in sequences too, and twice in a window.
OF_ONE = {"s", "A", "7"}
# Of so many pages one; the changed ones below are of all.
_EVERY = 4
_MOST_CARDS = 9


def test_every_page_is_a_meld_of_its_reading() -> None:
    pages = [(cards, reading) for cards, reading in BOOK.items() if reading.of in OF_ONE]
    assert len(pages) > 3_000
    for cards, reading in pages[::_EVERY]:
        assert best_reading(cards, two_two_joker=True) == reading


def _changed(cards: Cards, chance: Random) -> Cards:
    """One card less, one more or another."""
    changed = list(cards)
    if chance.random() < 0.7:
        changed.pop(chance.randrange(len(changed)))
    if chance.random() < 0.7 or len(changed) == len(cards):
        changed.append(chance.choice(FACES))
    return in_order(changed)


@given(number=NUMBERS)
def test_what_is_nearly_a_page_is_one_or_no_meld(number: int) -> None:
    chance, pages = Random(number), list(BOOK)
    for _ in range(40):
        cards = _changed(chance.choice(pages), chance)
        if any(cards.count(card) > PACK.count(card) for card in cards):
            continue
        for knobs in KNOBS.values():
            found = best_reading(cards, two_two_joker=knobs.two_two_joker)
            if found is not None and found.kind == "set" and found.of not in knobs.set_ranks:
                found = None
            assert meld_of(knobs, cards) == found


@given(number=NUMBERS)
def test_finders_find_every_part_that_is_a_meld(number: int) -> None:
    rules = PRESETS["classic"]
    table = table_of(dense_scene(rules, number, _MOST_CARDS), knobs_of(rules))
    found = [cards for cards, _ in new_melds(table.hand)]
    assert sorted(found) == sorted(part for part in parts(table.hand) if part in BOOK)
    for base in table.own_melds:
        grown = [cards for cards, _ in grown_melds(base, table.hand)]
        whole = [part for part in parts(table.hand) if in_order(base + part) in BOOK]
        assert sorted(grown) == sorted(whole)
