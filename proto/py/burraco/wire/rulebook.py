"""The rules of record that travel with the package, as the engine reads them."""

from functools import cache
from importlib.resources import files
from typing import Final

from burraco.engine.rulebook import Explanation, Rulebook
from burraco.v1 import rules_service_pb2 as pb

# The pages with numbered rules; docs/adr/0004 says why they are a copy.
PAGES: Final = ("README.md", "decisions.md", "players.md")


def page_text(page: str) -> str:
    """One page of the rules of record."""
    return files("burraco.wire").joinpath("rules_text", page).read_text(encoding="utf-8")


@cache
def rulebook() -> Rulebook:
    """The rules of record, read once."""
    return Rulebook(map(page_text, PAGES))


def explanation_to_wire(explained: Explanation) -> pb.ExplainRuleResponse:
    """What the rules say on a subject as a message."""
    return pb.ExplainRuleResponse(
        subject=explained.subject,
        summary=explained.summary,
        passages=[
            pb.RulePassage(label=passage.label, heading=passage.heading, text=passage.text)
            for passage in explained.passages
        ],
        knobs=[
            pb.KnobValues(knob=values.knob, by_preset=values.by_preset)
            for values in explained.knobs
        ],
    )
