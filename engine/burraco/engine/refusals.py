"""Why a meld, an addition or a discard is refused: the reason, the rule and the cards."""

from typing import Final

from burraco.engine.actions import Add, Discard, LayMeld
from burraco.engine.cards import (
    ACE,
    Bag,
    Card,
    count,
    faces,
    holds,
    show_cards,
    size,
    unpack,
)
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.legal import dead_end, melds_after, why_not_close
from burraco.engine.melds import Kind, Meld, classify, is_allowed
from burraco.engine.rules import Ruleset
from burraco.engine.state import NO_CARD

_LONGEST_SET: Final = 9
_LONGEST_SEQUENCE: Final = 14


def require_meld(rules: Ruleset, cards: Bag, base: Meld | None) -> Meld:
    """The meld that the cards make under the rules, or ``IllegalAction``; ``base`` is what they join."""
    meld = classify(cards)
    if meld is None:
        raise _not_a_meld(rules, cards, base)
    if not is_allowed(meld, rules):
        if meld.kind is Kind.SET:
            rank = show_cards(meld.cards[:1])[0]
            raise IllegalAction(
                Reason.SET_RANK_NOT_ALLOWED, "R28", rank=rank, allowed=rules.set_ranks or "none"
            )
        raise IllegalAction(Reason.TWO_TWO_JOKER_OFF, "E14", cards=_shown(cards))
    return meld


def require_holds(hand: Bag, cards: Bag) -> None:
    """Refuse cards that are not in the hand (R45); the facts name the first that is missing."""
    if holds(hand, cards):
        return
    missing = next(face for face in faces(cards) if count(cards, face) > count(hand, face))
    raise IllegalAction(Reason.CARD_NOT_IN_HAND, "R45", card=str(missing))


def require_no_dead_end(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    action: LayMeld | Add,
) -> None:
    """Refuse a meld or addition that leaves no legal discard (E11)."""
    if not dead_end(rules, hand, melds, taken, barred, action):
        return
    left = Bag(hand - action.bag)
    facts = {"left": _shown(left) or "nothing"}
    if barred != NO_CARD and left and size(left) == count(left, barred):
        raise IllegalAction(Reason.DEAD_END, "E61", why=Reason.REDISCARD_SINGLE.value, **facts)
    if not left:
        raise IllegalAction(Reason.DEAD_END, "E9", **facts)
    (face,) = faces(left)
    why = why_not_close(rules, melds_after(melds, action), face)
    assert why is not None
    raise IllegalAction(Reason.DEAD_END, "E11", why=why.value, **facts)


def require_discard(
    rules: Ruleset,
    hand: Bag,
    melds: tuple[Meld, ...],
    taken: bool,
    barred: int,
    must_meld: bool,
    action: Discard,
) -> None:
    """Refuse a discard that the rules forbid; a last card must be a legal closing."""
    card = action.card
    if must_meld:
        raise IllegalAction(Reason.MUST_MELD_AFTER_PILE, "E49")
    if not count(hand, card):
        raise IllegalAction(Reason.CARD_NOT_IN_HAND, "R46", card=str(card))
    if card == barred:
        raise IllegalAction(Reason.REDISCARD_SINGLE, "E46", card=str(card))
    if taken and size(hand) == 1:
        why = why_not_close(rules, melds, card)
        if why is not None:
            rule = "E8" if why is Reason.CLOSE_WITH_WILD else "E10"
            raise IllegalAction(why, rule, card=str(card))


def _not_a_meld(rules: Ruleset, cards: Bag, base: Meld | None) -> IllegalAction:
    """The plainest reason why cards are no meld."""
    reason, rule = _fault(rules, cards, base)
    facts = {"cards": _shown(cards)}
    if base is not None:
        facts["meld"] = show_cards(base.cards, " ")
    return IllegalAction(reason, rule, **facts)


def _fault(rules: Ruleset, cards: Bag, base: Meld | None) -> tuple[Reason, str]:
    every = unpack(cards)
    naturals = [card for card in every if not card.is_wild]
    ranks = {card.rank for card in naturals}
    if len(every) < 3:
        return Reason.TOO_FEW_CARDS, "R26"
    if not naturals:
        return _fault_of_wilds(rules, every)
    # Two naturals of one rank that could only be a set.
    if len(ranks) == 1 and (base is None or base.kind is Kind.SET) and _means_set(every):
        if len(every) > _LONGEST_SET:
            return Reason.TOO_MANY_CARDS, "E30"
        return Reason.TOO_MANY_WILDS, "R29"
    if base is not None and base.kind is Kind.SET and len(ranks) > 1:
        return Reason.MIXED_SUITS, "R28"
    return _fault_of_sequence(every, naturals, base)


def _means_set(every: tuple[Card, ...]) -> bool:
    naturals = [card for card in every if not card.is_wild]
    return len(naturals) > 1 or len({card.suit for card in every if card.suit < 4}) > 1


def _fault_of_wilds(rules: Ruleset, every: tuple[Card, ...]) -> tuple[Reason, str]:
    return Reason.ONLY_WILDS, "E14" if _is_near_two_two_joker(every) else "E26"


def _is_near_two_two_joker(every: tuple[Card, ...]) -> bool:
    twos = [card for card in every if card.suit < 4]
    return len(every) == 3 and len(twos) == 2


def _fault_of_sequence(
    every: tuple[Card, ...], naturals: list[Card], base: Meld | None
) -> tuple[Reason, str]:
    suits = {card.suit for card in naturals}
    if len(suits) > 1:
        return Reason.MIXED_SUITS, "E36" if base is not None and base.wilds else "R32"
    if len(every) > _LONGEST_SEQUENCE:
        return Reason.TOO_MANY_CARDS, "E25"
    ranks = [card.rank for card in naturals]
    if ranks.count(ACE) > 1:
        return Reason.TWO_ACES, "E24"
    if len(set(ranks)) < len(ranks):
        return Reason.REPEATED_RANK, "E29"
    (suit,) = suits
    own_twos = sum(card.suit == suit for card in every if card.is_wild)
    outside = len(every) - len(naturals) - own_twos
    if outside > 1 or own_twos + outside > 2 + (outside == 1 and own_twos == 2):
        return Reason.TOO_MANY_WILDS, "R34"
    if outside + max(0, own_twos - 1) > 1 and own_twos < 2:
        return Reason.TOO_MANY_WILDS, "R34"
    if own_twos + outside > 1 and _needs_more_wilds(ranks, own_twos):
        return Reason.TOO_MANY_WILDS, "E14" if own_twos else "R34"
    if base is not None and base.wilds:
        return Reason.NOT_CONSECUTIVE, "E34"
    corner = ACE in ranks and any(rank < 5 for rank in ranks if rank != ACE) and max(ranks) > 9
    return Reason.NOT_CONSECUTIVE, "R33" if corner else "R32"


def _needs_more_wilds(ranks: list[int], own_twos: int) -> bool:
    """Whether no own two can lie in its natural place, so that every two is a wild."""
    low = [rank for rank in ranks if rank < 12 - 2]
    return not own_twos or not low or min(low) > 3


def _shown(cards: Bag) -> str:
    return show_cards(unpack(cards), " ")
