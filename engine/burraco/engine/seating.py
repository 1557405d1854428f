"""The draw for seats (R4, R5, R12 to R16, E62)."""

from collections.abc import Callable, Sequence
from typing import Final

from burraco.engine.cards import JOKER, Card
from burraco.engine.rules import SEATS

# R4: joker, two, ace, king … three, from the highest.
_RANK_ORDER: Final = "2AKQJT9876543"
_RANK_LETTERS: Final = "A23456789TJQK"
_SUIT_LETTERS: Final = "shdc"


def draw_strength(card: Card, suit_order: str) -> int:
    """How high a card is in the draw for seats; only copies, and jokers, are equal (R4, R5)."""
    if card == JOKER:
        return 1000
    rank = _RANK_ORDER.index(_RANK_LETTERS[card.rank])
    suits = len(_SUIT_LETTERS)
    return (len(_RANK_ORDER) - rank) * suits - suit_order.index(_SUIT_LETTERS[card.suit])


def rank_players(
    first: Sequence[Card], redraw: Callable[[int], Card], suit_order: str
) -> tuple[int, ...]:
    """Players from highest to lowest draw; equal cards draw again among themselves (E62).

    ``first`` is the card of each player, ``redraw(player)`` gives a player's next card.
    """
    return _ranked(list(range(len(first))), dict(enumerate(first)), redraw, suit_order)


def _ranked(
    players: list[int], drew: dict[int, Card], redraw: Callable[[int], Card], suit_order: str
) -> tuple[int, ...]:
    by_strength: dict[int, list[int]] = {}
    for player in players:
        by_strength.setdefault(draw_strength(drew[player], suit_order), []).append(player)
    order: list[int] = []
    for strength in sorted(by_strength, reverse=True):
        equal = by_strength[strength]
        if len(equal) > 1:
            again = {player: redraw(player) for player in equal}
            order += _ranked(equal, again, redraw, suit_order)
        else:
            order += equal
    return tuple(order)


def seats_from_ranking(ranking: Sequence[int], dealer_seat: int) -> tuple[int, ...]:
    """The player at each seat, with the lowest dealing from ``dealer_seat`` (R12 to R16, H2).

    Clockwise from the dealer sit the lowest, then the others from the highest: b a of two, c a b
    of three. Of four it is d a c b, so that the two high players are partners.
    """
    clockwise = [ranking[-1], *ranking[:-1]]
    if len(ranking) == SEATS:
        clockwise[2:] = reversed(clockwise[2:])
    players = len(ranking)
    return tuple(clockwise[(seat - dealer_seat) % players] for seat in range(players))
