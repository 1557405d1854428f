"""Replaying a block: every token is played, or the first that cannot be is named."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from burraco.engine.actions import Action, Discard, TakePile
from burraco.engine.bgn_scene import read_scene
from burraco.engine.bgn_tags import (
    read_dealer,
    read_layout,
    read_points,
    read_rules,
    require_version,
)
from burraco.engine.bgn_text import Block, Placed, Turn, Words
from burraco.engine.cards import (
    ONE,
    UNKNOWN,
    Bag,
    Card,
    bag,
    count,
    show_cards,
    size,
    unpack,
)
from burraco.engine.deal import open_deal
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.notation import Token, Told, action_of, write_cards
from burraco.engine.refusals import require_copies
from burraco.engine.rules import Rediscard
from burraco.engine.state import (
    NO_CARD,
    SEAT_NAMES,
    DealState,
    EndedBy,
    Layout,
    Phase,
    left_of,
)
from burraco.engine.transition import advance, require


class MoveRefused(Exception):
    """A token that cannot have been played; its text begins with the turn and the token."""

    def __init__(self, turn: Turn, words: Words, why: str, hint: str) -> None:
        super().__init__(f'{turn.label.text} "{words.text}": {why}')
        self.words = words
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Move:
    """An action as it was played; ``timed_out`` when it was the default after a time-out."""

    seat: int
    action: Action
    timed_out: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """A block played through. ``layout`` is None for a scene."""

    layout: Layout | None
    start: DealState
    moves: tuple[Move, ...]
    final: DealState


def replay(block: Block) -> Replay:
    """Play a block through, or raise ``BadNotation`` or ``MoveRefused``."""
    layout, start = _open(block)
    table = _Table(start, counts_rounds=layout is not None)
    for turn in block.turns:
        for at, placed in enumerate(turn.tokens):
            following = turn.tokens[at + 1].token if at + 1 < len(turn.tokens) else None
            table.follow(turn, placed, following)
    return Replay(layout, start, tuple(table.moves), table.state)


def _open(block: Block) -> tuple[Layout | None, DealState]:
    require_version(block)
    if "Scores" in block.tags:
        read_points(block.tags["Scores"], read_rules(block))
    deal = block.tags.get("Deal")
    if deal is None:
        if "Turn" not in block.tags:
            raise block.start.bad("a block has a tag Deal, or Turn for a scene: this has neither")
        return None, read_scene(block)
    if "Turn" in block.tags:
        raise block.tags["Turn"].bad("a block with a Deal has no Turn: a scene has, instead of it")
    dealer = read_dealer(block)
    if dealer is None:
        raise deal.bad('who dealt is missing: [Dealer "N"]')
    rules = read_rules(block)
    layout = read_layout(deal, rules)
    return layout, open_deal(rules, dealer, layout)


def round_after(number: int, state: DealState) -> int:
    """The number of the turn that begins in ``state``: it goes up when the first player is due."""
    begins = state.phase is Phase.DRAW and state.turn == left_of(state.dealer, len(state.hands))
    return number + 1 if begins else number


_PLAYS: Final = (Told.LAY, Told.ADD, Told.DISCARD)


class _Table:
    """The deal while a block is replayed."""

    def __init__(self, start: DealState, *, counts_rounds: bool) -> None:
        self.state = start
        self.moves: list[Move] = []
        self._round = 1 if counts_rounds else 0
        self._may_show: Told | None = None

    def follow(self, turn: Turn, placed: Placed, following: Token | None) -> None:
        """Play one token; ``following`` is the next one of the same turn."""
        token, words = placed
        try:
            require_copies(token.cards)
            action = action_of(token)
            if action is None:
                self._hear(turn, placed)
            else:
                self._act(turn, placed, action, following)
        except IllegalAction as refusal:
            why = f"{refusal.reason} ({refusal.rule})"
            raise MoveRefused(turn, words, why, refusal.advice) from None

    def _hear(self, turn: Turn, placed: Placed) -> None:
        """Hold what is only told against what has happened."""
        match placed.token.told:
            case Told.CLOSING:
                self._check_closing(turn, placed.words)
            case Told.TIMED_OUT:
                self._mark_default(turn, placed.words)
            case _:
                self._show_pozzetto(turn, placed)

    def _act(self, turn: Turn, placed: Placed, action: Action, following: Token | None) -> None:
        token, words = placed
        self._require_turn(turn, words)
        if token.told in _PLAYS:
            self._name_hand_cards(token, following)
        self._require(turn, action)
        self._check_shown(turn, placed)
        before, after = self.state, advance(self.state, action)
        if count(before.hands[turn.seat], UNKNOWN) and token.told is Told.TAKE:
            after.barred = _barred_for_sure(after)
        self._may_show = None
        if after.taken != before.taken:
            later = isinstance(action, Discard)
            self._may_show = Told.POZZETTO_LATER if later else Told.POZZETTO_DIRECT
        self.state = after
        self.moves.append(Move(turn.seat, action, timed_out=False))
        if isinstance(action, Discard) and self._round:
            self._round = round_after(self._round, after)

    def _require_turn(self, turn: Turn, words: Words) -> None:
        if self.state.phase is Phase.OVER:
            return
        if turn.seat != self.state.turn:
            hint = f"it is {SEAT_NAMES[self.state.turn]}'s turn"
            raise MoveRefused(turn, words, f"{Reason.NOT_YOUR_TURN} (R42)", hint)
        if self._round not in (0, turn.number):
            due = f"{self._round}{SEAT_NAMES[turn.seat]}"
            raise MoveRefused(turn, words, f"this is turn {due}", "turns count by rounds")

    def _require(self, turn: Turn, action: Action) -> None:
        """Ask the rules; where unknown cards decide whether the pile may be taken, it may."""
        state = self.state
        takes = isinstance(action, TakePile) and state.phase is Phase.DRAW and state.pile
        if takes and count(state.hands[turn.seat], UNKNOWN):
            return
        require(state, action)

    def _check_shown(self, turn: Turn, placed: Placed) -> None:
        """Hold what a token shows against the table; an unknown card becomes the one shown."""
        token, words = placed
        state = self.state
        match token.told:
            case Told.DRAW if token.cards[0] != UNKNOWN and token.cards[0] != state.stock[0]:
                if state.stock[0] != UNKNOWN:
                    why = f"the top of the stock is {state.stock[0]}"
                    raise MoveRefused(turn, words, why, "a stock draw shows the card drawn")
                self._require_left(token.cards)
                self.state = state.copy()
                self.state.stock = (*token.cards, *state.stock[1:])
            case Told.TAKE if sorted(token.cards) != sorted(state.pile):
                why = f"the pile is {show_cards(state.pile)}"
                raise MoveRefused(turn, words, why, "the pile is taken whole")
            case Told.LAY if token.meld != len(state.melds[state.sides[turn.seat]]):
                due = len(state.melds[state.sides[turn.seat]]) + 1
                raise IllegalAction(Reason.NO_SUCH_MELD, "R27", due=str(due))
            case _:
                return

    def _name_hand_cards(self, token: Token, following: Token | None) -> None:
        """Let unknown cards of the hand be those that this token and a discard after it name."""
        seat = self.state.turn
        hand = self.state.hands[seat]
        named = list(token.cards)
        if following is not None and following.told is Told.DISCARD:
            named += following.cards
        free = count(hand, UNKNOWN)
        if not free:
            return
        missing = Counter(named) - Counter(unpack(hand))
        shown = list(missing.elements())[:free]
        self._require_left(shown)
        self._set_hand(seat, Bag(hand - ONE[UNKNOWN] * len(shown) + bag(shown)))

    def _set_hand(self, seat: int, hand: Bag) -> None:
        hands = self.state.hands
        self.state = self.state.copy()
        self.state.hands = (*hands[:seat], hand, *hands[seat + 1 :])

    def _require_left(self, shown: Iterable[Card]) -> None:
        """Refuse to name a card that lies elsewhere as often as the packs hold it (R3)."""
        require_copies((*_known_cards(self.state), *shown))

    def _show_pozzetto(self, turn: Turn, placed: Placed) -> None:
        token, words = placed
        if token.told is not self._may_show:
            why = "no pozzetto is taken here"
            if self._may_show is not None:
                why = f"this pozzetto is written {self._may_show.value}(…)"
            raise MoveRefused(turn, words, why, "P! when the last card was melded, P. discarded")
        direct = token.told is Told.POZZETTO_DIRECT
        held = self.state.hands[turn.seat] if direct else self.state.unopened[turn.seat]
        known = self._revealed(held, token.cards)
        if known is None:
            why = f"the pozzetto is {write_cards(unpack(held))}"
            raise MoveRefused(turn, words, why, "a pozzetto shows its eleven cards, or *11")
        self._may_show = None
        if direct:
            self._set_hand(turn.seat, known)
        else:
            self.state = self.state.copy()
            waiting = self.state.unopened
            self.state.unopened = (*waiting[: turn.seat], known, *waiting[turn.seat + 1 :])

    def _revealed(self, held: Bag, shown: tuple[Card, ...]) -> Bag | None:
        """The held cards with those shown in place of unknown ones, None if the two differ."""
        known, told = (
            Counter(card for card in cards if card != UNKNOWN) for cards in (unpack(held), shown)
        )
        new, unseen = told - known, known - told
        if (
            len(shown) != size(held)
            or new.total() > count(held, UNKNOWN)
            or unseen.total() > shown.count(UNKNOWN)
        ):
            return None
        self._require_left(new.elements())
        return Bag(held - ONE[UNKNOWN] * new.total() + bag(new.elements()))

    def _check_closing(self, turn: Turn, words: Words) -> None:
        end = self.state.end
        if end is None or end.by is not EndedBy.CLOSED or end.closer != turn.seat:
            raise MoveRefused(turn, words, "this does not close the deal", "leave out the #")

    def _mark_default(self, turn: Turn, words: Words) -> None:
        if not self.moves or self.moves[-1].seat != turn.seat:
            raise MoveRefused(turn, words, "no action before it", "!to follows the action")
        self.moves[-1] = replace(self.moves[-1], timed_out=True)


def _barred_for_sure(state: DealState) -> int:
    """The card barred after a pile was taken into unknown cards, which may hold its twin (E46)."""
    return NO_CARD if state.rules.rediscard_single is Rediscard.UNLESS_TWIN else state.barred


def _known_cards(state: DealState) -> Iterator[Card]:
    yield from (card for card in (*state.pile, *state.stock) if card != UNKNOWN)
    bags = [*state.hands, *state.unopened, *state.pozzetti]
    bags += [meld.bag for side in state.melds for meld in side]
    for cards in bags:
        yield from (card for card in unpack(cards) if card != UNKNOWN)
