"""The command ``burraco bot``: plays a bot at a server, and registers bots."""

import argparse
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from burraco.engine.rules import SEATS, SIDES_AS_DEALT
from burraco.engine.state import SEAT_NAMES, side_names
from burraco.sdk import match_commands, token_commands, tournament_commands
from burraco.sdk.asking import BotCrashed, OnError, PlayOptions
from burraco.sdk.calls import WrongUsage
from burraco.sdk.client import ClientFailed, PlayClient, PlayPlan
from burraco.sdk.loader import BotNotFound, load_bot
from burraco.sdk.ordering import ContractBroken
from burraco.sdk.outcome import MatchResult
from burraco.sdk.seat import IllegalAnswer
from burraco.sdk.seating import Place
from burraco.sdk.server_options import (
    FAILED,
    OK,
    USAGE,
    add_server,
    organiser_of,
    run_call,
    server_of,
    whole,
)
from burraco.sdk.stopping import Stopped, run_until_stopped

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def register(subparsers: "Subparsers") -> None:
    """Add the commands ``bot``, ``match`` and ``token``."""
    parser = subparsers.add_parser("bot", help="play a bot at a server, register bots")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_register(commands)
    match_commands.register(subparsers)
    token_commands.register(subparsers)
    tournament_commands.register(subparsers)


def _add_run(commands: "Subparsers") -> None:
    parser = commands.add_parser(
        "run",
        help="play a bot",
        description="Plays a bot at a server until it has played enough matches, or for ever.",
        epilog="exit status: 0 played, 1 the bot or the connection failed, 2 wrong command,"
        " 130 after Ctrl-C, 143 after SIGTERM; the server is told good-bye each time",
    )
    parser.add_argument("bot", help="FILE.py, FILE.py:Class, or an installed bot such as club")
    add_server(parser)
    parser.add_argument("--join", metavar="MATCH[:SEAT]", help="take a free seat (N, E, S or W)")
    parser.add_argument(
        "--nonce", metavar="HEX", help="with --join: up to 64 bytes of yours for the shuffle"
    )
    parser.add_argument(
        "--matches", type=whole, default=0, metavar="N", help="end after so many (default: never)"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="end at the first illegal answer, and at any breach of the contract by the server",
    )
    parser.add_argument(
        "--threaded", action="store_true", help="decide in a thread, for slow bots with many seats"
    )
    parser.add_argument(
        "--on-error",
        type=OnError,
        choices=tuple(OnError),
        default=OnError.EXIT,
        help="when the bot raises: end, or play the default action (default: exit)",
    )
    parser.add_argument("--quiet", action="store_true", help="print results and failures only")
    parser.set_defaults(run=run_bot_command)


def _add_register(commands: "Subparsers") -> None:
    parser = commands.add_parser(
        "register",
        help="register a bot and print its token",
        description="Makes a player; its token is printed now and never again.",
    )
    parser.add_argument("name", help="1 to 40 of letters, digits and - _ . +")
    add_server(parser)
    parser.set_defaults(run=register_bot_command)


def run_bot_command(arguments: argparse.Namespace) -> int:
    """Play a bot; gives the exit status."""
    logging.basicConfig(
        level=logging.ERROR if arguments.quiet else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    try:
        bot = load_bot(arguments.bot)
        server = server_of(arguments)
        plan = PlayPlan(
            PlayOptions(arguments.strict, arguments.threaded, arguments.on_error),
            arguments.matches,
            _place_of(arguments),
            told=_print_result,
        )
    except (BotNotFound, WrongUsage) as wrong:
        print(f"burraco bot run: {wrong}", file=sys.stderr)
        return USAGE
    try:
        run_until_stopped(PlayClient(bot, server, plan).play())
    except Stopped as stopped:
        print(f"burraco bot run: {stopped}", file=sys.stderr)
        return stopped.status
    except (BotCrashed, ClientFailed, ContractBroken, IllegalAnswer) as failed:
        print(f"burraco bot run: {failed}", file=sys.stderr)
        return FAILED
    return OK


def _place_of(arguments: argparse.Namespace) -> Place | None:
    if arguments.join is None:
        if arguments.nonce is not None:
            raise WrongUsage("--nonce goes with --join: it is given when a seat is taken")
        return None
    try:
        nonce = bytes.fromhex(arguments.nonce or "")
    except ValueError:
        raise WrongUsage(
            f"--nonce {arguments.nonce!r}: write hexadecimal digits, such as 00ff"
        ) from None
    return replace(read_place(arguments.join), nonce=nonce)


def read_place(text: str) -> Place:
    """A match, and the seat in it where one is named."""
    match_id, colon, seat = text.partition(":")
    if not match_id or (colon and (len(seat) != 1 or seat not in SEAT_NAMES)):
        raise WrongUsage(f"--join {text!r}: write MATCH or MATCH:SEAT, the seat as N, E, S or W")
    return Place(match_id, SEAT_NAMES.index(seat) if colon else None)


def _print_result(match_id: str, seat: int, result: MatchResult) -> None:
    # A match that is void may name no seats.
    names = side_names(SIDES_AS_DEALT.get(len(result.seats), SIDES_AS_DEALT[SEATS])).values()
    points = " ".join(f"{side} {total}" for side, total in zip(names, result.totals, strict=False))
    how = result.seats[seat].end.value if result.seats else result.end.value
    print(f"{match_id} {SEAT_NAMES[seat]} {points} {how}", flush=True)


def register_bot_command(arguments: argparse.Namespace) -> int:
    """Register a bot and print its token; gives the exit status."""

    async def call() -> None:
        async with organiser_of(arguments) as organiser:
            print(await organiser.register_bot(arguments.name))

    return run_call("burraco bot register", call())
