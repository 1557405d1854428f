"""What docs/bots.md says is what there is."""

import argparse
import re
from pathlib import Path

import pytest

import burraco.sdk
from burraco.sdk import Bot, OrganiserFailed, bot_commands

DOCUMENT = (Path(__file__).parents[2] / "docs" / "bots.md").read_text()


def rows(heading: str) -> list[str]:
    """The first cells of the table below a heading."""
    section = DOCUMENT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL))
def test_the_programs_can_be_run(block: str) -> None:
    names: dict[str, object] = {"__name__": "mine"}
    exec(compile(block, "docs/bots.md", "exec"), names)
    assert issubclass(names["MyBot"], Bot)  # type: ignore[arg-type]  # whatever the page has made


def test_every_error_is_explained() -> None:
    told = {cell.strip(" `") for cell in rows("Errors")}
    public = {
        name
        for name in burraco.sdk.__all__
        if isinstance(thing := getattr(burraco.sdk, name), type)
        and issubclass(thing, Exception)
        # An organiser's, who is no bot.
        and not issubclass(thing, OrganiserFailed)
    }
    assert told == public


def test_every_member_of_a_bot_is_explained() -> None:
    told = {re.sub(r"\(.*", "", cell.strip(" `")) for cell in rows("What a bot is told")}
    assert told == {name for name in vars(Bot) if not name.startswith("_")}


def test_every_option_is_explained() -> None:
    told = set(re.findall(r"--[a-z-]+", " ".join(rows("`burraco bot run`"))))
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    bot_commands.register(subparsers)
    run = next(
        action for action in subparsers.choices["bot"]._actions if isinstance(action.choices, dict)
    )
    assert isinstance(run.choices, dict)
    assert told == set(re.findall(r"(?<![\w-])--[a-z-]+", run.choices["run"].format_help())) - {
        "--help"
    }
