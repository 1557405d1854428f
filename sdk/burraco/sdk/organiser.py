"""What an organiser does: registers bots, makes matches, watches them and takes their results."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import grpc
import grpc.aio

from burraco.engine import Ruleset
from burraco.sdk.calls import CALL_SECONDS, Complaint, Server, Tls, complaint_of
from burraco.sdk.decoding import summary_from_wire, watched_from_wire
from burraco.sdk.matches import Clocks, Faults, MatchState, MatchSummary, Watched
from burraco.sdk.outcome import MatchResult
from burraco.sdk.requests import clock_terms, fault_terms, rules_choice
from burraco.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
    matches_pb2,
)
from burraco.wire import seat_to_wire

# How often a result is asked for: soon at first, since a board lasts about a second.
_SOONEST: Final = 0.05
_LATEST: Final = 0.5
# A server that is away for longer than this is not waited for.
_PATIENCE_SECONDS: Final = 60.0
_PAGE: Final = 200
_AWAY: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
T = TypeVar("T")


class OrganiserFailed(Exception):
    """A call failed; the text is what the server said. ``complaint`` has its code and reason."""

    def __init__(self, what: str, complaint: Complaint) -> None:
        self.complaint = complaint
        super().__init__(f"{what}: {complaint.message or complaint.code.name}")


class Organiser:
    """A connection of an organiser, for ``async with Organiser(address, token) as organiser``."""

    def __init__(self, address: str, token: str, tls: Tls | None = None) -> None:
        self._server = Server(address, token, tls)

    async def __aenter__(self) -> "Organiser":
        self._channel = self._server.channel()
        self._bots = bot_service_pb2_grpc.BotServiceStub(self._channel)
        self._matches = match_service_pb2_grpc.MatchServiceStub(self._channel)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._channel.close(None)

    async def register_bot(self, name: str) -> str:
        """Make a player; gives its token, which the server shows only now."""
        request = bot_service_pb2.RegisterBotRequest(name=name)
        answer = await self._call(f"bot {name}", self._bots.RegisterBot, request)
        return answer.token

    async def create_match(
        self,
        players: Sequence[str],
        *,
        match_id: str = "",
        rules: str | Ruleset = "classic",
        deals: int = 0,
        seed: bytes = b"",
        dealer: int | None = None,
        draw_seats: bool = False,
        asks_cut: bool = False,
        policy: str = "",
        clocks: Clocks | str | None = None,
        faults: Faults | None = None,
        overrides: Mapping[str, int] | None = None,
        board_id: str = "",
        board_tables: int = 0,
    ) -> MatchSummary:
        """Make a match of as many players as its rules seat; an empty name leaves the seat free.

        What is left out is chosen by the server. ``rules`` is a preset by name, or a ruleset that
        starts from one. ``policy`` is one by name, as ``clocks`` may be; ``overrides`` are single
        values of clocks and faults that differ from it.
        """
        request = match_service_pb2.CreateMatchRequest(
            match_id=match_id,
            rules=rules_choice(rules),
            players=players,
            deals=deals,
            seed=seed,
            dealer=None if dealer is None else seat_to_wire(dealer),
            draw_seats=draw_seats,
            asks_cut=asks_cut,
            policy=policy,
            clocks=clock_terms(clocks) if isinstance(clocks, Clocks) else None,
            clock_preset=clocks if isinstance(clocks, str) else "",
            faults=None if faults is None else fault_terms(faults),
            overrides=overrides,
            board_id=board_id,
            board_tables=board_tables,
        )
        what = f"match {match_id}".rstrip()
        answer = await self._call(what, self._matches.CreateMatch, request)
        return summary_from_wire(answer.match)

    async def show(self, match_id: str) -> MatchSummary:
        """What a match is now."""
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        answer = await self._call(f"match {match_id}", self._matches.GetMatch, request)
        return summary_from_wire(answer.match)

    async def matches(self, state: MatchState | None = None) -> AsyncIterator[MatchSummary]:
        """Every match the caller may see, oldest first."""
        request = match_service_pb2.ListMatchesRequest(page_size=_PAGE)
        if state is not None:
            request.state = matches_pb2.MatchState.Value(f"MATCH_STATE_{state.name}")
        while True:
            page = await self._call("matches", self._matches.ListMatches, request)
            for match in page.matches:
                yield summary_from_wire(match)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def watch_match(self, match_id: str) -> AsyncIterator[Watched]:
        """The public view of a match, live, until it is over."""
        rules = (await self.show(match_id)).rules
        request = match_service_pb2.WatchMatchRequest(match_id=match_id)
        call: Any = self._matches.WatchMatch(request, metadata=self._server.metadata)
        try:
            async for message in call:
                assert rules is not None, "a match without rules shows nothing"
                yield watched_from_wire(message, rules)
        except grpc.aio.AioRpcError as error:
            raise OrganiserFailed(f"match {match_id}", complaint_of(error)) from None
        finally:
            call.cancel()

    async def result(self, match_id: str) -> MatchResult:
        """The outcome of a match, however long it takes, over restarts of the server too."""
        pause, contact = _SOONEST, time.monotonic()
        while True:
            try:
                summary = await self.show(match_id)
            except OrganiserFailed as failed:
                is_away = failed.complaint.code in _AWAY
                if not is_away or time.monotonic() - contact > _PATIENCE_SECONDS:
                    raise
            else:
                contact = time.monotonic()
                if summary.result is not None:
                    return summary.result
            await asyncio.sleep(pause)
            pause = min(_LATEST, pause * 1.5)

    async def export(self, match_id: str) -> str:
        """A finished match in Burraco Game Notation."""
        request = match_service_pb2.ExportMatchRequest(match_id=match_id)
        return (await self._call(f"match {match_id}", self._matches.ExportMatch, request)).bgn

    async def adjudicate(self, match_id: str, reason: str) -> MatchSummary:
        """End a running match where it stands."""
        request = match_service_pb2.AdjudicateMatchRequest(match_id=match_id, reason=reason)
        answer = await self._call(f"match {match_id}", self._matches.AdjudicateMatch, request)
        return summary_from_wire(answer.match)

    async def _call(self, what: str, method: Callable[..., Awaitable[T]], request: object) -> T:
        try:
            return await method(request, metadata=self._server.metadata, timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise OrganiserFailed(what, complaint_of(error)) from None
