"""Why a meld, an addition or a discard is refused: the most telling reason, its rule, the cards."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Final

from burraco.engine.actions import Add, Discard, LayMeld
from burraco.engine.cards import (
    ACE,
    JOKER,
    ONE,
    RANK_COUNT,
    TWO,
    Bag,
    Card,
    bag,
    copies,
    count,
    faces,
    holds,
    show_cards,
    size,
    unpack,
)
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.legal import dead_end, melds_after, why_not_close, why_not_take
from burraco.engine.melds import TWOS, Kind, Meld, classify, is_allowed
from burraco.engine.nearest import nearest_meld
from burraco.engine.rules import Ruleset
from burraco.engine.state import NO_CARD

_LONGEST_SEQUENCE: Final = 14
_NATURALS_OF_RANK: Final = 8
_THREE: Final = 2
_MIDDLE: Final = 7
_KING: Final = 12

_Fault = tuple[Reason, str]


def require_copies(cards: Iterable[Card]) -> None:
    """Refuse more copies of a face than the packs hold (R3)."""
    for card, number in Counter(cards).items():
        if number > copies(card):
            raise IllegalAction(
                Reason.TOO_MANY_COPIES, "R3", card=str(card), copies=str(copies(card))
            )


def require_meld(rules: Ruleset, cards: Bag, base: Meld | None) -> Meld:
    """The meld cards make under the rules, or ``IllegalAction``; ``base`` is what they join."""
    meld = classify(cards)
    if meld is None:
        fault = _fault_of_new(rules, cards) if base is None else _fault_of_addition(cards, base)
        raise _refusal(fault, rules, cards, base)
    if not is_allowed(meld, rules):
        off = Reason.SET_RANK_NOT_ALLOWED, "R28"
        if meld.kind is Kind.SEQUENCE:
            off = Reason.TWO_TWO_JOKER_OFF, "E14"
        raise _refusal(off, rules, cards, base)
    return meld


def require_holds(hand: Bag, cards: Bag) -> None:
    """Refuse cards that are not in the hand (R45); the facts name the first that is missing."""
    if holds(hand, cards):
        return
    missing = next(face for face in faces(cards) if count(cards, face) > count(hand, face))
    raise IllegalAction(Reason.CARD_NOT_IN_HAND, "R45", card=str(missing))


def require_may_take(
    rules: Ruleset, hand: Bag, melds: tuple[Meld, ...], taken: bool, pile: tuple[Card, ...]
) -> None:
    """Refuse the pile where it leads to no legal turn (E49, E61)."""
    why = why_not_take(rules, hand, melds, taken, pile)
    if why is Reason.DEAD_END:
        raise IllegalAction(why, "E61", left=_shown(Bag(hand + bag(pile))))
    if why is not None:
        raise IllegalAction(why, "E49", pile=show_cards(pile, " "))


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
        raise IllegalAction(Reason.MUST_MELD_AFTER_PILE, "E49", card=str(card))
    if not count(hand, card):
        raise IllegalAction(Reason.CARD_NOT_IN_HAND, "R46", card=str(card))
    if card == barred:
        raise IllegalAction(Reason.REDISCARD_SINGLE, "E46", card=str(card))
    if taken and size(hand) == 1:
        why = why_not_close(rules, melds, card)
        if why is not None:
            if why is Reason.CLOSE_WITH_WILD:
                raise IllegalAction(why, "E8", card=str(card))
            raise IllegalAction(why, "E10", card=str(card), needs=rules.close_needs.value)


def _refusal(fault: _Fault, rules: Ruleset, cards: Bag, base: Meld | None) -> IllegalAction:
    reason, rule = fault
    facts = {"cards": _shown(cards)}
    if base is not None:
        facts["meld"] = show_cards(base.cards, " ")
    if reason is Reason.SET_RANK_NOT_ALLOWED:
        facts["allowed"] = rules.set_ranks or "none"
    refused = IllegalAction(reason, rule, **facts)
    refused.offer(partial(nearest_meld, rules, cards, base))
    return refused


def _fault_of_new(rules: Ruleset, cards: Bag) -> _Fault:
    """Why cards are no new meld: what they look like tells what they were meant to be."""
    every = unpack(cards)
    naturals = [card for card in every if not card.is_wild]
    if len(every) < 3:
        return Reason.TOO_FEW_CARDS, "R26"
    if not naturals:
        return _fault_of_wilds(cards, len(every))
    first = naturals[0]
    if len(naturals) == 1 and not count(cards, TWOS[first.suit]):
        return Reason.TOO_MANY_WILDS, _rule_of_lone_natural(cards, first)
    if len(naturals) > 1 and all(card.rank == first.rank for card in naturals):
        if first.rank not in rules.set_rank_numbers:
            return Reason.SET_RANK_NOT_ALLOWED, "R28"
        return _too_many_wilds_in_set(naturals)
    if any(card.suit != first.suit for card in naturals):
        return _fault_of_mixture(naturals)
    return _fault_of_sequence(cards, first.suit, None)


def _fault_of_addition(cards: Bag, base: Meld) -> _Fault:
    """Why cards are no meld though those of ``base`` are one."""
    naturals = [card for card in unpack(cards) if not card.is_wild]
    if base.kind is Kind.SET:
        if any(card.rank != base.rank for card in naturals):
            return Reason.MIXED_RANKS, "R28"
        return _too_many_wilds_in_set(naturals)
    if any(card.suit != base.suit for card in naturals):
        return Reason.MIXED_SUITS, ("R32", "E36", "E14")[base.wilds]
    return _fault_of_sequence(cards, base.suit, base)


def _fault_of_wilds(cards: Bag, number: int) -> _Fault:
    jokers = count(cards, JOKER)
    if jokers and number - jokers == 2:  # two twos and a joker that are no two-two-joker
        return Reason.TOO_MANY_WILDS, "E14"
    return Reason.ONLY_WILDS, "E26"


def _rule_of_lone_natural(cards: Bag, natural: Card) -> str:
    """E31 where the suit's own two in place of the other would have made a meld, else E27."""
    own = TWOS[natural.suit]
    for two in TWOS:
        if count(cards, two) and classify(Bag(cards - ONE[two] + ONE[own])) is not None:
            return "E31"
    return "E27"


