"""The command `burraco report`: a page and tables of a tournament from its exported log."""

import argparse
from pathlib import Path
from typing import Final

from burraco.bots.failures import complain

OK: Final = 0
WRONG_FILE: Final = 1
USAGE: Final = 2

_DESCRIPTION: Final = """\
Writes report.html, standings.json, boards.parquet, deals.parquet and actions.parquet of a
tournament from its exported log. FOLDER holds tournament.jsonl and, where there are any,
bgn/MATCH_ID.bgn and times.json. The page needs no network and no server; docs/reports.md says
what is in it and in the tables.

example:
  burraco report out/sunday

exit status:
  0 done, 1 a file is not sound (the place that is wrong is named), 2 wrong command or no file"""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="write a page and tables of a tournament",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "source", type=Path, metavar="FOLDER", help="of an exported tournament, or its log"
    )
    parser.add_argument("--anchor", metavar="NAME", help="the entry whose rating is 0")
    parser.set_defaults(run=_report)


def _report(asked: argparse.Namespace) -> int:
    try:
        # Here and not above: other commands shall neither wait for them nor need them.
        from burraco.bots.report_event import Unusable, log_path, read_event
        from burraco.bots.report_files import write_report
        from burraco.tournament.strengths import UnknownAnchor
    except ImportError as missing:
        return complain("report", f"{missing}; pip install 'burraco[bots]'", USAGE)
    path = log_path(asked.source)
    try:
        written = write_report(read_event(path), path.parent, asked.anchor)
    except Unusable as fault:
        return complain("report", str(fault), WRONG_FILE)
    except UnknownAnchor as fault:
        return complain("report", f"--anchor: {fault}", USAGE)
    except OSError as fault:
        return complain("report", f"{fault.filename}: {fault.strerror}", USAGE)
    print(*written, sep="\n")
    return OK
