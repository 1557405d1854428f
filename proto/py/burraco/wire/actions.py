"""Actions on the wire."""

from typing import Final, assert_never

from burraco.engine.actions import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Cut,
    Discard,
    DrawStock,
    LayMeld,
    TakePile,
)
from burraco.engine.cards import CARDS
from burraco.engine.errors import Unreadable
from burraco.v1 import actions_pb2 as pb
from burraco.wire.cards import card_from_wire, card_to_wire, cards_from_wire, cards_to_wire

# More cards than a hand can ever hold in one action: a meld has fourteen places at most.
MOST_CARDS = 14

# The draws and discards are few and make up most of what is sent, so each is encoded once.
_DRAW_STOCK: Final = pb.Action(draw_stock=pb.DrawStock())
_TAKE_PILE: Final = pb.Action(take_pile=pb.TakePile())
_DISCARDS: Final = tuple(pb.Action(discard=pb.Discard(card=card_to_wire(card))) for card in CARDS)


def action_to_wire(action: Action) -> pb.Action:
    """An action as a message; maybe a shared one, so copy it before changing it."""
    match action:
        case DrawStock():
            return _DRAW_STOCK
        case TakePile():
            return _TAKE_PILE
        case LayMeld():
            return pb.Action(lay_meld=pb.LayMeld(cards=cards_to_wire(action.cards)))
        case Add():
            cards = cards_to_wire(action.cards)
            return pb.Action(add_cards=pb.AddCards(meld=action.meld, cards=cards))
        case Discard():
            return _DISCARDS[action.card]
        case Cut():
            return pb.Action(cut=pb.Cut(size=action.size))
        case _:
            assert_never(action)


def action_from_wire(message: pb.Action) -> Action:
    """An action from a message; a missing kind, an unknown card or too many cards is unreadable."""
    match message.WhichOneof("kind"):
        case "draw_stock":
            return DRAW_STOCK
        case "take_pile":
            return TAKE_PILE
        case "lay_meld":
            _require_few(len(message.lay_meld.cards), "lay_meld.cards")
            return LayMeld(cards_from_wire(message.lay_meld.cards))
        case "add_cards":
            _require_few(len(message.add_cards.cards), "add_cards.cards")
            return Add(message.add_cards.meld, cards_from_wire(message.add_cards.cards))
        case "discard":
            return Discard(card_from_wire(message.discard.card))
        case "cut":
            return Cut(message.cut.size)
        case None:
            raise Unreadable("an action without a kind: set exactly one of draw_stock … cut")
        case _ as kind:
            assert_never(kind)


def _require_few(cards: int, field: str) -> None:
    if cards > MOST_CARDS:
        raise Unreadable(f"{field} has {cards} cards: an action names {MOST_CARDS} at most")
