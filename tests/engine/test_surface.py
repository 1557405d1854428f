"""What others may rely on: public names, one namespace, and the rules of record as they are."""

import filecmp
from pathlib import Path

import pytest

import burraco.engine

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
SOURCE_ROOTS = ("engine", "proto/gen", "proto/py", "server", "sdk", "bots")

# Growing this list is a decision; taking a name away breaks users.
PUBLIC = [
    "Action",
    "Add",
    "Bag",
    "Card",
    "Cut",
    "DRAW_STOCK",
    "DealState",
    "Discard",
    "DrawStock",
    "End",
    "EndedBy",
    "Event",
    "Grade",
    "IllegalAction",
    "JOKER",
    "Kind",
    "LayMeld",
    "Match",
    "MatchSetup",
    "MatchStep",
    "Meld",
    "PRESETS",
    "Phase",
    "Reason",
    "Ruleset",
    "Seed",
    "SeenEvent",
    "SideScore",
    "Step",
    "TAKE_PILE",
    "TakePile",
    "Unreadable",
    "View",
    "advance",
    "apply",
    "bag",
    "classify",
    "commitment",
    "lay_out",
    "legal",
    "match_view",
    "open_deal",
    "parse_cards",
    "play",
    "pozzetto_sizes",
    "preset",
    "score",
    "seated",
    "show_cards",
    "shuffled",
    "start_match",
    "unpack",
    "view",
]


def test_public_names() -> None:
    assert sorted(burraco.engine.__all__) == sorted(PUBLIC)
    assert len(set(burraco.engine.__all__)) == len(burraco.engine.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_there(name: str) -> None:
    assert hasattr(burraco.engine, name)


@pytest.mark.parametrize("root", SOURCE_ROOTS)
def test_the_namespace_has_no_init(root: str) -> None:
    """A package file directly inside a ``burraco`` folder would hide the other source roots."""
    assert not (ROOT / root / "burraco" / "__init__.py").exists()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the rules of record are not beside this checkout")
@pytest.mark.parametrize(("ours", "theirs"), [("docs/rules", "rules"), ("tests/cases", "cases")])
def test_rules_and_cases_are_those_of_record(ours: str, theirs: str) -> None:
    names = sorted(path.name for path in (SHARED / theirs).iterdir())
    same, different, missing = filecmp.cmpfiles(SHARED / theirs, ROOT / ours, names, shallow=False)
    assert (sorted(same), different, missing) == (names, [], [])
