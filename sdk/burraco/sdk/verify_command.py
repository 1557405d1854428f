"""The command ``burraco verify``: checks exported matches without asking any server."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.engine import Unreadable
from burraco.engine.bgn import BadNotation
from burraco.engine.verify import verify
from burraco.sdk.rules_commands import OK, REFUSED, STANDARD_INPUT, USAGE

if TYPE_CHECKING:
    from burraco.sdk.command import Subparsers

_DIGEST_SIZE: Final = 32


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "verify",
        help="check that exported matches were dealt and played as promised",
        description="Deals every match again from the seed it has shown, replays it, and prints a\n"
        "line a match: ok, or what is wrong and where. The exit status is 0 when every match is\n"
        "ok, 1 when one is not, 2 when a file cannot be opened.\n\n"
        "A file proves that its deals follow from its seed. That the seed was fixed before play\n"
        "is proved by the commitment that was public then: give it with --commitment.\n\n"
        "example:\n  burraco match export m1 | burraco verify -",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="exported matches, - for standard input"
    )
    parser.add_argument(
        "--commitment",
        action="append",
        default=[],
        metavar="HEX",
        help="published before play began; every match has to have one of those given",
    )
    parser.set_defaults(run=_verify)


def _verify(arguments: argparse.Namespace) -> int:
    published = {_commitment(text) for text in arguments.commitment}
    return max(_verify_source(source, published) for source in arguments.files)


def _verify_source(source: str, published: set[bytes]) -> int:
    try:
        verdicts = tuple(verify(_read(source), published))
    except OSError as fault:
        print(f"burraco verify: {source}: {fault.strerror}", file=sys.stderr)
        return USAGE
    except BadNotation as fault:
        print(f"unreadable {source}:{fault.line}:{fault.column}: {fault.problem}")
        return REFUSED
    print(*verdicts, sep="\n")
    return OK if all(verdict.is_ok for verdict in verdicts) else REFUSED


def _read(source: str) -> str:
    """The text of a file or of standard input; what is no UTF-8 becomes a fault of notation."""
    if source == STANDARD_INPUT:
        return sys.stdin.buffer.read().decode(errors="replace")
    return Path(source).read_text(encoding="utf-8", errors="replace")


def _commitment(text: str) -> bytes:
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != _DIGEST_SIZE:
        raise Unreadable("--commitment: write 64 hexadecimal digits")
    return digest
