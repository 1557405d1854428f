"""The tags of a block that scenes and whole deals share: rules, the cards dealt, how it ended."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from burraco.engine.bgn_text import VERSION, Block, Words
from burraco.engine.cards import PACK_SIZE, UNKNOWN, Bag, Card, bag, copies
from burraco.engine.errors import Unreadable
from burraco.engine.notation import read_cards, write_cards
from burraco.engine.rules import (
    CLASSIC,
    HAND_SIZE,
    POZZETTO_SIZE,
    PRESETS,
    Ruleset,
    pozzetto_sizes,
    preset,
    seated,
)
from burraco.engine.state import SEAT_NAMES, End, EndedBy, Layout, side_names

# How a block ended when its deal is not over.
UNFINISHED: Final = "*"

_KNOB: Final = re.compile(r"(\w+)=(\S*)", re.ASCII)


def paired(sides: Sequence[int], lone: int) -> tuple[int, ...]:
    """The sides once ``lone`` plays alone and the other two are partners (H6)."""
    pair = min(side for seat, side in enumerate(sides) if seat != lone)
    return tuple(side if seat == lone else pair for seat, side in enumerate(sides))


def seat_names(rules: Ruleset) -> str:
    """The seats there are, in order."""
    return SEAT_NAMES[: rules.players]


def dealt_pozzetti(rules: Ruleset, *, alone: bool) -> tuple[int, ...]:
    """How many cards each pozzetto gets; ``alone`` where each side has its own (H10)."""
    if alone:
        return (POZZETTO_SIZE,) * rules.side_count
    return pozzetto_sizes(rules, ())


class Faces:
    """The cards of a block as its tags are read, none more often than the packs hold it (R3)."""

    def __init__(self) -> None:
        self._seen: Counter[Card] = Counter()

    def read(self, words: Words) -> tuple[Card, ...]:
        """Read cards and count them."""
        try:
            cards = read_cards(words.text)
        except Unreadable as fault:
            raise words.bad(fault) from None
        self._seen.update(cards)
        for card in cards:
            if self._seen[card] > copies(card):
                raise words.bad(f"{self._seen[card]} times {card}: there are {copies(card)} (R3)")
        if self._seen.total() > PACK_SIZE:
            raise words.bad(f"more than {PACK_SIZE} cards (R3)")
        return cards

    def read_open(self, words: Words) -> tuple[Card, ...]:
        """Read cards that lie open, so that none can be unknown."""
        cards = self.read(words)
        if UNKNOWN in cards:
            raise words.bad("these cards lie open, so each has to be named")
        return cards

    def read_pozzetto(self, words: Words, dealt: int) -> Bag:
        """Read the cards of a pozzetto that was dealt so many."""
        cards = self.read(words)
        if len(cards) != dealt:
            raise words.bad(f"a pozzetto of {len(cards)} cards: it has {dealt}")
        return bag(cards)


def sections(words: Words, labels: str) -> dict[str, Words]:
    """Cut ``N:… E:…`` at its labels, given as alternatives (``N|E``); each may come once."""
    marks = list(re.finditer(rf"(?<!\S)({labels}):", words.text))
    first = marks[0].start() if marks else len(words.text)
    if words.text[:first].strip():
        raise words.bad(f"{words.text[:first].strip()!r} belongs to none of {labels}: as in X:…")
    found: dict[str, Words] = {}
    for mark, following in zip_longest(marks, marks[1:]):
        end = following.start() if following else len(words.text)
        if mark[1] in found:
            raise words.part(mark.start(), end).bad(f"{mark[1]} comes twice")
        found[mark[1]] = words.part(mark.end(), end)
    return found


def require_version(block: Block) -> None:
    """Refuse a version of the notation that this reader does not know."""
    words = block.tags.get("BGN")
    if words is not None and words.text != VERSION:
        raise words.bad(f"version {words.text!r} of the notation: this reads {VERSION}")


def read_rules(block: Block) -> Ruleset:
    """The rules of a block: a preset, and knobs that differ as ``knob=value``; else ``classic``."""
    words = block.tags.get("Rules")
    if words is None:
        return CLASSIC
    name, *changes = words.text.split() or [""]
    try:
        rules = preset(name)
        return rules.with_knobs(**dict(_read_knob(rules, change) for change in changes))
    except Unreadable as fault:
        raise words.bad(fault) from None


def _read_knob(rules: Ruleset, change: str) -> tuple[str, bool | int | str]:
    found = _KNOB.fullmatch(change)
    if found is None:
        raise Unreadable(f"cannot read {change!r}: a changed knob is written knob=value")
    knob, text = found.groups()
    now = getattr(rules, knob, None)
    if isinstance(now, bool):
        values: dict[str, bool | int | str] = {"yes": True, "no": False}
    elif isinstance(now, StrEnum):
        values = {str(member): member for member in type(now)}
    elif isinstance(now, int):
        values = {text: int(text)} if re.fullmatch(r"\d{1,7}", text) else {}
    else:
        values = {text: text}
    if text not in values:
        raise Unreadable(f"{knob}={text}: write {' or '.join(values) or 'a number'}")
    return knob, values[text]


def write_rules(rules: Ruleset) -> str:
    """Write rules as ``read_rules`` reads them."""
    base = PRESETS.get(rules.name, CLASSIC)
    # Three players play to their own target, which goes without saying (docs/players.md).
    usual = replace(seated(base, rules.players), players=base.players)
    changes = [
        f"{field.name}={write_knob(getattr(rules, field.name))}"
        for field in fields(rules)
        if field.name != "name" and getattr(rules, field.name) != getattr(usual, field.name)
    ]
    return " ".join((base.name, *changes))


def write_knob(value: object) -> str:
    """Write the value of a knob: yes or no, a number, or its word."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def read_dealer(block: Block) -> int | None:
    """The dealer's seat, None where the block does not say."""
    words = block.tags.get("Dealer")
    if words is None:
        return None
    seats = tuple(seat_names(read_rules(block)))
    if words.text not in seats:
        raise words.bad(f"no seat {words.text!r}: {', '.join(seats[:-1])} or {seats[-1]}")
    return SEAT_NAMES.index(words.text)


