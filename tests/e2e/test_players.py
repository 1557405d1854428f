"""Two and three players through the commands, a server in a process of its own."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from burraco.bots.arena_processes import Children, LocalServer, local_server
from burraco.bots.registry import house_bot
from burraco.sdk.client import PlayPlan, play_bot
from burraco.sdk.organiser import Organiser
from tests.e2e.commands import Finished, burraco

NAMES = ("club", "greedy", "random")
SEATS = "NES"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[LocalServer]:
    store = tmp_path / "store"
    store.mkdir()
    children = Children()
    try:
        async with local_server(children, store, tmp_path / "server.log") as started:
            yield started
    finally:
        children.kill()


async def match(server: LocalServer, *arguments: object) -> Finished:
    """Run `burraco match` as the organiser; it has to go well."""
    command, *rest = arguments
    done = await burraco(
        "match", command, "--server", server.address, "--token", server.token, *rest
    )
    assert done.status == 0, done.err
    return done


@pytest.mark.parametrize("players", [2, 3])
async def test_house_bots_play_a_match_that_is_made_shown_and_verified_by_commands(
    server: LocalServer, tmp_path: Path, players: int
) -> None:
    names, out = NAMES[:players], tmp_path / "match.bgn"
    async with Organiser(server.address, server.token) as organiser, asyncio.TaskGroup() as group:
        tokens = [await organiser.register_bot(name) for name in names]
        bots = [
            group.create_task(play_bot(house_bot(name), server.address, token, PlayPlan(matches=1)))
            for name, token in zip(names, tokens, strict=True)
        ]
        made = await match(
            server,
            *("create", "--players", ",".join(names), "--id", "m"),
            *("--rule", f"players={players}", "--rules", "fibur", "--deals", "3"),
        )
        assert made.out == "m\n"
        result = await organiser.result("m")
        told = [(await bot)["m"] for bot in bots]

    assert told == [result] * players
    assert result.is_clean
    assert all(seat.illegal_acts == 0 for seat in result.seats)
    assert len(result.totals) == players
    points = dict(zip(SEATS, result.totals, strict=False))
    shown = json.loads((await match(server, "show", "m")).out)
    assert shown["players"] == dict(zip(SEATS, names, strict=False))
    assert shown["totals"] == points
    listed = (await match(server, "list")).out
    assert listed.endswith(" ".join(f"{seat} {total}" for seat, total in points.items()) + "\n")
    await match(server, "export", "m", "--out", out)
    assert (await burraco("verify", out)).status == 0
    assert (await burraco("judge", out)).status == 0


async def test_a_match_of_three_needs_three_names() -> None:
    refused = await burraco(
        "match", "create", "--token", "t", "--players", "a,b", "--rule", "players=3"
    )
    assert refused.status == 2
    assert "name three, as in a,b,c; - for a free seat" in refused.err


@pytest.mark.parametrize("players", [2, 3])
async def test_a_load_of_fewer_players(players: int) -> None:
    loaded = await burraco("load", "--matches", 5, "--streams", 2, "--rule", f"players={players}")
    assert loaded.status == 0, loaded.out + loaded.err
    assert f"{5 * players} of {5 * players} seats to their end" in loaded.out
    assert "0 errors" in loaded.out


async def test_an_arena_of_two_players_plays_board_pairs(tmp_path: Path) -> None:
    played = await burraco(
        *("arena", "greedy", "random", "--boards", 2, "--out", tmp_path),
        *("--rule", "players=2"),
    )
    assert played.status == 0, played.err
    written = json.loads((tmp_path / "standings.json").read_text())
    assert written["rules"] == "classic players=2"
    for entry in written["entries"]:
        assert (entry["deals"], entry["clean_rate"], entry["note"]) == (4, 1.0, "")
    judged = await burraco("judge", *sorted((tmp_path / "bgn").iterdir()))
    assert judged.status == 0, judged.out
    assert judged.out.count("ok N ") == 4


async def test_an_arena_of_three_players_is_refused_before_anything_starts(tmp_path: Path) -> None:
    refused = await burraco(
        "arena", "greedy", "random", "--out", tmp_path / "out", "--rule", "players=3"
    )
    assert refused.status == 2
    assert "a board pair swaps two sides, and 3 players are 3 sides" in refused.err
    assert not (tmp_path / "out").exists()
