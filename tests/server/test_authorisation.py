"""Who may call what: one table for every method there is, held against a real server."""

import copy
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_channelz.v1 import channelz_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from burraco.engine import DRAW_STOCK
from burraco.server.credentials import HOST, Scope
from burraco.v1 import (
    bot_service_pb2,
    cards_pb2,
    match_service_pb2,
    play_pb2,
    play_service_pb2,
)
from burraco.wire import action_to_wire
from tests.server.harness import (
    CLOCKS_OFF,
    FakeClock,
    Metadata,
    Running,
    bearer,
    reason_of,
    serving,
)

# A player who sits in match m, another player, and tokens with one other scope alone.
LIVING: Final = ("owner", "stranger", "spectate", "organise", "operate")
# What comes of a call without a token, or with one that is good no more.
LIFELESS: Final = {
    "nobody": "TOKEN_MISSING",
    "unknown": "TOKEN_UNKNOWN",
    "expired": "TOKEN_EXPIRED",
    "revoked": "TOKEN_REVOKED",
}
# How a caller is refused for who it is; whatever else comes of a call, it was let in.
REFUSED: Final = {
    "scope": "SCOPE_MISSING",
    "hidden": "MATCH_UNKNOWN",
    "not-own": "TOKEN_ID_UNKNOWN",
}
_OPERATORS: Final = "scope  scope    scope    scope    in"
_EVERYBODY: Final = "everybody"
NOT_FOUND: Final = grpc.StatusCode.NOT_FOUND
PERMISSION_DENIED: Final = grpc.StatusCode.PERMISSION_DENIED

TABLE: Final = {
    # burraco.v1                        owner  stranger spectate organise operate
    "PlayService/Play":                "in     in       scope    scope    scope",
    "PlayService/WatchSeat":           "in     hidden   scope    scope    scope",
    "PlayService/SubmitAction":        "in     hidden   scope    scope    scope",
    "MatchService/CreateMatch":        "scope  scope    scope    in       scope",
    "MatchService/JoinMatch":          "in     hidden   scope    scope    scope",
    "MatchService/GetMatch":           "in     hidden   in       in       in",
    "MatchService/ListMatches":        "in     in       in       in       in",
    "MatchService/WatchMatch":         "in     hidden   in       in       in",
    "MatchService/ExportMatch":        "in     hidden   in       in       in",
    "MatchService/AdjudicateMatch":    "scope  scope    scope    in       scope",
    "TournamentService/CreateTournament":"scope  scope    scope    in       scope",
    "TournamentService/EnterTournament":"in     in       scope    in       scope",
    "TournamentService/WithdrawEntry":  "in     in       scope    in       scope",
    "TournamentService/StartTournament":"scope  scope    scope    in       scope",
    "TournamentService/PauseTournament":"scope  scope    scope    in       scope",
    "TournamentService/ResumeTournament":"scope  scope    scope    in       scope",
    "TournamentService/CancelTournament":"scope  scope    scope    in       scope",
    "TournamentService/GetTournament":  "in     in       in       in       in",
    "TournamentService/ListTournaments":"in     in       in       in       in",
    "TournamentService/GetStandings":   "in     in       in       in       in",
    "TournamentService/GetPairings":    "in     in       in       in       in",
    "TournamentService/WatchTournament":"in     in       in       in       in",
    "TournamentService/RequeueTable":   "scope  scope    scope    in       scope",
    "TournamentService/AdjudicateTable":"scope  scope    scope    in       scope",
    "TournamentService/ExportTournament":"in     in       in       in       in",
    "BotService/RegisterBot":          "scope  scope    scope    in       scope",
    "BotService/WhoAmI":               "in     in       in       in       in",
    "BotService/CreateToken":          "scope  scope    scope    in       in",
    "BotService/ListTokens":           "in     in       in       in       in",
    "BotService/RotateToken":          "in     not-own  not-own  in       in",
    "BotService/RevokeToken":          "in     not-own  not-own  in       in",
    "RulesService/ListRulesets":       _EVERYBODY,
    "RulesService/ClassifyMeld":       _EVERYBODY,
    "RulesService/JudgeAction":        _EVERYBODY,
    "RulesService/EnumerateActions":   _EVERYBODY,
    "RulesService/JudgeNotation":      _EVERYBODY,
    "RulesService/ExplainRule":        _EVERYBODY,
    "AdminService/Drain":              _OPERATORS,
    "AdminService/ListQuarantined":    _OPERATORS,
    "AdminService/ListAudit":          _OPERATORS,
    # grpc
    "Health/Check":                    _EVERYBODY,
    "Health/Watch":                    _EVERYBODY,
    "ServerReflection/ServerReflectionInfo": _OPERATORS,
    "Channelz/GetTopChannels":         _OPERATORS,
    "Channelz/GetServers":             _OPERATORS,
    "Channelz/GetServer":              _OPERATORS,
    "Channelz/GetServerSockets":       _OPERATORS,
    "Channelz/GetChannel":             _OPERATORS,
    "Channelz/GetSubchannel":          _OPERATORS,
    "Channelz/GetSocket":              _OPERATORS,
}  # fmt: skip
# Calls of which one at least has its refusal not lost on the way.
TRIES: Final = 50
ADMIN_ONLY: Final = ("AdminService", "ServerReflection", "Channelz")


