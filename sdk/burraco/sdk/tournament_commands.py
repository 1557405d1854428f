"""The command ``burraco tournament``: makes tournaments, steers them and shows them."""

import argparse
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.sdk.calls import WrongUsage
from burraco.sdk.rules_options import rules_of
from burraco.sdk.server_options import (
    add_server,
    organiser_of,
    run_call,
    tls_of,
    token_of,
    whole,
)
from burraco.sdk.terms_options import clocks_of, faults_of, overrides_of
from burraco.sdk.tournament_desk import Tournaments
from burraco.sdk.tournament_folder import write_tournament
from burraco.sdk.tournament_options import add_plan, plan_of, secret_of
from burraco.sdk.tournament_tables import headline, listed, round_lines, standings_lines
from burraco.sdk.tournaments import Tournament, TournamentPlace

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Call = Callable[[Tournaments, argparse.Namespace], Coroutine[None, None, None]]
_MOST_BOTS: Final = 2


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser("tournament", help="make, steer, watch and export tournaments")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_plan(_add(commands, "create", "make a tournament and print its id", _create))
    _add_entering(commands)
    _add_steering(commands)
    _add_showing(commands)
    _add_deciding(commands)


def _add(commands: "Subparsers", name: str, purpose: str, call: Call) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=purpose)
    add_server(parser)

    def run(arguments: argparse.Namespace) -> int:
        async def connected() -> None:
            address, token = arguments.server, token_of(arguments)
            async with Tournaments(address, token, tls_of(arguments)) as tournaments:
                await call(tournaments, arguments)

        return run_call(f"burraco tournament {name}", connected())

    parser.set_defaults(run=run)
    return parser


def _add_one(
    commands: "Subparsers", name: str, purpose: str, call: Call
) -> argparse.ArgumentParser:
    parser = _add(commands, name, purpose, call)
    parser.add_argument("tournament")
    return parser


def _add_reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", required=True, help="why, for the log; everybody may read it")


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--version",
        type=whole,
        metavar="N",
        help="the version you decided on; the step is refused once it is another one (what it is)",
    )


def _add_entering(commands: "Subparsers") -> None:
    entered = _add_one(commands, "enter", "enter bots", _enter)
    entered.add_argument(
        "bots", nargs="*", metavar="BOT", help="each an entry, a pair as a,b (default: yourself)"
    )
    entered.add_argument("--name", default="", help="of the entry (that of its bots)")
    entered.add_argument("--owner", default="", help="whose the entries are (their first bot's)")
    entered.add_argument("--anchor", action="store_true", help="a gauntlet measures against them")
    withdrawn = _add_one(commands, "withdraw", "take an entry out", _withdraw)
    withdrawn.add_argument("entry", help="its name, or its number")
    _add_reason(withdrawn)


def _add_steering(commands: "Subparsers") -> None:
    _add_version(_add_one(commands, "start", "begin the first round", _start))
    paused = _add_one(commands, "pause", "let no further table begin", _pause)
    resumed = _add_one(commands, "resume", "let tables begin again", _resume)
    cancelled = _add_one(commands, "cancel", "end it for good before its time", _cancel)
    for parser in (paused, resumed, cancelled):
        _add_version(parser)
    for parser in (paused, cancelled):
        _add_reason(parser)


def _add_showing(commands: "Subparsers") -> None:
    _add_one(commands, "show", "print a tournament as JSON", _show)
    _add(commands, "list", "print tournaments, one a line", _list)
    standings = _add_one(commands, "standings", "print the standings", _standings)
    standings.add_argument("--json", action="store_true", help="as JSON")
    pairings = _add_one(commands, "pairings", "print who meets whom", _pairings)
    pairings.add_argument("--round", type=whole, default=0, metavar="N", help="(the last)")
    _add_one(commands, "watch", "print the standings whenever they change, to the end", _watch)
    exported = _add_one(commands, "export", "write its log and its matches", _export)
    exported.add_argument("--out", type=Path, required=True, metavar="FOLDER")


def _add_deciding(commands: "Subparsers") -> None:
    requeued = _add_one(commands, "requeue", "have a table play again, other cards", _requeue)
    decided = _add_one(commands, "adjudicate", "decide a table", _adjudicate)
    for parser in (requeued, decided):
        parser.add_argument("table", type=whole, help="of the round that is played, from 1")
        _add_version(parser)
        _add_reason(parser)
    decided.add_argument("first", type=_points, help="match points that its first side gains")
    decided.add_argument(
        "second", type=_points, nargs="?", help="those of the second (the negative of it)"
    )


def _points(text: str) -> int:
    return -whole(text[1:]) if text.startswith("-") else whole(text)


