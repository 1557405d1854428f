"""What a refusal tells: the rule, the cards, and what would be legal instead."""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    DRAW_STOCK,
    PRESETS,
    TAKE_PILE,
    Action,
    Cut,
    DealState,
    End,
    EndedBy,
    IllegalAction,
    LayMeld,
    Match,
    MatchSetup,
    Phase,
    Reason,
    Ruleset,
    Seed,
    apply,
    bag,
    legal,
    play,
    preset,
    start_match,
    view,
)
from burraco.engine.bgn import judge
from burraco.engine.errors import NOTHING_NEAR, Nearest
from burraco.engine.match import adjudicate
from burraco.engine.nearest import nearest
from burraco.engine.notation import action_of, read_token
from burraco.engine.refusals import require_copies, require_meld
from tests.support.hidden import redealt
from tests.support.near_misses import near_misses
from tests.support.playing import add, discard, lay
from tests.support.scenes import cards, meld, scene
from tests.support.walks import walk

NUMBERS = st.integers(0, 2**32 - 1)
RULES = st.sampled_from(list(PRESETS.values()))
WAITING = start_match(MatchSetup(preset("classic"), Seed(bytes(80), b""), 0, 1, True)).match
STARTED = start_match(MatchSetup(preset("classic"), Seed(bytes(80), b""), 0, 1, False)).match
DRAWING = scene(phase=Phase.DRAW, north="7h 7d 9c", pile="4c 5d")
RUNNING = scene(north="7h 7d 9c Kd", ns="6c Jk=7c 8c")
OVER = scene(phase=Phase.OVER, end=End(EndedBy.STOCK, None))


@dataclass(frozen=True)
class Told:
    """What a refusal is to tell."""

    reason: Reason
    rule: str
    facts: Mapping[str, str]
    nearest: str
    words: str
    sentence: str


def _refused(ask: Callable[[], object]) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        ask()
    return caught.value


def _of(state: DealState, action: Action) -> Callable[[], object]:
    return partial(apply, state, action)


def _of_match(match: Match, action: Action) -> Callable[[], object]:
    return partial(play, match, action)


def _of_cards(rules: str, text: str, base: str = "") -> Callable[[], object]:
    return partial(
        require_meld, preset(rules), bag(cards(f"{base} {text}")), meld(base) if base else None
    )


