"""The command `burraco tournament`: what it asks for, what it prints, how it refuses."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest

from burraco.sdk.command import main
from burraco.v1 import match_service_pb2, matches_pb2, tournaments_pb2
from burraco.v1 import tournament_service_pb2 as pb
from tests.sdk.fake_server import TOKEN, Matches, result
from tests.sdk.fake_tournaments import Events, Refused, log, over, serving, summary

CREATED = pb.CreateTournamentResponse(tournament=summary())
SHOWN = pb.GetTournamentResponse(tournament=summary())


async def run(
    events: Events, *arguments: object, matches: Matches | None = None
) -> int | str | None:
    """Run the command at a server with those answers; gives its exit status."""
    async with serving(events, matches) as address:
        whole = ["tournament", *map(str, arguments), "--server", address, "--token", TOKEN]
        try:
            return await asyncio.to_thread(main, whole)
        except SystemExit as ended:
            return ended.code


async def test_the_club_evening_is_three_mitchell_rounds_and_a_danish_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = Events(CreateTournament=CREATED)
    options = ("--preset", "club-evening", "--id", "friday", "--secret", "07" * 32)

    assert await run(events, "create", *options) == 0

    assert capsys.readouterr().out == "t\n"
    (request,) = events.requests
    assert [(stage.format, stage.rounds) for stage in request.plan.stages] == [
        (tournaments_pb2.TOURNAMENT_FORMAT_MITCHELL, 3),
        (tournaments_pb2.TOURNAMENT_FORMAT_DANISH, 1),
    ]
    plan = request.plan
    assert (plan.name, plan.boards, plan.halves, plan.victory_points) == (
        ("Club evening", 2, 2, True)
    )
    assert (request.tournament_id, request.secret) == ("friday", bytes([7]) * 32)


async def test_stages_tables_rules_and_terms_are_sent_as_asked() -> None:
    events = Events(CreateTournament=CREATED)
    options = (
        *("--stage", "swiss:4", "--stage", "knock-out", "--name", "Open", "--boards", 3, "--once"),
        *("--victory-points", "--bye-victory-points", 12, "--bye-difference", 300),
        *("--adjusted", 400, "--adjusted-allowed", 1, "--tables-at-once", 16),
        *("--rules", "fibur", "--policy", "casual", "--clocks", "1,2,3,4", "--term", "strikes=9"),
    )

    assert await run(events, "create", *options) == 0

    (request,) = events.requests
    plan = request.plan
    assert [(stage.format, stage.rounds) for stage in plan.stages] == [
        (tournaments_pb2.TOURNAMENT_FORMAT_SWISS, 4),
        (tournaments_pb2.TOURNAMENT_FORMAT_KNOCK_OUT, 0),
    ]
    assert (plan.name, plan.boards, plan.halves, plan.victory_points) == ("Open", 3, 1, True)
    assert (plan.bye_victory_points, plan.bye_difference) == (12, 300)
    assert (plan.adjusted, plan.adjusted_allowed, plan.tables_at_once) == (400, 1, 16)
    assert (request.rules.preset, request.policy) == ("fibur", "casual")
    assert (request.clocks.disconnect_ms, dict(request.overrides)) == (4, {"strikes": 9})


async def test_a_duel_says_what_it_asks() -> None:
    events = Events(CreateTournament=CREATED)
    options = ("--format", "duel", "--gain", 20, "--false-alarms", 0.01)

    assert await run(events, "create", *options) == 0

    (request,) = events.requests
    question = request.plan.question
    assert (question.gain, question.false_alarms, question.misses) == (20, 0.01, 0.05)
    assert (request.plan.name, request.plan.halves) == ("Duel", 2)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["create"], "give --format, --stage or --preset", id="nothing"),
        pytest.param(
            ["create", "--format", "swiss", "--stage", "danish:1"], "one of them only", id="both"
        ),
        pytest.param(
            ["create", "--stage", "swiss:3", "--rounds", "3"], "goes with --format", id="rounds"
        ),
        pytest.param(["create", "--format", "duel"], "a duel asks for --gain", id="no-gain"),
        pytest.param(
            ["create", "--format", "swiss", "--gain", "5"], "no other format does", id="gain"
        ),
        pytest.param(["create", "--format", "cup"], "'cup': one of round-robin", id="format"),
        pytest.param(["create", "--stage", "swiss:x"], "'x': a whole number", id="stage"),
        pytest.param(
            ["create", "--format", "ladder", "--secret", "12"],
            "--secret: write 64 hexadecimal",
            id="secret",
        ),
        pytest.param(["create", "--format", "ladder", "--rules", "x"], "no preset 'x'", id="rules"),
        pytest.param(["enter", "t", "a,b,c"], "'a,b,c': an entry is one bot", id="three-bots"),
        pytest.param(["enter", "t", "a,"], "'a,': an entry is one bot", id="no-partner"),
        pytest.param(["enter", "t", "a", "b", "--name", "n"], "--name 'n': one entry", id="name"),
        pytest.param(
            ["withdraw", "t", "eve", "--reason", "x"], "the entries are 0 ann, 1 duo", id="entry"
        ),
        pytest.param(
            ["withdraw", "t", "2", "--reason", "x"], "no entry '2'", id="number-too-large"
        ),
        pytest.param(["pause", "t"], "--reason", id="no-reason"),
        pytest.param(["pairings", "t", "--round", "9"], "there is no round 9 yet", id="no-round"),
        pytest.param(["adjudicate", "t", "1", "x", "--reason", "r"], "'x': a whole", id="points"),
        pytest.param(["export", "t"], "--out", id="no-folder"),
    ],
)
async def test_a_wrong_command_says_what_to_do(
    arguments: Sequence[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    events = Events(GetTournament=SHOWN, GetPairings=pb.GetPairingsResponse())

    assert await run(events, *arguments) == 2

    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.out == ""


async def test_what_the_server_refuses_is_a_line_and_the_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = Refused(grpc.StatusCode.FAILED_PRECONDITION, "TOURNAMENT_OVER")

    assert await run(Events(CancelTournament=refused), "cancel", "t", "--reason", "fire") == 1

    assert capsys.readouterr().err == (
        "burraco tournament cancel: tournament t: said TOURNAMENT_OVER\n"
    )


async def test_entries_are_entered_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    entries = [
        pb.EnterTournamentResponse(entry=tournaments_pb2.TournamentEntry(number=n, name=name))
        for n, name in enumerate(("ann", "bob+cat", "dan"))
    ]
    events = Events(EnterTournament=entries)

    assert await run(events, "enter", "t", "ann", "bob,cat", "--owner", "club", "--anchor") == 0
    assert await run(events, "enter", "t") == 0

    assert capsys.readouterr().out == "0 ann\n1 bob+cat\n2 dan\n"
    assert [list(request.bots) for request in events.requests] == [["ann"], ["bob", "cat"], []]
    assert [request.owner for request in events.requests] == ["club", "club", ""]
    assert [request.is_anchor for request in events.requests] == [True, True, False]


@pytest.mark.parametrize("entry", ["duo", "1"])
async def test_an_entry_is_withdrawn_by_name_or_number(entry: str) -> None:
    events = Events(
        GetTournament=SHOWN, WithdrawEntry=pb.WithdrawEntryResponse(tournament=summary())
    )

    assert await run(events, "withdraw", "t", entry, "--reason", "broken") == 0

    assert (events.requests[1].entry, events.requests[1].reason) == (1, "broken")


async def test_steps_take_the_version_that_is_given_or_the_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = Events(
        GetTournament=SHOWN,
        StartTournament=pb.StartTournamentResponse(tournament=summary(version=9)),
        RequeueTable=pb.RequeueTableResponse(tournament=summary()),
        AdjudicateTable=pb.AdjudicateTableResponse(tournament=summary()),
        PauseTournament=pb.PauseTournamentResponse(tournament=summary()),
        ResumeTournament=pb.ResumeTournamentResponse(tournament=summary()),
        CancelTournament=pb.CancelTournamentResponse(tournament=over()),
    )

    for arguments in (
        ("start", "t"),
        ("start", "t", "--version", 5),
        ("requeue", "t", 2, "--reason", "r"),
        ("adjudicate", "t", 1, -300, "--reason", "r"),
        ("adjudicate", "t", 1, 300, -500, "--reason", "r", "--version", 6),
        ("pause", "t", "--reason", "lunch"),
        ("resume", "t"),
        ("cancel", "t", "--reason", "fire", "--version", 8),
    ):
        assert await run(events, *arguments) == 0

    steps = [request for request in events.requests if type(request) is not pb.GetTournamentRequest]
    assert [request.expected_version for request in steps] == [7, 5, 7, 7, 6, 0, 0, 8]
    assert [(request.first_gain, request.second_gain) for request in steps[3:5]] == [
        (-300, 300),
        (300, -500),
    ]
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "t running, version 9, 2 entries, 1 round over, Friday"
    assert told[-1] == "t finished, version 7, 2 entries, 1 round over, Friday (all were played)"


PLACES = [
    tournaments_pb2.TournamentPlace(
        rank=1,
        tied_from=1,
        tied_to=2,
        entry=1,
        victory_points=13,
        difference=550,
        points_per_deal=137.5,
        low=-20.25,
        high=280,
        deals=4,
        wins=1,
        faults=2,
    ),
    tournaments_pb2.TournamentPlace(rank=2, tied_from=1, tied_to=2, entry=0, byes=1, has_left=True),
]
STANDINGS = """\
t running, version 7, 2 entries, 1 round over, Friday
place  entry  VP  difference  points/deal    95 % interval  deals  won  byes  faults  note
1-2    duo    13        +550       +137.5  -20.2 to +280.0      4    1     0       2
1-2    ann     0          +0            -                -      0    0     1       0  left
"""


async def test_standings_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    standings = pb.GetStandingsResponse(places=PLACES, version=7, decision="better")
    events = Events(GetTournament=SHOWN, GetStandings=standings)

    assert await run(events, "standings", "t") == 0
    assert capsys.readouterr().out == STANDINGS + "ann beside duo: better\n"

    assert await run(events, "standings", "t", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["decision"], told["places"][0]["interval"]) == ("better", [-20.25, 280.0])


async def test_a_round_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    half = tournaments_pb2.TournamentHalf(match_id="m", board=0)
    shown = tournaments_pb2.TournamentRound(
        number=2,
        stage=1,
        tables=[
            tournaments_pb2.TournamentTable(first=[1], second=[0], halves=[half]),
            tournaments_pb2.TournamentTable(
                first=[0],
                second=[1],
                first_gain=550,
                second_gain=-550,
                first_victory_points=13,
                second_victory_points=7,
            ),
        ],
        byes=[0],
    )
    events = Events(GetTournament=SHOWN, GetPairings=pb.GetPairingsResponse(round=shown))

    assert await run(events, "pairings", "t", "--round", 2) == 0

    assert capsys.readouterr().out == (
        "round 2, stage 1 (swiss), being played\n"
        "table  first  second  boards      gains    VP\n"
        "1      duo    ann     1/2             -     -\n"
        "2      ann    duo     0/2     +550 -550  13-7\n"
        "bye: ann\n"
    )


async def test_watching_tells_what_has_changed(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(tournament: tournaments_pb2.TournamentSummary) -> pb.WatchTournamentResponse:
        return pb.WatchTournamentResponse(tournament=tournament, places=PLACES)

    stream = [shown(summary()), shown(summary(version=8)), shown(over(version=9))]

    assert await run(Events(WatchTournament=[stream]), "watch", "t") == 0

    table = STANDINGS.partition("\n")[2]
    ended = "t finished, version 9, 2 entries, 1 round over, Friday (all were played)\n"
    assert capsys.readouterr().out == STANDINGS + ended + table


async def test_tournaments_are_shown_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    page = pb.ListTournamentsResponse(tournaments=[summary(), over(tournament_id="u")])
    events = Events(GetTournament=SHOWN, ListTournaments=page)

    assert await run(events, "show", "t") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["tournament_id"], told["rules"], told["version"]) == ("t", "fibur", 7)
    assert (told["commitment"], told["secret"]) == ("00" * 32, "")

    assert await run(events, "list") == 0
    assert capsys.readouterr().out == "t running swiss:5 1 Friday\nu finished swiss:5 1 Friday\n"


async def test_an_export_is_the_log_and_all_matches_that_may_be_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = '{"table":0,"halves":[{"match_id":"m-1"},{"match_id":"m-2"}]}'
    rows = [("Opened", '{"event_id":"t","by":"Zoë"}'), ("BoardPlayed", board)]
    ended = matches_pb2.MatchSummary(
        match_id="m-1", state=matches_pb2.MATCH_STATE_ENDED, result=result()
    )
    matches = Matches(
        ExportMatch=match_service_pb2.ExportMatchResponse(bgn="; a deal\n"),
        GetMatch=match_service_pb2.GetMatchResponse(match=ended),
    )
    folder = tmp_path / "new" / "out"

    events = Events(ExportTournament=[log(rows)])
    assert await run(events, "export", "t", "--out", folder, matches=matches) == 0

    assert (folder / "tournament.jsonl").read_text(encoding="utf-8") == (
        '{"version":1,"kind":"Opened","payload":{"event_id":"t","by":"Zoë"}}\n'
        f'{{"version":2,"kind":"BoardPlayed","payload":{board}}}\n'
    )
    assert {file.name: file.read_text() for file in (folder / "bgn").iterdir()} == {
        "m-1.bgn": "; a deal\n",
        "m-2.bgn": "; a deal\n",
    }
    times = json.loads((folder / "times.json").read_text())
    assert times["m-1"] == [{"decisions": 0, "think_ms": 0}] * 4
    assert capsys.readouterr().out == f"{folder}: 2 rows, 2 matches\n"


async def test_an_export_cannot_be_written_over_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out"
    file.write_text("mine")

    events = Events(ExportTournament=[log([("Opened", "{}")])])
    assert await run(events, "export", "t", "--out", file) == 1

    assert str(file) in capsys.readouterr().err
    assert file.read_text() == "mine"
