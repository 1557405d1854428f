"""The command ``burraco match``: makes matches, and shows what has become of them."""

import argparse
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.engine.rules import SEATS
from burraco.engine.state import SEAT_NAMES
from burraco.sdk.calls import WrongUsage
from burraco.sdk.matches import Clocks, Faults, MatchState, MatchSummary
from burraco.sdk.organiser import Organiser
from burraco.sdk.rules_options import add_rules, rules_of
from burraco.sdk.server_options import add_server, organiser_of, run_call, whole

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Call = Callable[[Organiser, argparse.Namespace], Coroutine[None, None, None]]
_FREE: Final = "-"


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser("match", help="make, show, list, export and end matches")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_create(commands)
    _add(commands, "show", "print a match as JSON", _show).add_argument("match")
    listed = _add(commands, "list", "print matches, one a line", _list)
    listed.add_argument("--state", type=MatchState, choices=tuple(MatchState))
    exported = _add(commands, "export", "print a finished match in notation", _export)
    exported.add_argument("match")
    exported.add_argument("--out", type=Path, metavar="FILE", help="write it there instead")
    ended = _add(commands, "adjudicate", "end a running match where it stands", _adjudicate)
    ended.add_argument("match")
    ended.add_argument("--reason", required=True, help="why, for the log")


def _add(commands: "Subparsers", name: str, purpose: str, call: Call) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=purpose)
    add_server(parser)

    def run(arguments: argparse.Namespace) -> int:
        async def connected() -> None:
            async with organiser_of(arguments) as organiser:
                await call(organiser, arguments)

        return run_call(f"burraco match {name}", connected())

    parser.set_defaults(run=run)
    return parser


def _add_create(commands: "Subparsers") -> None:
    parser = _add(commands, "create", "make a match and print its id", _create)
    parser.add_argument(
        "--players",
        required=True,
        metavar="N,E,S,W",
        help=f"four players; {_FREE} leaves a seat free",
    )
    parser.add_argument("--id", default="", help="default: the server chooses")
    add_rules(parser)
    parser.add_argument(
        "--deals", type=whole, default=0, metavar="N", help="default: as the rules say"
    )
    parser.add_argument("--seed", default="", metavar="HEX", help="80 bytes, for repeats")
    parser.add_argument("--dealer", choices=tuple(SEAT_NAMES), help="default: as the seed says")
    parser.add_argument("--draw-seats", action="store_true", help="seat players by a draw (R12)")
    parser.add_argument(
        "--clocks", metavar="T,B,W,D", help="milliseconds: turn, bank, warm-up, disconnect"
    )
    parser.add_argument(
        "--faults", metavar="R,S", help="illegal acts to retry in a decision, strikes in a match"
    )
    parser.add_argument("--asks-cut", action="store_true", help="the cutter chooses (R19)")


async def _create(organiser: Organiser, arguments: argparse.Namespace) -> None:
    dealer = None if arguments.dealer is None else SEAT_NAMES.index(arguments.dealer)
    match = await organiser.create_match(
        _players(arguments.players),
        match_id=arguments.id,
        rules=rules_of(arguments),
        deals=arguments.deals,
        seed=_seed(arguments.seed),
        dealer=dealer,
        draw_seats=arguments.draw_seats,
        asks_cut=arguments.asks_cut,
        clocks=Clocks(*_numbers("--clocks", arguments.clocks, 4)) if arguments.clocks else None,
        faults=Faults(*_numbers("--faults", arguments.faults, 2)) if arguments.faults else None,
    )
    print(match.match_id)


def _players(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if len(names) != SEATS or not all(names):
        raise WrongUsage(f"--players {text!r}: name four, as in a,b,a,b; {_FREE} for a free seat")
    return tuple("" if name == _FREE else name for name in names)


def _numbers(option: str, text: str, wanted: int) -> list[int]:
    parts = text.split(",")
    try:
        numbers = [whole(part) for part in parts]
    except argparse.ArgumentTypeError as wrong:
        raise WrongUsage(f"{option} {wrong}") from None
    if len(numbers) != wanted:
        raise WrongUsage(f"{option} {text!r}: write {wanted} whole numbers with commas between")
    return numbers


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise WrongUsage("--seed: write 160 hexadecimal digits") from None


async def _show(organiser: Organiser, arguments: argparse.Namespace) -> None:
    print(json.dumps(_as_json(await organiser.show(arguments.match)), indent=2))


def _as_json(match: MatchSummary) -> dict[str, object]:
    shown: dict[str, object] = {
        "match": match.match_id,
        "state": match.state.value,
        "players": dict(zip(SEAT_NAMES, match.players, strict=True)),
        "rules": match.rules.name,
        "deals_played": match.deals_played,
        "totals": {"NS": match.totals[0], "EW": match.totals[1]},
        "commitment": match.commitment.hex(),
    }
    if match.result is not None:
        shown["end"] = match.result.end.value
        shown["seats"] = {
            SEAT_NAMES[seat.seat]: {
                "end": seat.end.value,
                "fault": seat.fault.value,
                "illegal_acts": seat.illegal_acts,
                "time_outs": seat.time_outs,
                "decisions": seat.decisions,
                "think_ms": seat.think_ms,
            }
            for seat in match.result.seats
        }
        shown["seed"] = match.result.seed.hex()
    return shown


async def _list(organiser: Organiser, arguments: argparse.Namespace) -> None:
    async for match in organiser.matches(arguments.state):
        players = ",".join(name or _FREE for name in match.players)
        first, second = match.totals
        print(f"{match.match_id} {match.state.value} {players} NS {first} EW {second}")


async def _export(organiser: Organiser, arguments: argparse.Namespace) -> None:
    notation = await organiser.export(arguments.match)
    if arguments.out is None:
        print(notation, end="")
    else:
        arguments.out.write_text(notation, encoding="ascii")


async def _adjudicate(organiser: Organiser, arguments: argparse.Namespace) -> None:
    match = await organiser.adjudicate(arguments.match, arguments.reason)
    first, second = match.totals
    print(f"{match.match_id} {match.state.value} NS {first} EW {second}")
