"""A deal on the table: who holds what, and what the running turn has seen so far."""

from dataclasses import dataclass, field

from tests.reference.cards import Cards
from tests.reference.knobs import Knobs

# How a deal ended, and the seat that closed it.
End = tuple[str, int | None]

# The side of each seat as dealt, by number of players (docs/players.md).
SIDES = {4: (0, 1, 0, 1), 2: (0, 1), 3: (0, 1, 2)}


@dataclass
class Table:
    """Seats are 0 to 3 for N E S W; ``sides`` has the side of each, 0 and 1 for NS and EW.

    ``melds`` and ``taken`` are by side as dealt; one that fell free has nothing (H6, H7).
    ``pile`` has its top last and ``stock`` its top first. ``pozzetti`` are those nobody has taken,
    ``unopened`` holds by seat one that its owner may not see yet (E55). Of the running turn:
    ``drew`` is the card from the stock, ``took`` what the pile was, ``held_twin`` whether its card
    was in the hand before, ``melded`` whether anything was laid or added. ``passive`` counts the
    passive turns in a row (R62).
    """

    knobs: Knobs
    dealer: int
    turn: int
    sides: list[int]
    hands: list[Cards]
    melds: list[list[Cards]]
    pile: list[str]
    stock: list[str]
    pozzetti: list[Cards]
    taken: list[bool]
    unopened: list[Cards]
    drew: str | None = None
    took: list[str] = field(default_factory=list)
    held_twin: bool = False
    melded: bool = False
    passive: int = 0
    end: End | None = None

    def copy(self) -> "Table":
        """The same table again; what happens on one is not seen on the other."""
        return Table(
            self.knobs,
            self.dealer,
            self.turn,
            self.sides.copy(),
            self.hands.copy(),
            [side.copy() for side in self.melds],
            self.pile.copy(),
            self.stock.copy(),
            self.pozzetti.copy(),
            self.taken.copy(),
            self.unopened.copy(),
            self.drew,
            self.took.copy(),
            self.held_twin,
            self.melded,
            self.passive,
            self.end,
        )

    @property
    def side(self) -> int:
        """The side to act."""
        return self.sides[self.turn]

    @property
    def hand(self) -> Cards:
        """The hand of the seat to act."""
        return self.hands[self.turn]

    @property
    def own_melds(self) -> list[Cards]:
        """The melds of the side to act."""
        return self.melds[self.sides[self.turn]]

    def left_of(self, seat: int) -> int:
        """The next seat clockwise (H1)."""
        return (seat + 1) % len(self.sides)

    def of_side(self, side: int) -> list[int]:
        """The seats of a side."""
        return [seat for seat, own in enumerate(self.sides) if own == side]

    def are_partners(self, one: int, other: int) -> bool:
        """Whether two seats are different ones of one side."""
        return one != other and self.sides[one] == self.sides[other]

    @property
    def is_pair_made(self) -> bool:
        """Whether two are partners that were not when the cards were dealt (H6)."""
        return tuple(self.sides) != SIDES[len(self.sides)]

    @property
    def has_drawn(self) -> bool:
        """R44: whether the choice between stock and pile is made."""
        return self.drew is not None or bool(self.took)

    @property
    def barred(self) -> str | None:
        """The card that may not be discarded this turn (E46, E61)."""
        if len(self.took) != 1 or self.knobs.rediscard_single == "allow":
            return None
        if self.knobs.rediscard_single == "forbid_unless_twin" and self.held_twin:
            return None
        return self.took[0]

    @property
    def must_meld(self) -> bool:
        """E49: the pile was taken, and the meld it was taken for is still due."""
        return self.knobs.pile_requires_meld and bool(self.took) and not self.melded

    @property
    def is_passive(self) -> bool:
        """R62: whether the turn is passive if it ends now."""
        return len(self.took) == 1 and not self.melded

    @property
    def is_last_turn(self) -> bool:
        """E65: the draw left two in the stock, and the deal ends with the discard."""
        after = self.knobs.stock_end == "after_discard"
        return after and self.drew is not None and len(self.stock) <= 2
