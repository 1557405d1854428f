"""The command ``burraco match``: makes matches, and shows what has become of them."""

import argparse
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.engine import Ruleset
from burraco.engine.state import SEAT_NAMES, side_names
from burraco.sdk.calls import WrongUsage
from burraco.sdk.matches import MatchState, MatchSummary
from burraco.sdk.organiser import Organiser
from burraco.sdk.rules_options import add_rules, rules_of
from burraco.sdk.server_options import add_server, organiser_of, run_call, whole
from burraco.sdk.terms_options import add_terms, clocks_of, faults_of, overrides_of

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Call = Callable[[Organiser, argparse.Namespace], Coroutine[None, None, None]]
_FREE: Final = "-"
_PLAYERS_DUE: Final = {
    2: "two, as in a,b",
    3: "three, as in a,b,c",
    4: "four, as in a,b,a,b",
}


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
        help=f"as many players as the rules seat, usually four; {_FREE} leaves a seat free",
    )
    parser.add_argument("--id", default="", help="default: the server chooses")
    add_rules(parser)
    parser.add_argument(
        "--deals", type=whole, default=0, metavar="N", help="default: as the rules say"
    )
    parser.add_argument("--seed", default="", metavar="HEX", help="80 bytes, for repeats")
    parser.add_argument("--dealer", choices=tuple(SEAT_NAMES), help="default: as the seed says")
    parser.add_argument("--draw-seats", action="store_true", help="seat players by a draw (R12)")
    add_terms(parser)
    parser.add_argument("--asks-cut", action="store_true", help="the cutter chooses (R19)")


async def _create(organiser: Organiser, arguments: argparse.Namespace) -> None:
    dealer = None if arguments.dealer is None else SEAT_NAMES.index(arguments.dealer)
    rules = rules_of(arguments)
    match = await organiser.create_match(
        _players(arguments.players, rules),
        match_id=arguments.id,
        rules=rules,
        deals=arguments.deals,
        seed=_seed(arguments.seed),
        dealer=dealer,
        draw_seats=arguments.draw_seats,
        asks_cut=arguments.asks_cut,
        policy=arguments.policy,
        clocks=clocks_of(arguments),
        faults=faults_of(arguments),
        overrides=overrides_of(arguments),
    )
    print(match.match_id)


def _players(text: str, rules: Ruleset) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if len(names) != rules.players or not all(names):
        due = _PLAYERS_DUE[rules.players]
        raise WrongUsage(f"--players {text!r}: name {due}; {_FREE} for a free seat")
    return tuple("" if name == _FREE else name for name in names)


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
        "players": dict(zip(SEAT_NAMES, match.players, strict=False)),
        "rules": None if match.rules is None else match.rules.name,
        "deals_played": match.deals_played,
        "totals": _totals(match),
        "commitment": match.commitment.hex(),
    }
    if match.result is not None:
        shown["end"] = match.result.end.value
        shown["seats"] = {
            SEAT_NAMES[seat.seat]: {
                "end": seat.end.value,
                "fault": seat.fault.value,
                "strikes": seat.strikes,
                "take_overs": seat.take_overs,
                "illegal_acts": seat.illegal_acts,
                "time_outs": seat.time_outs,
                "decisions": seat.decisions,
                "think_ms": seat.think_ms,
                "network_ms": seat.network_ms,
            }
            for seat in match.result.seats
        }
        shown["seed"] = match.result.seed.hex()
    return shown


def _totals(match: MatchSummary) -> dict[str, int]:
    """Points by the name of their side; none where it is lost which sides there were."""
    if match.rules is None:
        return {}
    return dict(zip(side_names(match.rules.sides_as_dealt).values(), match.totals, strict=True))


def _points(match: MatchSummary) -> str:
    return " ".join(f"{side} {points}" for side, points in _totals(match).items()) or _FREE


async def _list(organiser: Organiser, arguments: argparse.Namespace) -> None:
    async for match in organiser.matches(arguments.state):
        players = ",".join(name or _FREE for name in match.players)
        print(f"{match.match_id} {match.state.value} {players} {_points(match)}")


async def _export(organiser: Organiser, arguments: argparse.Namespace) -> None:
    notation = await organiser.export(arguments.match)
    if arguments.out is None:
        print(notation, end="")
    else:
        arguments.out.write_text(notation, encoding="ascii")


async def _adjudicate(organiser: Organiser, arguments: argparse.Namespace) -> None:
    match = await organiser.adjudicate(arguments.match, arguments.reason)
    print(f"{match.match_id} {match.state.value} {_points(match)}")
