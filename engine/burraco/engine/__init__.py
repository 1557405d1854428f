"""The game of Burraco as values and pure functions: no I/O, no clock, no randomness."""

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
from burraco.engine.cards import JOKER, Bag, Card, bag, parse_cards, show_cards, unpack
from burraco.engine.deal import Seed, commitment, lay_out, open_deal, shuffled
from burraco.engine.errors import IllegalAction, Reason, Unreadable
from burraco.engine.events import Event, SeenEvent
from burraco.engine.legal import legal
from burraco.engine.match import Match, MatchSetup, MatchStep, match_view, play, start_match
from burraco.engine.melds import Grade, Kind, Meld, classify
from burraco.engine.rules import PRESETS, Ruleset, pozzetto_sizes, preset, seated
from burraco.engine.scoring import SideScore, score
from burraco.engine.state import DealState, End, EndedBy, Phase
from burraco.engine.transition import Step, advance, apply
from burraco.engine.view import View, view

__all__ = [
    "DRAW_STOCK",
    "JOKER",
    "PRESETS",
    "TAKE_PILE",
    "Action",
    "Add",
    "Bag",
    "Card",
    "Cut",
    "DealState",
    "Discard",
    "DrawStock",
    "End",
    "EndedBy",
    "Event",
    "Grade",
    "IllegalAction",
    "Kind",
    "LayMeld",
    "Match",
    "MatchSetup",
    "MatchStep",
    "Meld",
    "Phase",
    "Reason",
    "Ruleset",
    "Seed",
    "SeenEvent",
    "SideScore",
    "Step",
    "TakePile",
    "Unreadable",
    "View",
    "advance",
    "apply",
    "bag",
    "classify",
    "commitment",
    "lay_out",
    "legal",
    "match_view",
    "open_deal",
    "parse_cards",
    "play",
    "pozzetto_sizes",
    "preset",
    "score",
    "seated",
    "show_cards",
    "shuffled",
    "start_match",
    "unpack",
    "view",
]
