"""Text with faults in it: whatever is changed is judged, or named with its place."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import PRESETS, preset
from burraco.engine.bgn import Outcome, judge, write_deal, write_scene
from tests.support.blocks import random_deal, scene_of, verdict
from tests.support.dense import dense_scene

PIECES = (
    *'[]{}();"\\:=+-^~!#?*.,% \n\t\r\ufeff\xa0é0',
    *("*11", "*0", "??", "Jk", "7h", "N:", "P1:", "P3:", "2s=9h", "M1=", "P!(", "-1", "99999999"),
    *('[BGN "1"]', '[Turn "N play"]', "\n\n[Turn", "1N ", "*999", "classic", "NS ", " idle"),
)

numbers = st.integers(0, 2**32)
names = st.sampled_from(tuple(PRESETS))


def spoilt(text: str, chance: Random) -> str:
    """The text with one to three pieces left out, put in or put elsewhere."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        end = min(len(text), at + chance.choice([0, 0, 1, 2, 5, 30]))
        put_in = chance.choice([chance.choice(PIECES), text[at : at + 12], ""])
        text = text[:at] + put_in + text[end:]
    return text or "?"


def holds_places(text: str) -> bool:
    """Whether every verdict on the text is at a place that the text has."""
    lines = text.removeprefix("\ufeff").split("\n")
    for found in judge(text):
        if (
            not 1 <= found.line <= len(lines)
            or not 1 <= found.column <= len(lines[found.line - 1]) + 1
        ):
            return False
        if found.outcome is Outcome.UNREADABLE and not found.text:
            return False
    return True


@given(name=names, number=numbers)
def test_spoilt_deals_are_judged_or_named_with_their_place(name: str, number: int) -> None:
    chance = Random(number)
    text = write_deal(random_deal(preset(name), number).record, {"Event": "x"})
    for _ in range(10):
        changed = spoilt(text, chance)
        assert holds_places(changed), changed


@given(name=names, number=numbers)
def test_spoilt_scenes_are_judged_or_named_with_their_place(name: str, number: int) -> None:
    chance = Random(number)
    text = write_scene(dense_scene(preset(name), number, most_cards=6), {})
    for _ in range(10):
        changed = spoilt(text, chance)
        assert holds_places(changed), changed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            '[Event "x"]',
            "1:2: a block has a tag Deal, or Turn for a scene: this has neither",
            id="neither",
        ),
        pytest.param(
            '[Deal ""]\n[Turn "N play"]',
            "2:8: a block with a Deal has no Turn: a scene has, instead of it",
            id="both",
        ),
        pytest.param('[Deal ""]', '1:8: who dealt is missing: [Dealer "N"]', id="dealer"),
        pytest.param('[Dealer "N"]\n[Deal ""]', "2:8: the deal has no N:", id="empty-deal"),
    ],
)
def test_the_fault_is_told_in_words(text: str, told: str) -> None:
    assert verdict(text) == f"unreadable deal.bgn:{told}"


def test_empty_tags_are_as_good_as_missing_ones() -> None:
    tags = [f'{name} ""' for name in ("Hands", "Melds", "Pile", "Stock", "Pozzetti", "Pozzetto")]
    assert verdict(scene_of('Turn "N play"', *tags)) == verdict(scene_of('Turn "N play"'))
