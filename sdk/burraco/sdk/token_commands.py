"""The command ``burraco token``: makes, lists, replaces and ends tokens."""

import argparse
import re
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from burraco.sdk.server_options import MOST, add_server, run_call, server_of
from burraco.sdk.tokens import Scope, Token, TokenDesk

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Call = Callable[[TokenDesk, argparse.Namespace], Coroutine[None, None, None]]
_SPAN: Final = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser("token", help="make, list, replace and end tokens")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    made = _add(commands, "create", "make a token and print it, for the only time", _create)
    made.add_argument("name", help="whose it is: 1 to 40 of letters, digits and - _ . +")
    made.add_argument(
        "--scope",
        type=Scope,
        choices=tuple(Scope),
        action="append",
        help="what it is for; more than once for more (default: play)",
    )
    made.add_argument(
        "--expires", type=span, default=0, metavar="SPAN", help="such as 12h or 30d (never)"
    )
    _add(commands, "list", "print the tokens you may change, one a line", _list)
    replaced = _add(commands, "rotate", "print a new token in place of one", _rotate)
    replaced.add_argument("id", nargs="?", default="", help="default: the token you use now")
    replaced.add_argument(
        "--overlap",
        type=span,
        default=0,
        metavar="SPAN",
        help="how long the old one goes on beside it, such as 1h (not at all)",
    )
    ended = _add(commands, "revoke", "end a token, and every stream it has opened", _revoke)
    ended.add_argument("id", help="as `burraco token list` shows it")


def span(text: str) -> int:
    """A span of time of the command line, in seconds."""
    found = _SPAN.fullmatch(text)
    if found is None or int(found[1]) * _SECONDS[found[2]] > MOST:
        raise argparse.ArgumentTypeError(
            f"{text!r}: write a number and s, m, h or d, such as 12h or 30d"
        )
    return int(found[1]) * _SECONDS[found[2]]


def _add(commands: "Subparsers", name: str, purpose: str, call: Call) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=purpose)
    add_server(parser)

    def run(arguments: argparse.Namespace) -> int:
        async def connected() -> None:
            async with TokenDesk(server_of(arguments)) as desk:
                await call(desk, arguments)

        return run_call(f"burraco token {name}", connected())

    parser.set_defaults(run=run)
    return parser


async def _create(desk: TokenDesk, arguments: argparse.Namespace) -> None:
    scopes = arguments.scope or [Scope.PLAY]
    secret, token = await desk.create(arguments.name, scopes, arguments.expires)
    _print_secret(secret, token)


async def _list(desk: TokenDesk, _arguments: argparse.Namespace) -> None:
    async for token in desk.tokens():
        print(_line(token))


async def _rotate(desk: TokenDesk, arguments: argparse.Namespace) -> None:
    _print_secret(*await desk.rotate(arguments.id, arguments.overlap))


async def _revoke(desk: TokenDesk, arguments: argparse.Namespace) -> None:
    print(_line(await desk.revoke(arguments.id)))


def _print_secret(secret: str, token: Token) -> None:
    """The secret alone where programs read, what it is where people do."""
    print(secret)
    print(_line(token), file=sys.stderr)


def _line(token: Token) -> str:
    scopes = ",".join(token.scopes)
    if token.revoked_ms is not None:
        until = f"revoked {_date(token.revoked_ms)}"
    else:
        until = "for ever" if token.expires_ms is None else f"until {_date(token.expires_ms)}"
    return f"{token.token_id} {token.name} {scopes} from {_date(token.created_ms)} {until}"


def _date(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
