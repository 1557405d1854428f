"""Between the engine's values and the reference's names; the only place that knows both."""

from dataclasses import fields
from enum import Enum
from functools import lru_cache
from typing import get_args

from burraco.engine import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Bag,
    Card,
    DealState,
    Discard,
    End,
    EndedBy,
    Event,
    LayMeld,
    Meld,
    Phase,
    Reason,
    Ruleset,
    bag,
    classify,
    unpack,
)
from burraco.engine.events import Fact
from burraco.engine.state import NO_CARD
from tests.reference import play
from tests.reference.cards import FACES, Cards, in_order
from tests.reference.knobs import Knobs
from tests.reference.moves import DRAW, TAKE, Move
from tests.reference.table import Table

_CARDS = {face: Card.parse(face) for face in FACES}
_NAMES = {card: face for face, card in _CARDS.items()}
_CARD_OR_NONE = {NO_CARD: None, **{int(card): face for card, face in _NAMES.items()}}
_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in get_args(Fact)}
_PHASES = {phase: phase.value for phase in Phase}

# What has to be wrong with a move, in the reference's words, for the engine to give this reason.
FAULT_OF = {
    Reason.DEAL_OVER: "deal over",
    Reason.MUST_DRAW_FIRST: "not drawn yet",
    Reason.ALREADY_DRAWN: "drawn already",
    Reason.STOCK_EMPTY: "no stock",
    Reason.PILE_EMPTY: "no pile",
    Reason.PILE_REQUIRES_MELD: "nothing to meld",
    Reason.MUST_MELD_AFTER_PILE: "must meld",
    Reason.CARD_NOT_IN_HAND: "not in hand",
    Reason.NO_SUCH_MELD: "no such meld",
    Reason.NOTHING_ADDED: "nothing added",
    Reason.TOO_FEW_CARDS: "too few",
    Reason.TOO_MANY_CARDS: "no meld",
    Reason.TOO_MANY_WILDS: "no meld",
    Reason.ONLY_WILDS: "no meld",
    Reason.MIXED_SUITS: "no meld",
    Reason.MIXED_RANKS: "no meld",
    Reason.REPEATED_RANK: "no meld",
    Reason.TWO_ACES: "no meld",
    Reason.NOT_CONSECUTIVE: "no meld",
    Reason.SET_RANK_NOT_ALLOWED: "set of a barred rank",
    Reason.SECOND_SET_OF_RANK: "second set",
    Reason.TWO_TWO_JOKER_OFF: "two wilds",
    Reason.REDISCARD_SINGLE: "rediscard",
    Reason.CLOSE_WITH_WILD: "close with wild",
    Reason.CLOSE_NO_BURRACO: "close without burraco",
    Reason.DEAD_END: "dead end",
}


def knobs_of(rules: Ruleset) -> Knobs:
    """The knobs of a ruleset, words for its enums."""
    values = {knob.name: _plain(getattr(rules, knob.name)) for knob in fields(Knobs)}
    return Knobs(**values)  # type: ignore[arg-type]  # each has its knob's own type


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


@lru_cache(maxsize=300_000)
def names(cards: Bag) -> Cards:
    """The cards of a bag."""
    return _names_of(unpack(cards))


@lru_cache(maxsize=100_000)
def bag_of(cards: Cards) -> Bag:
    """The cards as a bag."""
    return bag([_CARDS[card] for card in cards])


def move_of(action: Action) -> Move:
    """An action as a move."""
    if isinstance(action, LayMeld):
        return ("lay", -1, names(action.bag))
    if isinstance(action, Add):
        return ("add", action.meld, names(action.bag))
    if isinstance(action, Discard):
        return ("discard", -1, (_NAMES[action.card],))
    return DRAW if action == DRAW_STOCK else TAKE


def action_of(move: Move) -> Action:
    """A move as an action."""
    kind, number, cards = move
    if kind == "lay":
        return LayMeld(bag_of(cards))
    if kind == "add":
        return Add(number, bag_of(cards))
    if kind == "discard":
        return Discard(_CARDS[cards[0]])
    return DRAW_STOCK if kind == "draw" else TAKE_PILE


def event_of(event: Event) -> play.Event:
    """An event as the reference tells it: the fact's name and fields, then the secrets."""
    fact = event.fact
    told = [_told(getattr(fact, field)) for field in _FIELDS[type(fact)]]
    secrets = tuple([(secret.seat, _names_of(secret.cards)) for secret in event.secrets])
    return (type(fact).__name__, *told), secrets


def _told(value: object) -> object:
    if isinstance(value, Card):
        return _NAMES[value]
    if isinstance(value, tuple) and value and isinstance(value[0], Card):
        return tuple([_NAMES[card] for card in value])
    return _plain(value)


def _names_of(cards: tuple[Card, ...]) -> Cards:
    return in_order([_NAMES[card] for card in cards])


