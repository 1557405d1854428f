"""Ends of matches that a bot may have missed: it names them where its session begins afresh."""

import asyncio
from collections.abc import Callable, Sequence

from burraco.server.clock import Clock
from burraco.server.errors import ArenaError, Complaint
from burraco.server.links import seat_ref
from burraco.server.quarantine import stored_summary, void_endings, voided
from burraco.server.requests import is_match_id
from burraco.server.sessions import Session, Sessions
from burraco.server.settings import RETRY_SECONDS
from burraco.server.store import MatchRow, Store, StoreFailed
from burraco.server.tables import Tables
from burraco.server.terms import MatchState
from burraco.v1 import play_pb2


class Endings:
    """Looks matches up one after the other beside the stream, which goes on meanwhile.

    ``broken`` takes a fault of the server's own and the match that it concerns.
    """

    def __init__(
        self,
        store: Store,
        tables: Tables,
        sessions: Sessions,
        clock: Clock,
        broken: Callable[[Exception, str], object],
    ) -> None:
        self._store = store
        self._tables = tables
        self._sessions = sessions
        self._clock = clock
        self._broken = broken
        self._tasks: set[asyncio.Task[None]] = set()

    def tell(self, session: Session, match_ids: Sequence[str]) -> None:
        """Send a session the ends of those matches that are over and that it was not told."""
        task = asyncio.create_task(self._tell(session, tuple(dict.fromkeys(match_ids))))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Look nothing more up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _tell(self, session: Session, match_ids: Sequence[str]) -> None:
        for match_id in match_ids:
            ends = await self._look_up(session, match_id)
            if not self._is_current(session):
                return
            for ended in ends:
                if not session.knows_end(ended):
                    session.send(play_pb2.ServerFrame(match_ended=ended))
        session.told = None

    def _is_current(self, session: Session) -> bool:
        return self._sessions.of(session.player) is session

    async def _look_up(self, session: Session, match_id: str) -> Sequence[play_pb2.MatchEnded]:
        """The ends of a player's seats in a match; again and again where the store is away."""
        # A match that is played here tells its end by itself.
        while self._is_current(session) and self._tables.find(match_id) is None:
            try:
                return await self._ends(match_id, session.player)
            except ArenaError as refused:
                if refused.retry_ms is None:
                    return ()
                await self._pause()
            except StoreFailed:
                await self._pause()
            except Exception as error:
                self._broken(error, match_id)
                return ()
        return ()

    async def _pause(self) -> None:
        over = asyncio.Event()
        timer = self._clock.call_at(self._clock.now() + RETRY_SECONDS, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    async def _ends(self, match_id: str, player: str) -> Sequence[play_pb2.MatchEnded]:
        row = await self._store.match(match_id) if is_match_id(match_id) else None
        if row is None or row.state is not MatchState.ENDED or player not in row.players:
            return ()
        summary = stored_summary(row)
        if summary is None:
            return await self._ends_by_log(row, player)
        # Of a board its seed is left out: GetMatch has it once all of its tables have ended.
        return [
            play_pb2.MatchEnded(seat=seat_ref(match_id, seat), result=summary.result)
            for seat, name in enumerate(row.players)
            if name == player
        ]

    async def _ends_by_log(self, row: MatchRow, player: str) -> Sequence[play_pb2.MatchEnded]:
        """What the summary would say that was not stored yet, or is damaged."""
        try:
            table = await self._tables.look_up(row.match_id, lambda players: player in players)
        except ArenaError as error:
            if error.complaint is not Complaint.MATCH_QUARANTINED:
                raise
            void = voided(row, await self._store.log(row.match_id))
            return [ended for name, ended in void_endings(void) if name == player]
        secret = await self._tables.shown_secret(table.record)
        frames = [
            table.publisher.ended_frame(seat, secret) for seat in table.record.seats_of(player)
        ]
        return [frame.match_ended for frame in frames]
