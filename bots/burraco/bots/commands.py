"""The commands `burraco arena`, `burraco compare` and `burraco load`."""

import argparse
from pathlib import Path
from typing import Final

from burraco.bots.compare_command import run_compare
from burraco.bots.load import run_load
from burraco.bots.load_client import LOAD_BOTS
from burraco.sdk.rules_options import add_rules
from burraco.tournament.deciding import FEWEST_BOARDS

_ARENA: Final = """\
Plays a round robin of board pairs between bots and prints the standings: every pairing plays every
board twice with the same cards, sides swapped. BOT is an installed bot or FILE.py[:Class]."""

_FAULTS: Final = """\
when a bot fails:
  A seat that a stand-in had to play (too many strikes, gone away, never came) forfeits its deal:
  the side scores -500, the other side what it gained at the table, never less than 0. A pairing is
  forfeited with the third board on which a side failed: the deals that are left count -500 for it,
  0 for the other. A process that ends is started again at most 3 times; after that the bot is out.

exit status:
  0 all played, 1 the arena failed, 2 wrong command, 130 interrupted (standings so far)"""

_COMPARE: Final = """\
Lets two bots play board pairs until it is known which is better, and says so: better, worse, equal
(neither is better by --gain points a deal), or undecided after --boards-at-most boards."""

_STATUSES: Final = """\
when a bot fails:
  A deal is forfeited as in an arena. A bot that fails on three boards of a round of 8, or whose
  process ends a fourth time, is out: BOT is worse then, or with OTHER there is nothing to compare.

exit status:
  0 better, 1 failed, 2 wrong command, 3 worse, 4 equal, 5 undecided, 130 interrupted"""

_LOAD: Final = """\
Plays many matches at once on one server and prints how it took it. The server is one of its own, or
the one at --server, which has to be on the loopback."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands to the command line."""
    _register_arena(commands)
    _register_compare(commands)
    _register_load(commands)


def _register_arena(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "arena",
        help="play bots against each other on this machine",
        description=_ARENA,
        epilog=_FAULTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help="two at least; see docs/arena.md")
    _number(parser, "--boards", 24, 1, "boards that every pairing plays twice", most=1000)
    _add_terms(parser)
    parser.set_defaults(run=_arena)


def _register_compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "compare",
        help="find out which of two bots is better",
        description=_COMPARE,
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", metavar="BOT", help="what it is about; see docs/arena.md")
    parser.add_argument("other", metavar="OTHER", help="what it is compared with")
    parser.add_argument(
        "--until-decided",
        action="store_true",
        required=True,
        help="play on until it is known; to be said, since it may take long",
    )
    parser.add_argument(
        "--gain",
        type=_gain,
        default=20.0,
        metavar="X",
        help="points a deal that are worth finding (20)",
    )
    for option, meaning in (
        ("--false-alarms", "of equal bots called better or worse"),
        ("--misses", "of bots that differ by the gain and are not"),
    ):
        parser.add_argument(
            option, type=_chance, default=0.05, metavar="P", help=f"{meaning} (%(default)s)"
        )
    boards = "when to give up, in rounds of 8"
    _number(parser, "--boards-at-most", 800, FEWEST_BOARDS, boards, most=8000)
    _add_terms(parser)
    parser.set_defaults(run=run_compare)


def _arena(asked: argparse.Namespace) -> int:
    # Here and not above: its statistics take a second to load, and other commands need none.
    from burraco.bots.arena_command import run_arena

    return run_arena(asked)


def _add_terms(parser: argparse.ArgumentParser) -> None:
    add_rules(parser)
    _number(parser, "--seed", 1, 0, "what all cards are dealt from")
    _number(parser, "--jobs", 8, 1, "tables at once", most=1000)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (out/…)")
    parser.add_argument("--force", action="store_true", help="clear away what DIR holds of ours")
    _number(parser, "--turn-ms", 1000, 1, "for each decision")
    _number(parser, "--bank-ms", 5000, 0, "for a whole deal, when a turn's time is over")
    _number(parser, "--disconnect-ms", 2000, 0, "how long a seat may be away in all")
    _number(parser, "--warmup-ms", 10000, 0, "how long a seat may take to come")
    _number(parser, "--strikes", 2, 0, "strikes before a stand-in plays")
    _number(parser, "--retries", 2, 0, "illegal acts in one decision before it is a strike")


def _register_load(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "load", help="put a server under load on this machine", description=_LOAD
    )
    _number(parser, "--matches", 200, 1, "matches at once", most=10_000)
    _number(parser, "--streams", 4, 1, "connections that carry all seats", most=64)
    parser.add_argument("--bots", choices=LOAD_BOTS, default="random", help="who decides")
    _number(parser, "--deals", 1, 1, "deals of each match", most=100)
    add_rules(parser)
    _number(parser, "--seconds", 600, 1, "when to give up", most=3600)
    parser.add_argument("--server", metavar="ADDR", help="a running server on the loopback")
    parser.add_argument("--token", help="its organiser's token")
    parser.set_defaults(run=run_load)


def _gain(given: str) -> float:
    points = _real(given)
    if not 0 < points <= 10_000:
        raise argparse.ArgumentTypeError(f"{given!r}: points a deal above 0, as in 20")
    return points


def _chance(given: str) -> float:
    chance = _real(given)
    if not 0.0001 <= chance <= 0.4:
        raise argparse.ArgumentTypeError(f"{given!r}: a probability of 0.0001 to 0.4")
    return chance


def _real(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r}: a number is needed") from None


def _number(
    parser: argparse.ArgumentParser,
    flag: str,
    usual: int,
    least: int,
    text: str,
    most: int = 2**31 - 1,
) -> None:
    def parse(given: str) -> int:
        if not given.removeprefix("-").isdecimal() or not least <= int(given) <= most:
            raise argparse.ArgumentTypeError(f"{given!r}: a whole number from {least} to {most}")
        return int(given)

    parser.add_argument(flag, type=parse, default=usual, metavar="N", help=f"{text} (%(default)s)")
