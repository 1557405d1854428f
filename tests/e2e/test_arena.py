"""The arena as its users run it: a server, bots in processes of their own, files, exit status."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.commands import MAIN, burraco


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    written = json.loads((folder / "standings.json").read_text())
    return {entry["name"]: entry for entry in written["entries"]}


async def test_the_same_seed_gives_the_same_standings(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        played = await burraco(
            "arena", "greedy", "random", "--boards", 2, "--seed", 5, "--out", folder
        )
        assert played.status == 0, played.err

    one, two = ((folder / "standings.json").read_bytes() for folder in folders)
    assert one == two
    written = json.loads(one)
    assert (written["rules"], written["seed"], written["boards"]) == ("classic", 5, 2)
    assert [entry["name"] for entry in written["entries"]] == ["greedy", "random"]
    for entry in written["entries"]:
        assert (entry["deals"], entry["boards"], entry["clean_rate"]) == (4, 2, 1.0)
        assert (entry["forfeits"], entry["note"]) == (0, "")
    files = sorted((folders[0] / "bgn").iterdir())
    assert [file.name for file in files] == [
        f"greedy-random-{board}-{half}.bgn" for board in (1, 2) for half in (1, 2)
    ]
    judged = await burraco("judge", *files)
    assert judged.status == 0, judged.out
    assert judged.out.count("ok NS") == 4


async def test_bots_that_fail_cost_nobody_else(tmp_path: Path) -> None:
    bots = ("greedy", "random", "crashing", "illegal")
    played = await burraco(
        *("arena", *bots, "--boards", 2, "--out", tmp_path),
        *("--retries", 1, "--disconnect-ms", 300),
    )
    assert played.status == 0, played.err

    rows = entries(tmp_path)
    for name in ("greedy", "random"):
        row = rows[name]
        assert (row["clean_rate"], row["forfeits"], row["note"]) == (1.0, 0, "")
    assert "crashed: exit status 70" in rows["crashing"]["note"]
    # It is out with the fourth end of its process, which may be before its last pairing.
    assert rows["illegal"]["deals"] in (8, 12)
    # Where it is out before that, the others win four deals that nobody plays.
    played_out = {8: {8}, 12: {8, 12}}[rows["illegal"]["deals"]]
    lost = rows["illegal"]["note"]
    assert lost in {f"{deals} deals lost to illegal acts" for deals in played_out}
    for name in ("crashing", "illegal"):
        assert rows[name]["forfeits"] > 0
        (told,) = (line for line in played.out.splitlines() if line.startswith(f"{name}: "))
        assert rows[name]["note"] in told
        assert told.endswith(f"see {tmp_path / 'logs' / name}.log")


async def test_a_bot_that_sleeps_is_not_waited_for(tmp_path: Path) -> None:
    played = await burraco(
        *("arena", "sleeping", "greedy", "--boards", 4, "--jobs", 2, "--out", tmp_path),
        *("--turn-ms", 400, "--bank-ms", 1000, "--warmup-ms", 3000, "--strikes", 1),
    )
    assert played.status == 0, played.err

    rows = entries(tmp_path)
    assert rows["sleeping"]["points_per_deal"] == -500
    # The third board decides it; the fourth is not played.
    assert rows["sleeping"]["note"] == "6 deals lost to time-outs; 1 pairing forfeited"
    assert (rows["sleeping"]["deals"], rows["sleeping"]["forfeits"]) == (8, 8)
    assert (rows["greedy"]["clean_rate"], rows["greedy"]["wins"]) == (1.0, 6)


async def test_a_bot_of_a_file_plays_itself_under_two_names(tmp_path: Path) -> None:
    bot = tmp_path / "first.py"
    bot.write_text(
        "from burraco.sdk import Action, Bot, View\n\n\n"
        "class First(Bot):\n"
        "    def decide(self, view: View) -> Action:\n"
        "        return view.legal[-1]\n"
    )
    out = tmp_path / "out"

    played = await burraco("arena", bot, f"{bot}:First", bot, "--boards", 1, "--out", out)

    assert played.status == 0, played.err
    assert set(entries(out)) == {"first", "first.First", "first#2"}


@dataclass(frozen=True, slots=True)
class Broken:
    """An arena that something happened to after its first line; ``server`` is a process id."""

    status: int
    out: str
    err: str
    server: int


async def break_off(folder: Path, strike: Callable[[Process, int], None]) -> Broken:
    """Begin an arena, let ``strike`` do something to it or to its server, and wait for its end."""
    arguments = ["arena", "greedy", "random", "--boards", "60", "--out", str(folder)]
    arena = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MAIN, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    assert arena.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert b"board pairs" in await arena.stdout.readline()
            server = json.loads((folder / "server" / "ready.json").read_text())["pid"]
            strike(arena, server)
            out, err = await arena.communicate()
    finally:
        if arena.returncode is None:
            arena.kill()
            await arena.wait()
    assert arena.returncode is not None
    return Broken(arena.returncode, out.decode(), err.decode(), server)


async def test_ctrl_c_shows_the_standings_so_far_and_ends_everything(tmp_path: Path) -> None:
    ended = await break_off(tmp_path, lambda arena, _: arena.send_signal(signal.SIGINT))

    assert ended.status == 130, ended.err
    assert "interrupted after" in ended.out
    assert "greedy" in ended.out
    assert "Traceback" not in ended.err
    assert not (tmp_path / "standings.json").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(ended.server, 0)


async def test_a_server_that_ends_is_the_arenas_own_failure(tmp_path: Path) -> None:
    ended = await break_off(tmp_path, lambda _, server: os.kill(server, signal.SIGKILL))

    assert ended.status == 1
    assert f"the server ended by itself (signal 9): see {tmp_path}" in ended.err
    assert "Traceback" not in ended.err
    assert "failed after" in ended.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["greedy"], "two bots at least", id="one-bot"),
        pytest.param(["greedy", "grady"], "no bot 'grady': name one of", id="unknown-bot"),
        pytest.param(["greedy", "none.py"], "no file none.py", id="no-file"),
        pytest.param(["greedy", "club", "--boards", "0"], "--boards: '0': a whole", id="boards"),
        pytest.param(["greedy", "club", "--jobs", "x"], "--jobs: 'x': a whole", id="jobs"),
        pytest.param(["greedy", "club", "--rules", "bridge"], "no preset 'bridge'", id="rules"),
    ],
)
async def test_a_wrong_command_starts_nothing(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    out = tmp_path / "out"

    refused = await burraco("arena", *arguments, "--out", out)

    assert refused.status == 2
    assert complaint in refused.err
    assert "Traceback" not in refused.err
    assert not out.exists()


async def test_a_file_without_a_bot_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("class Bot:\n    pass\n")

    refused = await burraco("arena", "greedy", file, "--out", tmp_path / "out")

    assert refused.status == 2
    assert f"{file} has no bot" in refused.err
    assert not (tmp_path / "out").exists()
