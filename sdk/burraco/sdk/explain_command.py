"""The command ``burraco explain``: what the rules of record say on a number, a reason or a knob."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from burraco.engine.rulebook import Explanation, KnobValues, Passage
from burraco.wire import rulebook

if TYPE_CHECKING:
    from burraco.sdk.command import Subparsers

OK: Final = 0
_INDENT: Final = "  "


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "explain",
        help="print a rule with its worked example",
        description="Prints what the rules of record say on a rule or decision (R26, E34), on the\n"
        "reason of a refusal (DEAD_END) or on a knob (close_needs), and where presets differ.\n"
        "The exit status is 2 for anything else, with what is near it.\n\n"
        "example:\n  burraco explain E34",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("subject", metavar="SUBJECT", help="as in R26, E34, DEAD_END, close_needs")
    parser.set_defaults(run=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    print("\n".join(_lines(rulebook().explain(arguments.subject))))
    return OK


def _lines(explained: Explanation) -> Iterator[str]:
    subject, summary = explained.subject, explained.summary
    yield f"{subject}: {summary}" if summary else subject
    for values in explained.knobs:
        yield _values_line(values)
    for passage in explained.passages:
        yield ""
        yield _heading(passage)
        yield from (_INDENT + line.strip() for line in passage.text.splitlines())


def _values_line(values: KnobValues) -> str:
    shown = ", ".join(f"{name} {value or 'none'}" for name, value in values.by_preset.items())
    return f"knob {values.knob}: {shown}"


def _heading(passage: Passage) -> str:
    return f"{passage.label} ({passage.heading})" if passage.label else passage.heading
