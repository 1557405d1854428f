"""The options of `burraco tournament create`: what a tournament is played by."""

import argparse
from dataclasses import replace
from typing import Final

from burraco.sdk.calls import WrongUsage
from burraco.sdk.rules_options import add_rules
from burraco.sdk.server_options import whole
from burraco.sdk.terms_options import add_terms
from burraco.sdk.tournaments import (
    DuelQuestion,
    TournamentFormat,
    TournamentPlan,
    TournamentStage,
)

CLUB_EVENING: Final = "club-evening"
PLANS: Final = {
    CLUB_EVENING: TournamentPlan(
        name="Club evening",
        stages=(
            TournamentStage(TournamentFormat.MITCHELL, 3),
            TournamentStage(TournamentFormat.DANISH, 1),
        ),
        boards=2,
        halves=2,
        victory_points=True,
    )
}
_FORMATS: Final = ", ".join(TournamentFormat)
_SECRET_BYTES: Final = 32
_ONCE: Final = 1
_TWICE: Final = 2
_CHANCE: Final = 0.05


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of a plan, of its rules and of its terms."""
    parser.add_argument("--name", help="what people know it by (default: by its formats)")
    parser.add_argument("--id", default="", help="default: the server chooses")
    _add_stages(parser)
    _add_tables(parser)
    _add_question(parser)
    add_rules(parser)
    add_terms(parser)
    parser.add_argument(
        "--secret",
        default="",
        metavar="HEX",
        help="32 bytes that all cards are drawn from, for repeats; whoever knows it knows them",
    )


def _add_stages(parser: argparse.ArgumentParser) -> None:
    stages = parser.add_argument_group("what is played, by one of these")
    stages.add_argument(
        "--format", type=_format, metavar="F", help=f"one of {_FORMATS}; with --rounds"
    )
    stages.add_argument(
        "--rounds", type=whole, metavar="N", help="rounds of --format (as many as it takes)"
    )
    stages.add_argument(
        "--stage",
        dest="stages",
        action="append",
        type=_stage,
        default=[],
        metavar="F:N",
        help="N rounds of a format, as in mitchell:3; repeat it for the next stage",
    )
    stages.add_argument(
        "--preset", choices=tuple(PLANS), help="three Mitchell rounds and a Danish one"
    )


def _add_tables(parser: argparse.ArgumentParser) -> None:
    tables = parser.add_argument_group("what a table plays in a round, and how it counts")
    tables.add_argument("--boards", type=whole, default=0, metavar="N", help="boards (2)")
    tables.add_argument(
        "--once", action="store_true", help="each board once, not twice with sides swapped"
    )
    tables.add_argument(
        "--victory-points", action="store_true", help="count them; for 2, 3 or 4 deals a round"
    )
    tables.add_argument(
        "--bye-victory-points", type=whole, default=0, metavar="N", help="of a bye (14)"
    )
    tables.add_argument(
        "--bye-difference", type=whole, default=0, metavar="N", help="match points of a bye (355)"
    )
    tables.add_argument(
        "--adjusted",
        type=whole,
        default=0,
        metavar="N",
        help="match points a side at fault loses for a deal (500)",
    )
    tables.add_argument(
        "--adjusted-allowed",
        type=whole,
        default=0,
        metavar="N",
        help="boards with a fault before the table is forfeited (none)",
    )
    tables.add_argument(
        "--tables-at-once", type=whole, default=0, metavar="N", help="matches played at once (8)"
    )


def _add_question(parser: argparse.ArgumentParser) -> None:
    duel = parser.add_argument_group("what a duel is to decide")
    duel.add_argument(
        "--gain", type=_number, metavar="X", help="points a deal that are worth finding"
    )
    for option, meaning in (
        ("--false-alarms", "of equal bots called better or worse"),
        ("--misses", "of bots that differ by the gain and are not"),
    ):
        duel.add_argument(
            option, type=_number, default=_CHANCE, metavar="P", help=f"{meaning} (%(default)s)"
        )


def plan_of(arguments: argparse.Namespace) -> TournamentPlan:
    """The plan that was asked for; ``WrongUsage`` where it is none."""
    start = _start(arguments)
    question = _question(arguments, start)
    return replace(
        start,
        name=arguments.name or start.name,
        boards=arguments.boards or start.boards,
        halves=_ONCE if arguments.once else start.halves,
        victory_points=arguments.victory_points or start.victory_points,
        bye_victory_points=arguments.bye_victory_points,
        bye_difference=arguments.bye_difference,
        adjusted=arguments.adjusted,
        adjusted_allowed=arguments.adjusted_allowed,
        question=question,
        tables_at_once=arguments.tables_at_once,
    )


def secret_of(arguments: argparse.Namespace) -> bytes:
    """The secret that was given, empty where the server chooses."""
    try:
        secret = bytes.fromhex(arguments.secret)
    except ValueError:
        secret = b"?"
    if len(secret) not in (0, _SECRET_BYTES):
        raise WrongUsage(f"--secret: write {2 * _SECRET_BYTES} hexadecimal digits")
    return secret


def _start(arguments: argparse.Namespace) -> TournamentPlan:
    ways = [arguments.format, arguments.preset, arguments.stages or None]
    if sum(way is not None for way in ways) != 1:
        raise WrongUsage(
            "what is played: give --format, --stage or --preset, and one of them only, as in"
            " --format swiss --rounds 5"
        )
    if arguments.rounds is not None and arguments.format is None:
        raise WrongUsage("--rounds goes with --format; a stage has its own, as in mitchell:3")
    if arguments.preset is not None:
        return PLANS[arguments.preset]
    stages = tuple(arguments.stages) or (TournamentStage(arguments.format, arguments.rounds or 0),)
    name = ", then ".join(stage.format.replace("-", " ") for stage in stages).capitalize()
    return TournamentPlan(name, stages, halves=_TWICE)


def _question(arguments: argparse.Namespace, plan: TournamentPlan) -> DuelQuestion | None:
    is_duel = any(stage.format is TournamentFormat.DUEL for stage in plan.stages)
    if is_duel != (arguments.gain is not None):
        raise WrongUsage(
            "a duel asks for --gain, the points a deal that are worth finding; no other format does"
        )
    if not is_duel:
        return None
    return DuelQuestion(arguments.gain, arguments.false_alarms, arguments.misses)


def _format(text: str) -> TournamentFormat:
    try:
        return TournamentFormat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: one of {_FORMATS} is needed") from None


def _stage(text: str) -> TournamentStage:
    name, _, rounds = text.partition(":")
    return TournamentStage(_format(name), whole(rounds) if rounds else 0)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: a number is needed, as in 20 or 0.05"
        ) from None
