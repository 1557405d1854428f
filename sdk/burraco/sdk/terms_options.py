"""The options that choose clocks and faults: by name, by value, and single values changed."""

import argparse

from burraco.sdk.calls import WrongUsage
from burraco.sdk.matches import Clocks, Faults
from burraco.sdk.server_options import whole


def add_terms(parser: argparse.ArgumentParser) -> None:
    """Add ``--policy``, ``--clocks``, ``--faults`` and ``--term``."""
    parser.add_argument(
        "--policy", default="", metavar="NAME", help="ranked (default), casual or debug"
    )
    parser.add_argument(
        "--clocks",
        metavar="NAME|T,B,W,D",
        help="off, bullet, blitz, club, human or fibur; or milliseconds: turn, bank, warm-up,"
        " disconnect; default: as the policy says",
    )
    parser.add_argument(
        "--faults", metavar="R,S", help="illegal acts to retry in a decision, strikes in a match"
    )
    parser.add_argument(
        "--term",
        action="append",
        default=[],
        metavar="NAME=N",
        help="one value of clocks or policy, as in increment_ms=500 or forfeit_after=2; repeat it",
    )


def clocks_of(arguments: argparse.Namespace) -> Clocks | str | None:
    """The clocks that were chosen, by name or by value; None for those of the policy."""
    text: str | None = arguments.clocks
    if not text or not text[0].isdigit():
        return text or None
    turn, bank, warmup, disconnect = _numbers("--clocks", text, 4)
    return Clocks(turn, bank, warmup, disconnect)


def faults_of(arguments: argparse.Namespace) -> Faults | None:
    """The faults that were chosen, None for those of the policy."""
    if not arguments.faults:
        return None
    retries, strikes = _numbers("--faults", arguments.faults, 2)
    return Faults(retries, strikes)


def overrides_of(arguments: argparse.Namespace) -> dict[str, int]:
    """Single values by their names."""
    return dict(map(_term, arguments.term))


def _term(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not equals:
        raise WrongUsage(f"--term {text!r}: write NAME=N, as in strikes=5")
    try:
        return name, whole(value)
    except argparse.ArgumentTypeError as wrong:
        raise WrongUsage(f"--term {name}: {wrong}") from None


def _numbers(option: str, text: str, wanted: int) -> list[int]:
    parts = text.split(",")
    try:
        numbers = [whole(part) for part in parts]
    except argparse.ArgumentTypeError as wrong:
        raise WrongUsage(f"{option} {wrong}") from None
    if len(numbers) != wanted:
        raise WrongUsage(f"{option} {text!r}: write {wanted} whole numbers with commas between")
    return numbers