R = Reason
SCENES = [
    pytest.param(
        _of(OVER, DRAW_STOCK),
        Told(R.DEAL_OVER, "R55", {}, "", "", "the deal has ended"),
        id="R55-deal-over",
    ),
    pytest.param(
        _of_match(adjudicate(STARTED).match, DRAW_STOCK),
        Told(R.MATCH_OVER, "R71", {}, "", "", "the match has ended"),
        id="R71-match-over",
    ),
    pytest.param(
        _of(DRAWING, discard("9c")),
        Told(
            R.MUST_DRAW_FIRST, "R44", {}, "+?? ^(4c5d)", "draw from the stock or take the pile",
            "draw from the stock or take the pile first",
        ),
        id="R44-draw-first",
    ),
    pytest.param(
        _of(scene(phase=Phase.DRAW, north="9c", pile="4c", rules="international"), lay("9c")),
        Told(R.MUST_DRAW_FIRST, "R44", {}, "+??", "draw from the stock", "draw"),
        id="R44-the-pile-may-not-be-taken",
    ),
    pytest.param(
        _of(RUNNING, DRAW_STOCK),
        Told(R.ALREADY_DRAWN, "E51", {}, "-7h", "discard 7h", "you have drawn"),
        id="E51-already-drawn",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c Kd", must_meld=True), TAKE_PILE),
        Told(R.ALREADY_DRAWN, "E51", {}, "M1=7h7d7c", "lay 7h 7d 7c", "you have drawn"),
        id="E51-a-meld-is-due",
    ),
    pytest.param(
        _of(scene(phase=Phase.DRAW, north="9c", pile="4c", stock=""), DRAW_STOCK),
        Told(R.STOCK_EMPTY, "R44", {}, "^(4c)", "take the pile", "no card is left to draw"),
        id="R44-no-stock",
    ),
    pytest.param(
        _of(scene(phase=Phase.DRAW, north="9c", pile=""), TAKE_PILE),
        Told(R.PILE_EMPTY, "E3", {}, "+??", "draw from the stock", "the discard pile is empty"),
        id="E3-no-pile",
    ),
    pytest.param(
        _of(scene(phase=Phase.DRAW, north="9c", pile="4c 5d", rules="international"), TAKE_PILE),
        Told(
            R.PILE_REQUIRES_MELD, "E49", {"pile": "4c 5d"}, "+??", "draw from the stock",
            "with the pile 4c 5d no meld or addition is possible",
        ),
        id="E49-nothing-to-meld",
    ),
    pytest.param(
        _of(scene(north="7h 4h 5h 6h Kd", must_meld=True, rules="international"), discard("Kd")),
        Told(
            R.MUST_MELD_AFTER_PILE, "E49", {"card": "Kd"}, "M1=4h5h6h", "lay 4h 5h 6h",
            "you must meld or add before you discard Kd",
        ),
        id="E49-a-meld-is-due",
    ),
    pytest.param(
        _of(scene(north="7h 7d Kd 9c"), lay("7h 7d 7c Kd")),
        Told(R.CARD_NOT_IN_HAND, "R45", {"card": "7c"}, "-7h", "discard 7h", "7c is not in your"),
        id="R45-not-in-hand",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c 9c"), lay("7h 7d 7c 7s")),
        Told(
            R.CARD_NOT_IN_HAND, "R45", {"card": "7s"}, "M1=7h7d7c", "lay 7h 7d 7c",
            "7s is not in your hand",
        ),
        id="R45-the-others-are-a-meld",
    ),
    pytest.param(
        _of(RUNNING, discard("Qs")),
        Told(R.CARD_NOT_IN_HAND, "R46", {"card": "Qs"}, "-7h", "discard 7h", "Qs is not in your"),
        id="R46-not-in-hand",
    ),
    pytest.param(
        _of(RUNNING, add(3, "9c")),
        Told(
            R.NO_SUCH_MELD, "R27", {"meld": "3", "melds": "1"}, "M1+9c", "add 9c to meld 1",
            "your side has no meld 3: it has 1",
        ),
        id="R27-the-card-fits-another-meld",
    ),
    pytest.param(
        _of(RUNNING, add(1, "")),
        Told(
            R.NOTHING_ADDED, "E37", {"meld": "1"}, "M1+9c", "add 9c to meld 1",
            "name at least one card to add",
        ),
        id="E37-one-that-fits",
    ),
    pytest.param(
        _of(scene(north="7h 8h 9h Kd 4c"), lay("7h 8h")),
        Told(
            R.TOO_FEW_CARDS, "R26", {"cards": "7h 8h"}, "M1=7h8h9h", "lay 7h 8h 9h",
            "7h 8h are too few: a meld has at least three cards",
        ),
        id="R26-the-card-that-completes-it",
    ),
    pytest.param(
        _of(scene(north="7h 8h Jk Kd 4c"), lay("7h 8h")),
        Told(R.TOO_FEW_CARDS, "R26", {"cards": "7h 8h"}, "M1=7h8hJk", "lay 7h 8h Jk", "too few"),
        id="R26-a-wild-completes-it",
    ),
    pytest.param(
        _of(scene(north="Ah 2h..Kh Jk 2s 9c", taken=""), lay("Ah 2h..Kh Jk 2s")),
        Told(
            R.TOO_MANY_CARDS, "E25", {"cards": "2s Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Jk"},
            "M1=2sAh2h3h4h5h6h7h8h9hThJhQhKh",
            "lay 2s Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", "a sequence fourteen",
        ),
        id="E25-fourteen-of-fifteen",
    ),
    pytest.param(
        partial(require_copies, cards("9d 9d 9d")),
        Told(
            R.TOO_MANY_COPIES, "R3", {"card": "9d", "copies": "2"}, "", "",
            "9d is there 2 times in the two packs, and no more",
        ),
        id="R3-three-copies",
    ),
    pytest.param(
        _of(scene(north="7h 7d 2s Jk 9c"), lay("7h 7d 2s Jk")),
        Told(
            R.TOO_MANY_WILDS, "R29", {"cards": "2s 7h 7d Jk"},
            "M1=2s7h7d", "lay 2s 7h 7d", "more than the one wild card that a meld holds",
        ),
        id="R29-one-wild-less",
    ),
    pytest.param(
        _of(scene(north="2s 2h 2d 9c"), lay("2s 2h 2d")),
        Told(
            R.ONLY_WILDS, "E26", {"cards": "2s 2h 2d"}, "-9c", "discard 9c",
            "there is no set of twos or jokers",
        ),
        id="E26-nothing-near",
    ),
    pytest.param(
        _of(scene(north="6d 9c", ns="5h Jk=6h 7h, 3d 4d 5d"), add(1, "6d")),
        Told(
            R.MIXED_SUITS, "E36", {"cards": "5h 7h 6d Jk", "meld": "5h 7h Jk"}, "M2+6d",
            "add 6d to meld 2", "5h 7h 6d Jk are of several suits",
        ),
        id="E36-the-meld-it-fits",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c 8c 9c"), lay("7h 7d 7c 8c")),
        Told(
            R.MIXED_RANKS, "R28", {"cards": "7h 7d 7c 8c"}, "M1=7h7d7c", "lay 7h 7d 7c",
            "7h 7d 7c 8c are of several ranks",
        ),
        id="R28-the-set-among-them",
    ),
    pytest.param(
        _of(scene(north="9h 9h Th Jh Kd"), lay("9h 9h Th Jh")),
        Told(
            R.REPEATED_RANK, "E29", {"cards": "9h 9h Th Jh"}, "M1=9hThJh", "lay 9h Th Jh",
            "hold a rank twice",
        ),
        id="E29-one-nine-less",
    ),
    pytest.param(
        _of(scene(north="Ah Ah 2h 3h Kd"), lay("Ah Ah 2h 3h")),
        Told(
            R.TWO_ACES, "E24", {"cards": "Ah Ah 2h 3h"}, "M1=Ah2h3h", "lay Ah 2h 3h",
            "hold two aces",
        ),
        id="E24-one-ace-less",
    ),
    pytest.param(
        _of(scene(north="7c Tc Kd", ns="6c Jk=7c 8c"), add(1, "Tc")),
        Told(
            R.NOT_CONSECUTIVE, "E34", {"cards": "6c 8c Tc Jk", "meld": "6c 8c Jk"}, "M1+7cTc",
            "add 7c Tc to meld 1", "6c 8c Tc Jk leave a gap that no wild card fills",
        ),
        id="E34-the-card-the-wild-stands-for",
    ),
    pytest.param(
        _of(scene(north="9c Qc Kd", ns="6c 7c 8c"), add(1, "9c Qc")),
        Told(
            R.NOT_CONSECUTIVE, "R32", {"cards": "6c 7c 8c 9c Qc", "meld": "6c 7c 8c"}, "M1+9c",
            "add 9c to meld 1", "leave a gap",
        ),
        id="R32-the-part-that-may-be-added",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c 9c", rules="international"), lay("7h 7d 7c")),
        Told(
            R.SET_RANK_NOT_ALLOWED, "R28", {"cards": "7h 7d 7c", "allowed": "A3"}, "-7h",
            "discard 7h", "the ranks of which these rules allow sets are: A3",
        ),
        id="R28-no-set-of-sevens",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c 9c", ns="7s 7s 7h", rules="fibur"), lay("7h 7d 7c")),
        Told(
            R.SECOND_SET_OF_RANK, "E41", {"cards": "7h 7d 7c", "meld": "1"}, "M1+7h7d7c",
            "add 7h 7d 7c to meld 1", "a second set of the rank of meld 1",
        ),
        id="E41-added-to-the-first",
    ),
    pytest.param(
        _of(scene(north="2s 2s Jk 3s 9c", rules="fibur"), lay("2s 2s Jk")),
        Told(
            R.TWO_TWO_JOKER_OFF, "E14", {"cards": "2s 2s Jk"}, "M1=2s2s3s", "lay 2s 2s 3s",
            "these rules allow one",
        ),
        id="E14-a-three-in-place-of-the-joker",
    ),
    pytest.param(
        _of(scene(north="4c 9h Kd", rules="fibur", barred="4c"), discard("4c")),
        Told(
            R.REDISCARD_SINGLE, "E46", {"card": "4c"}, "-9h", "discard 9h",
            "4c is the single card that you took",
        ),
        id="E46-another-card",
    ),
    pytest.param(
        _of(scene(north="2s", ns="3h..9h", taken="NS"), discard("2s")),
        Told(
            R.CLOSE_WITH_WILD, "E8", {"card": "2s"}, "", "", "the closing discard is never one"
        ),
        id="E8-nothing-is-left",
    ),
    pytest.param(
        _of(scene(north="8c", ns="3h..9h Jk", taken="NS", rules="international"), discard("8c")),
        Told(
            R.CLOSE_NO_BURRACO, "E10", {"card": "8c", "needs": "clean"}, "", "",
            "8c is your last card, and your side lacks the burraco that it needs to close (clean)",
        ),
        id="E10-no-clean-burraco",
    ),
    pytest.param(
        _of(scene(north="7h 7d 7c Jk", ns="3h..9h", taken="NS"), lay("7h 7d 7c Jk")),
        Told(
            R.DEAD_END, "E9", {"left": "nothing"}, "M2=7h7dJk", "lay 7h 7d Jk",
            "that would leave nothing in your hand and no legal discard",
        ),
        id="E11-one-card-less",
    ),
    pytest.param(
        _of(scene(phase=Phase.DRAW, north="4c", pile="4c", rules="online"), TAKE_PILE),
        Told(
            R.DEAD_END, "E61", {"left": "4c 4c"}, "+??", "draw from the stock",
            "that would leave 4c 4c in your hand and no legal discard",
        ),
        id="E61-the-pile-cannot-be-got-rid-of",
    ),
    pytest.param(
        _of(RUNNING, Cut(30)),
        Told(R.CUT_NOT_ASKED, "R19", {}, "-7h", "discard 7h", "no cut is due now"),
        id="R19-no-cut-now",
    ),
    pytest.param(
        _of_match(WAITING, Cut(70)),
        Told(
            R.CUT_OUT_OF_RANGE, "R19", {"cut": "70", "smallest": "22", "largest": "63"}, "/63",
            "lift 63 cards", "lift at least 22 cards and leave at least 45",
        ),
        id="R19-leaves-too-few",
    ),
    pytest.param(
        _of_match(WAITING, DRAW_STOCK),
        Told(R.MUST_CUT_FIRST, "R18", {}, "/22", "lift 22 cards", "the pack is cut before"),
        id="R18-cut-first",
    ),
    pytest.param(
        _of_cards("classic", "7h 7d 2s Jk"),
        Told(
            R.TOO_MANY_WILDS, "R29", {"cards": "2s 7h 7d Jk"}, "M1=2s7h7d", "lay 2s 7h 7d", "more"
        ),
        id="R29-cards-without-a-hand",
    ),
    pytest.param(
        _of_cards("classic", "7c Qc", "6c Jk 8c"),
        Told(
            R.NOT_CONSECUTIVE, "E34", {"cards": "6c 7c 8c Qc Jk", "meld": "6c 8c Jk"}, "M1+7c",
            "add 7c to meld 1", "leave a gap",
        ),
        id="E34-cards-without-a-hand",
    ),
    pytest.param(
        _of_cards("classic", "7h 9d Kc"),
        Told(R.MIXED_SUITS, "R32", {"cards": "7h 9d Kc"}, "", "", "are of several suits"),
        id="R32-no-meld-among-them",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "told"), SCENES)
