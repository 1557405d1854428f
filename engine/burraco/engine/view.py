"""What a seat may know of a deal: built from a list of what is shown, never by hiding."""

from dataclasses import dataclass
from functools import cached_property

from burraco.engine.actions import Action, Discard
from burraco.engine.cards import CARDS, Bag, Card, bag, size, unpack
from burraco.engine.legal import legal_discards, legal_draws, legal_plays
from burraco.engine.melds import Meld
from burraco.engine.rules import Ruleset
from burraco.engine.scoring import deal_points
from burraco.engine.state import NO_CARD, DealState, End, Phase


@dataclass(frozen=True)
class View:
    """One seat's knowledge of a deal; ``seat`` None is a viewer without a seat, who holds nothing.

    Seats are 0 to 3 for N E S W as far as there are players; ``sides`` is the side of each: 0 for
    NS and 1 for EW, or a number for each who plays alone. ``hand`` is sorted by face;
    ``hidden`` counts own cards that the seat itself may not see yet (E55). ``counts`` are the
    cards in each seat's hand, hidden ones included. ``melds`` are by side in the order laid,
    ``pile`` has its top last. ``pozzetti`` is how many lie on the table, ``taken`` which sides
    have theirs, ``unopened`` which seats hold one they have not seen. ``drawn`` is the card the
    seat has drawn this turn, ``barred`` the card it may not discard (E46); both only for the seat
    to act. ``points`` is the deal by side as dealt once it is over. ``totals`` are the match
    totals before this deal, by side as dealt too.
    """

    rules: Ruleset
    seat: int | None
    deal: int
    dealer: int
    turn: int
    phase: Phase
    hand: tuple[Card, ...]
    hidden: int
    counts: tuple[int, ...]
    melds: tuple[tuple[Meld, ...], ...]
    pile: tuple[Card, ...]
    stock: int
    pozzetti: int
    taken: tuple[bool, ...]
    unopened: tuple[bool, ...]
    passive: int
    last_turn: bool
    drawn: Card | None
    barred: Card | None
    must_meld: bool
    end: End | None
    points: tuple[int, ...] | None
    totals: tuple[int, ...]
    sides: tuple[int, ...]

    @property
    def side(self) -> int:
        """The side of the seat, 0 for a viewer without one."""
        return 0 if self.seat is None else self.sides[self.seat]

    @property
    def is_my_turn(self) -> bool:
        """Whether the seat is the one to act."""
        return self.seat == self.turn and self.phase is not Phase.OVER

    @property
    def my_melds(self) -> tuple[Meld, ...]:
        """Melds of the own side."""
        return self.melds[self.side]

    @property
    def their_melds(self) -> tuple[Meld, ...]:
        """Melds of the other side; where three play alone, of both others."""
        mine = self.side
        return tuple(
            meld for side, melds in enumerate(self.melds) if side != mine for meld in melds
        )

    @property
    def partner(self) -> int | None:
        """The seat that plays with this one, None for a seat alone and for a viewer."""
        if self.seat is None:
            return None
        own_side = (seat for seat, side in enumerate(self.sides) if side == self.side)
        return next((seat for seat in own_side if seat != self.seat), None)

    @cached_property
    def hand_bag(self) -> Bag:
        """The visible hand as a bag."""
        return bag(self.hand)

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """Every legal action of the seat now, each once; empty when it is not its turn."""
        if not self.is_my_turn:
            return ()
        if self.phase is Phase.DRAW:
            return tuple(
                legal_draws(
                    self.rules,
                    self.hand_bag,
                    self.my_melds,
                    self.taken[self.side],
                    self.pile,
                    self.stock,
                )
            )
        return tuple(legal_plays(*self._playing))

    @cached_property
    def legal_discards(self) -> tuple[Discard, ...]:
        """The discards among ``legal``, for a policy that looks at nothing else."""
        if not self.is_my_turn or self.phase is Phase.DRAW:
            return ()
        return tuple(legal_discards(*self._playing))

    @property
    def _playing(self) -> tuple[Ruleset, Bag, tuple[Meld, ...], bool, int, bool]:
        barred = NO_CARD if self.barred is None else int(self.barred)
        taken = self.taken[self.side]
        return self.rules, self.hand_bag, self.my_melds, taken, barred, self.must_meld


def view(state: DealState, seat: int | None, deal: int, totals: tuple[int, ...]) -> View:
    """What a seat, or a viewer without one, may know now; ``deal`` counts from 1."""
    acting = seat == state.turn and state.phase is not Phase.OVER
    return View(
        rules=state.rules,
        seat=seat,
        deal=deal,
        dealer=state.dealer,
        turn=state.turn,
        phase=state.phase,
        hand=() if seat is None else unpack(state.hands[seat]),
        hidden=0 if seat is None else size(state.unopened[seat]),
        counts=state.hand_sizes(),
        melds=state.melds,
        pile=state.pile,
        stock=len(state.stock),
        pozzetti=len(state.pozzetti),
        taken=state.taken,
        unopened=tuple([bool(waiting) for waiting in state.unopened]),
        passive=state.passive,
        last_turn=state.last_turn,
        drawn=Card(state.drawn) if acting and state.drawn != NO_CARD else None,
        barred=CARDS[state.barred] if acting and state.barred != NO_CARD else None,
        must_meld=acting and state.must_meld,
        end=state.end,
        points=None if state.end is None else deal_points(state),
        totals=totals,
        sides=state.sides,
    )
