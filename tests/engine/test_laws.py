"""Laws of every deal: nothing is lost, what is legal is accepted, all else refused, it ends."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from burraco.engine import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    DealState,
    Discard,
    EndedBy,
    IllegalAction,
    Phase,
    Ruleset,
    advance,
    apply,
    legal,
    preset,
    score,
    unpack,
)
from burraco.engine.cards import CARDS, PACK
from tests.support.near_misses import near_misses
from tests.support.places import cards_in_play
from tests.support.walks import LONGEST, TABLES, opening, walk

NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(TABLES)


def _all_cards(state: DealState) -> Counter[str]:
    """Every card of a deal by name, wherever it lies."""
    bags = [*state.hands, *state.unopened, *state.pozzetti]
    loose = [*state.pile, *state.stock]
    laid = [card for side in state.melds for one in side for card in one.cards]
    held = [card for one in bags for card in unpack(one)]
    return Counter(str(card) for card in (*loose, *laid, *held))


@given(rules=RULES, number=NUMBERS)
def test_91_cards_are_conserved(rules: Ruleset, number: int) -> None:
    whole = Counter(map(str, PACK))
    for state, action in walk(rules, number):
        after = advance(state, action)
        assert _all_cards(after) == whole
        assert cards_in_play(after) == 108


@given(rules=RULES, number=NUMBERS)
def test_every_legal_action_is_accepted(rules: Ruleset, number: int) -> None:
    for at, (state, _) in enumerate(walk(rules, number)):
        actions = legal(state)
        assert actions
        assert len(set(actions)) == len(actions)
        for action in actions[at % 3 :: 3]:
            before = state.facts
            assert apply(state, action).state == advance(state, action)
            assert state.facts == before


@given(rules=RULES, number=NUMBERS)
def test_everything_else_is_refused(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, _) in enumerate(walk(rules, number)):
        if at % 2:
            continue
        actions = set(legal(state))
        for action in near_misses(state, chance):
            before = state.facts
            if action in actions:
                apply(state, action)
            else:
                _check_refusal(state, action)
            assert state.facts == before


def _check_refusal(state: DealState, action: Action) -> None:
    """Refused with a rule number, and with no card that the asking seat does not know."""
    with pytest.raises(IllegalAction) as caught:
        apply(state, action)
    refused = caught.value
    assert refused.rule[0] in "RE"
    assert refused.rule[1:].isdigit()
    side = state.melds[state.sides[state.turn]]
    known = [*state.pile, *unpack(state.hands[state.turn]), *(c for m in side for c in m.cards)]
    known += getattr(action, "cards", ()) or [getattr(action, "card", CARDS[0])]
    words = {word for fact in refused.facts.values() for word in fact.split()}
    assert words & set(map(str, CARDS)) <= set(map(str, known))


@given(rules=RULES, number=NUMBERS)
def test_every_deal_ends(rules: Ruleset, number: int) -> None:
    *_, (state, action) = walk(rules, number)
    last = advance(state, action)
    assert last.end is not None
    assert legal(last) == []
    closed = last.end.by is EndedBy.CLOSED
    assert (last.end.closer is not None) is closed
    assert all(side.total % 5 == 0 for side in score(last))
    assert sum(side.closing for side in score(last)) == (rules.closing_bonus if closed else 0)


@given(number=NUMBERS, rules=RULES)
def test_every_deal_ends_for_hoarders(rules: Ruleset, number: int) -> None:
    """Players who take the pile whenever they may and meld only when they must."""
    state = opening(rules, number)
    for _ in range(LONGEST):
        if state.end is not None:
            return
        actions = legal(state)
        discards = [action for action in actions if isinstance(action, Discard)]
        state = advance(state, (discards or actions)[-1])
    raise AssertionError("hoarders play for ever")


class DealMachine(RuleBasedStateMachine):
    """A deal played step by step, with actions that are none thrown in between."""

    def __init__(self) -> None:
        super().__init__()
        self.state = opening(preset("classic"), 0)

    @initialize(rules=RULES, number=NUMBERS)
    def deal(self, rules: Ruleset, number: int) -> None:
        self.state = opening(rules, number)

    @precondition(lambda self: self.state.phase is Phase.DRAW)
    @rule(action=st.sampled_from([DRAW_STOCK, TAKE_PILE]))
    def begin_turn(self, action: Action) -> None:
        self._try(action)

    @precondition(lambda self: self.state.phase is Phase.PLAY)
    @rule(choice=st.integers(0, 999))
    def play_any(self, choice: int) -> None:
        actions = legal(self.state)
        self._try(actions[choice % len(actions)])

    @precondition(lambda self: self.state.phase is Phase.PLAY)
    @rule(choice=st.integers(0, 999))
    def throw(self, choice: int) -> None:
        hand = unpack(self.state.hands[self.state.turn])
        self._try(Discard(hand[choice % len(hand)]))

    @rule(number=st.integers(0, 999))
    def miss(self, number: int) -> None:
        for action in near_misses(self.state, Random(number))[:3]:
            if action not in legal(self.state):
                _check_refusal(self.state, action)

    def _try(self, action: Action) -> None:
        before = self.state
        facts = before.facts
        if action in legal(before):
            self.state = apply(before, action).state
            assert self.state == advance(before, action)
        else:
            _check_refusal(before, action)
        assert before.facts == facts

    @invariant()
    def all_cards_are_there(self) -> None:
        assert _all_cards(self.state) == Counter(map(str, PACK))

    @invariant()
    def something_is_legal_until_it_is_over(self) -> None:
        assert bool(legal(self.state)) is (self.state.end is None)


TestDealMachine = DealMachine.TestCase
TestDealMachine.settings = settings(stateful_step_count=80)
