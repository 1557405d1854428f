"""Commands about the rules: ``judge``, ``bgn``, ``meld``, ``score``; none needs a server."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.engine import (
    PRESETS,
    Card,
    IllegalAction,
    Meld,
    Reason,
    Ruleset,
    Unreadable,
    bag,
    preset,
)
from burraco.engine.bgn import (
    BadNotation,
    Block,
    Outcome,
    Verdict,
    judge_block,
    unreadable,
)
from burraco.engine.bgn_tags import write_knob, write_rules
from burraco.engine.bgn_text import parse_each
from burraco.engine.bgn_view import view_of_block
from burraco.engine.cards import UNKNOWN
from burraco.engine.notation import read_cards
from burraco.engine.refusals import require_copies, require_meld
from burraco.engine.state import SEAT_NAMES
from burraco.sdk import explain_command
from burraco.sdk.rules_options import add_changes, add_rules, has_rules, rules_of, with_changes
from burraco.sdk.score_objects import read_score_objects, score_line

if TYPE_CHECKING:
    from burraco.sdk.command import Subparsers

STANDARD_INPUT: Final = "-"
OK: Final = 0
REFUSED: Final = 1
USAGE: Final = 2


def register(subparsers: "Subparsers") -> None:
    """Add the commands."""
    _register_judge(subparsers)
    _register_bgn(subparsers)
    _register_meld(subparsers)
    _register_score(subparsers)
    _register_rules(subparsers)
    explain_command.register(subparsers)


def _parser(
    subparsers: "Subparsers", name: str, about: str, description: str, example: str
) -> argparse.ArgumentParser:
    return subparsers.add_parser(
        name,
        help=about,
        description=f"{description}\n\nexample:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _register_judge(subparsers: "Subparsers") -> None:
    parser = _parser(
        subparsers,
        "judge",
        "replay deals and scenes in BGN and check every action and the score",
        "Prints a line a block: ok, refused, differs or unreadable. The exit status is 0 when\n"
        "every block is ok, 1 when one is not, 2 when a file cannot be opened.\n\n"
        "Rules that are named here are those of blocks without a tag Rules.",
        "burraco judge deals.bgn",
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="file of blocks, - for standard input"
    )
    parser.add_argument(
        "--explain", action="store_true", help="add to a refusal what it means and where it stands"
    )
    add_rules(parser)
    parser.set_defaults(run=_judge, command="burraco judge")


def _judge(arguments: argparse.Namespace) -> int:
    def report(block: Block | BadNotation, source: str) -> int:
        return _report(_verdict(block), source, explain=arguments.explain)

    return _for_each_block(arguments, report)


def _for_each_block(
    arguments: argparse.Namespace, handle: Callable[[Block | BadNotation, str], int]
) -> int:
    """Hand every block of the files over with its source; the highest status of all."""
    usual = rules_of(arguments) if has_rules(arguments) else None
    status = OK
    for source in arguments.files:
        try:
            blocks = parse_each(_read(source))
        except OSError as fault:
            print(f"{arguments.command}: {source}: {fault.strerror}", file=sys.stderr)
            status = USAGE
            continue
        except BadNotation as fault:
            blocks = iter((fault,))
        for block in blocks:
            status = max(status, handle(_with_rules(block, usual), source))
    return status


def _verdict(block: Block | BadNotation) -> Verdict:
    return unreadable(block) if isinstance(block, BadNotation) else judge_block(block)


def _with_rules(block: Block | BadNotation, usual: Ruleset | None) -> Block | BadNotation:
    """The block, with a tag for its rules where it has none."""
    if usual is None or isinstance(block, BadNotation):
        return block
    tag = block.start._replace(text=write_rules(usual))
    return replace(block, tags={"Rules": tag, **block.tags})


def _report(verdict: Verdict, source: str, *, explain: bool) -> int:
    print(verdict.shown(source) + (_explained(verdict, source) if explain else ""))
    return OK if verdict.is_ok else REFUSED


def _explained(verdict: Verdict, source: str) -> str:
    if verdict.outcome is not Outcome.REFUSED:
        return ""
    return f": {verdict.hint} [{source}:{verdict.line}:{verdict.column}]"


def _register_bgn(subparsers: "Subparsers") -> None:
    parser = _parser(
        subparsers,
        "bgn",
        "write deals in BGN as one seat saw them",
        "Commands on deals in BGN; docs/bgn.md is the notation.",
        "burraco bgn view deals.bgn --seat E",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    view = _parser(
        commands,
        "view",
        "print deals as one seat saw them",
        "Prints every deal with what the seat could not see as unknown cards: other hands,\n"
        "draws of others, pozzetti that it did not open, the stock. Without --seat, as somebody\n"
        "who watches. A block that is not ok, or is no deal with all its cards, is named on\n"
        "standard error and the exit status is then 1, or 2 when a file cannot be opened.",
        "burraco bgn view deals.bgn --seat E",
    )
    view.add_argument(
        "files", nargs="+", metavar="FILE", help="file of blocks, - for standard input"
    )
    view.add_argument("--seat", choices=tuple(SEAT_NAMES), help="whose eyes; nobody's when missing")
    add_rules(view)
    view.set_defaults(run=_view, command="burraco bgn view")


def _view(arguments: argparse.Namespace) -> int:
    seat = None if arguments.seat is None else SEAT_NAMES.index(arguments.seat)
    gaps = chain([""], repeat("\n"))

    def write(block: Block | BadNotation, source: str) -> int:
        verdict = _verdict(block)
        try:
            if verdict.is_ok and isinstance(block, Block):
                text = view_of_block(block, seat)
                print(next(gaps) + text, end="")
                return OK
        except BadNotation as fault:
            verdict = unreadable(fault)
        print(f"{arguments.command}: {verdict.shown(source)}", file=sys.stderr)
        return REFUSED

    return _for_each_block(arguments, write)


def _read(source: str) -> str:
    """The text of a file or of standard input."""
    try:
        # As bytes in both cases: what a terminal takes for text is no matter here.
        is_piped = source == STANDARD_INPUT
        return (sys.stdin.buffer.read() if is_piped else Path(source).read_bytes()).decode()
    except UnicodeDecodeError as fault:
        before = fault.object[: fault.start]
        column = fault.start - (before.rfind(b"\n") + 1) + 1
        raise BadNotation(before.count(b"\n") + 1, column, "this is no UTF-8 text") from None


def _register_meld(subparsers: "Subparsers") -> None:
    parser = _parser(
        subparsers,
        "meld",
        "say what cards are when laid together",
        "Prints kind, clean or dirty, grade of the burraco, points of the cards and bonus; or\n"
        "refused with reason and rule. The exit status is 0 for a meld, 1 when refused, 2 when\n"
        "unreadable. With --explain a refusal is followed by a line that says why, and what of\n"
        "the cards would be a meld.\n\n"
        "With --batch each line of standard input is a row 'preset<TAB>cards[<TAB>added]' and\n"
        "gives one line; a row that cannot be read, a header too, gives 'unreadable: …', and\n"
        "the exit status is then 1. The rows name the presets, --rule changes knobs of each.",
        'burraco meld "7h 7d 2s" --add 7c --rules fibur',
    )
    parser.add_argument("cards", nargs="?", help="the cards, such as '7h 7d Jk'")
    parser.add_argument(
        "--add", metavar="CARDS", help="cards added to them, which are a meld already"
    )
    parser.add_argument("--explain", action="store_true", help="add to a refusal what it means")
    parser.add_argument("--batch", action="store_true", help="read rows from standard input")
    add_rules(parser)
    parser.set_defaults(run=lambda arguments: _meld(parser, arguments))


def _meld(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    if arguments.batch:
        if arguments.cards is not None or arguments.add is not None:
            parser.error("--batch reads its cards from standard input")
        if arguments.rules or arguments.rules_file:
            parser.error("--batch has a preset in each row: leave out --rules and --rules-file")
        return _meld_rows(sys.stdin.buffer, arguments)
    if arguments.cards is None:
        parser.error("name the cards, or use --batch")
    rules = rules_of(arguments)
    try:
        print(_described(_read_meld(rules, arguments.cards, arguments.add), rules))
    except IllegalAction as refusal:
        print(_refused(refusal))
        if arguments.explain:
            print(refusal)
        return REFUSED
    return OK


def _meld_rows(rows: Iterable[bytes], arguments: argparse.Namespace) -> int:
    status = OK
    for row in rows:
        try:
            print(_row_verdict(_as_text(row), arguments))
        except Unreadable as fault:
            print(f"unreadable: {fault}")
            status = REFUSED
    return status


def _as_text(row: bytes) -> str:
    try:
        return row.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise Unreadable("this is no UTF-8 text") from None


def _row_verdict(row: str, arguments: argparse.Namespace) -> str:
    match row.split("\t"):
        case [name, cards]:
            return meld_verdict(with_changes(preset(name), arguments), cards, None)
        case [name, cards, added]:
            rules = with_changes(preset(name), arguments)
            return meld_verdict(rules, cards, added.strip() or None)
        case parts:
            raise Unreadable(f"a row has 2 or 3 fields with tabs between, this one {len(parts)}")


def meld_verdict(rules: Ruleset, text: str, added: str | None) -> str:
    """What cards are as a meld, or why they are none; ``added`` join a meld of the others.

    >>> meld_verdict(preset("classic"), "7h 7d 2s", None)
    'set dirty none 30 0'
    """
    try:
        return _described(_read_meld(rules, text, added), rules)
    except IllegalAction as refusal:
        return _refused(refusal)


def _refused(refusal: IllegalAction) -> str:
    return f"refused {refusal.reason} {refusal.rule}"


def _read_meld(rules: Ruleset, text: str, added: str | None) -> Meld:
    base, more = _known_cards(text), _known_cards(added or "")
    require_copies((*base, *more))
    meld = require_meld(rules, bag(base), None)
    if added is None:
        return meld
    if not more:
        raise IllegalAction(Reason.NOTHING_ADDED, "E37")
    return require_meld(rules, bag((*base, *more)), meld)


def _known_cards(text: str) -> tuple[Card, ...]:
    cards = read_cards(text)
    if UNKNOWN in cards:
        raise Unreadable(f"{text!r}: a meld has no unknown cards")
    return cards


def _described(meld: Meld, rules: Ruleset) -> str:
    named = "clean" if meld.is_clean else "dirty"
    grade = meld.grade(rules)
    return (
        f"{meld.kind.value} {named} {grade.value if grade else 'none'}"
        f" {meld.points} {meld.bonus(rules)}"
    )


def _register_score(subparsers: "Subparsers") -> None:
    parser = _parser(
        subparsers,
        "score",
        "score finished deals given as JSON",
        "Prints a line 'NS total EW total' for each object. An object has for NS and EW the\n"
        "melds, the hands left, pozzetto_taken, closed, and pozzetto_unopened if there is one.\n"
        "With --rule players=2 the sides are N and E; with players=3 N, E and S, or who plays\n"
        "alone and the pair, such as N and ES, of which each gets half.\n"
        "One that cannot be read is named on standard error, and the exit status is then 2.",
        "burraco score deals.json --rules fibur",
    )
    parser.add_argument(
        "file", metavar="FILE", help="an object or a list of them, - for standard input"
    )
    add_rules(parser)
    parser.set_defaults(run=_score)


def _score(arguments: argparse.Namespace) -> int:
    rules = rules_of(arguments)
    try:
        objects = read_score_objects(_read(arguments.file))
    except OSError as fault:
        raise Unreadable(f"{arguments.file}: {fault.strerror}") from None
    status = OK
    for number, entry in enumerate(objects, 1):
        try:
            print(score_line(entry, number, rules))
        except Unreadable as fault:
            print(f"burraco score: {fault}", file=sys.stderr)
            status = USAGE
    return status


def _register_rules(subparsers: "Subparsers") -> None:
    parser = _parser(
        subparsers,
        "rules",
        "print the knobs of the presets",
        "Prints every knob and its value, of one preset or of all side by side; of one also the\n"
        "hash and how notation writes the rules. With --rule or --rules-file these are the rules\n"
        "that result. docs/rules-knobs.md says what the knobs mean and what is refused.",
        "burraco rules fibur --rule close_needs=clean",
    )
    parser.add_argument("rules", nargs="?", metavar="PRESET", help=", ".join(PRESETS))
    add_changes(parser)
    parser.add_argument("--hash", action="store_true", help="print only the hash of the rules")
    parser.set_defaults(run=_rules)


def _rules(arguments: argparse.Namespace) -> int:
    shown = [rules_of(arguments)] if has_rules(arguments) else list(PRESETS.values())
    if arguments.hash:
        return _print_table((rules.name, rules.content_hash.hex()) for rules in shown)
    rows = [*_knob_rows(shown)]
    if has_rules(arguments):
        (rules,) = shown
        rows += [("hash", rules.content_hash.hex()), ("notation", write_rules(rules))]
    return _print_table(rows)


def _print_table(rows: Iterable[tuple[str, ...]]) -> int:
    every = list(rows)
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    for row in every:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
    return OK


def _knob_rows(shown: list[Ruleset]) -> Iterator[tuple[str, ...]]:
    yield ("knob", *(rules.name for rules in shown))
    for field in fields(Ruleset):
        if field.name != "name":
            yield (field.name, *(write_knob(getattr(rules, field.name)) or "-" for rules in shown))
