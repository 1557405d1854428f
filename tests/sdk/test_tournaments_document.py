"""What docs/tournaments.md says is what there is."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from burraco.sdk import OrganiserFailed, TournamentFormat, Tournaments, tournament_desk
from burraco.sdk.tournament_commands import register

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")


def _choices(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("a command without commands")


def commands() -> Mapping[str, argparse.ArgumentParser]:
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    return _choices(_choices(parser)["tournament"])


def test_every_command_is_told() -> None:
    told = set(re.findall(r"(?:burraco tournament |`)([a-z]+)", PAGE))
    assert set(commands()) <= told
    assert set(re.findall(r"burraco tournament ([a-z]+)", PAGE)) <= set(commands())


def test_every_format_is_told() -> None:
    table = PAGE.split("| `--format` |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == list(TournamentFormat)


def test_every_option_that_is_told_is_there() -> None:
    known = {
        option
        for parser in commands().values()
        for action in parser._actions
        for option in action.option_strings
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) <= known


def test_all_that_a_program_can_do_is_told() -> None:
    part = PAGE.split("## From a program\n")[1]
    told = set(re.findall(r"`(\w+)`", part))
    assert {name for name in vars(Tournaments) if not name.startswith("_")} <= told
    failures = {
        name
        for name, thing in vars(tournament_desk).items()
        if isinstance(thing, type) and issubclass(thing, OrganiserFailed)
    }
    assert failures <= told