def _too_many_wilds_in_set(naturals: list[Card]) -> _Fault:
    return Reason.TOO_MANY_WILDS, "E30" if len(naturals) == _NATURALS_OF_RANK else "R29"


def _fault_of_mixture(naturals: list[Card]) -> _Fault:
    """Naturals of several suits and ranks are meant as a set when no suit outnumbers a rank."""
    of_rank = max(Counter(card.rank for card in naturals).values())
    of_suit = max(Counter(card.suit for card in naturals).values())
    if of_rank > 1 and of_rank >= of_suit:
        return Reason.MIXED_RANKS, "R28"
    return Reason.MIXED_SUITS, "R32"


def _fault_of_sequence(cards: Bag, suit: int, base: Meld | None) -> _Fault:
    """Why cards are no sequence, all naturals being of the suit."""
    every = unpack(cards)
    ranks = [card.rank for card in every if not card.is_wild]
    twos = count(cards, TWOS[suit])
    outside = len(every) - len(ranks) - twos
    if len(every) > _LONGEST_SEQUENCE:
        return Reason.TOO_MANY_CARDS, "E25"
    if ranks.count(ACE) > 1:
        return Reason.TWO_ACES, "E24"
    if len(set(ranks)) < len(ranks):
        return Reason.REPEATED_RANK, "E29"
    if outside > 1:
        return Reason.TOO_MANY_WILDS, _rule_of_wilds(cards, twos, outside)
    if _turns_the_corner(ranks, twos, outside):
        return Reason.NOT_CONSECUTIVE, "R33" if ACE in ranks and not outside else "E23"
    if twos + outside > 1 and _would_do_with_more_wilds(ranks, twos, outside):
        return Reason.TOO_MANY_WILDS, _rule_of_wilds(cards, twos, outside)
    return Reason.NOT_CONSECUTIVE, _rule_of_gap(twos, outside, base)


def _rule_of_wilds(cards: Bag, twos: int, outside: int) -> str:
    """E14 where the cards are close to a two-two-joker, else R34."""
    beside_joker = count(cards, JOKER) == 1 and twos + outside == 3
    return "E14" if (twos == 2 and outside) or (twos == 1 and beside_joker) else "R34"


def _rule_of_gap(twos: int, outside: int, base: Meld | None) -> str:
    if base is not None and base.wilds:
        return "E34" if outside else "E20"
    return "R34" if twos + outside else "R32"


def _would_do_with_more_wilds(ranks: list[int], twos: int, outside: int) -> bool:
    """Whether nothing but the number of wild cards stands against the sequence."""
    natural_two = twos and _holes([*ranks, TWO]) <= twos - 1 + outside
    return bool(natural_two) or _holes(ranks) <= twos + outside


def _holes(ranks: list[int]) -> int:
    """Places left open between the lowest and the highest card, the ace where it leaves fewer."""
    high = [rank or RANK_COUNT for rank in ranks]
    return min(max(places) - min(places) + 1 - len(places) for places in (ranks, high))


def _turns_the_corner(ranks: list[int], twos: int, outside: int) -> bool:
    """Whether the cards go from the king past the ace to the two or three (R33), a hole allowed."""
    if _KING not in ranks or not (_THREE in ranks or (ACE in ranks and twos)):
        return False
    naturals = [*ranks, TWO] if twos else ranks
    round_it = [rank if rank > _MIDDLE else rank + RANK_COUNT for rank in naturals]
    return _holes(round_it) <= min(outside + 1, _holes(naturals) - 1)


def _shown(cards: Bag) -> str:
    return show_cards(unpack(cards), " ")
