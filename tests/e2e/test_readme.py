"""What the README shows works as it is written there."""

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from burraco.sdk.command import main
from tests.e2e.commands import burraco

README: Final = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
_BLOCK: Final = re.compile(r"```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL)


def blocks(language: str) -> list[str]:
    return [found["text"] for found in _BLOCK.finditer(README) if found["language"] == language]


def quoted_commands() -> list[tuple[str, str]]:
    """Every `burraco` line, with the comment behind it."""
    lines = [line for block in blocks("") for line in block.splitlines()]
    parted = (line.partition("#") for line in lines if line.startswith("burraco "))
    return [(shown.strip(), comment.strip()) for shown, _, comment in parted]


COMMANDS: Final = quoted_commands()


async def test_the_bot_of_the_readme_plays_a_board(tmp_path: Path) -> None:
    (source,) = blocks("python")
    bot = tmp_path / "my_bot.py"
    bot.write_text(source)
    out = tmp_path / "out"

    played = await burraco("arena", bot, "random", "--boards", 1, "--out", out)

    assert played.status == 0, played.err
    *_, first, second = played.out.splitlines()
    assert {first.split()[1], second.split()[1]} == {"my_bot", "random"}
    assert "100%" in first
    assert "100%" in second
    judged = await burraco("judge", *sorted((out / "bgn").iterdir()))
    assert judged.status == 0, judged.out


@pytest.mark.parametrize(
    ("command", "output"), [entry for entry in COMMANDS if entry[0].startswith("burraco meld ")]
)
def test_an_offline_command_prints_what_the_readme_says(
    command: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(shlex.split(command)[1:])
    assert capsys.readouterr().out == f"{output}\n"
    assert status == (1 if output.startswith("refused") else 0)


def test_the_preset_of_the_readme_has_knobs(capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = (shown for shown, _ in COMMANDS if shown.startswith("burraco rules "))
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith("knob ")


@pytest.mark.parametrize("command", sorted({shown for shown, _ in COMMANDS}))
def test_every_option_of_the_readme_exists(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(command.partition("|")[0])[1:]
    with pytest.raises(SystemExit) as left:
        main([*[word for word in words if not word.startswith("-")][: _depth(words)], "--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for option in (word for word in words if word.startswith("--")):
        assert option in shown


def _depth(words: list[str]) -> int:
    """How many words name the command."""
    return 2 if words[0] in {"bot", "match", "token", "tournament"} else 1


def test_every_link_of_the_readme_leads_somewhere() -> None:
    root = Path(__file__).parents[2]
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (root / target).exists(), target