def services() -> list[ServiceDescriptor]:
    """Every service of our protos, and those of gRPC that we serve."""
    folder = Path(bot_service_pb2.__file__).parent
    names = sorted(path.stem for path in folder.glob("*_pb2.py"))
    modules: list[Any] = [importlib.import_module(f"burraco.v1.{name}") for name in names]
    modules += [channelz_pb2, health_pb2, reflection_pb2]
    return [
        service for module in modules for service in module.DESCRIPTOR.services_by_name.values()
    ]


METHODS: Final = {
    f"{service.name}/{method.name}": method for service in services() for method in service.methods
}


def test_every_method_has_a_row() -> None:
    assert set(TABLE) == set(METHODS)


@dataclass(frozen=True)
class World:
    """A server with a match of ``owner``, its two ports, and a token of every kind."""

    running: Running
    public: grpc.aio.Channel
    admin: grpc.aio.Channel
    credentials: dict[str, Metadata]
    owner_token_id: str

    def channel(self, name: str) -> grpc.aio.Channel:
        return self.admin if name.startswith(ADMIN_ONLY) else self.public

    async def call(self, name: str, request: Message, metadata: Metadata) -> str:
        """The first answer to a call, as OK or the reason of its refusal."""
        try:
            await first_answer(self.channel(name), METHODS[name], request, metadata)
        except grpc.aio.AioRpcError as refused:
            return reason_of(refused)
        return "OK"


def was_lost(refused: grpc.aio.AioRpcError) -> bool:
    """Whether it is gRPC's own: it loses what the server says while the client still writes."""
    return refused.code() is grpc.StatusCode.INTERNAL and "execute_batch" in str(refused.details())


async def first_answer(
    channel: grpc.aio.Channel, method: MethodDescriptor, request: Message, metadata: Metadata
) -> None:
    """Call until something comes back that the server has said."""
    for _ in range(TRIES):
        try:
            await one_call(channel, method, request, metadata)
        except grpc.aio.AioRpcError as refused:
            if not was_lost(refused):
                raise
        else:
            return
    raise AssertionError(f"{method.full_name}: no answer came in {TRIES} calls")