def test_a_refusal_names_rule_cards_and_what_is_legal(
    ask: Callable[[], object], told: Told
) -> None:
    refused = _refused(ask)
    assert (refused.reason, refused.rule) == (told.reason, told.rule)
    facts = {name: value for name, value in refused.facts.items() if name != "why"}
    near = {"nearest": told.nearest} if told.nearest else {}
    assert facts == {**told.facts, **near}
    assert refused.nearest == Nearest(told.nearest, told.words)
    text = str(refused)
    assert text.startswith(f"{told.reason} ({told.rule}): ")
    assert told.sentence in text
    assert text.endswith(f"; legal instead: {told.words}") is bool(told.words)
    assert "{" not in text


def test_every_reason_has_a_scene() -> None:
    shown = {scene.values[1].reason for scene in SCENES if isinstance(scene.values[1], Told)}
    # Asked out of turn there is nothing to do but to wait; it is the table that refuses, not apply.
    assert set(Reason) - shown == {Reason.NOT_YOUR_TURN}
    waiting = IllegalAction(Reason.NOT_YOUR_TURN, "R42")
    assert (waiting.nearest, waiting.facts) == (NOTHING_NEAR, {})
    assert str(waiting) == "NOT_YOUR_TURN (R42): wait for a decision that names your seat"
    assert nearest(view(RUNNING, 1, 1, (0, 0)), DRAW_STOCK) == ()


