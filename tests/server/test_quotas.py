"""What one player may take, and how it is told and refused."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from burraco.engine import DRAW_STOCK, Cut
from burraco.server.errors import ArenaError, Complaint
from burraco.server.interceptors.guard import frame_too_large
from burraco.server.quotas import Bucket, Quotas, limits_to_wire
from burraco.server.settings import PlayerLimits
from burraco.v1 import (
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    matches_pb2,
    play_pb2,
    play_service_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
)
from burraco.wire import action_to_wire
from tests.server.harness import SOLO, Client, FakeClock, Running, reason_of, serving, solo

FEW: Final = PlayerLimits(
    streams=2,
    matches=2,
    acts_per_second=2,
    acts_at_once=4,
    illegal_acts_per_second=1,
    illegal_acts_at_once=2,
)
FORGIVING: Final = matches_pb2.FaultTerms(forgives_illegal=True)


def test_a_bucket_bursts_then_runs_at_its_rate() -> None:
    bucket = Bucket(rate=4, most=2, now=100.0)
    assert [bucket.take(100.0) for _ in range(3)] == [0, 0, 250]
    assert (bucket.left(100.0), bucket.reset_ms(100.0)) == (0, 500)
    assert bucket.take(100.2) == 50
    assert bucket.take(100.25) == 0
    assert (bucket.left(200.0), bucket.reset_ms(200.0)) == (2, 0)


@pytest.mark.parametrize("rate", [3, 7, 50, 5_000])
def test_whoever_waits_as_long_as_told_is_let_through(rate: int) -> None:
    bucket, now = Bucket(rate, 1, 1000.0), 1000.0
    for _ in range(1_000):
        wait_ms = bucket.take(now)
        if wait_ms:
            now += wait_ms / 1000
            assert bucket.take(now) == 0


def test_players_of_whom_there_is_nothing_to_know_are_forgotten(clock: FakeClock) -> None:
    quotas = Quotas(FEW, clock)
    with quotas.stream("watcher"):
        for number in range(300):
            quotas.act(f"bot-{number}")
        clock.move(60)
        for number in range(300, 1_000):
            quotas.act(f"bot-{number}")
            clock.move(60)
        assert len(quotas) < 600
        assert left(quotas.told("watcher"))["streams"] == 1
    gone = len(quotas)
    with quotas.stream("once"):
        assert len(quotas) == gone + 1
    assert len(quotas) == gone


def test_matches_that_are_being_made_count_too(clock: FakeClock) -> None:
    quotas = Quotas(FEW, clock)
    quotas.matches_of = {"a": 1}.__getitem__
    with quotas.making(["a", "", "a"]):
        assert left(quotas.told("a"))["matches"] == 0
        with pytest.raises(ArenaError) as refused, quotas.making(["a"]):
            pass
        assert refused.value.complaint is Complaint.TOO_MANY_MATCHES
        assert refused.value.facts == {"limit": "2", "player": "a"}
    quotas.require_place("a")


def left(quotas: Any) -> dict[str, int]:  # noqa: ANN401 - a repeated field or a list
    return {quota.name: quota.remaining for quota in quotas}


def retry_of(error: grpc.aio.AioRpcError) -> int | None:
    """Milliseconds of the RetryInfo that a failed call carries, None for none."""
    trailing: Any = error.trailing_metadata() or ()
    retry = error_details_pb2.RetryInfo()
    for key, value in trailing:
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                if detail.Unpack(retry):
                    return retry.retry_delay.ToMilliseconds()
    return None


async def refused(call: Awaitable[object]) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value


async def test_the_welcome_tells_every_limit_and_what_is_left_of_them(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=FEW) as running:
        client = await solo(running)
        assert client.welcome.limits == limits_to_wire(FEW)
        assert all(value for _, value in client.welcome.limits.ListFields())
        told = [(quota.name, quota.limit, quota.remaining) for quota in client.welcome.quotas]
    assert told == [
        ("streams", 2, 1),
        ("matches", 2, 1),
        ("acts_per_second", 4, 4),
        ("illegal_acts_per_second", 2, 2),
    ]


async def ping(client: Client, *, wants_quotas: bool) -> play_pb2.Pong:
    asked = play_pb2.Ping(nonce=1, wants_quotas=wants_quotas)
    await client.send(play_pb2.ClientFrame(ping=asked))
    return (await client.read_until("pong")).pong


async def test_a_pong_tells_what_is_left_where_the_ping_asks(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with serving(tmp_path, clock, limits=FEW) as running:
        client = await solo(running)
        await client.act(await client.decision(), DRAW_STOCK)
        await client.verdict()
        assert not (await ping(client, wants_quotas=False)).quotas
        quotas = (await ping(client, wants_quotas=True)).quotas
        rate = next(quota for quota in quotas if quota.name == "acts_per_second")
        assert (rate.limit, rate.remaining, rate.reset_ms) == (4, 3, 500)
        clock.move(0.5)
        assert left((await ping(client, wants_quotas=True)).quotas)["acts_per_second"] == 4


async def test_streams_of_all_kinds_count_together_and_by_name(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=FEW) as running:
        client = await solo(running)
        watch: Any = running.matches.WatchMatch(
            match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.as_bot(SOLO)
        )
        await watch.read()
        made = await running.bots.CreateToken(
            bot_service_pb2.CreateTokenRequest(name=SOLO, scopes=[bot_service_pb2.SCOPE_PLAY]),
            metadata=running.organiser,
        )
        other = (("authorization", f"Bearer {made.token}"),)
        extra: Any = running.play.WatchSeat(
            play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N), metadata=other
        )
        error = await refused(extra.read())
        assert (error.code().name, reason_of(error)) == ("RESOURCE_EXHAUSTED", "TOO_MANY_STREAMS")
        assert retry_of(error) is None
        watch.cancel()
        while left((await ping(client, wants_quotas=True)).quotas)["streams"] == 0:
            pass
        again: Any = running.play.WatchSeat(
            play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N), metadata=other
        )
        assert (await again.read()).HasField("match_started")


async def test_a_player_has_so_many_matches_and_gets_others_as_they_end(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=FEW) as running:
        await running.register("a", "b")
        await running.create(["a", "", "", ""], match_id="m1")
        await running.create(["b", "b", "b", "b"], match_id="m2")
        await running.create(["a", "a", "", ""], match_id="m3")
        error = await refused(running.create(["b", "a", "", ""], match_id="m4"))
        assert (error.code().name, reason_of(error)) == ("RESOURCE_EXHAUSTED", "TOO_MANY_MATCHES")
        await running.create([""] * 4, match_id="m5")
        join = match_service_pb2.JoinMatchRequest(match_id="m5")
        error = await refused(running.matches.JoinMatch(join, metadata=running.as_bot("a")))
        assert reason_of(error) == "TOO_MANY_MATCHES"
        ending = match_service_pb2.AdjudicateMatchRequest(match_id="m1", reason="test")
        await running.matches.AdjudicateMatch(ending, metadata=running.organiser)
        await running.matches.JoinMatch(join, metadata=running.as_bot("a"))
        # Whoever lost the answer learns that the last place there was is its own.
        error = await refused(running.matches.JoinMatch(join, metadata=running.as_bot("a")))
        assert reason_of(error) == "ALREADY_SEATED"


async def test_acts_over_the_rate_do_not_come_to_the_table(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with serving(tmp_path, clock, limits=FEW) as running:
        client = await solo(running, faults=FORGIVING)
        decision = await client.decision()
        stale = play_pb2.Act(
            seat=decision.seat,
            decision_id=99,
            action_id="stale",
            actions=[action_to_wire(DRAW_STOCK)],
        )
        for _ in range(FEW.acts_at_once):
            await client.send(play_pb2.ClientFrame(act=stale))
            assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_STALE
        version = (await running.summary()).version
        await client.act(decision, DRAW_STOCK, action_id="mine")
        error = (await client.read_until("stream_error")).stream_error
        assert (error.code, error.refusal.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_ACTS")
        assert (error.action_id, error.retry_ms) == ("mine", 500)
        act = play_service_pb2.SubmitActionRequest(act=stale)
        failed = await refused(running.play.SubmitAction(act, metadata=running.as_bot(SOLO)))
        assert (reason_of(failed), retry_of(failed)) == ("TOO_MANY_ACTS", 500)
        assert (await running.summary()).version == version
        clock.move(0.5)
        await client.act(decision, DRAW_STOCK, action_id="mine")
        assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_APPLIED


async def test_illegal_acts_over_the_rate_leave_no_row_and_no_strike(
    tmp_path: Path, clock: FakeClock
) -> None:
    limits = PlayerLimits(illegal_acts_per_second=1, illegal_acts_at_once=2)
    async with serving(tmp_path, clock, limits=limits) as running:
        client = await solo(running, faults=FORGIVING)
        decision = await client.decision()
        before = (await running.summary()).version
        for _ in range(2):
            await client.act(decision, Cut(30))
            assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_ILLEGAL
        for _ in range(20):
            await client.act(decision, Cut(30))
            error = (await client.read_until("stream_error")).stream_error
            assert error.refusal.reason == "TOO_MANY_ILLEGAL_ACTS"
            assert error.retry_ms == 1_000
        assert (await running.summary()).version == before + 2
        clock.move(1)
        await client.act(decision, Cut(30))
        assert (await client.verdict()).kind == play_pb2.VERDICT_KIND_ILLEGAL
        assert (await running.summary()).version == before + 3
        # Legal acts are never held up by it.
        await client.act(decision, DRAW_STOCK)
        verdict = await client.verdict()
        assert (verdict.kind, verdict.strikes) == (play_pb2.VERDICT_KIND_APPLIED, 0)


async def test_messages_and_metadata_over_the_limit_are_refused_in_our_words(
    running: Running,
) -> None:
    stub = rules_service_pb2_grpc.RulesServiceStub(running.channel)
    request = rules_service_pb2.JudgeNotationRequest(bgn="x" * 70_000)
    error = await refused(stub.JudgeNotation(request))
    assert (error.code().name, reason_of(error)) == ("RESOURCE_EXHAUSTED", "FRAME_TOO_LARGE")
    assert error.details() == frame_too_large().message
    listing = rules_service_pb2.ListRulesetsRequest()
    error = await refused(stub.ListRulesets(listing, metadata=(("x", "y" * 5_000),)))
    assert (error.code().name, reason_of(error)) == ("RESOURCE_EXHAUSTED", "METADATA_TOO_LARGE")
    await stub.ListRulesets(listing, metadata=(("x", "y" * 3_000),))


async def test_refused_frames_are_counted_by_their_reason(running: Running) -> None:
    client = await solo(running)
    await client.send(play_pb2.ClientFrame())
    await client.read_until("stream_error")
    registry = running.arena.metrics.registry
    labels = {"reason": "INVALID_FIELD"}
    assert registry.get_sample_value("burraco_refused_calls_total", labels) == 1.0
