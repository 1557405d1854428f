"""A comparison as a bot's author runs it: a verdict, a line, an exit status."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.commands import Finished, burraco


async def compare(folder: Path, *arguments: object) -> Finished:
    return await burraco("compare", *arguments, "--until-decided", "--out", folder)


@pytest.mark.parametrize(
    ("bots", "status", "verdict"),
    [
        pytest.param(("greedy", "random"), 0, "greedy is better than random: +", id="better"),
        pytest.param(("random", "greedy"), 3, "random is worse than greedy: -", id="worse"),
    ],
)
async def test_a_clear_difference_is_found_with_the_fewest_boards(
    tmp_path: Path, bots: Sequence[str], status: int, verdict: str
) -> None:
    done = await compare(tmp_path, *bots)

    assert done.status == status, done.err
    (line,) = done.out.splitlines()
    assert line.startswith(verdict)
    assert "95 % interval" in line
    assert line.endswith("after 24 boards")
    assert "undecided" in done.err.splitlines()[0]
    assert (tmp_path / "tournament" / "tournament.jsonl").is_file()


@pytest.mark.parametrize(
    ("gain", "status", "verdict"),
    [
        # Boards differ by some 200 points a deal: 24 of them cannot tell 1, and clearly tell 400.
        pytest.param(1, 5, "greedy beside greedy#2 is undecided: ", id="undecided"),
        pytest.param(
            400, 4, "greedy and greedy#2 are equal within 400 points a deal: ", id="equal"
        ),
    ],
)
async def test_bots_that_play_alike(tmp_path: Path, gain: int, status: int, verdict: str) -> None:
    done = await compare(tmp_path, "greedy", "greedy", "--boards-at-most", 24, "--gain", gain)

    assert done.status == status, done.err
    assert done.out.startswith(verdict)


async def test_a_bot_that_keeps_failing_is_worse(tmp_path: Path) -> None:
    done = await compare(tmp_path, "illegal", "greedy", "--retries", 0, "--strikes", 0)

    assert done.status == 3, done.err
    line, told = done.out.splitlines()
    assert line.startswith("illegal is worse than greedy: -")
    assert told == f"illegal kept failing and is out; see {tmp_path / 'logs' / 'illegal.log'}"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(("greedy", "grady"), "no bot 'grady': name one of", id="unknown-bot"),
        pytest.param(("greedy", "club", "--gain", "0"), "points a deal above 0", id="gain"),
        pytest.param(("greedy", "club", "--rule", "players=3"), "players=3", id="three-players"),
    ],
)
async def test_a_wrong_command_starts_nothing(
    tmp_path: Path, arguments: Sequence[str], complaint: str
) -> None:
    out = tmp_path / "out"

    done = await compare(out, *arguments)

    assert done.status == 2
    assert complaint in done.err
    assert "Traceback" not in done.err
    assert not out.exists()
