"""A deal as one seat saw it: a block of notation from seen events, and from nothing else.

Whatever a viewer was not shown is unknown in the block, because it never comes here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from burraco.engine.bgn import DealRecord, adjudicated, read_deal
from burraco.engine.bgn_tags import (
    UNFINISHED,
    ordered_tags,
    paired,
    stock_size,
    write_end,
    write_layout,
    write_points,
    write_rules,
)
from burraco.engine.bgn_text import VERSION, Block, write_block
from burraco.engine.cards import UNKNOWN, Bag, Card, bag
from burraco.engine.deal import open_deal
from burraco.engine.errors import IllegalAction, Reason, Unreadable
from burraco.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardsAdded,
    DealEnded,
    DealStarted,
    Event,
    MeldLaid,
    PairMade,
    PileTaken,
    PozzettoOpened,
    PozzettoTaken,
    Secret,
    SeenEvent,
)
from burraco.engine.melds import Meld
from burraco.engine.notation import write_added, write_cards, write_meld
from burraco.engine.refusals import require_meld
from burraco.engine.rules import HAND_SIZE, Ruleset
from burraco.engine.scoring import deal_points
from burraco.engine.state import SEAT_NAMES, End, EndedBy, Layout, left_of
from burraco.engine.transition import apply

# Tags that tell nothing of the cards; a seed, which tells them all, is none of them.
_OPEN_TAGS: Final = (
    "Event",
    "Match",
    "Board",
    "Date",
    "North",
    "East",
    "South",
    "West",
    "DealNumber",
    "DealCount",
    "Scores",
)


@dataclass(frozen=True, slots=True)
class SeenDeal:
    """A deal as one seat saw it; ``seat`` None is a viewer without a seat.

    ``pozzetti`` are the sizes of those dealt. ``events`` begin with the start of the deal, and
    hold all that the viewer was told after it.
    """

    rules: Ruleset
    seat: int | None
    pozzetti: tuple[int, ...]
    events: tuple[SeenEvent, ...]


def seen_deal(record: DealRecord, seat: int | None) -> SeenDeal:
    """What a seat was told over a deal whose cards are all known.

    A move that is not legal raises ``IllegalAction``.
    """
    events = tuple(event.seen_by(seat) for event in _events(record))
    return SeenDeal(record.rules, seat, tuple(map(len, record.layout.pozzetti)), events)


def _events(record: DealRecord) -> list[Event]:
    layout = record.layout
    hands = tuple(Secret(seat, tuple(sorted(hand))) for seat, hand in enumerate(layout.hands))
    events = [Event(DealStarted(1, record.dealer, layout.upcard), hands)]
    state = open_deal(record.rules, record.dealer, layout)
    for move in record.moves:
        if state.end is None and move.seat != state.turn:
            raise IllegalAction(Reason.NOT_YOUR_TURN, "R42")
        step = apply(state, move.action)
        state = step.state
        events += step.events
    if record.adjudicated and state.end is None:
        points = deal_points(adjudicated(state))
        events.append(Event(DealEnded(EndedBy.ADJUDICATED, None, points), ()))
    return events


def view_of_block(block: Block, seat: int | None) -> str:
    """A block that is a whole deal, as a seat saw it, or ``BadNotation`` or ``MoveRefused``.

    Of its free tags stay those that tell nothing of the cards.
    """
    record = read_deal(block)
    if any(UNKNOWN in cards for cards in _piles(record.layout)):
        raise block.tags["Deal"].bad("unknown cards: only a deal with all cards can be seen anew")
    free = {name: block.tags[name].text for name in _OPEN_TAGS if name in block.tags}
    return write_seen(seen_deal(record, seat), free)


def _piles(layout: Layout) -> tuple[tuple[Card, ...], ...]:
    return (*layout.hands, *layout.pozzetti, layout.stock)


def write_seen(deal: SeenDeal, free: Mapping[str, str]) -> str:
    """Write what a seat saw as a block; ``free`` are tags beside its own, such as ``Event``."""
    first, *later = deal.events or (None,)
    if first is None or not isinstance(first.fact, DealStarted):
        raise Unreadable("what a seat saw of a deal begins with its start")
    sheet = _Sheet(deal, first.fact.dealer)
    for event in later:
        sheet.write(event)
    own = {
        "BGN": VERSION,
        "Rules": write_rules(deal.rules),
        "Dealer": SEAT_NAMES[first.fact.dealer],
        "Deal": write_layout(_seen_layout(deal, first.fact.upcard, first.cards)),
        "Termination": write_end(sheet.end),
        "Result": sheet.result,
    }
    return write_block(ordered_tags(free, own), sheet.turns)


def _seen_layout(deal: SeenDeal, upcard: Card, hand: tuple[Card, ...]) -> Layout:
    hidden = (UNKNOWN,) * HAND_SIZE
    return Layout(
        hands=tuple(hand if seat == deal.seat else hidden for seat in range(deal.rules.players)),
        pozzetti=tuple((UNKNOWN,) * size for size in deal.pozzetti),
        upcard=upcard,
        stock=(UNKNOWN,) * stock_size(deal.rules, deal.pozzetti),
    )


class _Sheet:
    """The turns of a deal while its events are written down."""

    def __init__(self, deal: SeenDeal, dealer: int) -> None:
        self.turns: list[str] = []
        self.end: End | None = None
        self.result = UNFINISHED
        self._rules = deal.rules
        self._seat = deal.seat
        self._first = left_of(dealer, deal.rules.players)
        self._number = 0
        self._begins = True
        self._melds: list[list[Meld]] = [[] for _ in deal.rules.sides_as_dealt]
        self._sides = deal.rules.sides_as_dealt
        self._untaken = list(deal.pozzetti)
        # A pozzetto taken on the discard is shown to its owner later (E55).
        self._opened = _cards_opened(deal)

    def write(self, event: SeenEvent) -> None:
        """Write down one event that followed the start of the deal."""
        match event.fact:
            case CardDrawn(seat):
                self._play(seat, f"+{write_cards(event.cards or (UNKNOWN,))}")
            case PileTaken(seat, cards):
                self._play(seat, f"^({write_cards(cards)})")
            case MeldLaid(seat, meld, cards):
                self._play(seat, f"M{meld + 1}={write_meld(self._lay(seat, bag(cards)))}")
            case CardsAdded(seat, meld, cards):
                grown = self._grow(seat, meld, bag(cards))
                self._play(seat, f"M{meld + 1}+{write_added(grown, bag(cards))}")
            case CardDiscarded(seat, card):
                self._play(seat, f"-{card}")
                self._begins = True
            case PozzettoTaken(seat, direct):
                self._take(seat, event.cards, direct=direct)
            case PairMade(lone):
                self._pair(lone)
            case DealEnded(by, closer, points):
                self._finish(End(by, closer), points)
            case _:
                return

    def _play(self, seat: int, token: str) -> None:
        if self._begins:
            self._number += seat == self._first
            self.turns.append(f"{self._number}{SEAT_NAMES[seat]}")
            self._begins = False
        self.turns[-1] += f" {token}"

    def _lay(self, seat: int, cards: Bag) -> Meld:
        meld = require_meld(self._rules, cards, None)
        self._melds[self._sides[seat]].append(meld)
        return meld

    def _grow(self, seat: int, at: int, added: Bag) -> Meld:
        melds = self._melds[self._sides[seat]]
        melds[at] = require_meld(self._rules, Bag(melds[at].bag + added), melds[at])
        return melds[at]

    def _take(self, seat: int, cards: tuple[Card, ...], *, direct: bool) -> None:
        hidden = (UNKNOWN,) * self._untaken.pop(0)
        own = cards if direct else self._opened if seat == self._seat else ()
        self.turns[-1] += f" {'P!' if direct else 'P.'}({write_cards(own or hidden)})"

    def _pair(self, lone: int) -> None:
        """Join the melds of the two others; the first seat's keep their numbers (H6, H7)."""
        self._sides = paired(self._sides, lone)
        first, second = (seat for seat in range(len(self._sides)) if seat != lone)
        self._melds[first] += self._melds[second]
        self._melds[second] = []

    def _finish(self, end: End, points: tuple[int, ...]) -> None:
        self.end, self.result = end, write_points(points, self._rules)
        if end.by is EndedBy.CLOSED:
            self.turns[-1] += " #"


def _cards_opened(deal: SeenDeal) -> tuple[Card, ...]:
    """The pozzetto that the viewer took on the discard and has seen since, else no cards."""
    for seen in deal.events:
        if isinstance(seen.fact, PozzettoOpened) and seen.fact.seat == deal.seat:
            return seen.cards
    return ()
