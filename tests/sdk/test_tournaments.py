"""What an organiser asks of tournaments, and what it makes of the answers."""

import grpc
import pytest

from burraco.engine import preset
from burraco.sdk import (
    Clocks,
    DuelDecision,
    DuelQuestion,
    Faults,
    LogDamaged,
    OrganiserFailed,
    TournamentEntry,
    TournamentFormat,
    TournamentHalf,
    TournamentMovedOn,
    TournamentOver,
    TournamentPlan,
    Tournaments,
    TournamentStage,
    TournamentStatus,
    TournamentUnknown,
    WrongUsage,
)
from burraco.v1 import tournament_service_pb2 as pb
from burraco.v1 import tournaments_pb2
from tests.sdk.fake_server import TOKEN
from tests.sdk.fake_tournaments import Events, Refused, log, over, serving, summary

FAILED = grpc.StatusCode.FAILED_PRECONDITION
PLAN = TournamentPlan(
    "Friday",
    (TournamentStage(TournamentFormat.MITCHELL, 3), TournamentStage(TournamentFormat.DANISH, 1)),
    boards=2,
    halves=2,
    victory_points=True,
    bye_victory_points=12,
    bye_difference=300,
    adjusted=400,
    adjusted_allowed=1,
    tables_at_once=16,
)


async def test_a_tournament_is_made_as_it_was_asked_for() -> None:
    events = Events(CreateTournament=pb.CreateTournamentResponse(tournament=summary()))
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        made = await tournaments.create(
            PLAN,
            tournament_id="t",
            rules=preset("fibur").with_knobs(stalemate_turns=4),
            secret=bytes(32),
            clocks=Clocks(1, 2, 3, 4),
            faults=Faults(5, 6),
        )
        await tournaments.create(
            TournamentPlan(
                "D", (TournamentStage(TournamentFormat.DUEL),), question=DuelQuestion(9)
            ),
            policy="casual",
            clocks="blitz",
            overrides={"strikes": 9},
        )
    full, bare = events.requests
    assert [(stage.format, stage.rounds) for stage in full.plan.stages] == [
        (tournaments_pb2.TOURNAMENT_FORMAT_MITCHELL, 3),
        (tournaments_pb2.TOURNAMENT_FORMAT_DANISH, 1),
    ]
    told = full.plan
    assert (told.name, told.boards, told.halves, told.victory_points) == ("Friday", 2, 2, True)
    assert (told.bye_victory_points, told.bye_difference) == (12, 300)
    assert (told.adjusted, told.adjusted_allowed, told.tables_at_once) == (400, 1, 16)
    assert (full.tournament_id, full.secret, full.rules.preset) == ("t", bytes(32), "fibur")
    assert (full.clocks.disconnect_ms, full.faults.strikes) == (4, 6)
    assert not full.plan.HasField("question")
    assert (bare.plan.question.gain, bare.plan.question.misses) == (9, 0.05)
    assert (bare.policy, bare.clock_preset, dict(bare.overrides)) == (
        "casual",
        "blitz",
        {"strikes": 9},
    )
    assert (made.tournament_id, made.status, made.version) == ("t", TournamentStatus.RUNNING, 7)
    assert made.rules is not None
    assert (made.rules.name, made.clocks, made.faults) == (
        "fibur",
        Clocks(1, 2, 3, 4),
        Faults(5, 6),
    )
    assert made.entries[1] == TournamentEntry(
        1, "duo", "bob", ("bob", "cat"), is_anchor=False, has_left=False
    )


async def test_every_plan_comes_back_as_it_was_sent() -> None:
    every = tuple(TournamentStage(format, 1) for format in TournamentFormat)
    plan = TournamentPlan("all", every, 1, 1, question=DuelQuestion(5, 0.01, 0.02))
    events = Events(CreateTournament=pb.CreateTournamentResponse(tournament=summary()))
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        await tournaments.create(plan)
        sent = events.requests[0].plan
        events.answers["GetTournament"] = pb.GetTournamentResponse(tournament=summary(plan=sent))
        assert (await tournaments.show("t")).plan == plan


