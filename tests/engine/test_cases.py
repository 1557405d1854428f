"""The facts of tests/cases, row by row, and every row again under every preset."""

import json
from typing import NotRequired, TypedDict

import pytest

from burraco.engine import PRESETS, Action, DealState, End, EndedBy, Phase
from tests.reference.knobs import PRESETS as KNOBS
from tests.reference.verdicts import verdict as reference_verdict
from tests.support.cases import ADDITIONS, CASES, MELDS, Row
from tests.support.playing import add, lay, refusal, totals, verdict
from tests.support.scenes import cards, scene

NAMES = tuple(PRESETS)


class SideCase(TypedDict):
    """One side of a scoring case."""

    melds: list[list[str]]
    hands: list[list[str]]
    pozzetto_taken: bool
    closed: bool
    expected: dict[str, int]
    pozzetto_unopened: NotRequired[list[str]]


class ScoringCase(TypedDict):
    """A finished deal, with the points of each side under each preset it is about."""

    name: str
    title: str
    ended_by: str
    NS: SideCase
    EW: SideCase


ENDINGS = {"close": EndedBy.CLOSED, "stock": EndedBy.STOCK, "stalemate": EndedBy.STALEMATE}
SCORINGS: list[ScoringCase] = json.loads((CASES / "scoring.json").read_text())


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in (*MELDS, *ADDITIONS)])
def test_row(row: Row) -> None:
    assert verdict(row.preset, row.meld, row.added) == row.expected


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row.id) for row in (*MELDS, *ADDITIONS) if row.expected == "refused"],
)
def test_refused_row_names_its_rule(row: Row) -> None:
    action: Action = add(1, row.added) if row.added else lay(row.meld)
    hand, melds = (row.added, row.meld) if row.added else (row.meld, "")
    assert refusal(scene(rules=row.preset, north=hand, ns=melds), action).rule == row.rule


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in (*MELDS, *ADDITIONS)])
def test_row_in_the_reference(row: Row) -> None:
    named = tuple(map(str, cards(f"{row.meld} {row.added}")))
    assert reference_verdict(KNOBS[row.preset], named) == row.expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in MELDS])
def test_meld_row_under_every_preset(row: Row, name: str) -> None:
    named = tuple(map(str, cards(row.meld)))
    assert verdict(name, row.meld) == reference_verdict(KNOBS[name], named)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ADDITIONS])
def test_addition_row_under_every_preset(row: Row, name: str) -> None:
    base, whole = (tuple(map(str, cards(text))) for text in (row.meld, f"{row.meld} {row.added}"))
    if reference_verdict(KNOBS[name], base) == "refused":
        assert verdict(name, row.meld) == "refused"
        return
    assert verdict(name, row.meld, row.added) == reference_verdict(KNOBS[name], whole)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        pytest.param(case, name, id=f"{case['name']}-{name}-{case['title']}")
        for case in SCORINGS
        for name in case["NS"]["expected"]
    ],
)
def test_scoring(case: ScoringCase, name: str) -> None:
    expected = case["NS"]["expected"][name], case["EW"]["expected"][name]
    assert totals(_finished(case, name)) == expected


def _finished(case: ScoringCase, rules: str) -> DealState:
    """The deal of a scoring case as it lay when it ended."""
    ns, ew = case["NS"], case["EW"]
    (north, south), (east, west) = (map(" ".join, side["hands"]) for side in (ns, ew))
    waiting = " ".join(ew.get("pozzetto_unopened", ()))
    closer = 0 if ns["closed"] else 1 if ew["closed"] else None
    return scene(
        rules=rules,
        phase=Phase.OVER,
        north=north,
        south=south,
        east=east,
        west=west,
        ns=", ".join(map(" ".join, ns["melds"])),
        ew=", ".join(map(" ".join, ew["melds"])),
        pozzetti=(),
        taken=" ".join(name for name, side in (("NS", ns), ("EW", ew)) if side["pozzetto_taken"]),
        unopened={"E": waiting} if waiting else None,
        end=End(ENDINGS[case["ended_by"]], closer),
    )
