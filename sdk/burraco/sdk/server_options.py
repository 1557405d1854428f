"""What the commands that speak to a server have in common."""

import argparse
import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Final

from burraco.sdk.calls import TOKEN_VARIABLE, Server, Tls, WrongUsage
from burraco.sdk.organiser import Organiser, OrganiserFailed

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
# What every number of a request can hold.
MOST: Final = 2**31 - 1


def add_server(parser: argparse.ArgumentParser) -> None:
    """The options that say which server, and who asks."""
    add_address(parser)
    parser.add_argument("--token", help=f"default: the variable {TOKEN_VARIABLE}")


def add_address(parser: argparse.ArgumentParser) -> None:
    """The options that say which server, and how it is known."""
    parser.add_argument("--server", default="127.0.0.1:7070", metavar="HOST:PORT")
    tls = parser.add_argument_group("TLS, used always beyond this machine; PEM files")
    tls.add_argument(
        "--tls-ca",
        type=Path,
        metavar="FILE",
        help="authorities for the server's certificate (default: those of the system)",
    )
    tls.add_argument(
        "--tls-cert", type=Path, metavar="FILE", help="certificate to show, where the server asks"
    )
    tls.add_argument("--tls-key", type=Path, metavar="FILE", help="key of that certificate")


def whole(text: str) -> int:
    """A number of the command line that counts something."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MOST))
    if not is_number or int(text) > MOST:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 0 to {MOST} is needed")
    return int(text)


def token_of(arguments: argparse.Namespace) -> str:
    """The token given, or that of the environment."""
    return str(arguments.token or os.environ.get(TOKEN_VARIABLE, ""))


def tls_of(arguments: argparse.Namespace) -> Tls | None:
    """The files given for TLS, None where there are none."""
    files = (arguments.tls_ca, arguments.tls_cert, arguments.tls_key)
    return None if files == (None, None, None) else Tls(*files)


def server_of(arguments: argparse.Namespace) -> Server:
    """The server that was named."""
    return Server(arguments.server, token_of(arguments), tls_of(arguments))


def organiser_of(arguments: argparse.Namespace) -> Organiser:
    """A connection to the server that was named."""
    return Organiser(arguments.server, token_of(arguments), tls_of(arguments))


def run_call(command: str, call: Coroutine[None, None, None]) -> int:
    """Run calls of an organiser; gives the exit status."""
    try:
        asyncio.run(call)
    except WrongUsage as wrong:
        print(f"{command}: {wrong}", file=sys.stderr)
        return USAGE
    except OrganiserFailed as failed:
        print(f"{command}: {failed}", file=sys.stderr)
        return FAILED
    return OK
