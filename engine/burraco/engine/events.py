"""What happened, and who may know which part of it.

A *fact* is public. An event pairs a fact with its secrets: cards that single seats may see,
decided where the event is made. ``seen_by`` gives a viewer the fact and its own secret; there is
no other way.
"""

from dataclasses import dataclass

from burraco.engine.cards import Card
from burraco.engine.state import EndedBy


@dataclass(frozen=True, slots=True)
class DealStarted:
    """Cards were dealt; ``deal`` counts from 1. Secret: each seat its own hand."""

    deal: int
    dealer: int
    upcard: Card


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat drew from the stock. Secret: the drawer the card."""

    seat: int


@dataclass(frozen=True, slots=True)
class PileTaken:
    """A seat took the whole pile; ``cards`` in the order they lay, top last."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class MeldLaid:
    """A seat laid a new meld; ``meld`` is its number on that side, from 0."""

    seat: int
    meld: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardsAdded:
    """A seat added cards to a meld of its side."""

    seat: int
    meld: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A seat discarded and its turn ended."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class PozzettoTaken:
    """A seat took a pozzetto: directly (R50), or on the discard and unopened (R52).

    Secret: when taken directly, the taker its cards.
    """

    seat: int
    direct: bool


@dataclass(frozen=True, slots=True)
class PozzettoOpened:
    """A seat may now see the pozzetto it took on the discard (E55). Secret: the owner its cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class PairMade:
    """Of three, ``lone`` plays alone from here; the other two are partners, melds joined (H6)."""

    lone: int


@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal is over; ``points`` by side as dealt, ``closer`` None unless a seat closed."""

    by: EndedBy
    closer: int | None
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; ``winner`` is a side as dealt, or None where equal totals end it."""

    totals: tuple[int, ...]
    winner: int | None


Fact = (
    DealStarted
    | CardDrawn
    | PileTaken
    | MeldLaid
    | CardsAdded
    | CardDiscarded
    | PozzettoTaken
    | PozzettoOpened
    | PairMade
    | DealEnded
    | MatchEnded
)


@dataclass(frozen=True, slots=True)
class Secret:
    """Cards that one seat may see with a fact."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A public fact, with the secrets of single seats."""

    fact: Fact
    secrets: tuple[Secret, ...]

    def seen_by(self, seat: int | None) -> "SeenEvent":
        """The event as a seat may know it; None is a viewer without a seat."""
        for secret in self.secrets:
            if secret.seat == seat:
                return SeenEvent(self.fact, secret.cards)
        return SeenEvent(self.fact, ())


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """An event as one viewer knows it; ``cards`` are the viewer's own secret, else empty."""

    fact: Fact
    cards: tuple[Card, ...]
