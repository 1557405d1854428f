"""Every numbered rule, decision and reported case has a test that carries its number."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RULES = TESTS.parents[1] / "docs" / "rules"
REPORTED = TESTS.parent / "cases" / "reported.md"

# R12-R16 is a range, with an en dash or a hyphen, R4 is a number; E for decisions likewise.
_NUMBERS = re.compile(r"\b([RE])(\d+)(?:\s?[\u2013-]\s?\1(\d+))?\b")
# test_R12_to_R16_seats, test_E5_E6_passive_turns, id="R40-six-cards".
_NAMED = re.compile(r"(?:def test_|id=\")((?:(?:to[_-])?[RE]\d+[_-]?)+)")
_CASES = re.compile(r"(?:def test_|id=\")(\d+)[_-]")

# Cases of sections A to H that concern what lies around the engine: clocks, loading, access, logs.
NOT_THE_ENGINE = {68, 76, 98, 100, 101}


def _documented() -> set[str]:
    text = "".join(page.read_text() for page in sorted(RULES.glob("*.md")))
    return {
        f"{kind}{number}"
        for kind, first, last in _NUMBERS.findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


def _tested() -> set[str]:
    return {number for named in _found(_NAMED) for number in _expanded(named)}


def _found(pattern: re.Pattern[str]) -> Iterator[str]:
    for path in sorted(TESTS.glob("test_*.py")):
        yield from pattern.findall(path.read_text())


def _expanded(named: str) -> Iterator[str]:
    """``R12_to_R16_`` is five numbers, ``E5_E6_`` two."""
    words = re.findall(r"[RE]\d+|to", named)
    for at, word in enumerate(words):
        if word == "to":
            first, last = (int(words[at + step][1:]) for step in (-1, 1))
            yield from (f"{words[at - 1][0]}{number}" for number in range(first, last))
        else:
            yield word


def test_the_rules_are_where_they_are_looked_for() -> None:
    documented = _documented()
    assert {"R2", "R20", "R72", "E1", "E6", "E49", "E65"} <= documented
    assert len(documented) > 100


def test_every_rule_and_decision_has_a_test() -> None:
    missing = _documented() - _tested()
    assert sorted(missing, key=lambda number: (number[0], int(number[1:]))) == []


def test_no_test_carries_a_number_that_is_nowhere() -> None:
    assert _tested() - _documented() == set()


def test_every_reported_case_of_the_engine_has_a_test() -> None:
    engine = REPORTED.read_text().partition("\n## I.")[0]
    reported = {int(number) for number in re.findall(r"^### (\d+)\.", engine, re.MULTILINE)}
    assert {1, 56, 104} <= reported
    assert reported - NOT_THE_ENGINE - set(map(int, _found(_CASES))) == set()


@pytest.mark.parametrize(
    ("named", "numbers"),
    [
        ("R12_to_R16_", {"R12", "R13", "R14", "R15", "R16"}),
        ("E5_E6_", {"E5", "E6"}),
        ("R40-", {"R40"}),
    ],
)
def test_names_are_read(named: str, numbers: set[str]) -> None:
    assert set(_expanded(named)) == numbers