def shown(event: play.Event) -> play.Event:
    """An event of the reference with the cards of melds in the engine's order."""
    fact, secrets = event
    if fact[0] in ("MeldLaid", "CardsAdded"):
        *before, cards = fact
        assert isinstance(cards, tuple)
        return (*before, tuple([_NAMES[card] for card in unpack(bag_of(cards))])), secrets
    return event


def table_of(state: DealState, knobs: Knobs) -> Table:
    """A state of the engine as a table; of a pile taken only what still matters is known."""
    table = Table(
        knobs=knobs,
        dealer=state.dealer,
        turn=state.turn,
        sides=list(state.sides),
        hands=list(map(names, state.hands)),
        melds=[[names(meld.bag) for meld in side] for side in state.melds],
        pile=list(map(str, state.pile)),
        stock=list(map(str, state.stock)),
        pozzetti=list(map(names, state.pozzetti)),
        taken=list(state.taken),
        unopened=list(map(names, state.unopened)),
        passive=state.passive,
        end=None if state.end is None else (state.end.by.value, state.end.closer),
    )
    if state.drawn != NO_CARD:
        table.drew = str(Card(state.drawn))
    elif state.phase is Phase.PLAY:
        _tell_pile(table, state)
    return table


def _tell_pile(table: Table, state: DealState) -> None:
    """A pile that has the same consequences as the one the seat has taken."""
    single = state.idle or state.barred != NO_CARD
    table.took = [str(Card(state.barred))] if state.barred != NO_CARD else ["As"]
    if not single:
        table.took *= 2
    table.held_twin = state.barred == NO_CARD
    table.melded = not (state.idle or state.must_meld)


def state_of(table: Table, rules: Ruleset) -> DealState:
    """A table as a state of the engine."""
    over, playing = table.end is not None, table.has_drawn
    return DealState(
        rules=rules,
        dealer=table.dealer,
        turn=table.turn,
        sides=tuple(table.sides),
        phase=Phase.OVER if over else Phase.PLAY if playing else Phase.DRAW,
        hands=tuple(map(bag_of, table.hands)),
        melds=tuple(tuple(map(_meld, side)) for side in table.melds),
        pile=tuple(map(Card.parse, table.pile)),
        stock=tuple(map(Card.parse, table.stock)),
        pozzetti=tuple(map(bag_of, table.pozzetti)),
        taken=tuple(table.taken),
        unopened=tuple(map(bag_of, table.unopened)),
        drawn=NO_CARD if table.drew is None else Card.parse(table.drew),
        barred=NO_CARD if table.barred is None else Card.parse(table.barred),
        must_meld=table.must_meld,
        idle=table.is_passive,
        passive=table.passive,
        last_turn=table.is_last_turn,
        end=None if table.end is None else End(EndedBy(table.end[0]), table.end[1]),
    )


def _meld(cards: Cards) -> Meld:
    found = classify(bag_of(cards))
    if found is None:
        raise AssertionError(f"the engine knows no meld {' '.join(cards)}")
    return found


def differences(state: DealState, table: Table) -> list[str]:
    """Where a state and a table are not the same, in words."""
    engine, reference = _seen_in_state(state), _seen_in_table(table)
    if table.end is None:
        engine |= _turn_in_state(state)
        reference |= _turn_in_table(table)
    if engine == reference:
        return []
    return [
        f"{what}: engine {engine[what]}, reference {reference[what]}"
        for what in engine
        if engine[what] != reference[what]
    ]


def _seen_in_state(state: DealState) -> dict[str, object]:
    return {
        "turn": state.turn,
        "sides": list(state.sides),
        "phase": _PHASES[state.phase],
        "hands": [names(hand) for hand in state.hands],
        "melds": [[names(meld.bag) for meld in side] for side in state.melds],
        "pile": [_NAMES[card] for card in state.pile],
        "stock": [_NAMES[card] for card in state.stock],
        "pozzetti": [names(pozzetto) for pozzetto in state.pozzetti],
        "taken": list(state.taken),
        "unopened": [names(pozzetto) for pozzetto in state.unopened],
        "passive": state.passive,
        "end": state.end and (state.end.by.value, state.end.closer),
    }


def _seen_in_table(table: Table) -> dict[str, object]:
    over = table.end is not None
    return {
        "turn": table.turn,
        "sides": table.sides,
        "phase": "over" if over else "play" if table.has_drawn else "draw",
        "hands": table.hands,
        "melds": table.melds,
        "pile": table.pile,
        "stock": table.stock,
        "pozzetti": table.pozzetti,
        "taken": table.taken,
        "unopened": table.unopened,
        "passive": table.passive,
        "end": table.end,
    }


def _turn_in_state(state: DealState) -> dict[str, object]:
    return {
        "drawn": _CARD_OR_NONE[state.drawn],
        "barred": _CARD_OR_NONE[state.barred],
        "must meld": state.must_meld,
        "idle": state.idle,
        "last turn": state.last_turn,
    }


def _turn_in_table(table: Table) -> dict[str, object]:
    return {
        "drawn": table.drew,
        "barred": table.barred,
        "must meld": table.must_meld,
        "idle": table.is_passive,
        "last turn": table.is_last_turn,
    }
