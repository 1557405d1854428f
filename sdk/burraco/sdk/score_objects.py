"""Finished deals as JSON objects: read with care, then scored (rules §7)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from burraco.engine import Card, IllegalAction, Meld, Ruleset, Unreadable, bag
from burraco.engine.bgn_tags import dealt_pozzetti, paired, write_points
from burraco.engine.cards import copies
from burraco.engine.refusals import require_copies, require_meld
from burraco.engine.rules import SIDES
from burraco.engine.scoring import half, side_score
from burraco.engine.state import SEAT_NAMES, side_names

CLOSED: Final = "close"
ENDINGS: Final = (CLOSED, "stock", "stalemate", "adjudicated")
_PARTNERS: Final = 2


@dataclass(frozen=True, slots=True)
class _Field:
    """A value, and for messages the object it belongs to and the way to it there."""

    value: object
    owner: str
    path: str

    def bad(self, problem: object) -> Unreadable:
        place = f"{self.owner}: {self.path}" if self.path else self.owner
        return Unreadable(f"{place}: {problem}")

    def member(self, name: str) -> "_Field":
        found = self.optional(name)
        if found is None:
            raise self.bad(f"the field {name!r} is missing")
        return found

    def optional(self, name: str) -> "_Field | None":
        if not isinstance(self.value, dict):
            raise self.bad("this is to be an object")
        if name not in self.value:
            return None
        path = f"{self.path}.{name}" if self.path else name
        return _Field(self.value[name], self.owner, path)

    def items(self) -> Iterator["_Field"]:
        if not isinstance(self.value, list):
            raise self.bad("this is to be a list")
        for at, value in enumerate(self.value):
            yield _Field(value, self.owner, f"{self.path}[{at}]")

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.bad("this is to be true or false")
        return self.value

    def card(self) -> Card:
        if not isinstance(self.value, str) or self.value == "??":
            raise self.bad("this is to be a card, such as 7h or Jk")
        try:
            return Card.parse(self.value)
        except Unreadable as fault:
            raise self.bad(fault) from None

    def cards(self) -> tuple[Card, ...]:
        return tuple(item.card() for item in self.items())


@dataclass(frozen=True, slots=True)
class _Side:
    melds: tuple[Meld, ...]
    held: tuple[Card, ...]
    took: bool
    closed: bool


def read_score_objects(text: str) -> list[object]:
    """The objects of a JSON text: one alone, or a list of them."""
    try:
        found: object = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as fault:  # a number with too many digits too
        raise Unreadable(f"this is no JSON: {fault}") from None
    return found if isinstance(found, list) else [found]


def score_line(entry: object, number: int, rules: Ruleset) -> str:
    """Score one object as ``NS total EW total``; ``number`` names it where it has no name.

    With two players the sides are ``N`` and ``E``; with three ``N``, ``E`` and ``S``, or who plays
    alone and a pair, such as ``ES``, of which each gets half (H13).
    """
    name = entry.get("name") if isinstance(entry, dict) else None
    deal = _Field(entry, name if isinstance(name, str) else f"object {number}", "")
    names = _side_names(deal, rules)
    sides = [_read_side(deal.member(side), side, names, rules) for side in names]
    _require_pack(deal, sides)
    _require_ending(deal, sides)
    nobody_took = not any(side.took for side in sides)
    totals = [
        side_score(
            rules,
            side.melds,
            held=sum(card.points for card in side.held),
            closed=side.closed,
            took=side.took,
            nobody_took=nobody_took,
        ).total
        for side in sides
    ]
    return write_points(_as_dealt(dict(zip(names, totals, strict=True)), rules), rules)


def _side_names(deal: _Field, rules: Ruleset) -> tuple[str, ...]:
    """The sides that an object has: those dealt, or of three players one alone and a pair."""
    dealt = rules.sides_as_dealt
    if rules.side_count > SIDES:
        for lone in range(rules.players):
            names = tuple(side_names(paired(dealt, lone)).values())
            if any(len(name) == _PARTNERS and deal.optional(name) for name in names):
                return names
    return tuple(side_names(dealt).values())


def _as_dealt(totals: Mapping[str, int], rules: Ruleset) -> list[int]:
    """Totals by side as dealt, of what may be a pair of three players."""
    if rules.side_count <= SIDES:
        return [*totals.values()]
    return [
        half(total) if len(name) == _PARTNERS else total
        for seat in SEAT_NAMES[: rules.players]
        for name, total in totals.items()
        if seat in name
    ]


def _read_side(side: _Field, name: str, names: Sequence[str], rules: Ruleset) -> _Side:
    melds = tuple(_read_meld(meld, rules) for meld in side.member("melds").items())
    hands = side.member("hands")
    held = [hand.cards() for hand in hands.items()]
    if len(held) != len(name):
        due = "a side has two" if len(name) == _PARTNERS else "who plays alone has one"
        raise hands.bad(f"{len(held)} hands: {due}, empty ones included")
    took, closed = side.member("pozzetto_taken").flag(), side.member("closed").flag()
    unopened = side.optional("pozzetto_unopened")
    if unopened is not None:
        held.append(unopened.cards())
        due_cards = _pozzetto_size(name, names, rules)
        if not took or len(held[-1]) != due_cards:
            raise unopened.bad(f"a pozzetto that is taken and has {due_cards} cards")
    return _Side(melds, tuple(card for hand in held for card in hand), took, closed)


def _pozzetto_size(name: str, names: Sequence[str], rules: Ruleset) -> int:
    """Cards of the pozzetto that a side takes: who has a pair against it took the first one."""
    first, *others = dealt_pozzetti(rules, alone=len(names) > SIDES)
    return others[-1] if len(name) == _PARTNERS else first


def _read_meld(meld: _Field, rules: Ruleset) -> Meld:
    cards = meld.cards()
    try:
        require_copies(cards)
        return require_meld(rules, bag(cards), None)
    except IllegalAction as refusal:
        shown = " ".join(map(str, cards))
        raise meld.bad(f"{shown!r} is no meld: {refusal.reason} ({refusal.rule})") from None


def _require_pack(deal: _Field, sides: list[_Side]) -> None:
    every = Counter(card for side in sides for card in side.held)
    every.update(card for side in sides for meld in side.melds for card in meld.cards)
    for card, number in every.items():
        if number > copies(card):
            raise deal.bad(f"{number} times {card}: there are {copies(card)} (R3)")


def _require_ending(deal: _Field, sides: list[_Side]) -> None:
    closings = sum(side.closed for side in sides)
    if closings > 1:
        raise deal.bad("both sides have closed" if len(sides) == SIDES else "only one side closes")
    ended = deal.optional("ended_by")
    if ended is None:
        return
    if ended.value not in ENDINGS:
        raise ended.bad(f"no end {ended.value!r}: {', '.join(ENDINGS)}")
    if (ended.value == CLOSED) != (closings == 1):
        raise ended.bad(f"{ended.value!r}, but {closings} sides have closed")
