"""Tokens: made, shown once, listed, replaced, and ended, on open streams too."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from burraco.server.credentials import HOST
from burraco.v1 import admin_service_pb2, admin_service_pb2_grpc, match_service_pb2
from burraco.v1 import bot_service_pb2 as pb
from tests.server.harness import (
    SOLO,
    FakeClock,
    Metadata,
    Running,
    bearer,
    reason_of,
    serving,
    solo,
)


@pytest.fixture
async def running(tmp_path: Path, database: str) -> AsyncIterator[Running]:
    """A server on each kind of database."""
    async with serving(tmp_path, database=database) as running:
        yield running


@pytest.fixture
async def timed(tmp_path: Path, clock: FakeClock, database: str) -> AsyncIterator[Running]:
    async with serving(tmp_path, clock, database=database, admin="127.0.0.1:0") as running:
        yield running


async def create(
    running: Running, name: str, *scopes: pb.Scope.ValueType, by: Metadata = (), lifetime_s: int = 0
) -> pb.CreateTokenResponse:
    request = pb.CreateTokenRequest(name=name, scopes=scopes, lifetime_s=lifetime_s)
    return await running.bots.CreateToken(request, metadata=by or running.organiser)


async def who(running: Running, token: str) -> str:
    """Name of the caller, or the reason of the refusal."""
    try:
        answer = await running.bots.WhoAmI(pb.WhoAmIRequest(), metadata=bearer(token))
    except grpc.aio.AioRpcError as refused:
        return reason_of(refused)
    return answer.name


async def reason(call: Any) -> str:  # noqa: ANN401 - a call of any method
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return reason_of(refused.value)


async def read_on(stream: Any) -> None:  # noqa: ANN401 - a stream of any method
    while True:
        await stream.read()


async def test_only_hashes_are_stored(running: Running, tmp_path: Path) -> None:
    made = await create(running, "alice", pb.SCOPE_PLAY)
    (row,) = [row for row in await running.arena.store.tokens() if row.name == "alice"]
    assert row.hash == hashlib.sha256(made.token.encode()).digest()
    # 256 bits in base 64.
    assert len(made.token.removeprefix("burraco_")) == 43
    assert made.summary.token_id not in made.token
    for file in tmp_path.iterdir():
        assert made.token.encode() not in file.read_bytes()
    assert made.token not in running.log.getvalue()


async def test_a_token_is_never_taken_for_an_option(running: Running) -> None:
    secrets = {(await create(running, f"bot{n}", pb.SCOPE_PLAY)).token for n in range(64)}
    assert len(secrets) == 64
    assert all(secret.startswith("burraco_") for secret in secrets)


async def test_tokens_outlive_a_restart_and_so_does_their_end(
    tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, database=database) as running:
        kept = await create(running, "kept", pb.SCOPE_PLAY)
        ended = await create(running, "ended", pb.SCOPE_PLAY)
        request = pb.RevokeTokenRequest(token_id=ended.summary.token_id)
        await running.bots.RevokeToken(request, metadata=running.organiser)
    async with serving(tmp_path, database=database) as running:
        assert await who(running, kept.token) == "kept"
        assert await who(running, ended.token) == "TOKEN_REVOKED"


async def test_a_revoked_token_loses_its_open_streams(running: Running) -> None:
    client = await solo(running)
    await client.decision()
    watching: Any = running.matches.WatchMatch(
        match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.as_bot(SOLO)
    )
    await watching.read()
    bystander: Any = running.matches.WatchMatch(
        match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.organiser
    )
    await bystander.read()
    revoked = await running.bots.RevokeToken(pb.RevokeTokenRequest(), metadata=running.as_bot(SOLO))
    assert revoked.summary.HasField("revoked_ms")
    for stream in (client.stream, watching):
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await read_on(stream)
        assert ended.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert reason_of(ended.value) == "TOKEN_REVOKED"
    assert not bystander.done()
    bystander.cancel()


async def test_an_expired_token_loses_its_open_streams(timed: Running, clock: FakeClock) -> None:
    await timed.register(SOLO)
    brief = await create(timed, SOLO, pb.SCOPE_PLAY, lifetime_s=60)
    timed.tokens[SOLO] = brief.token
    client = await timed.connect(SOLO)
    clock.move(59)
    assert await who(timed, brief.token) == SOLO
    clock.move(1)
    assert await reason(client.stream.read()) == "TOKEN_EXPIRED"
    assert await who(timed, brief.token) == "TOKEN_EXPIRED"


async def test_a_far_date_is_looked_at_day_by_day(timed: Running, clock: FakeClock) -> None:
    await timed.register(SOLO)
    lasting = await create(timed, SOLO, pb.SCOPE_PLAY, lifetime_s=5 * 86_400)
    timed.tokens[SOLO] = lasting.token
    client = await timed.connect(SOLO)
    clock.move(5 * 86_400 - 1)
    assert await who(timed, lasting.token) == SOLO
    clock.move(1)
    assert await reason(client.stream.read()) == "TOKEN_EXPIRED"


async def test_a_replaced_token_goes_on_for_the_overlap(timed: Running, clock: FakeClock) -> None:
    old = await create(timed, "alice", pb.SCOPE_PLAY, lifetime_s=86_400)
    request = pb.RotateTokenRequest(overlap_s=3_600)
    new = await timed.bots.RotateToken(request, metadata=bearer(old.token))
    assert new.summary.expires_ms == old.summary.expires_ms
    assert list(new.summary.scopes) == [pb.SCOPE_PLAY]
    clock.move(3_599)
    assert await who(timed, old.token) == "alice"
    clock.move(1)
    assert await who(timed, old.token) == "TOKEN_EXPIRED"
    assert await who(timed, new.token) == "alice"


async def test_a_replaced_token_ends_at_once_without_an_overlap(running: Running) -> None:
    old = await create(running, "alice", pb.SCOPE_PLAY)
    new = await running.bots.RotateToken(pb.RotateTokenRequest(), metadata=bearer(old.token))
    assert await who(running, old.token) == "TOKEN_REVOKED"
    assert await who(running, new.token) == "alice"
    again = pb.RotateTokenRequest(token_id=old.summary.token_id)
    assert (
        await reason(running.bots.RotateToken(again, metadata=running.organiser)) == "TOKEN_ENDED"
    )


async def test_nobody_gives_more_than_it_has(running: Running) -> None:
    organise = await create(running, "helper", pb.SCOPE_ORGANISE)
    for scope in (pb.SCOPE_ORGANISE, pb.SCOPE_OPERATE):
        call = create(running, "friend", pb.SCOPE_PLAY, scope, by=bearer(organise.token))
        assert await reason(call) == "SCOPE_MISSING"
    made = await create(running, "friend", pb.SCOPE_PLAY, by=bearer(organise.token))
    operate = await create(running, "boss", pb.SCOPE_OPERATE)
    taken = pb.RevokeTokenRequest(token_id=operate.summary.token_id)
    revoking = running.bots.RevokeToken(taken, metadata=bearer(organise.token))
    assert await reason(revoking) == "TOKEN_ID_UNKNOWN"
    page = await running.bots.ListTokens(pb.ListTokensRequest(), metadata=bearer(organise.token))
    ids = {token.token_id for token in page.tokens}
    assert ids == {organise.summary.token_id, made.summary.token_id}


async def test_the_token_the_host_chose_is_not_for_the_api_to_end(running: Running) -> None:
    call = running.bots.RevokeToken(pb.RevokeTokenRequest(), metadata=running.organiser)
    assert await reason(call) == "TOKEN_ID_UNKNOWN"


async def test_tokens_are_listed_page_by_page(running: Running) -> None:
    for number in range(5):
        await create(running, f"bot{number}", pb.SCOPE_PLAY)
    names: list[str] = []
    request = pb.ListTokensRequest(page_size=2)
    while True:
        page = await running.bots.ListTokens(request, metadata=running.organiser)
        names += [token.name for token in page.tokens]
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    assert sorted(names) == [f"bot{number}" for number in range(5)]
    request.page_token = "bm9uZQ=="
    call = running.bots.ListTokens(request, metadata=running.organiser)
    assert await reason(call) == "INVALID_FIELD"


@pytest.mark.parametrize(
    "request_",
    [
        pb.CreateTokenRequest(name="a b", scopes=[pb.SCOPE_PLAY]),
        pb.CreateTokenRequest(name="a"),
        pb.CreateTokenRequest(name="a", scopes=[pb.SCOPE_UNSPECIFIED]),
        pb.CreateTokenRequest(name="a", scopes=[pb.SCOPE_PLAY], lifetime_s=315_360_001),
    ],
)
async def test_a_token_that_cannot_be_is_refused(
    running: Running, request_: pb.CreateTokenRequest
) -> None:
    call = running.bots.CreateToken(request_, metadata=running.organiser)
    assert await reason(call) == "INVALID_FIELD"


async def test_only_players_sit(running: Running) -> None:
    await create(running, "watcher", pb.SCOPE_SPECTATE)
    assert await reason(running.create(["watcher", "", "", ""])) == "PLAYER_UNKNOWN"


async def test_the_audit_log_says_who_did_what(timed: Running) -> None:
    made = await create(timed, "alice", pb.SCOPE_PLAY)
    await timed.create(["alice", "", "", ""])
    await timed.matches.AdjudicateMatch(
        match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="rain"),
        metadata=timed.organiser,
    )
    await timed.bots.RevokeToken(
        pb.RevokeTokenRequest(token_id=made.summary.token_id), metadata=timed.organiser
    )
    async with grpc.aio.insecure_channel(str(timed.arena.admin_at)) as channel:
        admin = admin_service_pb2_grpc.AdminServiceStub(channel)
        drain = admin_service_pb2.DrainRequest(reason="new machine")
        await admin.Drain(drain, metadata=timed.organiser)
        request = admin_service_pb2.ListAuditRequest(page_size=3)
        entries: list[admin_service_pb2.AuditEntry] = []
        while True:
            page = await admin.ListAudit(request, metadata=timed.organiser)
            entries += page.entries
            request.page_token = page.next_page_token
            if not page.next_page_token:
                break
    assert timed.arena.drain_asked.is_set()
    assert [(entry.act, entry.subject) for entry in entries] == [
        ("DRAIN", ""),
        ("TOKEN_REVOKED", made.summary.token_id),
        ("MATCH_ADJUDICATED", "m"),
        ("TOKEN_CREATED", "alice"),
    ]
    assert {entry.actor for entry in entries} == {"organiser"}
    assert [entry.detail for entry in entries[:3:2]] == ["new machine", "rain"]


async def test_a_free_seat_lets_nobody_look_on(running: Running) -> None:
    await running.register("alice", "bob")
    await running.create(["alice", "", "", ""])
    request = match_service_pb2.GetMatchRequest(match_id="m")
    await running.matches.GetMatch(request, metadata=running.as_bot("bob"))
    watching: Any = running.matches.WatchMatch(
        match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.as_bot("bob")
    )
    assert await reason(watching.read()) == "MATCH_UNKNOWN"


async def test_a_token_that_is_revoked_while_it_is_replaced_stays_revoked(
    running: Running,
) -> None:
    made = await create(running, "alice", pb.SCOPE_PLAY)
    mine, token_id = bearer(made.token), made.summary.token_id
    revoke = pb.RevokeTokenRequest(token_id=token_id)
    rotate = pb.RotateTokenRequest(token_id=token_id, overlap_s=60)
    await asyncio.gather(
        running.bots.RevokeToken(revoke, metadata=running.organiser),
        running.bots.RotateToken(rotate, metadata=mine),
        return_exceptions=True,
    )
    assert await who(running, made.token) in ("TOKEN_REVOKED", "alice")
    tokens = {token.token_id: token for token in running.arena.tokens.listed(HOST)}
    assert tokens[token_id].row.revoked_ms is not None
