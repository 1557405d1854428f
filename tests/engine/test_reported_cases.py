"""Every reported fault of tests/cases has a test that carries its number.

A test carries a number by its name, ``test_58_…`` or ``test_case_116_…``, or, in a file
``test_reported…``, by the id of a row, ``43-wild-low``.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parents[1]
REPORTED = TESTS / "cases" / "reported.md"
_SECTION = re.compile(r"## ([A-Z])\. ")
_CASE = re.compile(r"### (\d+)\. (.+)")
_NAME = re.compile(r"test_(?:case_)?(\d+)_")
_ROW = re.compile(r"(\d+)-")
_SECTIONS = "ABCDEFGHIJK"


class Case(NamedTuple):
    """A reported fault: its section, number and title."""

    section: str
    number: int
    title: str


def _cases() -> Iterator[Case]:
    section = ""
    for line in REPORTED.read_text().splitlines():
        if begins := _SECTION.match(line):
            section = begins[1]
        elif found := _CASE.match(line):
            yield Case(section, int(found[1]), found[2])


CASES = tuple(_cases())


@cache
def _carried() -> dict[int, set[str]]:
    """The files of tests by the number of each case they carry."""
    found: dict[int, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        has_rows = path.name.startswith("test_reported")
        for number in _numbers(ast.parse(path.read_text()), has_rows=has_rows):
            found.setdefault(number, set()).add(path.relative_to(TESTS).as_posix())
    return found


def _numbers(tree: ast.Module, *, has_rows: bool) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = _NAME.match(node.name)
        elif has_rows and isinstance(node, ast.keyword) and node.arg == "id":
            words = _ROW.match(_text(node.value))
        else:
            continue
        if words is not None:
            yield int(words[1])


def _text(value: ast.expr) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{case.section}{case.number}")
        for case in CASES
        if case.section in _SECTIONS
    ],
)
def test_a_case_has_a_test(case: Case) -> None:
    assert _carried().get(case.number), f"no test carries {case.number}, {case.title}"


def test_sections_are_all_there() -> None:
    assert set(_SECTIONS) == {case.section for case in CASES}
    assert len({case.number for case in CASES}) == len(CASES) > 100
