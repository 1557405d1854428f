"""How cards, melds and actions are written; tags, turns and files are ``bgn`` (docs/bgn.md)."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from burraco.engine.actions import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Cut,
    Discard,
    DrawStock,
    LayMeld,
    TakePile,
)
from burraco.engine.cards import (
    ACE,
    PACK_SIZE,
    RANK_COUNT,
    TWO,
    UNKNOWN,
    Bag,
    Card,
    show_cards,
    unpack,
)
from burraco.engine.errors import Unreadable
from burraco.engine.melds import TWOS, Kind, Meld, Place

_HIGH_ACE: Final = RANK_COUNT
_CARD: Final = r"(?:[A23456789TJQK][shdc]|Jk|\?\?)"
_SHOWN: Final = re.compile(rf"\s*(?:({_CARD})(?:={_CARD})?|\*(\d{{1,3}}))")
_NO_MELD: Final = -1


class Told(Enum):
    """What a token of a turn tells, by how it begins."""

    DRAW = "+"
    TAKE = "^"
    LAY = "M="
    ADD = "M+"
    DISCARD = "-"
    POZZETTO_DIRECT = "P!"
    POZZETTO_LATER = "P."
    CLOSING = "#"
    TIMED_OUT = "!to"


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a turn; ``meld`` counts from 0, ``cards`` stand as written."""

    told: Told
    meld: int
    cards: tuple[Card, ...]


def read_cards(text: str) -> tuple[Card, ...]:
    """Read ``7h8hJk=9h``, ``??`` or ``*n`` for unknown cards; what a wild stands for is skipped.

    >>> show_cards(read_cards("7h 8h Jk=9h *2"))
    '7h8hJk????'
    """
    found: list[Card] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        shown = _SHOWN.match(text, at)
        if shown is None:
            raise Unreadable(
                f"cannot read {text[at:end].strip()!r} as cards: rank then suit as in 7h, Td, or Jk"
            )
        card, unknown = shown.groups()
        found += [Card.parse(card)] if card else [UNKNOWN] * int(unknown)
        if len(found) > PACK_SIZE:
            raise Unreadable(f"more than the {PACK_SIZE} cards of the two packs")
        at = shown.end()
    return tuple(found)


def write_cards(cards: Iterable[int]) -> str:
    """Write cards as ``read_cards`` reads them, several unknown ones at the end as ``*n``."""
    every = list(cards)
    known = len(every)
    while known and every[known - 1] == UNKNOWN:
        known -= 1
    hidden = len(every) - known
    return show_cards(every[:known]) + (f"*{hidden}" if hidden > 1 else "??" * hidden)


_FORMS: Final = (
    (Told.DRAW, re.compile(r"\+(.+)")),
    (Told.TAKE, re.compile(r"\^\((.*)\)")),
    (Told.DISCARD, re.compile(r"-(.+)")),
    (Told.POZZETTO_DIRECT, re.compile(r"P!\((.*)\)")),
    (Told.POZZETTO_LATER, re.compile(r"P\.\((.*)\)")),
    (Told.CLOSING, re.compile(r"#")),
    (Told.TIMED_OUT, re.compile(r"!to")),
)
_MELD_FORM: Final = re.compile(r"M(\d{1,3})([=+])([^~]+)(?:~.*)?")
_SINGLE: Final = (Told.DRAW, Told.DISCARD)
_MAY_HIDE: Final = (Told.DRAW, Told.POZZETTO_DIRECT, Told.POZZETTO_LATER)


def read_token(text: str) -> Token:
    """Read one token of a turn, such as ``+7h``, ``M2+9d`` or ``#``."""
    meld = _MELD_FORM.fullmatch(text)
    if meld is not None:
        return _read_meld(meld)
    for told, form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            cards = read_cards(found[1]) if form.groups else ()
            if told in _SINGLE and len(cards) != 1:
                raise Unreadable(f"{text!r} names {len(cards)} cards, it takes one")
            return Token(told, _NO_MELD, _known(text, cards) if told not in _MAY_HIDE else cards)
    raise Unreadable(
        f"cannot read {text!r}: write +c ^(…) Mn=… Mn+… P!(…) P.(…) -c # or !to, c being a card"
    )


def _read_meld(form: re.Match[str]) -> Token:
    number = int(form[1])
    if number < 1:
        raise Unreadable(f"{form[0]!r}: melds are counted from M1")
    told = Told.LAY if form[2] == "=" else Told.ADD
    return Token(told, number - 1, _known(form[0], read_cards(form[3])))


