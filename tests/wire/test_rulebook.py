"""The rules that travel with the package are the rules of record."""

import re
from pathlib import Path

from burraco.wire import explanation_to_wire, rulebook
from burraco.wire.rulebook import PAGES, page_text

DOCS = Path(__file__).parents[2] / "docs"
RECORD = {
    "README.md": DOCS / "rules" / "README.md",
    "decisions.md": DOCS / "rules" / "decisions.md",
    "players.md": DOCS / "players.md",
}


def test_the_copy_is_the_rules_of_record() -> None:
    assert list(RECORD) == list(PAGES)
    stale = [path for page, path in RECORD.items() if page_text(page) != path.read_text("utf-8")]
    assert not stale, (
        f"copy {stale[0].relative_to(DOCS.parent)} to proto/py/burraco/wire/rules_text"
    )


def test_no_other_page_has_numbered_rules() -> None:
    pages = [*DOCS.glob("*.md"), *DOCS.glob("rules/*.md")]
    others = [path for path in pages if path not in RECORD.values()]
    numbered = [path.name for path in others if re.search(r"\*\*[REH]\d", path.read_text("utf-8"))]
    assert numbered == []


def test_an_explanation_as_a_message() -> None:
    message = explanation_to_wire(rulebook().explain("two_two_joker"))
    assert message.subject == "two_two_joker"
    assert message.summary.startswith("whether a sequence may hold two wild cards")
    assert [passage.label for passage in message.passages] == ["R36", "E14"]
    assert message.passages[1].heading == "C Twos, jokers, aces"
    assert message.passages[1].text.startswith("Two-two-joker. 2s 2s Jk legal in classic")
    (values,) = message.knobs
    assert (values.knob, values.by_preset["classic"], values.by_preset["online"]) == (
        "two_two_joker",
        "yes",
        "no",
    )
