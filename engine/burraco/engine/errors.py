"""Why the engine says no: unreadable input, and actions that the rules refuse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final


class Unreadable(ValueError):
    """Text or data that means nothing in the notation; no rule was asked."""


class Reason(StrEnum):
    """Why an action is refused; part of the contract, so members are added and never renamed."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    DEAL_OVER = "DEAL_OVER"
    MATCH_OVER = "MATCH_OVER"
    MUST_DRAW_FIRST = "MUST_DRAW_FIRST"
    ALREADY_DRAWN = "ALREADY_DRAWN"
    STOCK_EMPTY = "STOCK_EMPTY"
    PILE_EMPTY = "PILE_EMPTY"
    PILE_REQUIRES_MELD = "PILE_REQUIRES_MELD"
    MUST_MELD_AFTER_PILE = "MUST_MELD_AFTER_PILE"
    CARD_NOT_IN_HAND = "CARD_NOT_IN_HAND"
    NO_SUCH_MELD = "NO_SUCH_MELD"
    NOTHING_ADDED = "NOTHING_ADDED"
    TOO_FEW_CARDS = "TOO_FEW_CARDS"
    TOO_MANY_CARDS = "TOO_MANY_CARDS"
    TOO_MANY_COPIES = "TOO_MANY_COPIES"
    TOO_MANY_WILDS = "TOO_MANY_WILDS"
    ONLY_WILDS = "ONLY_WILDS"
    MIXED_SUITS = "MIXED_SUITS"
    MIXED_RANKS = "MIXED_RANKS"
    REPEATED_RANK = "REPEATED_RANK"
    TWO_ACES = "TWO_ACES"
    NOT_CONSECUTIVE = "NOT_CONSECUTIVE"
    SET_RANK_NOT_ALLOWED = "SET_RANK_NOT_ALLOWED"
    SECOND_SET_OF_RANK = "SECOND_SET_OF_RANK"
    TWO_TWO_JOKER_OFF = "TWO_TWO_JOKER_OFF"
    REDISCARD_SINGLE = "REDISCARD_SINGLE"
    CLOSE_WITH_WILD = "CLOSE_WITH_WILD"
    CLOSE_NO_BURRACO = "CLOSE_NO_BURRACO"
    DEAD_END = "DEAD_END"
    CUT_NOT_ASKED = "CUT_NOT_ASKED"
    CUT_OUT_OF_RANGE = "CUT_OUT_OF_RANGE"
    MUST_CUT_FIRST = "MUST_CUT_FIRST"


# What to tell a reader beside the reason, and what to do instead.
HINTS: Mapping[Reason, str] = {
    Reason.NOT_YOUR_TURN: "wait for a decision that names your seat",
    Reason.DEAL_OVER: "the deal has ended; the next one begins by itself",
    Reason.MATCH_OVER: "the match has ended; nothing more can be played",
    Reason.MUST_DRAW_FIRST: "draw from the stock or take the pile first",
    Reason.ALREADY_DRAWN: "you have drawn; meld, add or discard",
    Reason.STOCK_EMPTY: "no card is left to draw; take the pile",
    Reason.PILE_EMPTY: "the discard pile is empty; draw from the stock",
    Reason.PILE_REQUIRES_MELD: "take the pile only when a meld or addition is possible",
    Reason.MUST_MELD_AFTER_PILE: "having taken the pile you must meld or add before the discard",
    Reason.CARD_NOT_IN_HAND: "name only cards of your own hand, each copy once",
    Reason.NO_SUCH_MELD: "name a meld of your own side by its number",
    Reason.NOTHING_ADDED: "name at least one card to add",
    Reason.TOO_FEW_CARDS: "a meld has at least three cards",
    Reason.TOO_MANY_CARDS: "a set holds at most nine cards, a sequence fourteen",
    Reason.TOO_MANY_COPIES: "the two packs hold each card twice and four jokers",
    Reason.TOO_MANY_WILDS: "a meld holds one wild card at most",
    Reason.ONLY_WILDS: "a meld needs natural cards; there is no set of twos or jokers",
    Reason.MIXED_SUITS: "a sequence is of one suit",
    Reason.MIXED_RANKS: "a set is of one rank",
    Reason.REPEATED_RANK: "a sequence holds each rank once",
    Reason.TWO_ACES: "a sequence holds one natural ace, low or high",
    Reason.NOT_CONSECUTIVE: "the cards leave a gap that no wild card fills",
    Reason.SET_RANK_NOT_ALLOWED: "these rules allow no set of that rank",
    Reason.SECOND_SET_OF_RANK: "add the cards to the set of that rank your side already has",
    Reason.TWO_TWO_JOKER_OFF: "these rules allow one wild card in a sequence",
    Reason.REDISCARD_SINGLE: "discard another card than the single one you took",
    Reason.CLOSE_WITH_WILD: "the closing discard is never a two or a joker",
    Reason.CLOSE_NO_BURRACO: "keep a card in hand until your side has the burraco it needs",
    Reason.DEAD_END: "keep more cards in hand, so that a legal discard is left",
    Reason.CUT_NOT_ASKED: "no cut is due now",
    Reason.CUT_OUT_OF_RANGE: "lift at least what the pozzetti take and leave at least 45",
    Reason.MUST_CUT_FIRST: "the pack is cut before anybody plays",
}


