"""What an organiser asks of a server, and what it makes of the answers."""

import grpc
import pytest

from burraco.engine import match_view, preset
from burraco.sdk import (
    Clocks,
    Faults,
    MatchEnd,
    MatchState,
    Organiser,
    OrganiserFailed,
    OwnerReturn,
    WrongUsage,
)
from burraco.sdk.decoding import summary_from_wire
from burraco.v1 import match_service_pb2 as pb
from burraco.v1 import matches_pb2
from burraco.wire import public_view_to_wire, rules_to_wire, seat_to_wire
from tests.sdk.fake_server import (
    PLAYERS,
    TOKEN,
    Context,
    Field,
    Matches,
    Message,
    a_match,
    result,
    serving,
)


def summary(match_id: str = "m", **more: Field) -> matches_pb2.MatchSummary:
    terms = matches_pb2.MatchTerms(
        rules=rules_to_wire(preset("fibur")),
        deals=1,
        clocks=matches_pb2.ClockTerms(turn_ms=1, bank_ms=2, warmup_ms=3, disconnect_ms=4),
        faults=matches_pb2.FaultTerms(illegal_retries=5, strikes=6),
    )
    running = {"state": matches_pb2.MATCH_STATE_RUNNING, "terms": terms, **more}
    return matches_pb2.MatchSummary(match_id=match_id, players=PLAYERS, **running)


OVER = summary(state=matches_pb2.MATCH_STATE_ENDED, result=result())


async def test_a_match_is_made_as_it_was_asked_for() -> None:
    matches = Matches(CreateMatch=pb.CreateMatchResponse(match=summary()))
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        made = await organiser.create_match(
            PLAYERS,
            match_id="m",
            rules=preset("fibur").with_knobs(stalemate_turns=4),
            deals=1,
            seed=bytes(80),
            dealer=0,
            clocks=Clocks(1, 2, 3, 4),
            faults=Faults(5, 6),
            board_id="b",
            board_tables=2,
        )
        await organiser.create_match(PLAYERS)
    full, bare = matches.requests
    assert full.rules.preset == "fibur"
    assert dict(full.rules.overrides) == {"stalemate_turns": "4"}
    assert (full.dealer, full.seed, full.board_tables) == (seat_to_wire(0), bytes(80), 2)
    assert full.clocks.disconnect_ms == 4
    assert full.faults.strikes == 6
    assert (bare.rules.preset, list(bare.players)) == ("classic", list(PLAYERS))
    assert [bare.HasField(field) for field in ("dealer", "clocks", "faults")] == [False] * 3
    assert made.rules is not None
    assert (made.match_id, made.state, made.rules.name) == ("m", MatchState.RUNNING, "fibur")
    assert (made.clocks, made.faults) == (Clocks(1, 2, 3, 4), Faults(5, 6))
    assert made.result is None


async def test_terms_are_asked_for_by_name_and_by_value() -> None:
    matches = Matches(CreateMatch=pb.CreateMatchResponse(match=summary()))
    clocks = Clocks(1, 2, 3, 4, 5, 6, ((3, 7), (10, 8)), whole_turn=True)
    faults = Faults(1, 2, forgives_illegal=True, owner_return=OwnerReturn.ALWAYS, forfeit_after=3)
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        await organiser.create_match(
            PLAYERS, policy="casual", clocks="blitz", overrides={"strikes": 9}
        )
        await organiser.create_match(PLAYERS, clocks=clocks, faults=faults)
    named, whole = matches.requests
    assert (named.policy, named.clock_preset, dict(named.overrides)) == (
        "casual",
        "blitz",
        {"strikes": 9},
    )
    assert not named.HasField("clocks")
    told = matches_pb2.MatchTerms(
        rules=rules_to_wire(preset("fibur")), clocks=whole.clocks, faults=whole.faults
    )
    read = summary_from_wire(summary(terms=told))
    assert (read.clocks, read.faults) == (clocks, faults)


