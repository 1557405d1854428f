"""Reported faults about who sits where: cases 100, 101, 106, 127, 133, 136, 139 and 140."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor

from burraco.engine import DRAW_STOCK, Discard
from burraco.server.journal import Acted, row_from_json
from burraco.v1 import (
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    play_service_pb2,
)
from tests.server.harness import SOLO, FakeClock, Metadata, Running, gone, reason_of, serving, solo

NAMES = ("north", "east", "south", "west")
APPLIED = play_pb2.VERDICT_KIND_APPLIED
DUPLICATE = play_pb2.VERDICT_KIND_DUPLICATE
ILLEGAL = play_pb2.VERDICT_KIND_ILLEGAL
CLOCKS = matches_pb2.ClockTerms(turn_ms=15_000, bank_ms=5_000, disconnect_ms=4_000)
BOUND = 30


@pytest.fixture
async def running(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock) as running:
        yield running


async def reason(call: Awaitable[Any]) -> str:
    """Why a call is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return reason_of(refused.value)


def reads(running: Running, who: Metadata) -> Iterator[Awaitable[Any]]:
    """Every call of one caller that only looks."""
    matches, bots = running.matches, running.bots
    yield matches.GetMatch(match_service_pb2.GetMatchRequest(match_id="m"), metadata=who)
    yield matches.ListMatches(match_service_pb2.ListMatchesRequest(), metadata=who)
    yield matches.ExportMatch(match_service_pb2.ExportMatchRequest(match_id="m"), metadata=who)
    yield _first(
        matches.WatchMatch(match_service_pb2.WatchMatchRequest(match_id="m"), metadata=who)
    )
    yield bots.WhoAmI(bot_service_pb2.WhoAmIRequest(), metadata=who)
    yield bots.ListTokens(bot_service_pb2.ListTokensRequest(), metadata=who)


async def _first(stream: Any) -> Any:  # noqa: ANN401 - of any method
    return await stream.read()


async def test_case_100_no_answer_holds_a_token(running: Running) -> None:
    await running.register(*NAMES, "stranger")
    await running.create(NAMES)
    bots = [await running.connect(name) for name in NAMES]
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    answers: list[bytes] = []
    for who in (running.organiser, running.as_bot("north"), running.as_bot("stranger")):
        for call in reads(running, who):
            try:
                answers.append((await call).SerializeToString())
            except grpc.aio.AioRpcError as refused:
                answers.append(str(refused.details()).encode())
    for call in reads(running, ()):
        assert await reason(call) == "TOKEN_MISSING"
    answers += [frame.SerializeToString() for bot in bots for frame in bot.frames]
    answers += [row.payload.encode() for row in await running.arena.store.log("m")]
    for token in running.tokens.values():
        assert not any(token.encode() in answer for answer in answers)


async def test_case_101_nobody_sits_in_for_who_is_away(running: Running) -> None:
    """A name is that of the token, so nobody can say that it is another's."""
    await running.register(*NAMES, "stranger")
    await running.create(NAMES)
    bots = [await running.connect(name) for name in NAMES]
    await bots[0].decision()
    lost = bots[1]
    lost.close()
    await gone(running, "east")
    stranger = running.as_bot("stranger")
    register = bot_service_pb2.RegisterBotRequest(name="east")
    assert await reason(running.bots.RegisterBot(register, metadata=stranger)) == "SCOPE_MISSING"
    again = running.bots.RegisterBot(register, metadata=running.organiser)
    assert await reason(again) == "NAME_TAKEN"
    join = match_service_pb2.JoinMatchRequest(match_id="m", seat=cards_pb2.SEAT_E)
    assert await reason(running.matches.JoinMatch(join, metadata=stranger)) == "MATCH_UNKNOWN"
    seat: Any = running.play.WatchSeat(
        play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_E), metadata=stranger
    )
    assert await reason(seat.read()) == "MATCH_UNKNOWN"
    came = await running.connect("stranger", session_id=lost.welcome.session_id, last_seq=1)
    assert not came.welcome.resumed
    await came.send(play_pb2.ClientFrame(ping=play_pb2.Ping(nonce=7)))
    assert (await came.read()).HasField("pong"), "nothing of the match comes before it"