async def test_entries_name_bots_or_are_the_caller() -> None:
    entry = tournaments_pb2.TournamentEntry(
        number=3, name="x", owner="o", bots=["a", "b"], is_anchor=True
    )
    events = Events(
        EnterTournament=pb.EnterTournamentResponse(entry=entry, tournament=summary()),
        WithdrawEntry=pb.WithdrawEntryResponse(tournament=summary()),
    )
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        entered = await tournaments.enter("t", ["a", "b"], name="x", owner="o", is_anchor=True)
        await tournaments.enter("t")
        await tournaments.withdraw("t", 3, "broken")
    full, bare, withdrawn = events.requests
    assert (list(full.bots), full.name, full.owner, full.is_anchor) == (["a", "b"], "x", "o", True)
    assert (list(bare.bots), bare.name, bare.owner, bare.is_anchor) == ([], "", "", False)
    assert entered == TournamentEntry(3, "x", "o", ("a", "b"), is_anchor=True, has_left=False)
    assert (withdrawn.entry, withdrawn.reason) == (3, "broken")


async def test_steps_name_the_version_they_were_decided_on() -> None:
    events = Events(
        StartTournament=pb.StartTournamentResponse(tournament=summary(version=8)),
        PauseTournament=pb.PauseTournamentResponse(tournament=summary()),
        ResumeTournament=pb.ResumeTournamentResponse(tournament=summary()),
        CancelTournament=pb.CancelTournamentResponse(tournament=over()),
        RequeueTable=pb.RequeueTableResponse(tournament=summary()),
        AdjudicateTable=pb.AdjudicateTableResponse(tournament=summary()),
    )
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        assert (await tournaments.start("t", 7)).version == 8
        await tournaments.pause("t", "lunch")
        await tournaments.resume("t", 9)
        await tournaments.requeue("t", 2, "cards were seen", 10)
        await tournaments.adjudicate("t", 1, (300, -500), "agreed", 11)
        assert (await tournaments.cancel("t", "fire", 12)).status.is_over
    assert [request.expected_version for request in events.requests] == [7, 0, 9, 10, 11, 12]
    adjudicated = events.requests[4]
    assert (adjudicated.table, adjudicated.first_gain, adjudicated.second_gain) == (1, 300, -500)
    assert [request.reason for request in (*events.requests[3:], events.requests[1])] == [
        "cards were seen",
        "agreed",
        "fire",
        "lunch",
    ]


async def test_standings_have_intervals_where_anything_was_played() -> None:
    places = [
        tournaments_pb2.TournamentPlace(
            rank=1, tied_from=1, tied_to=2, entry=1, deals=4, low=-5, high=7, points_per_deal=1
        ),
        tournaments_pb2.TournamentPlace(rank=2, tied_from=1, tied_to=2, entry=0, byes=1),
    ]
    answers = [
        pb.GetStandingsResponse(places=places, version=9, decision="undecided"),
        pb.GetStandingsResponse(version=9),
    ]
    events = Events(GetStandings=answers)
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        duel, other = await tournaments.standings("t"), await tournaments.standings("t")
    first, second = duel.places
    assert (first.entry, first.tied, first.interval, first.points_per_deal) == (
        (1, (1, 2), (-5.0, 7.0), 1.0)
    )
    assert (second.byes, second.interval) == (1, None)
    assert (duel.version, duel.decision) == (9, DuelDecision.UNDECIDED)
    assert (other.places, other.decision) == ((), None)


async def test_a_round_tells_what_is_over_of_its_tables() -> None:
    half = tournaments_pb2.TournamentHalf(
        match_id="m", board=1, half=1, first_points=5, second_points=9, second_at_fault=True
    )
    tables = [
        tournaments_pb2.TournamentTable(
            first=[0], second=[1], first_gain=0, second_gain=-500, first_victory_points=12
        ),
        tournaments_pb2.TournamentTable(first=[2, 3], second=[4, 5], deck=1, halves=[half]),
    ]
    shown = tournaments_pb2.TournamentRound(number=2, stage=1, tables=tables, byes=[6])
    answers = [pb.GetPairingsResponse(round=shown), pb.GetPairingsResponse()]
    events = Events(GetPairings=answers)
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        found, none = await tournaments.pairings("t", 2), await tournaments.pairings("t")
    assert none is None
    assert found is not None
    assert (found.number, found.byes, found.is_over) == (2, (6,), False)
    decided, playing = found.tables
    assert (decided.gains, decided.victory_points) == ((0, -500), (12, 0))
    assert (playing.first, playing.second, playing.gains) == ((2, 3), (4, 5), None)
    assert playing.halves == (TournamentHalf("m", 1, 1, (5, 9), (False, True), 0),)
    assert [request.round for request in events.requests] == [2, 0]


