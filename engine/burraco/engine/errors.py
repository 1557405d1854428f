"""Why the engine says no: unreadable input, and actions that the rules refuse."""

from collections.abc import Mapping
from enum import StrEnum


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
    Reason.CUT_OUT_OF_RANGE: "lift at least 22 cards and leave at least 45",
    Reason.MUST_CUT_FIRST: "the pack is cut before anybody plays",
}


class IllegalAction(Exception):
    """The rules refuse an action; the state it was asked of is unchanged.

    ``rule`` is the number of the rule or decision (``R26``, ``E34``) and ``facts`` what a reader
    needs to see why. Facts name only cards that the asking seat may know.
    """

    def __init__(self, reason: Reason, rule: str, **facts: str) -> None:
        self.reason = reason
        self.rule = rule
        self.facts: dict[str, str] = facts
        super().__init__(reason, rule)

    @property
    def hint(self) -> str:
        """What to do instead, in words."""
        return HINTS[self.reason]

    def __str__(self) -> str:
        told = "".join(f", {name} {value}" for name, value in self.facts.items())
        return f"{self.reason} ({self.rule}{told}): {self.hint}"