def _known(text: str, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    if UNKNOWN in cards:
        raise Unreadable(f"{text!r}: these cards are open, so each has to be named")
    return cards


def action_of(token: Token) -> Action | None:
    """The action a token tells, None where it only shows what followed from one."""
    match token.told:
        case Told.DRAW:
            return DRAW_STOCK
        case Told.TAKE:
            return TAKE_PILE
        case Told.LAY:
            return LayMeld(token.cards)
        case Told.ADD:
            return Add(token.meld, token.cards)
        case Told.DISCARD:
            return Discard(token.cards[0])
        case _:
            return None


def write_action(action: Action, laid: int, pile: Iterable[int]) -> str:
    """Write an action before it is played, with ``laid`` own melds on the table and the pile.

    ``read_token`` reads it, but for a cut, which no turn holds: ``/30`` lifts thirty cards.
    """
    match action:
        case DrawStock():
            return "+??"
        case TakePile():
            return f"^({write_cards(pile)})"
        case LayMeld():
            return f"M{laid + 1}={write_cards(action.cards)}"
        case Add():
            return f"M{action.meld + 1}+{write_cards(action.cards)}"
        case Discard():
            return f"-{action.card}"
        case Cut():
            return f"/{action.size}"
        case _:
            assert_never(action)


def write_meld(meld: Meld) -> str:
    """Write a meld as it is shown: a sequence upward, each wild with the card it stands for."""
    return "".join(map(_write_place, places(meld)))


def write_added(grown: Meld, added: Bag) -> str:
    """Write the added cards as they lie now; of two equal cards the wild one counts as added."""
    left = Counter(unpack(added))
    shown: list[str] = []
    for place in sorted(places(grown), key=lambda place: place.card == place.stands_for):
        if left[place.card]:
            left[place.card] -= 1
            shown.append(_write_place(place))
    order = [_write_place(place) for place in places(grown)]
    return "".join(sorted(shown, key=order.index))


def _write_place(place: Place) -> str:
    if place.card == place.stands_for:
        return str(place.card)
    return f"{place.card}={place.stands_for}"


def places(meld: Meld) -> tuple[Place, ...]:
    """Where the cards of a meld are shown; in a set a wild stands for no card in particular.

    A wild that fills no gap is shown at the low end, or at the high end where the sequence begins
    at the ace (rules §3). Two wilds lie above the natural two, as in ``2s 2s=3s 4s Jk=5s`` (E14).
    """
    if meld.kind is Kind.SET:
        by_wild = sorted(meld.cards, key=lambda card: card.is_wild)
        return tuple(Place(card, card) for card in by_wild)
    naturals, wilds = _best_reading(meld)
    filled = dict.fromkeys(naturals)
    gaps = [at for at in range(naturals[0], naturals[-1]) if at not in filled]
    ends = _ends(naturals, low_first=len(wilds) == 1)
    spots = sorted((*gaps, *ends[: len(wilds) - len(gaps)]))
    standing = dict(zip(spots, wilds, strict=True))
    return tuple(
        Place(standing.get(at, _card_at(meld.suit, at)), _card_at(meld.suit, at))
        for at in sorted((*naturals, *spots))
    )


def _best_reading(meld: Meld) -> tuple[list[int], list[Card]]:
    """Places of the naturals (0 the low ace, 13 the high) and the wilds, as ``classify`` reads."""
    own = [card for card in meld.cards if card.suit == meld.suit]
    twos = [card for card in own if card == TWOS[meld.suit]]
    ranks = [card.rank for card in own if card.rank != TWO]
    outside = [card for card in meld.cards if card.suit != meld.suit]
    for natural_twos in range(min(len(twos), 1), -1, -1):
        wilds = [*twos[natural_twos:], *outside]
        low = sorted([*ranks, *(TWO,) * natural_twos])
        high = sorted(rank or _HIGH_ACE for rank in low)
        for naturals in (low, high):
            if len(wilds) == meld.wilds and _fits(naturals, len(wilds)) == meld.run:
                return naturals, wilds
    raise AssertionError(f"{meld} has no reading")


def _fits(naturals: list[int], wilds: int) -> int:
    """Longest run of the naturals where the wilds fill the gaps, else -1."""
    if naturals[-1] - naturals[0] + 1 - len(naturals) > wilds:
        return -1
    longest = run = 0
    for at, place in enumerate(naturals):
        run = run + 1 if at and naturals[at - 1] == place - 1 else 1
        longest = max(longest, run)
    return longest


def _ends(naturals: list[int], *, low_first: bool) -> list[int]:
    """Places beyond the naturals, in the order in which wilds that fill no gap are shown there."""
    low = range(naturals[0] - 1, ACE - 1, -1)
    high = range(naturals[-1] + 1, _HIGH_ACE + 1)
    return [*low, *high] if low_first else [*high, *low]


def _card_at(suit: int, place: int) -> Card:
    return Card(suit * RANK_COUNT + place % RANK_COUNT)