async def test_every_page_of_a_list_is_read() -> None:
    answers = [
        pb.ListTournamentsResponse(tournaments=[summary(tournament_id="a")], next_page_token="2"),
        pb.ListTournamentsResponse(tournaments=[over(tournament_id="b")]),
    ]
    events = Events(ListTournaments=answers)
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        found = [tournament async for tournament in tournaments.tournaments()]
    assert [tournament.tournament_id for tournament in found] == ["a", "b"]
    assert found[1].secret == bytes([7]) * 32
    assert [request.page_token for request in events.requests] == ["", "2"]


async def test_watching_goes_on_over_a_server_that_was_away() -> None:
    running, ended = (
        pb.WatchTournamentResponse(tournament=tournament) for tournament in (summary(), over())
    )
    streams = [
        [running, Refused(grpc.StatusCode.UNAVAILABLE)],
        [Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER")],
        [running],
        [ended, running],
    ]
    events = Events(WatchTournament=streams)
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        seen = [shown.tournament.status async for shown in tournaments.watch("t")]
    assert seen == [
        TournamentStatus.RUNNING,
        TournamentStatus.RUNNING,
        TournamentStatus.FINISHED,
    ]
    assert streams == []


async def test_watching_ends_with_what_no_waiting_mends() -> None:
    events = Events(WatchTournament=[[Refused(grpc.StatusCode.NOT_FOUND, "TOURNAMENT_UNKNOWN")]])
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        with pytest.raises(TournamentUnknown):
            await anext(aiter(tournaments.watch("t")))


async def test_an_exported_log_is_checked_row_by_row() -> None:
    whole = log([("Opened", '{"a":1}'), ("Started", '{"by":"x"}'), ("Finished", "{}")])
    changed = log([("Opened", '{"a":1}'), ("Started", '{"by":"x"}'), ("Finished", "{}")])
    changed[1].payload = '{"by":"y"}'
    without = [whole[0], whole[2]]
    events = Events(ExportTournament=[whole, changed, without])
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        rows = [row async for row in tournaments.export("t")]
        assert [(row.version, row.kind) for row in rows] == [
            (1, "Opened"),
            (2, "Started"),
            (3, "Finished"),
        ]
        for _ in range(2):
            damaged = tournaments.export("t")
            assert (await anext(damaged)).version == 1
            with pytest.raises(LogDamaged, match="row 2 of its log") as found:
                await anext(damaged)
            assert found.value.complaint.code is grpc.StatusCode.DATA_LOSS


async def test_what_is_refused_says_why() -> None:
    answers = [
        Refused(grpc.StatusCode.ABORTED, "TOURNAMENT_MOVED_ON", version="12"),
        Refused(FAILED, "TOURNAMENT_OVER"),
        Refused(grpc.StatusCode.NOT_FOUND, "TOURNAMENT_UNKNOWN"),
        Refused(FAILED, "FIELD_TOO_SMALL"),
    ]
    events = Events(StartTournament=answers)
    async with serving(events) as address, Tournaments(address, TOKEN) as tournaments:
        with pytest.raises(TournamentMovedOn, match="tournament t: said") as moved:
            await tournaments.start("t", 7)
        with pytest.raises(TournamentOver):
            await tournaments.start("t", 7)
        with pytest.raises(TournamentUnknown):
            await tournaments.start("t", 7)
        with pytest.raises(OrganiserFailed) as failed:
            await tournaments.start("t", 7)
    assert moved.value.version == 12
    assert type(failed.value) is OrganiserFailed
    assert failed.value.complaint.reason == "FIELD_TOO_SMALL"


def test_a_desk_needs_a_token() -> None:
    with pytest.raises(WrongUsage, match="no token"):
        Tournaments("127.0.0.1:7070", "")