def test_the_hint_serves_where_facts_are_missing() -> None:
    assert str(IllegalAction(Reason.DEAD_END, "E11")).endswith("so that a legal discard is left")


def test_nothing_is_looked_for_until_somebody_asks() -> None:
    asked: list[str] = []

    def find() -> Nearest:
        asked.append("once")
        return Nearest("-7h", "discard 7h")

    refused = IllegalAction(Reason.CARD_NOT_IN_HAND, "R46", card="Qs")
    refused.offer(find)
    assert (refused.reason, refused.rule, refused.hint, asked) == (
        Reason.CARD_NOT_IN_HAND, "R46", "name only cards of your own hand, each copy once", [],
    )  # fmt: skip
    assert refused.advice.endswith("; legal instead: discard 7h")
    assert refused.facts["nearest"] == "-7h"
    assert asked == ["once"]


def test_a_refusal_travels_between_processes() -> None:
    refused = _refused(_of(RUNNING, discard("Qs")))
    assert pickle.loads(pickle.dumps(refused)).facts == refused.facts


@given(rules=RULES, number=NUMBERS)
def test_what_is_told_is_legal_and_reads_back(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, _) in enumerate(walk(rules, number)):
        if at % 7:
            continue
        allowed = legal(state)
        for action in near_misses(state, chance):
            if action in allowed:
                continue
            refused = _refused(_of(state, action))
            near = nearest(view(state, state.turn, 1, (0, 0)), action)
            assert near
            assert set(near) <= set(allowed)
            assert [action_of(read_token(token)) for token in refused.nearest.tokens.split()] == [
                *near
            ]


@given(rules=RULES, number=NUMBERS)
def test_what_is_told_does_not_change_when_hidden_cards_do(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, _) in enumerate(walk(rules, number)):
        if at % 11:
            continue
        other = redealt(state, state.turn, chance)
        allowed = legal(state)
        for action in near_misses(state, chance):
            if action not in allowed:
                one, two = (_refused(_of(world, action)) for world in (state, other))
                assert (one.facts, str(one)) == (two.facts, str(two))


def test_unknown_cards_of_a_replayed_hand_are_no_answer() -> None:
    scene = '[Turn "N draw"] [Hands "N:7h7d*3"] [Stock "*20"] [Pile "4c"]\n'
    (verdict,) = judge(scene + "1N +?? ^(4c)\n")
    assert verdict.text == '1N "^(4c)": ALREADY_DRAWN (E51)'
    assert verdict.hint == "you have drawn; meld, add or discard; legal instead: discard 7h"


def test_a_meld_of_the_partner_is_fine() -> None:
    south = scene(turn="S", south="9c Kd", ns="6c 7c 8c")
    assert south.sides[south.turn] == 0
    near = nearest(view(south, 2, 1, (0, 0)), LayMeld(cards("9c")))
    assert near == (add(1, "9c"),)
