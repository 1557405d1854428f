"""`club`: plays as a good club player does, by weighing what every hand and table is worth.

A turn is planned from the cards it can see: the melds that raise the worth of table and hand most,
one after the other, and then the discard that costs least. When all cards but one can be melded,
that is weighed too. The pile is taken when the best turn with it is worth more than the best one
off the stock.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from burraco.bots.worth import Melds, Outlook
from burraco.engine.cards import ONE, Bag, size
from burraco.engine.legal import legal_plays, melds_after
from burraco.engine.state import NO_CARD
from burraco.sdk import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Bot,
    Card,
    CardTracker,
    Discard,
    LayMeld,
    Phase,
    Table,
    View,
    bag,
)

# What a card off the stock is worth more than the best turn without it.
_STOCK_CARD: Final = 12
# What every other card of the pile is worth to an opponent who takes it for the one discarded.
_PILE_CARD: Final = 4
# For each card an opponent is known to hold that lies near a discard.
_HELD_NEAR: Final = 3
# Longest hand that is looked at for a way to meld it all, and the most positions looked at.
_RUN_CARDS: Final = 14
_RUN_POSITIONS: Final = 150


@dataclass(frozen=True, slots=True)
class Plan:
    """Melds and additions of one turn, the hand and table they leave, and what that is worth."""

    melding: tuple[LayMeld | Add, ...]
    hand: Bag
    melds: Melds
    worth: float


class ClubBot(Bot):
    """Melds what is worth it, takes piles that pay, and gives the opponents little."""

    def start(self, table: Table) -> None:
        """Begin to count cards."""
        self._tracker = CardTracker()

    def decide(self, view: View) -> Action | list[Action]:
        """Draw; or the whole rest of the turn."""
        if self.table.missed:
            self._tracker = CardTracker()
        for event in self.table.events:
            self._tracker.observe(event)
        turn = Turn(view, self._tracker)
        return turn.draw() if view.phase is Phase.DRAW else turn.play()


class Turn:
    """One turn as `club` thinks about it."""

    def __init__(self, view: View, tracker: CardTracker) -> None:
        self._view = view
        self._tracker = tracker
        self._outlook = Outlook.of(view)
        self._barred = NO_CARD if view.barred is None else int(view.barred)

    def draw(self) -> Action:
        """Take the pile when it makes the better turn."""
        legal = self._view.legal
        if len(legal) == 1:
            return legal[0]
        hand = self._view.hand_bag
        with_pile = Bag(hand + bag(self._view.pile))
        must_meld = self._view.rules.pile_requires_meld
        gain = self._improve(with_pile, must_meld).worth - self._improve(hand, False).worth
        return TAKE_PILE if gain > _STOCK_CARD else DRAW_STOCK

    def play(self) -> list[Action]:
        """Melds and additions, then the discard; nothing after melding all cards."""
        hand, must_meld = self._view.hand_bag, self._view.must_meld
        plan = self._improve(hand, must_meld)
        if size(plan.hand) > 1 and size(hand) <= _RUN_CARDS:
            plan = max((plan, *self._run_out(hand)), key=lambda found: found.worth)
        if not plan.hand:
            return [*plan.melding]
        return [*plan.melding, Discard(self._discard(plan))]

    def _grow(self, plan: Plan) -> Iterator[Plan]:
        """Every plan that is one meld or addition longer."""
        view, outlook = self._view, self._outlook
        table = plan.worth - outlook.before_discard(plan.hand, plan.melds)
        plays = legal_plays(
            view.rules, plan.hand, plan.melds, outlook.taken, self._barred, must_meld=True
        )
        for action in plays:
            assert isinstance(action, LayMeld | Add)
            hand, melds = Bag(plan.hand - action.bag), melds_after(plan.melds, action)
            if isinstance(action, LayMeld):
                gain = outlook.meld(melds[-1])
            else:
                gain = outlook.meld(melds[action.meld]) - outlook.meld(plan.melds[action.meld])
            worth = table + gain + outlook.before_discard(hand, melds)
            yield Plan((*plan.melding, action), hand, melds, worth)

    def _nothing(self, hand: Bag) -> Plan:
        """The plan without any meld."""
        melds, outlook = self._view.my_melds, self._outlook
        return Plan((), hand, melds, outlook.table(melds) + outlook.before_discard(hand, melds))

    def _improve(self, hand: Bag, must_meld: bool) -> Plan:
        """The plan that grows by the best meld for as long as that helps."""
        plan = self._nothing(hand)
        while plan.hand:
            longer = max(self._grow(plan), key=lambda found: found.worth, default=plan)
            is_due = must_meld and not plan.melding
            if longer is plan or (longer.worth <= plan.worth and not is_due):
                break
            plan = longer
        return plan

    def _run_out(self, hand: Bag) -> list[Plan]:
        """Plans that leave one card or none, as far as a short search finds any."""
        found: list[Plan] = []
        waiting = [self._nothing(hand)]
        for _ in range(_RUN_POSITIONS):
            if not waiting:
                break
            plan = waiting.pop()
            if size(plan.hand) <= 1:
                found.append(plan)
                continue
            waiting += sorted(self._grow(plan), key=lambda longer: -size(longer.hand))
        return found

    def _discard(self, plan: Plan) -> Card:
        """The card that is missed least and helps opponents least; a wild one only when forced."""
        plays = legal_plays(
            self._view.rules, plan.hand, plan.melds, self._outlook.taken, self._barred, False
        )
        cards = [action.card for action in plays if isinstance(action, Discard)]
        return max(cards, key=lambda card: (not card.is_wild, self._without(plan.hand, card)))

    def _without(self, hand: Bag, card: Card) -> float:
        left = Bag(hand - ONE[card])
        return self._outlook.hand(left, size(left), closable=False) - self._danger(card)

    def _danger(self, card: Card) -> float:
        """What a discard gives the opponents: a card for their melds and the pile with it."""
        pile = _PILE_CARD * len(self._view.pile)
        gains = [self._outlook.growth(meld, card) for meld in self._view.their_melds]
        fits = [gain + pile for gain in gains if gain]
        return max(fits, default=0.0) + _HELD_NEAR * self._held_near(card)

    def _held_near(self, card: Card) -> int:
        """How many cards opponents are known to hold that could be melded with this one."""
        assert self._view.seat is not None
        return sum(
            _are_near(card, other)
            for foe, side in enumerate(self._view.sides)
            if side != self._view.side
            for other in self._tracker.known(foe)
        )


def _are_near(card: Card, other: Card) -> bool:
    if other.is_wild:
        return False
    steps = abs(card.rank - other.rank)
    return steps == 0 or (card.suit == other.suit and steps <= 2)
