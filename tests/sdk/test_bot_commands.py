"""The commands ``burraco bot`` and ``burraco match``: what they print, and their exit status."""

import asyncio
import json
from pathlib import Path

import grpc
import pytest

from burraco.engine import preset
from burraco.sdk.command import main
from burraco.v1 import match_service_pb2 as pb
from burraco.v1 import matches_pb2
from burraco.wire import rules_to_wire, seat_to_wire
from tests.sdk.fake_server import (
    PLAYERS,
    TOKEN,
    Connection,
    Matches,
    a_match,
    decision,
    ended,
    result,
    serving,
    started,
)

BROKEN = """\
from burraco.sdk import Bot
class Broken(Bot):
    def decide(self, view):
        return view.no_such_thing
"""
OVER = matches_pb2.MatchSummary(
    match_id="m",
    state=matches_pb2.MATCH_STATE_ENDED,
    terms=matches_pb2.MatchTerms(rules=rules_to_wire(preset("classic"))),
    players=["n", "", "s", "w"],
    result=result(),
)


async def command(*words: str) -> int:
    """Run a command in a thread, as if it were alone."""
    try:
        return await asyncio.to_thread(main, words)
    except SystemExit as wrong:
        return int(str(wrong.code))


async def one_question(line: Connection) -> None:
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(a_match(), 1))
    await line.judge(await line.act(), "APPLIED", 3)
    await line.send(4, match_ended=ended())
    await line.until_closed()


async def question_in_vain(line: Connection) -> None:
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(a_match(), 1))
    await line.until_closed()


async def test_a_bot_plays_and_its_result_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BURRACO_TOKEN", TOKEN)
    async with serving(one_question) as address:
        status = await command("bot", "run", "greedy", "--server", address, "--matches", "1")
    assert status == 0
    assert capsys.readouterr().out == "m N NS 100 EW 20 clean\n"


async def test_a_bot_that_raises_ends_with_status_1_and_its_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.py"
    path.write_text(BROKEN)
    async with serving(question_in_vain) as address:
        status = await command("bot", "run", str(path), "--server", address, "--token", TOKEN)
    assert status == 1
    said = capsys.readouterr().err
    assert "match m, seat N, decision 1: the bot failed" in said
    assert f'File "{path}", line 4, in decide' in said
    assert "burraco/sdk" not in said


