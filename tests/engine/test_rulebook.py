"""The rules of record, asked for by number, by reason and by knob."""

import re
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS, IllegalAction, Reason, Ruleset, Unreadable, apply, legal
from burraco.engine.errors import HINTS
from burraco.engine.rulebook import Explanation, Rulebook
from burraco.engine.rulebook_index import MEANING_OF_KNOB, RULES_OF_KNOB, RULES_OF_REASON, WORKED_IN
from tests.support.near_misses import near_misses
from tests.support.walks import walk

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("rules/README.md", "rules/decisions.md", "players.md")
BOOK = Rulebook((DOCS / page).read_text() for page in PAGES)
KNOBS = [field.name for field in fields(Ruleset) if field.name != "name"]
RULES = st.sampled_from(list(PRESETS.values()))

PAGE = """# A game

Some words (R9).

## 1 Cards

- **R1** One *pack*, two `Jk`.
  - below it
- **R3–R5 Colours**: two; see E2.
- and a bullet that goes on.

| knob | R8 |
|---|---|

**Odd**: no number.

## A Ends

- **E2, E4 Over.** `7h` ends it.
"""


def _labels(explained: Explanation) -> list[str]:
    return [passage.label for passage in explained.passages]


def test_a_page_is_split_at_its_numbers() -> None:
    book = Rulebook([PAGE])
    assert book.numbers == ("R1", "R3", "R4", "R5", "R9", "E2", "E4")
    (one,) = book.explain("R1").passages
    assert (one.label, one.heading) == ("R1", "1 Cards")
    assert one.text == "One pack, two Jk.\n  - below it"
    colours, over = book.explain("R4").passages
    assert (colours.label, colours.names) == ("R3–R5", ("R3", "R4", "R5"))
    assert colours.text == "Colours: two; see E2.\n- and a bullet that goes on."
    assert (over.label, over.heading, over.text) == ("E2, E4", "A Ends", "Over. 7h ends it.")


def test_a_number_that_is_only_mentioned_gives_where() -> None:
    (words,) = Rulebook([PAGE]).explain("R9").passages
    assert (words.label, words.text) == ("", "Some words (R9).")


def test_E34_comes_with_its_example() -> None:
    explained = BOOK.explain(" e34 ")
    assert (explained.subject, explained.summary, explained.knobs) == ("E34", "", ())
    (passage,) = explained.passages
    assert passage.heading == "D Adding to melds"
    assert passage.text == (
        "A wild in the middle moves only when its card comes: 6c Jk=7c 8c + Tc refused;"
        " + 7c Tc together → 6c 7c 8c Jk=9c Tc."
    )


@pytest.mark.parametrize(
    ("subject", "labels"),
    [
        pytest.param("E61", ["E46, E61"], id="E61-by-its-second-number"),
        pytest.param("R20", ["R18–R25", "E50"], id="R20-in-a-range"),
        pytest.param("R36", ["R36", "E14"], id="R36-with-the-decision-it-names"),
        pytest.param("R40", ["R40", "E12", "E15"], id="R40-with-decisions-of-the-index"),
        pytest.param("E11", ["E11", "E11"], id="E11-rule-and-example"),
        pytest.param("R67", ["", "E4", "E56", "E60"], id="R67-named-behind-a-formula"),
        pytest.param("E44", ["R26"], id="E44-where-it-is-mentioned"),
        pytest.param("dead_end", ["E11", "E11", "E9", "E46, E61"], id="E11-by-its-reason"),
        pytest.param("semiclean_set", ["Semi-clean"], id="a-passage-without-a-number"),
        pytest.param("h6", ["H6"], id="H6-on-three-players"),
        pytest.param("players", ["R2", "Two players", "Three players"], id="a-knob"),
    ],
)
def test_a_subject_gives_its_passages(subject: str, labels: list[str]) -> None:
    assert _labels(BOOK.explain(subject)) == labels


def test_a_rule_says_which_presets_differ() -> None:
    (values,) = BOOK.explain("E46").knobs
    assert values.knob == "rediscard_single"
    assert values.by_preset == {
        "classic": "allow",
        "fibur": "forbid_unless_twin",
        "international": "forbid",
        "online": "forbid",
    }
    assert BOOK.explain("E4").knobs == ()