async def one_call(
    channel: grpc.aio.Channel, method: MethodDescriptor, request: Message, metadata: Metadata
) -> None:
    path = f"/{method.containing_service.full_name}/{method.name}"
    raw = request.SerializeToString()
    opened: Any = channel
    if method.client_streaming:
        call = opened.stream_stream(path)(metadata=metadata)
        await call.write(raw)
    elif method.server_streaming:
        call = opened.unary_stream(path)(raw, metadata=metadata)
    else:
        await opened.unary_unary(path)(raw, metadata=metadata)
        return
    if await call.read() is grpc.aio.EOF:  # type: ignore[attr-defined]  # missing from the stubs
        # A status that is no OK is raised here.
        await call.read()
    call.cancel()


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    clock = FakeClock()
    async with serving(folder, clock, admin="127.0.0.1:0") as running:
        tokens = running.arena.tokens
        made: dict[str, tuple[str, str]] = {}
        kinds = {"owner": Scope.PLAY, "stranger": Scope.PLAY, "revoked": Scope.PLAY}
        kinds |= {str(scope): scope for scope in Scope if scope is not Scope.PLAY}
        for name, scope in kinds.items():
            secret, token = await tokens.create(HOST, name, frozenset({scope}), 0)
            made[name] = secret, token.token_id
        secret, token = await tokens.create(HOST, "expired", frozenset(Scope), 1_000)
        made["expired"] = secret, token.token_id
        await tokens.revoke(HOST, made["revoked"][1])
        clock.move(1)
        running.tokens["owner"] = made["owner"][0]
        await running.create(["owner"] * 4, clocks=CLOCKS_OFF)
        sitting = await running.connect("owner")
        await sitting.decision()
        credentials: dict[str, Metadata] = {name: bearer(one) for name, (one, _) in made.items()}
        credentials |= {"nobody": (), "unknown": bearer("x" * 43)}
        async with grpc.aio.insecure_channel(str(running.arena.admin_at)) as admin:
            yield World(running, running.channel, admin, credentials, made["owner"][1])


def request_for(name: str, owner_token_id: str) -> Message:
    """A request that is about match m or the owner's token, where it is about any."""
    north = play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_N)
    act = play_pb2.Act(seat=north, decision_id=1, action_id="a")
    act.actions.append(action_to_wire(DRAW_STOCK))
    special: dict[str, Message] = {
        "PlayService/Play": play_pb2.ClientFrame(hello=play_pb2.Hello()),
        "PlayService/WatchSeat": play_service_pb2.WatchSeatRequest(
            match_id="m", seat=cards_pb2.SEAT_N
        ),
        "PlayService/SubmitAction": play_service_pb2.SubmitActionRequest(act=act),
        "MatchService/CreateMatch": match_service_pb2.CreateMatchRequest(players=[""] * 4),
        "MatchService/AdjudicateMatch": match_service_pb2.AdjudicateMatchRequest(
            match_id="m", reason="test"
        ),
        "BotService/RegisterBot": bot_service_pb2.RegisterBotRequest(name="new"),
        "BotService/CreateToken": bot_service_pb2.CreateTokenRequest(
            name="new", scopes=[bot_service_pb2.SCOPE_PLAY]
        ),
    }
    if name in special:
        return special[name]
    request: Any = GetMessageClass(METHODS[name].input_type)()
    fields = METHODS[name].input_type.fields_by_name
    if "match_id" in fields:
        request.match_id = "m"
    if "token_id" in fields:
        request.token_id = owner_token_id
    return request  # type: ignore[no-any-return]  # of a class made from its descriptor


def expected(name: str) -> dict[str, str]:
    row = TABLE[name]
    if row == _EVERYBODY:
        return dict.fromkeys([*LIFELESS, *LIVING], "in")
    return LIFELESS | {
        who: REFUSED.get(word, word) for who, word in zip(LIVING, row.split(), strict=True)
    }


@pytest.mark.parametrize("name", TABLE)
async def test_who_is_let_in(tmp_path: Path, name: str) -> None:
    for_who_it_is = {*LIFELESS.values(), *REFUSED.values()}
    async with world(tmp_path) as there:
        request = request_for(name, there.owner_token_id)
        # Those who are let in may change what the others ask about, so they come last.
        outcomes = {
            who: await there.call(name, request, there.credentials[who])
            for who in sorted(expected(name), key=lambda who: expected(name)[who] == "in")
        }
    told = {who: out if out in for_who_it_is else "in" for who, out in outcomes.items()}
    assert told == expected(name)


