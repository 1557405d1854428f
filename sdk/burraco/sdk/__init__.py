"""What players, spectators and organisers need: bots, the client, and the values of the game."""

from burraco.engine import (
    DRAW_STOCK,
    JOKER,
    TAKE_PILE,
    Action,
    Add,
    Card,
    Cut,
    Discard,
    DrawStock,
    Grade,
    Kind,
    LayMeld,
    Meld,
    Phase,
    Ruleset,
    SeenEvent,
    TakePile,
    View,
    bag,
    classify,
    parse_cards,
    preset,
    show_cards,
)
from burraco.sdk.asking import BotCrashed, OnError, PlayOptions
from burraco.sdk.bot import Answer, Bot, Refusal, Table
from burraco.sdk.calls import WrongUsage
from burraco.sdk.client import ClientFailed, PlayPlan, play_bot, run_bot
from burraco.sdk.loader import BotNotFound, load_bot
from burraco.sdk.matches import Clocks, Faults, MatchState, MatchSummary, OwnerReturn, Watched
from burraco.sdk.ordering import Breach, ContractBroken
from burraco.sdk.organiser import Organiser, OrganiserFailed
from burraco.sdk.outcome import Fault, MatchEnd, MatchResult, SeatEnd, SeatResult
from burraco.sdk.seat import IllegalAnswer
from burraco.sdk.seating import Place
from burraco.sdk.tracker import CardTracker

__all__ = [
    "DRAW_STOCK",
    "JOKER",
    "TAKE_PILE",
    "Action",
    "Add",
    "Answer",
    "Bot",
    "BotCrashed",
    "BotNotFound",
    "Breach",
    "Card",
    "CardTracker",
    "ClientFailed",
    "Clocks",
    "ContractBroken",
    "Cut",
    "Discard",
    "DrawStock",
    "Fault",
    "Faults",
    "Grade",
    "IllegalAnswer",
    "Kind",
    "LayMeld",
    "MatchEnd",
    "MatchResult",
    "MatchState",
    "MatchSummary",
    "Meld",
    "OnError",
    "Organiser",
    "OrganiserFailed",
    "OwnerReturn",
    "Phase",
    "Place",
    "PlayOptions",
    "PlayPlan",
    "Refusal",
    "Ruleset",
    "SeatEnd",
    "SeatResult",
    "SeenEvent",
    "Table",
    "TakePile",
    "View",
    "Watched",
    "WrongUsage",
    "bag",
    "classify",
    "load_bot",
    "parse_cards",
    "play_bot",
    "preset",
    "run_bot",
    "show_cards",
]
