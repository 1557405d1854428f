"""Playing a scene: actions in notation, and the two answers there are, played or refused."""

from dataclasses import astuple

import pytest

from burraco.engine import (
    DRAW_STOCK,
    Action,
    Add,
    DealState,
    Discard,
    Event,
    IllegalAction,
    LayMeld,
    Meld,
    Ruleset,
    advance,
    apply,
    legal,
    score,
)
from tests.support.scenes import cards, rules_of, scene


def lay(text: str) -> LayMeld:
    """Lay the cards as a new meld."""
    return LayMeld(cards(text))


def add(number: int, text: str) -> Add:
    """Add the cards to meld ``number`` of the own side, M1 first as in the notation."""
    return Add(number - 1, cards(text))


def discard(text: str) -> Discard:
    """Discard the card."""
    (card,) = cards(text)
    return Discard(card)


def play(state: DealState, *actions: Action) -> DealState:
    """Play actions one after the other; each must be legal, by every way there is to ask."""
    for action in actions:
        state, _ = step(state, action)
    return state


def pass_turns(state: DealState, number: int) -> DealState:
    """So many turns in which the seat draws from the stock and discards the card it drew."""
    for _ in range(number):
        drawn = play(state, DRAW_STOCK)
        state = play(drawn, Discard(drawn.drawn))
    return state


def step(state: DealState, action: Action) -> tuple[DealState, tuple[Event, ...]]:
    """Play one action that must be legal; the new state and the events."""
    before = state.facts
    taken = apply(state, action)
    assert action in legal(state)
    assert taken.state == advance(state, action)
    assert state.facts == before
    return taken.state, taken.events


def refusal(state: DealState, action: Action) -> IllegalAction:
    """Why an action is refused, which it must be, with nothing changed."""
    before = state.facts
    assert action not in legal(state)
    with pytest.raises(IllegalAction) as caught:
        apply(state, action)
    assert state.facts == before
    return caught.value


def totals(state: DealState) -> tuple[int, int]:
    """Points of the deal for NS and EW, each the sum of its parts."""
    first, second = score(state)
    assert (first.total, second.total) == (sum(astuple(first)), sum(astuple(second)))
    return first.total, second.total


def shown(meld: Meld, rules: str | Ruleset) -> str:
    """A meld as ``tests/cases`` writes it: kind, class, grade of the burraco, points, bonus."""
    known = rules_of(rules)
    grade = meld.grade(known)
    kind = meld.kind.value
    named = "clean" if meld.is_clean else "dirty"
    return f"{kind} {named} {grade.value if grade else 'none'} {meld.points} {meld.bonus(known)}"


def verdict(rules: str | Ruleset, text: str, added: str = "") -> str:
    """What becomes of laying cards, or of adding cards to a meld: the meld, or ``refused``."""
    action: Action = add(1, added) if added else lay(text)
    state = scene(rules=rules, north=added or text, ns=text if added else "")
    if action not in legal(state):
        refusal(state, action)
        return "refused"
    return shown(play(state, action).melds[0][-1], rules)
