"""Scenes: a deal in the middle, written in the notation of the rules.

What a scene does not name is neutral: no cards in the other hands, no melds, and a pile, a stock
and pozzetti dealt from the cards that are left over, so that no face is there too often.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from burraco.engine import Bag, Card, DealState, End, Meld, Phase, Ruleset, bag, classify, preset
from burraco.engine.cards import PACK
from burraco.engine.state import NO_CARD

SEATS: Final = "NESW"
SIDES: Final = ("NS", "EW")
_PLACES: Final = "A23456789TJQKA"
_STOCK: Final = 20
_POZZETTO: Final = 11

# Plain cards first, from the kings down, so that nothing left over is a wild while others last.
_LEFT_OVER: Final = sorted(PACK, key=lambda card: (card.is_wild, -card.rank, card.suit))


def seat(name: str) -> int:
    """The number of a seat N, E, S or W."""
    return SEATS.index(name)


def cards(text: str) -> tuple[Card, ...]:
    """Read cards as rules and reported cases write them.

    ``2d=7d`` is the two, ``7s'`` and ``Jk1`` tell copies apart for the reader, ``3h..9h`` is a run.
    """
    return tuple(card for token in text.split() for card in _cards_of(token))


def _cards_of(token: str) -> list[Card]:
    if ".." in token:
        first, last = token.split("..")
        low = _PLACES.index(first[0])
        high = _PLACES.rindex(last[0])
        return [Card.parse(rank + first[1]) for rank in _PLACES[low : high + 1]]
    return [Card.parse(token.partition("=")[0].rstrip("'")[:2])]


def meld(text: str) -> Meld:
    """The meld that the cards make."""
    found = classify(bag(cards(text)))
    if found is None:
        raise ValueError(f"no meld: {text}")
    return found


def melds(text: str) -> tuple[Meld, ...]:
    """Melds with commas between: ``3h..9h, 7h 7d Jk``."""
    return tuple(meld(part) for part in text.split(",") if part.strip())


def rules_of(rules: str | Ruleset) -> Ruleset:
    """A ruleset, or the preset of a name."""
    return preset(rules) if isinstance(rules, str) else rules


def scene(
    *,
    rules: str | Ruleset = "classic",
    dealer: str = "W",
    turn: str = "N",
    phase: Phase = Phase.PLAY,
    north: str = "",
    east: str = "",
    south: str = "",
    west: str = "",
    ns: str = "",
    ew: str = "",
    pile: str | None = None,
    stock: str | None = None,
    pozzetti: Sequence[str] | None = None,
    taken: str = "",
    unopened: Mapping[str, str] | None = None,
    barred: str = "",
    must_meld: bool = False,
    idle: bool = False,
    passive: int = 0,
    last_turn: bool = False,
    end: End | None = None,
) -> DealState:
    """A deal in the middle; ``pile`` has its top last, ``stock`` its top first.

    ``ns`` and ``ew`` are the melds of the sides, ``taken`` names the sides that have their
    pozzetto, ``pozzetti`` are those still on the table.
    """
    hands = [cards(hand) for hand in (north, east, south, west)]
    laid = (melds(ns), melds(ew))
    waiting = {seat(name): cards(text) for name, text in (unopened or {}).items()}
    named: list[Card] = [*cards(pile or ""), *cards(stock or "")]
    named += [card for hand in (*hands, *waiting.values()) for card in hand]
    named += [card for side in laid for one in side for card in one.cards]
    named += [card for pozzetto in pozzetti or () for card in cards(pozzetto)]
    rest = left_over(named)
    on_table = 2 - len(taken.split())
    return DealState(
        rules=rules_of(rules),
        dealer=seat(dealer),
        turn=seat(turn),
        phase=phase,
        hands=tuple(bag(hand) for hand in hands),
        melds=laid,
        pile=_take(rest, 1) if pile is None else cards(pile),
        stock=_take(rest, _STOCK) if stock is None else cards(stock),
        pozzetti=_pozzetti(rest, on_table) if pozzetti is None else tuple(map(bag_of, pozzetti)),
        taken=(SIDES[0] in taken, SIDES[1] in taken),
        unopened=tuple(bag(waiting.get(at, ())) for at in range(4)),
        drawn=NO_CARD,
        barred=Card.parse(barred) if barred else NO_CARD,
        must_meld=must_meld,
        idle=idle,
        passive=passive,
        last_turn=last_turn,
        end=end,
        sides=(0, 1, 0, 1),
    )


def left_over(named: Iterable[Card]) -> list[Card]:
    """The cards of the pack that are not named, plain ones first."""
    away = Counter(named)
    rest = []
    for card in _LEFT_OVER:
        if away[card]:
            away[card] -= 1
        else:
            rest.append(card)
    return rest


def _take(rest: list[Card], number: int) -> tuple[Card, ...]:
    taken = tuple(rest[:number])
    del rest[:number]
    return taken


def _pozzetti(rest: list[Card], number: int) -> tuple[Bag, ...]:
    return tuple(bag(_take(rest, _POZZETTO)) for _ in range(number))


def bag_of(text: str) -> Bag:
    """The cards as a bag."""
    return bag(cards(text))