# The same with the facts of one refusal in it; where a fact is missing the hint does.
_SENTENCES: Final[Mapping[Reason, str]] = {
    Reason.CUT_OUT_OF_RANGE: "lift at least {smallest} cards and leave at least 45",
    Reason.PILE_REQUIRES_MELD: "with the pile {pile} no meld or addition is possible, so it stays",
    Reason.MUST_MELD_AFTER_PILE: "having taken the pile you must meld or add before you discard"
    " {card}",
    Reason.CARD_NOT_IN_HAND: "{card} is not in your hand, or not that often",
    Reason.NO_SUCH_MELD: "your side has no meld {meld}: it has {melds}",
    Reason.TOO_FEW_CARDS: "{cards} are too few: a meld has at least three cards",
    Reason.TOO_MANY_CARDS: "{cards} are too many: a set holds at most nine cards, a sequence"
    " fourteen",
    Reason.TOO_MANY_COPIES: "{card} is there {copies} times in the two packs, and no more",
    Reason.TOO_MANY_WILDS: "{cards} would take more than the one wild card that a meld holds",
    Reason.ONLY_WILDS: "{cards} are wild cards alone: there is no set of twos or jokers",
    Reason.MIXED_SUITS: "{cards} are of several suits, and a sequence is of one",
    Reason.MIXED_RANKS: "{cards} are of several ranks, and a set is of one",
    Reason.REPEATED_RANK: "{cards} hold a rank twice, and a sequence holds each rank once",
    Reason.TWO_ACES: "{cards} hold two aces, and a sequence holds one, low or high",
    Reason.NOT_CONSECUTIVE: "{cards} leave a gap that no wild card fills",
    Reason.SET_RANK_NOT_ALLOWED: "{cards} would be a set, and the ranks of which these rules allow"
    " sets are: {allowed}",
    Reason.SECOND_SET_OF_RANK: "{cards} would be a second set of the rank of meld {meld}",
    Reason.TWO_TWO_JOKER_OFF: "{cards} hold two wild cards, and these rules allow one",
    Reason.REDISCARD_SINGLE: "{card} is the single card that you took, so it stays for this turn",
    Reason.CLOSE_WITH_WILD: "{card} is a wild card, and the closing discard is never one",
    Reason.CLOSE_NO_BURRACO: "{card} is your last card, and your side lacks the burraco that it"
    " needs to close ({needs})",
    Reason.DEAD_END: "that would leave {left} in your hand and no legal discard",
    Reason.CUT_OUT_OF_RANGE: "a cut of {cut} is none: lift at least {smallest} cards and leave at"
    " least 45",
}


@dataclass(frozen=True, slots=True)
class Nearest:
    """Legal actions close to a refused one, with what the seat knows; both empty where none is.

    ``tokens`` is notation with blanks between (docs/bgn.md), ``words`` a phrase for people.
    """

    tokens: str
    words: str


NOTHING_NEAR: Final = Nearest("", "")


class IllegalAction(Exception):
    """The rules refuse an action; the state it was asked of is unchanged.

    ``rule`` is the number of the rule or decision (``R26``, ``E34``). What would be legal instead
    is looked for only when it is asked for: by ``nearest``, ``facts``, ``advice`` or ``str``.
    """

    def __init__(self, reason: Reason, rule: str, **facts: str) -> None:
        self.reason = reason
        self.rule = rule
        self._told: dict[str, str] = facts
        self._find: Callable[[], Nearest] | None = None
        super().__init__(reason, rule)

    def offer(self, find: Callable[[], Nearest]) -> None:
        """Say how the nearest legal action is found; the last offer before the question counts."""
        self._find = find

    @cached_property
    def nearest(self) -> Nearest:
        """What would be legal instead."""
        return NOTHING_NEAR if self._find is None else self._find()

    @property
    def facts(self) -> dict[str, str]:
        """What a reader needs to see why, and ``nearest`` as notation where anything is legal.

        Facts name only cards that the asking seat may know.
        """
        near = {"nearest": self.nearest.tokens} if self.nearest.tokens else {}
        return self._told | near

    @property
    def hint(self) -> str:
        """What to do instead, in words."""
        return HINTS[self.reason]

    @property
    def advice(self) -> str:
        """The hint, and what would be legal."""
        return self.hint + self._instead

    @property
    def _instead(self) -> str:
        return f"; legal instead: {self.nearest.words}" if self.nearest.words else ""

    def __str__(self) -> str:
        try:
            sentence = _SENTENCES[self.reason].format_map(self._told)
        except KeyError:
            sentence = self.hint
        return f"{self.reason} ({self.rule}): {sentence}{self._instead}"