async def test_admin_methods_are_not_on_the_public_port(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        for name in filter(lambda name: name.startswith(ADMIN_ONLY), TABLE):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await first_answer(
                    there.public,
                    METHODS[name],
                    request_for(name, ""),
                    there.credentials["operate"],
                )
            assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED, name


def names_a_match(message: Descriptor) -> bool:
    """Whether a message has a match_id, in itself or further down."""
    return "match_id" in message.fields_by_name or any(
        names_a_match(field.message_type)
        for field in message.fields
        if field.message_type is not None
    )


def about(match_id: str, message: Message) -> Message:
    """The same message about another match, wherever it names one."""
    other = copy.deepcopy(message)
    if "match_id" in other.DESCRIPTOR.fields_by_name:
        setattr(other, "match_id", match_id)  # noqa: B010 - of a class that is not known here
    for field, value in other.ListFields():
        if field.message_type is not None and not field.is_repeated:
            value.CopyFrom(about(match_id, value))
    return other


ABOUT_A_MATCH: Final = [
    name
    for name, method in METHODS.items()
    if names_a_match(method.input_type) and not method.client_streaming
]


def shut_out(name: str) -> list[str]:
    """The living who may not know whether there is a match m."""
    return [who for who, word in expected(name).items() if who in LIVING and word != "in"]


def test_whatever_names_a_match_shuts_some_of_the_living_out() -> None:
    assert {"PlayService/SubmitAction", "PlayService/WatchSeat"} < set(ABOUT_A_MATCH)
    for name in ABOUT_A_MATCH:
        assert "stranger" in shut_out(name), name
    named = {
        field.name
        for field in play_pb2.ClientFrame.DESCRIPTOR.fields
        if field.message_type is not None and names_a_match(field.message_type)
    }
    assert named == {"act"}, "the test of frames below knows no other"


@pytest.mark.parametrize("name", ABOUT_A_MATCH)
async def test_a_match_of_others_is_as_if_it_were_not_there(tmp_path: Path, name: str) -> None:
    async with world(tmp_path) as there:
        asked = request_for(name, there.owner_token_id)
        of_others, of_nobody = about("m", asked), about("n", asked)
        assert of_others != of_nobody
        for who in shut_out(name):
            credentials = there.credentials[who]
            answers = [
                await refusal(there.channel(name), METHODS[name], request, credentials)
                for request in (of_others, of_nobody)
            ]
            assert answers[0] == answers[1], who
            assert answers[0][0] in (NOT_FOUND, PERMISSION_DENIED)


async def refusal(
    channel: grpc.aio.Channel, method: MethodDescriptor, request: Message, metadata: Metadata
) -> tuple[grpc.StatusCode, str | None, str]:
    """Everything that a refused caller is told."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await first_answer(channel, method, request, metadata)
    return refused.value.code(), refused.value.details(), reason_of(refused.value)


async def test_a_frame_about_a_match_of_others_is_answered_as_if_it_were_not_there(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as there:
        running = there.running
        await running.register("outsider")
        client = await running.connect("outsider")
        submitted = request_for("PlayService/SubmitAction", "")
        answers = []
        for match_id in ("m", "n"):
            told: Any = about(match_id, submitted)
            await client.send(play_pb2.ClientFrame(act=told.act))
            answers.append((await client.read_until("stream_error")).stream_error)
    for answer, match_id in zip(answers, ("m", "n"), strict=True):
        assert answer.refusal.reason == "MATCH_UNKNOWN"
        # What the caller has said itself, and no more.
        assert answer.refusal.facts.pop("match_id") == match_id
    assert answers[0] == answers[1]
