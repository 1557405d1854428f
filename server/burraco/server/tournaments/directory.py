"""Every tournament: those that go on have a director, the others come back from their logs."""

import asyncio
import secrets
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import WeakSet

from burraco.server.audit import Audit
from burraco.server.credentials import HOST
from burraco.server.errors import ArenaError, draining, log_unavailable
from burraco.server.fields import MATCH_ID
from burraco.server.journal import Adjudicated
from burraco.server.metrics import Metrics
from burraco.server.store import StoreFailed, TournamentRow
from burraco.server.table import Table
from burraco.server.terms import MatchPlan
from burraco.server.tournaments.director import SERVER, Desk, Director
from burraco.server.tournaments.logbook import (
    DAMAGED,
    LIVING,
    Logbook,
    TournamentDamaged,
    fold,
    open_logbook,
)
from burraco.server.tournaments.refusals import (
    damaged,
    over,
    tournament_exists,
    unknown_tournament,
)
from burraco.server.tournaments.shown import summary_after
from burraco.server.tournaments.terms import Terms, terms_to_text
from burraco.tournament.boards import SECRET_BYTES, board_name, commitment_to
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Status
from burraco.tournament.rows import Opened

# Tournaments that are over and are kept at hand.
_AT_HAND: Final = 16


class Directory:
    """All tournaments of a server."""

    def __init__(self, desk: Desk, metrics: Metrics) -> None:
        self._desk = desk
        self._metrics = metrics
        self._directors: dict[str, Director] = {}
        self._past: OrderedDict[str, Logbook] = OrderedDict()
        self._being_made: set[str] = set()
        # Also those that are over and still have something to tell.
        self._all: WeakSet[Director] = WeakSet()
        for status in (Status.OPEN, Status.RUNNING, Status.PAUSED):
            metrics.tournaments.labels(status.value).set_function(partial(self._count, status))
        metrics.tournament_boards.set_function(self._waiting)
        metrics.tournament_matches.set_function(
            lambda: sum(len(director.live) for director in self._directors.values())
        )

    async def create(
        self, tournament_id: str, plan: Plan, terms: Terms, by: str, secret: bytes
    ) -> Logbook:
        """Make a tournament; an empty id, or secret, is chosen here."""
        tournament_id = tournament_id or f"t-{secrets.token_hex(8)}"
        if self._desk.tables.is_draining:
            raise draining()
        if tournament_id in self._being_made:
            raise tournament_exists(tournament_id)
        self._being_made.add(tournament_id)
        making = asyncio.create_task(self._make(tournament_id, plan, terms, by, secret))
        # It goes on where the caller has stopped waiting: what is stored is known here.
        making.add_done_callback(lambda made: made.cancelled() or made.exception())
        return await asyncio.shield(making)

    async def look_up(self, tournament_id: str) -> Logbook:
        """A tournament in any state."""
        director = self._directors.get(tournament_id)
        if director is not None:
            return director.book
        known = self._past.get(tournament_id)
        if known is not None:
            self._past.move_to_end(tournament_id)
            return known
        return self._keep(await self._read(await self.row(tournament_id)))

    async def row(self, tournament_id: str) -> TournamentRow:
        """What the store has of a tournament beside its log."""
        # What cannot be an id is never looked for in a database.
        is_id = MATCH_ID.fullmatch(tournament_id) is not None
        try:
            found = await self._desk.store.tournament(tournament_id) if is_id else None
        except StoreFailed as failure:
            raise log_unavailable() from failure
        if found is None:
            raise unknown_tournament(tournament_id)
        return found

    def directing(self, tournament_id: str) -> Director | None:
        """The director of a tournament that goes on."""
        return self._directors.get(tournament_id)

    async def director(self, tournament_id: str) -> Director:
        """The director of a tournament, or the refusal where nothing can be changed any more."""
        found = self._directors.get(tournament_id)
        if found is None:
            await self.look_up(tournament_id)
            raise over(tournament_id)
        return found

    async def recover(self) -> None:
        """Go on with tournaments that were not over when a server last stopped."""
        playing: dict[str, list[str]] = {}
        for plan in self._desk.tables.plans():
            if plan.event:
                playing.setdefault(plan.event, []).append(plan.match_id)
        aside = await self._desk.store.tournaments(None, (DAMAGED,), None)
        self._metrics.tournaments_damaged.set(len(aside))
        for found in await self._desk.store.tournaments(None, LIVING, None):
            try:
                book = await self._fold(found)
            except TournamentDamaged as broken:
                await self._set_aside(found, broken)
                continue
            self._direct(book).begin(playing.pop(found.tournament_id, ()), is_recovered=True)
        for match_ids in playing.values():
            for match_id in match_ids:
                await self._end(match_id)

    def ended(self, table: Table) -> None:
        """A match is over: whoever made it wants to know."""
        director = self._directors.get(table.record.plan.event)
        if director is not None:
            director.ended(table.record)

    async def is_settled(self, plan: MatchPlan) -> bool:
        """Whether no more tables of a tournament's board will be made, however many it has."""
        try:
            book = await self.look_up(plan.event)
        except ArenaError:
            return False
        if book.is_over:
            return True
        names = {
            board_name(book.tournament_id, book.secret, wanted.ref)
            for wanted in book.progress.unplayed()
        }
        return plan.board_id not in names

    async def stop(self) -> None:
        """Let every director stop."""
        for director in list(self._all):
            await director.stop()

    async def _make(
        self, tournament_id: str, plan: Plan, terms: Terms, by: str, secret: bytes
    ) -> Logbook:
        secret = secret or secrets.token_bytes(SECRET_BYTES)
        commitment = commitment_to(tournament_id, secret)
        opened = Opened(tournament_id, plan, terms_to_text(terms), commitment, by)
        book, first = open_logbook(opened, secret, self._desk.clock.date_ms())
        status, summary = summary_after(book, ())
        row = TournamentRow(
            tournament_id, status.value, book.created_ms, secret, first.version, summary
        )
        try:
            if await self._desk.store.tournament(tournament_id) is not None:
                raise tournament_exists(tournament_id)
            await self._desk.store.append_tournament([first], row)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        finally:
            self._being_made.discard(tournament_id)
        self._direct(book).begin()
        return book

    def _direct(self, book: Logbook) -> Director:
        director = Director(book, self._desk, self._done)
        self._directors[book.tournament_id] = director
        self._all.add(director)
        return director

    def _done(self, director: Director) -> None:
        del self._directors[director.book.tournament_id]
        self._keep(director.book)

    def _keep(self, book: Logbook) -> Logbook:
        self._past[book.tournament_id] = book
        if len(self._past) > _AT_HAND:
            self._past.popitem(last=False)
        return book

    async def _read(self, found: TournamentRow) -> Logbook:
        """One that is over, from its log."""
        if found.state == DAMAGED:
            raise damaged(found.tournament_id)
        try:
            return await self._fold(found)
        except StoreFailed as failure:
            raise log_unavailable() from failure
        except TournamentDamaged as broken:
            self._desk.broken(broken, "")
            raise damaged(found.tournament_id) from broken

    async def _fold(self, found: TournamentRow) -> Logbook:
        rows = await self._desk.store.tournament_log(found.tournament_id)
        return await self._desk.side_work.run(partial(fold, found, rows))

    async def _set_aside(self, found: TournamentRow, broken: TournamentDamaged) -> None:
        """Leave one tournament as it is for ever; the others go on."""
        self._desk.broken(broken, "")
        self._metrics.tournaments_damaged.inc()
        at = self._desk.clock.date_ms()
        noted = Audit.entry(at, HOST, "TOURNAMENT_DAMAGED", found.tournament_id, str(broken))
        # Before it is set aside, so that a start that fails in between does it again.
        await self._desk.store.note(noted)
        aside = TournamentRow(
            found.tournament_id,
            DAMAGED,
            found.created_ms,
            found.secret,
            found.version,
            found.summary,
        )
        await self._desk.store.append_tournament([], aside)

    async def _end(self, match_id: str) -> None:
        """End a match whose tournament is over or set aside."""
        table = self._desk.tables.find(match_id)
        if table is not None:
            # Where the log does not take it the match is played to its end, for nothing.
            with suppress(ArenaError):
                await self._desk.tables.adjudicate(
                    table, Adjudicated(SERVER, "its tournament is over")
                )

    def _count(self, status: Status) -> int:
        return sum(director.book.progress.status is status for director in self._directors.values())

    def _waiting(self) -> int:
        """Boards of tables that are still to be played, those that are being played included."""
        return sum(len(director.book.progress.unplayed()) for director in self._directors.values())