async def _create(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    made = await tournaments.create(
        plan_of(arguments),
        tournament_id=arguments.id,
        rules=rules_of(arguments),
        secret=secret_of(arguments),
        policy=arguments.policy,
        clocks=clocks_of(arguments),
        faults=faults_of(arguments),
        overrides=overrides_of(arguments),
    )
    print(made.tournament_id)


async def _enter(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    entries = [tuple(text.split(",")) for text in arguments.bots] or [()]
    if arguments.name and len(entries) > 1:
        raise WrongUsage(f"--name {arguments.name!r}: one entry has a name, enter the others apart")
    for bots in entries:
        if len(bots) > _MOST_BOTS or not all(bots):
            raise WrongUsage(f"{','.join(bots)!r}: an entry is one bot, or two as in a,b")
    for bots in entries:
        entry = await tournaments.enter(
            arguments.tournament,
            bots,
            name=arguments.name,
            owner=arguments.owner,
            is_anchor=arguments.anchor,
        )
        print(f"{entry.number} {entry.name}")


async def _withdraw(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    shown = await tournaments.show(arguments.tournament)
    number = _entry_number(shown, arguments.entry)
    print(headline(await tournaments.withdraw(arguments.tournament, number, arguments.reason)))


def _entry_number(tournament: Tournament, text: str) -> int:
    for entry in tournament.entries:
        if entry.name == text:
            return entry.number
    if text.isascii() and text.isdecimal() and int(text) < len(tournament.entries):
        return int(text)
    names = ", ".join(f"{entry.number} {entry.name}" for entry in tournament.entries) or "none"
    raise WrongUsage(f"no entry {text!r}: the entries are {names}")


async def _version(tournaments: Tournaments, arguments: argparse.Namespace) -> int:
    """The version that was given, or the one that it is at."""
    given: int | None = arguments.version
    return (await tournaments.show(arguments.tournament)).version if given is None else given


async def _start(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    version = await _version(tournaments, arguments)
    print(headline(await tournaments.start(arguments.tournament, version)))


async def _pause(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    paused = await tournaments.pause(arguments.tournament, arguments.reason, arguments.version or 0)
    print(headline(paused))


async def _resume(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    print(headline(await tournaments.resume(arguments.tournament, arguments.version or 0)))


async def _cancel(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    cancelled = await tournaments.cancel(
        arguments.tournament, arguments.reason, arguments.version or 0
    )
    print(headline(cancelled))


async def _show(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    print(json.dumps(_as_json(await tournaments.show(arguments.tournament)), indent=2))


def _as_json(tournament: Tournament) -> dict[str, object]:
    return {
        **asdict(tournament),
        "rules": None if tournament.rules is None else tournament.rules.name,
        "commitment": tournament.commitment.hex(),
        "secret": tournament.secret.hex(),
    }


async def _list(tournaments: Tournaments, _arguments: argparse.Namespace) -> None:
    async for tournament in tournaments.tournaments():
        print(listed(tournament))


async def _standings(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    standings = await tournaments.standings(arguments.tournament)
    if arguments.json:
        print(json.dumps(asdict(standings), indent=2))
        return
    shown = await tournaments.show(arguments.tournament)
    _print_standings(shown, standings.places)
    if standings.decision is not None:
        print(f"{shown.entries[0].name} beside {shown.entries[1].name}: {standings.decision}")


async def _pairings(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    found = await tournaments.pairings(arguments.tournament, arguments.round)
    if found is None:
        which = f"round {arguments.round}" if arguments.round else "round"
        raise WrongUsage(f"there is no {which} yet: see it with burraco tournament show")
    shown = await tournaments.show(arguments.tournament)
    print(*round_lines(shown, found), sep="\n")


async def _watch(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    told: object = None
    async with aclosing(tournaments.watch(arguments.tournament)) as changes:
        async for shown in changes:
            # Boards come and go between: what they come to is told once a round is over.
            what = shown.tournament.status, shown.tournament.entries, shown.places
            if what != told:
                told = what
                _print_standings(shown.tournament, shown.places)
                sys.stdout.flush()


async def _export(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    async with organiser_of(arguments) as organiser:
        done = await write_tournament(tournaments, organiser, arguments.tournament, arguments.out)
    print(f"{arguments.out}: {len(done.rows)} rows, {len(done.results)} matches")
    if done.missing:
        print(
            f"left out: {len(done.missing)} matches whose boards are still played at other"
            " tables; export again when the round is over",
            file=sys.stderr,
        )


async def _requeue(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    version = await _version(tournaments, arguments)
    again = await tournaments.requeue(
        arguments.tournament, arguments.table, arguments.reason, version
    )
    print(headline(again))


async def _adjudicate(tournaments: Tournaments, arguments: argparse.Namespace) -> None:
    version = await _version(tournaments, arguments)
    second = -arguments.first if arguments.second is None else arguments.second
    gains = arguments.first, second
    decided = await tournaments.adjudicate(
        arguments.tournament, arguments.table, gains, arguments.reason, version
    )
    print(headline(decided))


def _print_standings(tournament: Tournament, places: Sequence[TournamentPlace]) -> None:
    print(headline(tournament), *standings_lines(tournament, places), sep="\n")
