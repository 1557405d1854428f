"""The command ``burraco``: it finds the subcommands that packages offer and runs the one asked for.

A package offers subcommands through the entry-point group ``burraco.commands``: a function
``register(subparsers)`` that adds parsers, each with ``set_defaults(run=…)``, a function from the
parsed arguments to the exit status. Packages are loaded only until the command is found.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points, version
from typing import TYPE_CHECKING, Final

from burraco.engine import Unreadable
from burraco.engine.compiled import is_compiled

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

GROUP: Final = "burraco.commands"
USAGE: Final = 2
FAILED: Final = 1
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

# What to install for the commands of a package beyond the base.
_EXTRAS: Final = {"server": "server", "bots": "bots"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; wrong usage is argparse's ``SystemExit``."""
    try:
        status = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as fault:
        print(f"burraco: {_told(fault)}", file=sys.stderr)
        _drop_output()
        return FAILED
    except Unreadable as fault:
        print(f"burraco: {fault}", file=sys.stderr)
        return USAGE
    return status


def _drop_output() -> None:
    """Write what can be written; what cannot must not fail again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(fault: OSError) -> str:
    """A fault of the system in its own words, with the file it is about."""
    what = fault.strerror or str(fault)
    return what if fault.filename is None else f"{fault.filename}: {what}"


class _Parser(argparse.ArgumentParser):
    """A parser that refuses what it does not know with its own usage, not that of its parent."""

    def parse_known_args(  # type: ignore[override]  # the overloads say the same in three ways
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, []


def _run(asked: list[str]) -> int:
    parser: argparse.ArgumentParser = _Parser(
        prog="burraco",
        description="Burraco: the rules, bots, the server and the arena.",
        epilog='example: burraco meld "7h 7d 2s"',
    )
    release = f"burraco {version('burraco')}, engine {'compiled' if is_compiled() else 'pure'}"
    parser.add_argument("--version", action="version", version=release)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    shown = subparsers.add_parser(
        "version", help="print the version, and whether the engine is compiled"
    )
    shown.set_defaults(run=lambda _arguments: _print_line(release))
    _load(subparsers, next((word for word in asked if not word.startswith("-")), None))
    arguments = parser.parse_args(asked)
    if "run" not in arguments:
        parser.print_help(sys.stderr)
        return USAGE
    run: Callable[[argparse.Namespace], int] = arguments.run
    return run(arguments)


def _print_line(text: str) -> int:
    print(text)
    return 0


def _load(subparsers: "Subparsers", command: str | None) -> None:
    """Register commands until the one asked for is there; without one, or for help, all of them."""
    found = sorted(
        entry_points(group=GROUP), key=lambda entry: (_package(entry) != "sdk", entry.name)
    )
    for entry in found:
        if command in subparsers.choices:
            return
        try:
            register = entry.load()
        except ImportError as missing:
            _register_missing(subparsers, entry, missing)
        else:
            register(subparsers)


def _package(entry: EntryPoint) -> str:
    return entry.module.split(".")[1]


def _register_missing(subparsers: "Subparsers", entry: EntryPoint, missing: ImportError) -> None:
    """A command that says what to install, in place of one whose package cannot be loaded."""
    extra = _EXTRAS.get(_package(entry))
    remedy = f"pip install 'burraco[{extra}]'" if extra else "install burraco again"

    def run(_arguments: argparse.Namespace) -> int:
        print(f"burraco {entry.name}: {missing}; {remedy}", file=sys.stderr)
        return USAGE

    # No character begins an option, so that any arguments reach the message.
    stub = subparsers.add_parser(
        entry.name, help=f"not installed: {remedy}", prefix_chars="\0", add_help=False
    )
    stub.add_argument("arguments", nargs="*")
    stub.set_defaults(run=run)
