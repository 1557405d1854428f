"""Every match that waits or is played; finished ones come back from their log."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final

from burraco.server.errors import (
    ArenaError,
    Complaint,
    draining,
    log_unavailable,
    quarantined,
    unknown_match,
)
from burraco.server.greeting import Greeting
from burraco.server.house import House
from burraco.server.journal import Adjudicated, Created, Joined
from burraco.server.links import SeatLink
from burraco.server.quarantine import quarantine_entry, void_endings, void_record, voided
from burraco.server.record import MatchRecord
from burraco.server.recovery import LogBroken, fold
from burraco.server.requests import is_match_id
from burraco.server.resuming import OpenSeat
from burraco.server.sessions import Session
from burraco.server.sidework import SideWork
from burraco.server.store import LogRow, MatchRow, Store, StoreFailed
from burraco.server.table import Table
from burraco.server.terms import MatchPlan, MatchState
from burraco.v1 import play_pb2

# Finished matches that are kept at hand for acts that come late.
_AT_HAND: Final = 32


class Tables:
    """All tables of a server."""

    def __init__(self, store: Store, house: House, side_work: SideWork) -> None:
        self._side_work = side_work
        self._store = store
        self._house = house
        self._greeting = Greeting(house)
        self._tables: dict[str, Table] = {}
        self._by_player: dict[str, dict[str, Table]] = {}
        self._being_made: set[str] = set()
        self._finished: OrderedDict[str, Table] = OrderedDict()
        # Ends that players have to be told when they come.
        self._voided: dict[str, list[play_pb2.MatchEnded]] = {}
        self.is_draining = False
        # Whether no table will be made any more of a board that has had fewer than it was to have.
        self.is_settled: Callable[[MatchPlan], Awaitable[bool]] = _never_settled
        house.metrics.matches_live.set_function(lambda: len(self._tables))

    def __len__(self) -> int:
        return len(self._tables)

    def find(self, match_id: str) -> Table | None:
        """A match that waits or is played."""
        return self._tables.get(match_id)

    def plans(self) -> list[MatchPlan]:
        """The plans of all matches that wait or are played."""
        return [table.record.plan for table in self._tables.values()]

    def of(self, player: str) -> list[Table]:
        """The tables at which a player has a seat."""
        return list(self._by_player.get(player, {}).values())

    def count_of(self, player: str) -> int:
        """How many matches a player has that wait or are played."""
        return len(self._by_player.get(player, ()))

    async def look_up(self, match_id: str, may_see: Callable[[Sequence[str]], bool]) -> Table:
        """A match in any state; NOT_FOUND too where ``may_see`` says no to its players.

        What else is wrong with a match is told to nobody who may not know that there is one.
        """
        table = self._tables.get(match_id)
        try:
            table = table or await self._revive(match_id)
        except ArenaError as error:
            if error.complaint is not Complaint.LOG_UNAVAILABLE:
                await self._require_visible(match_id, may_see)
            raise
        if table is None or not may_see(table.record.players):
            raise unknown_match(match_id)
        return table

    async def _require_visible(
        self, match_id: str, may_see: Callable[[Sequence[str]], bool]
    ) -> None:
        try:
            row = await self._store.match(match_id)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        if row is None or not may_see(row.players):
            raise unknown_match(match_id)

    async def create(self, plan: MatchPlan) -> Table:
        """Make a match and wait until its seed is in the log."""
        if self.is_draining:
            raise draining()
        if plan.match_id in self._tables or plan.match_id in self._being_made:
            raise _exists(plan.match_id)
        self._being_made.add(plan.match_id)
        try:
            if await self._store.match(plan.match_id) is not None:
                raise _exists(plan.match_id)
            if self.is_draining:
                raise draining()
            return await self._make(plan)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        finally:
            self._being_made.discard(plan.match_id)

    async def board_secret(self, board_id: str) -> bytes | None:
        """The seed of a board that has a table already, None for a new one."""
        await self._open_board(board_id)
        return self._house.boards.secret_of(board_id)

    def open_at(self, links: Iterable[SeatLink]) -> list[OpenSeat]:
        """The decisions that were told over links and wait for their answers."""
        now, found = self._house.clock.now(), []
        for link in links:
            table = self._tables.get(link.match_id)
            asked = None if table is None else table.asked
            if table is not None and asked is not None and link.was_asked(asked.seat, asked.number):
                found.append(OpenSeat(link, asked, table.record.tries + 1, now))
        return found

    async def join(self, table: Table, joined: Joined) -> None:
        """Let a player take a free place, or raise why not."""
        if self.is_draining:
            raise draining()
        # Before the answer, so that a session which opens meanwhile finds its table.
        tables = self._by_player.setdefault(joined.player, {})
        seated = table.match_id in tables
        tables[table.match_id] = table
        try:
            await _told(partial(table.join, joined))
        except ArenaError:
            if not seated:
                self._leave(joined.player, table)
            raise

    async def adjudicate(self, table: Table, row: Adjudicated) -> None:
        """End a match where it stands, or raise why not."""
        if self.is_draining:
            raise draining()
        await _told(partial(table.adjudicate, row))

    async def recover(self, match_ids: Sequence[str]) -> None:
        """Go on with matches that had not ended when a server last stopped."""
        for match_id in match_ids:
            rows = await self._store.log(match_id)
            try:
                record, events = await self._side_work.run(partial(fold, rows))
                await self._open_board(record.plan.board_id)
            except (LogBroken, ArenaError) as broken:
                await self._quarantine(match_id, rows, broken)
                continue
            table = Table(record, self._house, events)
            self._enter(table)
            table.open()

    async def _quarantine(self, match_id: str, rows: Sequence[LogRow], broken: Exception) -> None:
        """Set one match aside for ever; the others go on."""
        self._house.broken(broken, match_id)
        self._house.metrics.matches_quarantined.inc()
        found = await self._store.match(match_id)
        if found is None:
            return
        void = voided(found, rows)
        # Before it is void, so that a start that fails in between does it again.
        await self._store.note(quarantine_entry(self._house.clock.date_ms(), match_id, broken))
        await self._store.append([], [void])
        for player, ended in void_endings(void):
            self._voided.setdefault(player, []).append(ended)

    def freeze(self) -> None:
        """Let nothing more happen anywhere."""
        self.is_draining = True
        self._greeting.stop()
        for table in self._tables.values():
            table.freeze()

    async def shown_secret(self, record: MatchRecord) -> bytes:
        """The seed of a match, empty while it, or a table of its board, is played."""
        if record.state is not MatchState.ENDED:
            return b""
        board_id = record.plan.board_id
        if board_id:
            mates = await self._store.board(board_id)
            ended = sum(mate.state is MatchState.ENDED for mate in mates)
            is_over = ended >= record.plan.board_tables or (
                ended == len(mates) and await self.is_settled(record.plan)
            )
            return record.plan.secret if is_over else b""
        return record.plan.secret

    def renewed(self, session: Session, before: Session | None) -> None:
        """A player has a new session: its tables tell that one from now on."""
        tables = self.of(session.player)
        if before is not None:
            for table in tables:
                table.publisher.detach(before)
        self._greeting.greet(session, tables)
        for ended in self._voided.pop(session.player, ()):
            session.send(play_pb2.ServerFrame(match_ended=ended))

    def moved(self, player: str) -> None:
        """A player has come or gone."""
        for table in self.of(player):
            table.presence_changed()

    def ended(self, table: Table) -> None:
        """A match is over: its log remains, and for a while what is to be said to late acts."""
        record = table.record
        self._tables.pop(table.match_id, None)
        self._keep_at_hand(table)
        for player in set(record.players):
            self._leave(player, table)
        self._house.metrics.ended(record)

    async def _make(self, plan: MatchPlan) -> Table:
        await self._open_board(plan.board_id)
        record = MatchRecord(plan)
        table = Table(record, self._house, 0)
        self._house.boards.enter(record)
        made: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def failed(failure: StoreFailed) -> None:
            self._house.boards.leave(record)
            _settle(made, failure)

        table.commit(
            [(Created(plan), None)], partial(_settle, made, None), failed, table.match_row()
        )
        await made
        self._enter(table)
        table.open()
        return table

    def _keep_at_hand(self, table: Table) -> Table:
        self._finished[table.match_id] = table
        if len(self._finished) > _AT_HAND:
            self._finished.popitem(last=False)
        return table

    def _enter(self, table: Table) -> None:
        self._tables[table.match_id] = table
        for player in table.record.players:
            if player:
                self._by_player.setdefault(player, {})[table.match_id] = table
        if self.is_draining:
            table.freeze()

    def _leave(self, player: str, table: Table) -> None:
        tables = self._by_player.get(player)
        if tables is not None:
            tables.pop(table.match_id, None)
            if not tables:
                del self._by_player[player]

    async def _open_board(self, board_id: str) -> None:
        """Bring a board back that the store knows and we do not."""
        if not board_id or self._house.boards.knows(board_id):
            return
        records = []
        for mate in await self._store.board(board_id):
            rows = await self._store.log(mate.match_id)
            records.append(await self._side_work.run(partial(_fold_or_void, mate, rows)))
        # All at once: a board that is known in part would take more tables than it has.
        for record in records:
            if record is not None:
                self._house.boards.enter(record)

    async def _revive(self, match_id: str) -> Table | None:
        known = self._finished.get(match_id)
        if known is not None:
            self._finished.move_to_end(match_id)
            return known
        if not is_match_id(match_id):
            return None
        try:
            found = await self._store.match(match_id)
            if found is None or found.state is not MatchState.ENDED:
                return self._tables.get(match_id)
            rows = await self._store.log(match_id)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        try:
            record, events = await self._side_work.run(partial(fold, rows))
        except LogBroken as broken:
            raise quarantined(match_id) from broken
        if record.state is not MatchState.ENDED:
            # It was set aside for what is wrong around its log.
            raise quarantined(match_id)
        # Where it has just ended here, the table that was played knows more than its log.
        return self._keep_at_hand(
            self._finished.get(match_id) or Table(record, self._house, events)
        )


async def _never_settled(_plan: MatchPlan) -> bool:
    """Whoever makes the tables of a board may always make another."""
    return False


def _fold_or_void(mate: MatchRow, rows: Sequence[LogRow]) -> MatchRecord | None:
    """A table of a board, where its log is whole; else it has ended as far as that is known."""
    try:
        return fold(rows)[0]
    except LogBroken:
        return void_record(mate, rows)


async def _told(ask: Callable[[Callable[[ArenaError | None], None]], None]) -> None:
    answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    ask(partial(_settle, answered))
    await answered


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    """Answer somebody who may have stopped waiting."""
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


def _exists(match_id: str) -> ArenaError:
    return ArenaError(
        Complaint.MATCH_EXISTS,
        f"a match {match_id} exists already: choose another id, or none",
        match_id=match_id,
    )
