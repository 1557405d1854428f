"""The evening of docs/tournaments.md, command by command, as a director types it."""

import json
import re
import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from burraco.bots.arena_processes import Children, LocalServer, local_server
from burraco.sdk import Organiser
from burraco.tournament.boards import commitment_to
from burraco.tournament.exported import read_log, write_log
from tests.e2e.commands import Finished, burraco

PAGE: Final = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")
BOTS: Final = {"ann": "greedy", "bob": "random", "cat": "greedy", "dan": "random"}
# Registered, entered and taken out again.
IDLE: Final = "eve"
MATCHES: Final = 4 * 2 * 4


def evening() -> Iterator[list[str]]:
    """The commands of the page's first block, each without its first word."""
    block = PAGE.split("```\n")[1]
    for line in block.splitlines():
        command, *arguments = shlex.split(line)
        assert command == "burraco"
        yield arguments


@asynccontextmanager
async def playing(folder: Path) -> AsyncIterator[LocalServer]:
    """A server, and bots that have dialled in."""
    children = Children()
    (folder / "server").mkdir()
    try:
        async with local_server(children, folder / "server", folder / "server.log") as server:
            async with Organiser(server.address, server.token) as organiser:
                await organiser.register_bot(IDLE)
                for name, spec in BOTS.items():
                    token = await organiser.register_bot(name)
                    await children.start_bot(spec, server, token, folder / f"{name}.log")
            yield server
    finally:
        children.kill()


async def run(server: LocalServer, folder: Path, arguments: list[str]) -> Finished:
    """Run a command of the page: at the server, and in a folder of the test."""
    whole = [re.sub("^out/friday", str(folder / "friday"), word) for word in arguments]
    if arguments[0] == "tournament":
        whole += ["--server", server.address, "--token", server.token]
    return await burraco(*whole)


@pytest.mark.timeout(600)
async def test_every_command_of_the_evening_does_what_it_says(tmp_path: Path) -> None:
    printed: dict[str, list[str]] = {}
    async with playing(tmp_path) as server:
        for arguments in evening():
            done = await run(server, tmp_path, arguments)
            assert (done.status, done.err) == (0, ""), arguments
            printed.setdefault(" ".join(arguments[:2]), []).append(done.out)

    assert printed["tournament create"] == ["friday\n"]
    assert printed["tournament enter"] == ["0 ann\n1 bob\n2 cat\n3 dan\n", "4 eve-2\n"]
    (watched,) = printed["tournament watch"]
    (standings,) = printed["tournament standings"]
    assert watched.endswith(standings)
    assert standings.startswith("friday finished, ")
    assert [line.split()[1] for line in standings.splitlines()[2:]][-1] == "eve-2"
    assert printed["tournament pairings"][1].startswith("round 4, stage 2 (danish), over\n")
    assert printed["tournament export"][0].endswith(f" rows, {MATCHES} matches\n")

    folder = tmp_path / "friday"
    text = (folder / "tournament.jsonl").read_text(encoding="utf-8")
    log = read_log(text)
    assert write_log(log.rows) == text
    assert log.keeps_commitment
    secret = log.secret
    assert secret is not None
    shown = json.loads(printed["tournament show"][0])
    assert shown["commitment"] == commitment_to("friday", secret)
    assert (folder / "report.html").is_file()
    assert (folder / "ratings.json").is_file()
    files = sorted((folder / "bgn").iterdir())
    assert len(files) == MATCHES
    assert len(json.loads((folder / "times.json").read_text())) == MATCHES
    for command in ("judge", "verify"):
        checked = await burraco(command, *files)
        assert (checked.status, checked.out.count("ok")) == (0, MATCHES), checked.out
