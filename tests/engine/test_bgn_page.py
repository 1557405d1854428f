"""The page on the notation: every example on it is judged, and deals are written as they stand."""

import re
from pathlib import Path

import pytest

from burraco.engine.bgn import parse, read_deal, write_deal
from burraco.engine.bgn_text import Block
from burraco.engine.bgn_view import view_of_block
from tests.support.blocks import verdict

PAGE = (Path(__file__).parents[2] / "docs" / "bgn.md").read_text()
EXAMPLES = re.findall(r"```bgn\n(.*?)```\n\nJudged: `(.*?)`", PAGE, re.DOTALL)
OWN = ("BGN", "Rules", "Dealer", "Deal", "Termination", "Result")


def test_every_example_has_a_verdict() -> None:
    assert len(EXAMPLES) == PAGE.count("```bgn") > 0


@pytest.mark.parametrize(("text", "judged"), EXAMPLES)
def test_examples_are_judged_as_the_page_says(text: str, judged: str) -> None:
    assert verdict(text) == judged


def test_deals_are_written_as_they_stand() -> None:
    for text, block in _deals():
        if "??" not in text:
            free = {tag: words.text for tag, words in block.tags.items() if tag not in OWN}
            assert write_deal(read_deal(block), free) == text


def test_the_view_form_is_that_of_the_deal_before_it() -> None:
    texts = [text for text, _ in _deals()]
    whole = [(at, block) for at, (text, block) in enumerate(_deals()) if "??" not in text]
    at, block = whole[0]
    assert view_of_block(block, 1) == texts[at + 1]


def _deals() -> list[tuple[str, Block]]:
    return [(text, block) for text, _ in EXAMPLES for block in parse(text) if "Deal" in block.tags]


def test_every_tag_with_a_form_is_in_the_grammar() -> None:
    (values,) = re.findall(r"```ebnf\n(Rules .*?)```", PAGE, re.DOTALL)
    forms = set(re.findall(r"^([A-Z]\w+) +=", values, re.MULTILINE))
    named = set(re.findall(r"^\| `([A-Z]\w+)`", PAGE, re.MULTILINE)) - {"BGN", "North"}
    assert forms == named
