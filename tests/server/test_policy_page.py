"""The page on clocks and policies has every preset, with its values."""

import re
from pathlib import Path

import pytest

from burraco.server.presets import CLOCKS, POLICIES
from burraco.server.terms import MatchEnd, SeatEnd

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text()


def _row(name: str) -> list[str]:
    (row,) = re.findall(rf"^\| `{name}` \|(.*)\|$", PAGE, re.MULTILINE)
    return [cell.strip() for cell in row.split("|")]


def _shown(milliseconds: int) -> str:
    if not milliseconds:
        return "–"
    return f"{milliseconds / 1000:g} s" if milliseconds >= 1000 else f"{milliseconds} ms"


@pytest.mark.parametrize("name", CLOCKS)
def test_clocks_are_as_told(name: str) -> None:
    clocks = CLOCKS[name]
    turn, *others = _row(name)
    for limit in clocks.hand_limits:
        assert f"{_shown(limit.turn_ms)} up to {limit.cards} cards" in turn
    assert _shown(clocks.turn_ms) in turn
    assert ("whole turn" in turn) == clocks.whole_turn
    told = (
        clocks.bank_ms,
        clocks.warmup_ms,
        clocks.disconnect_ms,
        clocks.increment_ms,
        clocks.network_ms,
    )
    assert others == [_shown(milliseconds) for milliseconds in told]


@pytest.mark.parametrize("name", POLICIES)
def test_policies_are_as_told(name: str) -> None:
    faults, clocks = POLICIES[name]
    illegal, strikes, returns, forfeits, named = _row(name)
    retries = f"{faults.illegal_retries} more, then a strike"
    assert illegal == ("only refused" if faults.forgives_illegal else retries)
    assert (strikes, returns) == (str(faults.strikes), faults.owner_return.replace("_", " "))
    assert (forfeits, named) == (str(faults.forfeit_after or "never"), f"`{clocks}`")


@pytest.mark.parametrize("end", [*SeatEnd, *MatchEnd])
def test_every_end_is_explained(end: SeatEnd | MatchEnd) -> None:
    assert f"`{end.name}`" in PAGE