async def test_case_106_who_misses_the_answer_to_a_resume_resumes_again(running: Running) -> None:
    """Resuming changes no token here; the connection that came before is the one that ends."""
    client = await solo(running)
    first = await client.decision()
    known = client.frames[-1].seq
    session = client.welcome.session_id
    client.close()
    await gone(running, SOLO)
    unread = await running.connect(SOLO, session_id=session, last_seq=known)
    latest = await running.connect(SOLO, session_id=session, last_seq=known)
    assert latest.welcome.resumed
    assert latest.welcome.session_id == session
    assert latest.welcome.fence > unread.welcome.fence
    latest.rules = client.rules
    await latest.act(first, DRAW_STOCK)
    assert (await latest.verdict()).kind == APPLIED
    with pytest.raises(grpc.aio.AioRpcError):
        await _to_its_end(unread.stream)


async def _to_its_end(stream: Any) -> None:  # noqa: ANN401 - of any method
    while True:
        await stream.read()


RESULTS = {"MatchResult", "SeatResult", "SidePoints", "SideScore", "MatchEnded"}


def _within(message: Descriptor) -> Iterator[str]:
    """Every message that a request may hold, by name."""
    for field in message.fields:
        if field.message_type is not None and field.message_type.file.package == "burraco.v1":
            yield field.message_type.name
            yield from _within(field.message_type)


@pytest.mark.parametrize("module", [match_service_pb2, play_service_pb2, bot_service_pb2])
def test_case_127_no_request_has_room_for_a_result(module: Any) -> None:  # noqa: ANN401
    for service in module.DESCRIPTOR.services_by_name.values():
        for method in service.methods:
            assert RESULTS.isdisjoint(_within(method.input_type)), method.full_name


async def test_case_127_a_player_ends_no_match(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    stop = match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="we have won")
    by_player = running.as_bot(SOLO)
    assert (
        await reason(running.matches.AdjudicateMatch(stop, metadata=by_player)) == "SCOPE_MISSING"
    )
    assert (await running.summary()).state == matches_pb2.MATCH_STATE_RUNNING
    await client.greedy(client.frames[-1].decision)
    await client.greedy((await client.verdict()).next)
    (end, *_) = await client.play_to_the_end(4)
    assert (
        await reason(running.matches.AdjudicateMatch(stop, metadata=by_player)) == "SCOPE_MISSING"
    )
    assert (await running.summary()).result == end.result
    assert end.result.end == matches_pb2.MATCH_END_PLAYED


async def test_case_133_a_lost_match_binds_nobody(running: Running, clock: FakeClock) -> None:
    """A lost seat is played by a stand-in here, and a bot may hold seats in several matches."""
    await running.register(*NAMES)
    await running.create(NAMES, clocks=CLOCKS)
    bots = [await running.connect(name) for name in NAMES]
    await bots[0].decision()
    for bot in bots:
        bot.close()
        await gone(running, bot.name)
    made = await running.create(["north", "", "", ""], match_id="n", clocks=CLOCKS)
    assert made.state == matches_pb2.MATCH_STATE_WAITING
    clock.move(3_600)
    while (left := await running.summary()).state != matches_pb2.MATCH_STATE_ENDED:
        clock.move(3_600)
    assert left.result.end == matches_pb2.MATCH_END_PLAYED
    assert {seat.end for seat in left.result.seats} == {matches_pb2.SEAT_END_DISCONNECTED}
    for name in NAMES[1:]:
        join = match_service_pb2.JoinMatchRequest(match_id="n")
        await running.matches.JoinMatch(join, metadata=running.as_bot(name))
    assert (await running.summary("n")).players == list(NAMES)


