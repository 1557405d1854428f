"""The one translator between engine values and messages of ``burraco.v1``."""

from burraco.wire.actions import action_from_wire, action_to_wire
from burraco.wire.cards import (
    card_from_wire,
    card_to_wire,
    cards_from_wire,
    cards_to_wire,
    points_from_wire,
    points_to_wire,
    seat_from_wire,
    seat_to_wire,
    side_from_wire,
    side_to_wire,
)
from burraco.wire.events import event_from_wire, event_to_wire
from burraco.wire.refusals import refusal_to_wire
from burraco.wire.rulebook import explanation_to_wire, rulebook
from burraco.wire.rules import (
    knob_texts,
    rules_from_choice,
    rules_from_texts,
    rules_from_wire,
    rules_to_wire,
    with_knob_texts,
)
from burraco.wire.views import (
    fill_view,
    meld_to_wire,
    public_view_to_wire,
    view_from_wire,
    view_to_wire,
)

__all__ = [
    "action_from_wire",
    "action_to_wire",
    "card_from_wire",
    "card_to_wire",
    "cards_from_wire",
    "cards_to_wire",
    "event_from_wire",
    "event_to_wire",
    "explanation_to_wire",
    "fill_view",
    "knob_texts",
    "meld_to_wire",
    "points_from_wire",
    "points_to_wire",
    "public_view_to_wire",
    "refusal_to_wire",
    "rulebook",
    "rules_from_choice",
    "rules_from_texts",
    "rules_from_wire",
    "rules_to_wire",
    "seat_from_wire",
    "seat_to_wire",
    "side_from_wire",
    "side_to_wire",
    "view_from_wire",
    "view_to_wire",
    "with_knob_texts",
]