async def test_every_page_of_a_list_is_read() -> None:
    pages = {
        "": pb.ListMatchesResponse(matches=[summary("a"), summary("b")], next_page_token="2"),
        "2": pb.ListMatchesResponse(matches=[summary("c")]),
    }
    matches = Matches(ListMatches=pages)
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        found = [match.match_id async for match in organiser.matches(MatchState.RUNNING)]
    assert found == ["a", "b", "c"]
    assert {request.state for request in matches.requests} == {matches_pb2.MATCH_STATE_RUNNING}


async def test_a_match_is_watched_to_its_result() -> None:
    view = match_view(a_match(), None)
    assert view is not None
    messages = [
        pb.WatchMatchResponse(),
        pb.WatchMatchResponse(view=public_view_to_wire(view)),
        pb.WatchMatchResponse(view=public_view_to_wire(view), result=result()),
    ]
    matches = Matches(GetMatch=pb.GetMatchResponse(match=summary()), WatchMatch=messages)
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        seen = [watched async for watched in organiser.watch_match("m")]
    cut, open_, over = seen
    assert cut.view is None
    assert open_.view is not None
    assert (open_.view.seat, open_.view.hand, open_.view.pile) == (None, (), view.pile)
    assert over.result is not None
    assert over.result.totals == (100, 20)


async def test_a_result_is_waited_for() -> None:
    class Patient(Matches):
        async def GetMatch(self, request: Message, context: Context) -> Message:
            self.requests.append(request)
            match = OVER if len(self.requests) > 2 else summary()
            return pb.GetMatchResponse(match=match)

    async with serving(matches=Patient()) as address, Organiser(address, TOKEN) as organiser:
        outcome = await organiser.result("m")
    assert (outcome.end, outcome.totals, outcome.is_clean) == (MatchEnd.PLAYED, (100, 20), True)


async def test_a_refusal_says_what_the_server_said() -> None:
    refused = (grpc.StatusCode.ALREADY_EXISTS, "the name is taken: choose another")
    matches = Matches(CreateMatch=refused, GetMatch=refused)
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        with pytest.raises(OrganiserFailed, match="match m: the name is taken") as caught:
            await organiser.create_match(PLAYERS, match_id="m")
        assert caught.value.complaint.code is grpc.StatusCode.ALREADY_EXISTS
        with pytest.raises(OrganiserFailed):
            await organiser.result("m")


@pytest.mark.parametrize(
    ("address", "token", "said"),
    [
        ("here", "t", "write HOST:PORT"),
        ("127.0.0.1:7070", "", "set BURRACO_TOKEN"),
        ("127.0.0.1:7070", "a b", "copy it again"),
    ],
)
def test_what_cannot_be_used_is_refused_before_any_call(
    address: str, token: str, said: str
) -> None:
    with pytest.raises(WrongUsage, match=said):
        Organiser(address, token)


async def test_a_void_match_of_which_nothing_is_left_can_be_read() -> None:
    """Nobody knows any more by which rules it was played."""
    seat = matches_pb2.SeatResult(
        seat=seat_to_wire(0), end=matches_pb2.SEAT_END_VOID, fault=matches_pb2.FAULT_SERVER
    )
    bare = matches_pb2.MatchSummary(
        match_id="m",
        state=matches_pb2.MATCH_STATE_ENDED,
        players=PLAYERS,
        result=matches_pb2.MatchResult(end=matches_pb2.MATCH_END_VOID, seats=[seat]),
    )
    matches = Matches(ListMatches={"": pb.ListMatchesResponse(matches=[bare, summary("n")])})
    async with serving(matches=matches) as address, Organiser(address, TOKEN) as organiser:
        void, whole = [match async for match in organiser.matches()]
    assert void.rules is None
    assert void.result is not None
    assert void.result.end is MatchEnd.VOID
    assert whole.rules is not None
