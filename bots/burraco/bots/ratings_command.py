"""The command `burraco ratings`: counts the ratings of an event again from its log."""

import argparse
from pathlib import Path
from typing import Final

from burraco.bots.failures import complain

OK: Final = 0
WRONG_FILE: Final = 1
USAGE: Final = 2

_DESCRIPTION: Final = """\
Counts all ratings of a tournament again from its exported log: the same log gives the same bytes.
Prints them as a table; --out writes them as JSON, with payoffs, cycles and Nash shares.

example:
  burraco ratings recompute tournament.jsonl --anchor greedy --out ratings.json

exit status:
  0 done, 1 the file is no log (the line that is wrong is named), 2 wrong command or no such file"""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = commands.add_parser("ratings", help="count the ratings of a tournament again")
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    recompute = verbs.add_parser(
        "recompute",
        help="from an exported log",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    recompute.add_argument("file", type=Path, metavar="FILE", help="an exported log, or its folder")
    recompute.add_argument(
        "--anchor", metavar="NAME", help="the entry that is 0 (the first anchor, else the first)"
    )
    recompute.add_argument("--out", type=Path, metavar="FILE", help="write JSON there")
    recompute.set_defaults(run=_recompute)


def _recompute(asked: argparse.Namespace) -> int:
    try:
        # Here and not above: other commands shall neither wait for them nor need them.
        from burraco.bots.ratings_report import print_ratings
        from burraco.bots.report_event import Unusable, log_path, read_log_file
        from burraco.tournament.figures import written
        from burraco.tournament.strengths import UnknownAnchor, ratings_document, strengths
    except ImportError as missing:
        return complain("ratings", f"{missing}; pip install 'burraco[bots]'", USAGE)
    try:
        progress = read_log_file(log_path(asked.file)).progress
        found = strengths(progress, asked.anchor)
        if asked.out is not None:
            asked.out.write_text(written(ratings_document(progress, found)), encoding="utf-8")
    except Unusable as fault:
        return complain("ratings", str(fault), WRONG_FILE)
    except UnknownAnchor as fault:
        return complain("ratings", f"--anchor: {fault}", USAGE)
    except OSError as fault:
        return complain("ratings", f"{fault.filename}: {fault.strerror}", USAGE)
    print_ratings(progress, found)
    return OK