async def test_a_token_nobody_knows_ends_with_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def script(line: Connection) -> None:
        await line.fail(grpc.StatusCode.UNAUTHENTICATED, "nobody knows this token")

    # A client whose Hello crosses the refusal does not see it, and comes again.
    async with serving(*[script] * 20) as address:
        status = await command("bot", "run", "greedy", "--server", address, "--token", TOKEN)
    assert status == 1
    assert "nobody knows this token" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "nobody", "--token", "t"), "no bot 'nobody'"),
        (("run", "greedy"), "give --token or set BURRACO_TOKEN"),
        (("run", "greedy", "--token", "t", "--server", "here"), "write HOST:PORT"),
        (("run", "greedy", "--token", "t", "--join", "m:Q"), "MATCH or MATCH:SEAT"),
        (("run", "greedy", "--token", "t", "--matches", "-1"), "a whole number from 0"),
        (("run", "greedy", "--token", "t", "--nonce", "00"), "--nonce goes with --join"),
        (("run", "greedy", "--token", "t", "--join", "m", "--nonce", "xy"), "hexadecimal"),
        (("run", "greedy", "--token", "t", "--join", "m", "--nonce", "00" * 65), "at most 64"),
        (("register", "name"), "give --token or set BURRACO_TOKEN"),
        ((), "required"),
    ],
)
async def test_wrong_commands_end_with_status_2(
    words: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BURRACO_TOKEN", raising=False)
    assert await command("bot", *words) == 2
    assert said in capsys.readouterr().err


async def test_a_bot_joins_the_seat_it_was_told(capsys: pytest.CaptureFixture[str]) -> None:
    matches = Matches(JoinMatch=pb.JoinMatchResponse(seat=seat_to_wire(0)))
    async with serving(one_question, matches=matches) as address:
        options = ("--server", address, "--token", TOKEN, "--matches", "1", "--join", "m:N")
        nonce = ("--nonce", "00ff")
        assert await command("bot", "run", "greedy", *options, *nonce) == 0
    assert [request.seat for request in matches.requests] == [seat_to_wire(0)]
    assert [request.nonce for request in matches.requests] == [b"\x00\xff"]


async def test_matches_are_made_shown_listed_exported_and_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matches = Matches(
        CreateMatch=pb.CreateMatchResponse(match=OVER),
        GetMatch=pb.GetMatchResponse(match=OVER),
        ListMatches={"": pb.ListMatchesResponse(matches=[OVER])},
        ExportMatch=pb.ExportMatchResponse(bgn="[BGN]\n"),
        AdjudicateMatch=pb.AdjudicateMatchResponse(match=OVER),
    )
    out = tmp_path / "m.bgn"
    async with serving(matches=matches) as address:
        where = ("--server", address, "--token", TOKEN)
        made = (
            "--players n,-,s,w --rules fibur --dealer S --seed 00ff --clocks 1,2,3,4 --faults 5,6"
        )
        named = "--players n,e,s,w --policy casual --clocks blitz --term strikes=9"
        for words in (
            ("create", *made.split()),
            ("create", *named.split()),
            ("list", "--state", "ended"),
            ("export", "m"),
            ("export", "m", "--out", str(out)),
            ("adjudicate", "m", "--reason", "late"),
            ("show", "m"),
        ):
            assert await command("match", *words, *where) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[:5] == [
        "m",
        "m",
        "m ended n,-,s,w NS 0 EW 0",
        "[BGN]",
        "m ended NS 0 EW 0",
    ]
    assert out.read_text() == "[BGN]\n"
    shown = json.loads("\n".join(printed[5:]))
    assert shown["state"] == "ended"
    assert list(shown["seats"]) == ["N", "E", "S", "W"]
    created = matches.requests[0]
    assert list(created.players) == ["n", "", "s", "w"]
    assert (created.rules.preset, created.dealer) == ("fibur", seat_to_wire(2))
    assert created.seed == b"\x00\xff"
    assert (created.clocks.turn_ms, created.clocks.disconnect_ms) == (1, 4)
    assert (created.faults.illegal_retries, created.faults.strikes) == (5, 6)
    by_name = matches.requests[1]
    assert (by_name.policy, by_name.clock_preset) == ("casual", "blitz")
    assert dict(by_name.overrides) == {"strikes": 9}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--players", "a,b,c"), "name four"),
        (("--players", ",".join(PLAYERS), "--seed", "xyz"), "hexadecimal"),
        (("--players", ",".join(PLAYERS), "--clocks", "1,2"), "write 4 whole numbers"),
        (("--players", ",".join(PLAYERS), "--clocks", f"{2**32},1,1,1"), "a whole number from 0"),
        (("--players", ",".join(PLAYERS), "--term", "strikes"), "write NAME=N"),
        (("--players", ",".join(PLAYERS), "--term", "strikes=x"), "--term strikes: 'x'"),
        (("--players", ",".join(PLAYERS), "--deals", "-1"), "'-1': a whole number from 0"),
    ],
)
async def test_a_match_that_cannot_be_made(
    option: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await command("match", "create", *option, "--token", TOKEN) == 2
    assert said in capsys.readouterr().err


async def test_what_the_server_refuses_ends_with_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = (grpc.StatusCode.NOT_FOUND, "no such match, or it is not yours")
    async with serving(matches=Matches(GetMatch=refused)) as address:
        status = await command("match", "show", "m", "--server", address, "--token", TOKEN)
    assert status == 1
    assert "burraco match show: match m: no such match" in capsys.readouterr().err