def read_layout(words: Words, rules: Ruleset) -> Layout:
    """The pack as dealt, from the tag ``Deal``; cards nobody here knows may be unknown."""
    sizes = _deal_sizes(words, rules)
    dealt, faces = sections(words, "|".join(sizes)), Faces()
    cards: dict[str, tuple[Card, ...]] = {}
    for label, size in sizes.items():
        if label not in dealt:
            raise words.bad(f"the deal has no {label}:")
        cards[label] = faces.read(dealt[label])
        if len(cards[label]) != size:
            raise dealt[label].bad(f"{label}: has {len(cards[label])} cards, it takes {size}")
    if UNKNOWN in cards["U"]:
        raise dealt["U"].bad("the upcard lies open, so it has to be named")
    return Layout(
        hands=tuple(cards[seat] for seat in seat_names(rules)),
        pozzetti=tuple(cards[label] for label in sizes if label.startswith("P")),
        upcard=cards["U"][0],
        stock=cards["K"],
    )


def _deal_sizes(words: Words, rules: Ruleset) -> dict[str, int]:
    """How many cards each label of a deal takes; a third pozzetto tells that all play alone."""
    alone = re.search(rf"(?<!\S)P{rules.side_count}:", words.text) is not None
    pozzetti = dealt_pozzetti(rules, alone=alone)
    return {
        **dict.fromkeys(seat_names(rules), HAND_SIZE),
        **{f"P{number}": size for number, size in enumerate(pozzetti, 1)},
        "U": 1,
        "K": stock_size(rules, pozzetti),
    }


def stock_size(rules: Ruleset, pozzetti: Iterable[int]) -> int:
    """How many cards are left for the stock beside pozzetti of these sizes."""
    return PACK_SIZE - rules.players * HAND_SIZE - 1 - sum(pozzetti)


def write_layout(layout: Layout) -> str:
    """Write a dealt pack as ``read_layout`` reads it."""
    piles = {
        **dict(zip(SEAT_NAMES, layout.hands, strict=False)),
        **{f"P{number}": cards for number, cards in enumerate(layout.pozzetti, 1)},
        "U": (layout.upcard,),
        "K": layout.stock,
    }
    return " ".join(f"{label}:{write_cards(cards)}" for label, cards in piles.items())


def read_end(words: Words) -> End | None:
    """How a deal ended, from the tag ``Termination``; None for ``*``."""
    if words.text == UNFINISHED:
        return None
    for by in EndedBy:
        if by is EndedBy.CLOSED:
            for closer, seat in enumerate(SEAT_NAMES):
                if words.text == f"{by.value} {seat}":
                    return End(by, closer)
        elif words.text == by.value:
            return End(by, None)
    raise words.bad(
        f"no end {words.text!r}: closed S (the seat), stock, stalemate, adjudicated or *"
    )


def write_end(end: End | None) -> str:
    """Write the end of a deal as ``read_end`` reads it."""
    if end is None:
        return UNFINISHED
    return end.by.value if end.closer is None else f"{end.by.value} {SEAT_NAMES[end.closer]}"


def read_points(words: Words, rules: Ruleset) -> tuple[int, ...] | None:
    """Points by side as dealt, written ``NS 200 EW 655``; None for ``*``."""
    if words.text == UNFINISHED:
        return None
    names = side_names(rules.sides_as_dealt).values()
    form = " ".join(rf"{name} (-?\d{{1,7}})" for name in names)
    found = re.fullmatch(form, words.text, re.ASCII)
    if found is None:
        shown = write_points((200, 655, 100)[: rules.side_count], rules)
        raise words.bad(f"cannot read {words.text!r}: points are written {shown}, or *")
    return tuple(map(int, found.groups()))


def write_points(points: Iterable[int], rules: Ruleset) -> str:
    """Write points as ``read_points`` reads them."""
    names = side_names(rules.sides_as_dealt).values()
    return " ".join(f"{name} {count}" for name, count in zip(names, points, strict=True))


_FIRST: Final = (
    "BGN",
    "Event",
    "Match",
    "Board",
    "Date",
    "Rules",
    "North",
    "East",
    "South",
    "West",
)
_LAST: Final = (
    "Dealer",
    "Deal",
    "Turn",
    "Hands",
    "Melds",
    "Pile",
    "Stock",
    "Pozzetti",
    "Pozzetto",
    "Passive",
    "Scores",
    "Termination",
    "Result",
)


def ordered_tags(free: Mapping[str, str], own: Mapping[str, str]) -> list[tuple[str, str]]:
    """All tags of a block in the one order of the notation.

    ``own`` are those that follow from the deal, ``free`` the caller's; other names stand between
    the players and the deal, in alphabetical order.
    """
    for name in free:
        if name in own:
            raise Unreadable(f"tag {name} is written from the deal itself")
    return sorted({**free, **own}.items(), key=lambda tag: (_rank_of(tag[0]), tag[0]))


def _rank_of(name: str) -> int:
    if name in _FIRST:
        return _FIRST.index(name)
    return len(_FIRST) + 1 + _LAST.index(name) if name in _LAST else len(_FIRST)
