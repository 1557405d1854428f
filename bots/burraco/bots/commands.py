"""The commands `burraco arena` and `burraco load`."""

import argparse
from pathlib import Path
from typing import Final

from burraco.bots.arena_command import run_arena
from burraco.bots.load import run_load
from burraco.bots.load_client import LOAD_BOTS
from burraco.sdk.rules_options import add_rules

_ARENA: Final = """\
Plays a round robin of board pairs between bots and prints the standings: every pairing plays every
board twice with the same cards, sides swapped. BOT is an installed bot or FILE.py[:Class]."""

_FAULTS: Final = """\
when a bot fails:
  A seat that a stand-in had to play (too many strikes, gone away, never came) forfeits its deal:
  the side scores -500, the other side what it gained at the table, never less than 0. A process
  that ends is started again at most 3 times. After that, or after 3 forfeited tables in a row, the
  bot is retired: its remaining tables are not played and count -500 for it, 0 for the other side.

exit status:
  0 all played, 1 the arena failed, 2 wrong command, 130 interrupted (standings so far)"""

_LOAD: Final = """\
Plays many matches at once on one server and prints how it took it. The server is one of its own, or
the one at --server, which has to be on the loopback."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add both commands to the command line."""
    _register_arena(commands)
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
    _number(parser, "--boards", 24, 1, "boards that every pairing plays twice")
    add_rules(parser)
    _number(parser, "--seed", 1, 0, "what all cards are dealt from")
    _number(parser, "--jobs", 8, 1, "tables at once")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (out/arena-…)")
    parser.add_argument("--force", action="store_true", help="clear away the arena that DIR holds")
    _number(parser, "--turn-ms", 1000, 1, "for each decision")
    _number(parser, "--bank-ms", 5000, 0, "for a whole deal, when a turn's time is over")
    _number(parser, "--disconnect-ms", 2000, 0, "how long a seat may be away in all")
    _number(parser, "--warmup-ms", 10000, 0, "how long a seat may take to come")
    _number(parser, "--strikes", 2, 0, "strikes before a stand-in plays")
    _number(parser, "--retries", 2, 0, "illegal acts in one decision before it is a strike")
    parser.set_defaults(run=run_arena)


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