def test_a_knob_says_what_it_is_even_where_presets_agree() -> None:
    explained = BOOK.explain("closing_bonus")
    assert explained.summary == "what closing the deal counts"
    (values,) = explained.knobs
    assert set(values.by_preset.values()) == {"100"}
    assert not values.differs


def test_a_reason_says_what_to_do() -> None:
    explained = BOOK.explain("NOT_CONSECUTIVE")
    assert explained.summary == HINTS[Reason.NOT_CONSECUTIVE]
    assert _labels(explained) == ["R32–R35", "E20, E21", "E23", "E34"]


@pytest.mark.parametrize(
    ("subject", "near"),
    [
        pytest.param("E32", "no rule E32; near it: E30, E31, E33, E34", id="a-gap"),
        pytest.param("R1", "no rule R1; near it: R2, R3, R4, R5", id="before-the-first"),
        pytest.param("E999", "no rule E999; near it: E61, E62, E64, E65", id="after-the-last"),
        pytest.param("R00", "no rule R0; near it: R2, R3, R4, R5", id="zero"),
        pytest.param("H17", "no rule H17; near it: H13, H14, H15, H16", id="after-the-players"),
        pytest.param("dead_ends", "near it: DEAD_END", id="a-reason"),
        pytest.param("close_need", "near it: close_needs", id="a-knob"),
        pytest.param("", "'' is no rule number such as E34, no reason and no knob", id="empty"),
        pytest.param("name", "'name' is no rule number", id="no-knob"),
        pytest.param("é" * 50_000, f"'{'é' * 40}' is no rule number", id="long"),
    ],
)
def test_what_is_not_there_names_what_is_near(subject: str, near: str) -> None:
    with pytest.raises(Unreadable) as caught:
        BOOK.explain(subject)
    assert near in str(caught.value)


def test_every_number_of_the_rules_is_explained() -> None:
    assert len(BOOK.numbers) > 120
    for number in BOOK.numbers:
        explained = BOOK.explain(number)
        assert explained.passages, number
        assert not re.search(r"\*\*|`", "".join(passage.text for passage in explained.passages))


def test_the_index_is_whole_and_names_passages_that_exist() -> None:
    assert set(RULES_OF_REASON) == set(Reason)
    assert list(RULES_OF_KNOB) == list(MEANING_OF_KNOB) == KNOBS
    for subject in (*Reason, *KNOBS):
        assert BOOK.explain(subject).passages, subject
    for numbers in (*RULES_OF_REASON.values(), *WORKED_IN.values()):
        assert set(numbers) <= set(BOOK.numbers)
    assert set(WORKED_IN) <= set(BOOK.numbers)


@given(rules=RULES, number=st.integers(0, 2**32 - 1))
def test_a_refusal_names_a_rule_of_its_reason(rules: Ruleset, number: int) -> None:
    chance = Random(number)
    for at, (state, _) in enumerate(walk(rules, number)):
        allowed = legal(state) if at % 5 == 0 else None
        for action in near_misses(state, chance) if allowed else ():
            if allowed is not None and action not in allowed:
                with pytest.raises(IllegalAction) as caught:
                    apply(state, action)
                assert caught.value.rule in RULES_OF_REASON[caught.value.reason]


def test_every_refusal_in_the_code_names_a_rule_of_its_reason() -> None:
    named = re.compile(r"Reason\.([A-Z_]+),\s*\"([RE]\d+)\"")
    engine = DOCS.parent / "engine" / "burraco" / "engine"
    found = {pair for path in engine.glob("*.py") for pair in named.findall(path.read_text())}
    assert len(found) > 30
    for reason, rule in found:
        assert rule in RULES_OF_REASON[Reason(reason)], (reason, rule)


def test_the_page_on_knobs_names_every_knob() -> None:
    page = (DOCS / "rules-knobs.md").read_text()
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    assert set(KNOBS) <= set(re.findall(r"`(\w+)`", rows))
