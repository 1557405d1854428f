"""The state of one deal, and what has ended it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from burraco.engine.cards import Bag, Card, points, size
from burraco.engine.melds import Meld
from burraco.engine.rules import Ruleset

SEAT_NAMES: Final = "NESW"
SIDE_NAMES: Final = ("NS", "EW")
NO_CARD: Final = -1


class Phase(Enum):
    """What the seat to act has to do."""

    DRAW = "draw"
    PLAY = "play"
    OVER = "over"


class EndedBy(Enum):
    """How a deal ended (R55 to R63); adjudicated where an organiser ended it."""

    CLOSED = "closed"
    STOCK = "stock"
    STALEMATE = "stalemate"
    ADJUDICATED = "adjudicated"


class End(NamedTuple):
    """How a deal ended, and who closed it (None unless it was closed)."""

    by: EndedBy
    closer: int | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The pack as dealt: hands by seat, pozzetti in the order taken, upcard, stock from the top."""

    hands: tuple[tuple[Card, ...], ...]
    pozzetti: tuple[tuple[Card, ...], ...]
    upcard: Card
    stock: tuple[Card, ...]

    def __reduce__(self) -> tuple[type["Layout"], tuple[object, ...]]:
        return Layout, (self.hands, self.pozzetti, self.upcard, self.stock)


class DealState:
    """One deal at one moment; a value: once returned by the engine nothing assigns to it.

    Seats are 0 to 3 for N E S W as far as there are players, sides 0 and 1 for NS and EW, or a
    number for each who plays alone. ``pile`` has its top last, ``stock`` its top first,
    ``pozzetti`` are those nobody has taken yet, in order. ``unopened`` holds, by seat, a pozzetto
    taken on the discard that its owner has not seen (E55). About the running turn: ``drawn`` is
    the card drawn from the stock, ``barred`` the face that may not be discarded (E46),
    ``must_meld`` the duty of E49, ``idle`` whether the turn is passive so far (R62), ``last_turn``
    whether the deal ends with its discard (E65). ``passive`` counts the passive turns before it.
    ``sides`` is the side of each seat: three players begin alone, and two of them become partners
    (H6), after which the higher of their two numbers has nothing.
    """

    __slots__ = (
        "barred",
        "dealer",
        "drawn",
        "end",
        "hands",
        "idle",
        "last_turn",
        "melds",
        "must_meld",
        "passive",
        "phase",
        "pile",
        "pozzetti",
        "rules",
        "sides",
        "stock",
        "taken",
        "turn",
        "unopened",
    )

    def __init__(
        self,
        rules: Ruleset,
        dealer: int,
        turn: int,
        phase: Phase,
        hands: tuple[Bag, ...],
        melds: tuple[tuple[Meld, ...], ...],
        pile: tuple[Card, ...],
        stock: tuple[Card, ...],
        pozzetti: tuple[Bag, ...],
        taken: tuple[bool, ...],
        unopened: tuple[Bag, ...],
        drawn: int,
        barred: int,
        must_meld: bool,
        idle: bool,
        passive: int,
        last_turn: bool,
        end: End | None,
        sides: tuple[int, ...],
    ) -> None:
        self.rules = rules
        self.dealer = dealer
        self.turn = turn
        self.phase = phase
        self.hands = hands
        self.melds = melds
        self.pile = pile
        self.stock = stock
        self.pozzetti = pozzetti
        self.taken = taken
        self.unopened = unopened
        self.drawn = drawn
        self.barred = barred
        self.must_meld = must_meld
        self.idle = idle
        self.passive = passive
        self.last_turn = last_turn
        self.end = end
        self.sides = sides

    def copy(self) -> "DealState":
        """A new object with the same contents; everything inside is immutable and shared."""
        return DealState(
            self.rules,
            self.dealer,
            self.turn,
            self.phase,
            self.hands,
            self.melds,
            self.pile,
            self.stock,
            self.pozzetti,
            self.taken,
            self.unopened,
            self.drawn,
            self.barred,
            self.must_meld,
            self.idle,
            self.passive,
            self.last_turn,
            self.end,
            self.sides,
        )

    def __reduce__(self) -> tuple[type["DealState"], tuple[object, ...]]:
        return DealState, (
            self.rules,
            self.dealer,
            self.turn,
            self.phase,
            self.hands,
            self.melds,
            self.pile,
            self.stock,
            self.pozzetti,
            self.taken,
            self.unopened,
            self.drawn,
            self.barred,
            self.must_meld,
            self.idle,
            self.passive,
            self.last_turn,
            self.end,
            self.sides,
        )

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that tells two states apart, for comparing and hashing."""
        return (
            self.rules.content_hash,
            self.dealer,
            self.turn,
            self.phase.value,
            self.hands,
            tuple(tuple(meld.bag for meld in side) for side in self.melds),
            tuple(map(int, self.pile)),
            tuple(map(int, self.stock)),
            self.pozzetti,
            self.taken,
            self.unopened,
            self.drawn,
            self.barred,
            self.must_meld,
            self.idle,
            self.passive,
            self.last_turn,
            None if self.end is None else (self.end.by.value, self.end.closer),
            self.sides,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DealState) and self.facts == other.facts

    def __hash__(self) -> int:
        return hash(self.facts)

    def hand_size(self, seat: int) -> int:
        """Cards a seat holds, a pozzetto it has not opened included."""
        waiting = self.unopened[seat]
        return size(self.hands[seat]) + (size(waiting) if waiting else 0)

    def hand_sizes(self) -> tuple[int, ...]:
        """``hand_size`` of each seat."""
        return tuple([self.hand_size(seat) for seat in range(len(self.hands))])

    def hand_points(self, side: int) -> int:
        """Value of all cards in the hands of a side, an unopened pozzetto included (E13, E56)."""
        return sum(
            points(self.hands[seat]) + points(self.unopened[seat])
            for seat, own in enumerate(self.sides)
            if own == side
        )


def left_of(seat: int, players: int) -> int:
    """The next seat clockwise at a table of so many."""
    return seat + 1 if seat + 1 < players else 0


def side_names(sides: Sequence[int]) -> dict[int, str]:
    """What each side is called: its seats in the order N E S W, as ``NS`` or ``E``."""
    names: dict[int, str] = {}
    for seat, side in enumerate(sides):
        names[side] = names.get(side, "") + SEAT_NAMES[seat]
    return names