async def test_case_136_of_three_who_claim_a_seat_at_once_one_gets_it(running: Running) -> None:
    await running.register("a", "b", "c")
    await running.create([""] * 4)
    claim = match_service_pb2.JoinMatchRequest(match_id="m", seat=cards_pb2.SEAT_W)
    calls = [running.matches.JoinMatch(claim, metadata=running.as_bot(name)) for name in "abc"]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert [reason_of(error) for error in refused] == ["SEAT_TAKEN"] * 2
    winner = (await running.summary()).players[3]
    assert winner in ("a", "b", "c")
    for error in refused:
        assert winner in str(error.details())
    for seat in (-1, 5):
        wrong = match_service_pb2.JoinMatchRequest(match_id="m", seat=seat)  # type: ignore[arg-type]
        call = running.matches.JoinMatch(wrong, metadata=running.as_bot("a"))
        assert await reason(call) == "INVALID_FIELD"
    second = match_service_pb2.JoinMatchRequest(match_id="m", seat=cards_pb2.SEAT_N)
    call = running.matches.JoinMatch(second, metadata=running.as_bot(winner))
    assert await reason(call) == "ALREADY_SEATED"


async def test_case_139_of_two_servers_one_plays_an_act_and_once(
    tmp_path: Path, database: str
) -> None:
    """The newer server owns the match at once; kills are in tests/faults."""
    clocks = matches_pb2.ClockTerms(turn_ms=15_000, bank_ms=5_000)
    clock = FakeClock()
    async with serving(tmp_path / "a", clock, database=database) as old:
        client = await solo(old, clocks=clocks)
        await client.act(await client.decision(), DRAW_STOCK)
        play = (await client.verdict()).next
        clock.move(3)
        async with serving(tmp_path / "b", FakeClock(), database=database) as new:
            new.tokens = old.tokens
            table = new.arena.tables.find("m")
            assert table is not None
            assert table.record.decision == play.decision_id
            # Nothing of the change of hands is taken from the seat's time (P7).
            assert table.record.chairs[0].bank_ms == 5_000
            act = play_pb2.Act(
                seat=play.seat,
                decision_id=play.decision_id,
                action_id="both",
                actions=play.default_actions,
            )
            request = play_service_pb2.SubmitActionRequest(act=act)
            told: list[object] = []
            for server in (old, new, new):
                call = server.play.SubmitAction(
                    request, metadata=server.as_bot(SOLO), timeout=BOUND
                )
                try:
                    told.append((await call).verdict.kind)
                except grpc.aio.AioRpcError as refused:
                    told.append(reason_of(refused))
            assert told[0] in ("LOG_UNAVAILABLE", "DRAINING")
            assert told[1:] == [APPLIED, DUPLICATE]
            rows = [row_from_json(row.payload) for row in await new.arena.store.log("m")]
    played = [row for row in rows if isinstance(row, Acted) and row.action_id == "both"]
    assert len(played) == 1


async def test_case_140_a_house_bot_is_refused_as_everybody_is(running: Running) -> None:
    names = ("club", "anna", "club", "anna")
    await running.register("club", "anna")
    await running.create(names)
    bots = {name: await running.connect(name) for name in ("anna", "club")}
    told = []
    for name in names[:2]:
        bot = bots[name]
        decision = await bot.decision()
        await bot.act(decision, Discard(0))
        verdict = await bot.verdict()
        refusal = verdict.refusal
        told.append((verdict.kind, refusal.reason, refusal.rule, verdict.retries_left))
        await bot.act(verdict.next, DRAW_STOCK)
        following = (await bot.verdict()).next
        await bot.act(following, *bot.default(following))
        assert (await bot.verdict()).kind == APPLIED
    assert told == [(ILLEGAL, "MUST_DRAW_FIRST", "R44", 1)] * 2
