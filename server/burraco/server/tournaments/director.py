"""Runs one tournament: rounds are paired, matches made and their results written down.

A step is decided on what the log says, stored, and only then taken in; so whatever is shown is so
after a restart too. What the director wants follows from the log alone, and a match that it has
made is found again by its name: it may be killed at any moment.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from burraco.server.clock import Clock, Timer
from burraco.server.errors import ArenaError, Complaint, draining, log_unavailable
from burraco.server.journal import Adjudicated
from burraco.server.record import MatchRecord
from burraco.server.recovery import LogBroken
from burraco.server.recovery import fold as fold_match
from burraco.server.settings import RETRY_SECONDS
from burraco.server.sidework import SideWork
from burraco.server.store import Store, StoreFailed, TournamentRow
from burraco.server.tables import Tables
from burraco.server.terms import MatchPlan, MatchState
from burraco.server.tournaments.audience import Audience
from burraco.server.tournaments.halves import half_of, is_void, match_names, match_plan
from burraco.server.tournaments.logbook import Logbook
from burraco.server.tournaments.ranked import standings_of
from burraco.server.tournaments.refusals import field_too_small, started
from burraco.server.tournaments.shown import places_to_wire, summary_after, summary_to_wire
from burraco.tournament.boards import BoardRef
from burraco.tournament.deciding import Decision
from burraco.tournament.duels import duel_decision
from burraco.tournament.field import Format
from burraco.tournament.progress import Progress, Status, Wanted
from burraco.tournament.rows import BoardPlayed, BoardVoided, Finished, Paused, Row
from burraco.v1 import tournament_service_pb2

# Boards that the server itself spoils so often are a fault that playing again does not mend.
MOST_VOIDS: Final = 8
SERVER: Final = "server"
_UNWANTED: Final = "its table has been decided"


@dataclass(frozen=True, slots=True)
class Desk:
    """What every director needs; ``broken`` takes a fault of ours, and what it concerns."""

    store: Store
    tables: Tables
    side_work: SideWork
    clock: Clock
    broken: Callable[[Exception, str], object]


# Gives the next rows, none where there is nothing to write, or raises the refusal.
Decide = Callable[[Progress], Awaitable[Sequence[Row]]]


class Director:
    """One tournament that is not over; ``live`` are its matches that wait or are played.

    ``done`` is told once it is over and none of its matches is played any more.
    """

    def __init__(self, book: Logbook, desk: Desk, done: Callable[["Director"], None]) -> None:
        self.book = book
        self.live: set[str] = set()
        self.audience = Audience(desk.clock, self._picture, self._broken)
        self._desk = desk
        self._done = done
        self._turn = asyncio.Lock()
        self._due = asyncio.Event()
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None
        self._taking: set[asyncio.Task[None]] = set()
        # Matches that are over and not written down yet; None where a log is damaged.
        self._ended: dict[str, MatchRecord | None] = {}
        self._names: dict[BoardRef, tuple[str, ...]] = {}
        # Whether there may be matches in the store that this director has not made.
        self._must_look = False

    def begin(self, playing: Iterable[str] = (), *, is_recovered: bool = False) -> None:
        """Go on from what the log says."""
        self.live.update(playing)
        self._must_look = is_recovered
        self._due.set()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Do nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(*self._taking, return_exceptions=True)
        await self.audience.stop()

    def ended(self, record: MatchRecord) -> None:
        """One of its matches is over."""
        match_id = record.plan.match_id
        self.live.discard(match_id)
        self._ended[match_id] = record
        self._due.set()

    async def step(
        self,
        expected: int,
        row: Row,
        refuse: Callable[[Progress], ArenaError | None],
        reached: Status | None = None,
        note: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Take a step that somebody decided on a version, 0 for any; the same again is harmless.

        There is nothing to do where it stands at ``reached`` already. ``note`` is waited for before
        anything is done, and where it raises nothing is.
        """

        async def decide(progress: Progress) -> Sequence[Row]:
            if self.book.is_repeated(expected, row):
                return ()
            refusal = refuse(progress)
            if refusal is not None:
                raise refusal
            if progress.status is reached:
                return ()
            if note is not None:
                await note()
            return (row,)

        await self.take(decide)

    async def start(self, expected: int, row: Row) -> None:
        """Begin the first round, once; whoever decided on the same version is answered alike."""

        async def decide(progress: Progress) -> Sequence[Row]:
            if self.book.is_repeated(expected, row):
                return ()
            if progress.status is not Status.OPEN:
                raise started(progress.version)
            paired = await self._pairing()
            if paired is None:
                raise field_too_small()
            return row, paired

        await self.take(decide)

    async def take(self, decide: Decide) -> None:
        """Let somebody decide on the next rows, who may refuse, and write them.

        Nobody else decides meanwhile. It goes on where the caller has stopped waiting.
        """
        taking = asyncio.create_task(self._take(decide))
        self._taking.add(taking)
        taking.add_done_callback(self._taken)
        await asyncio.shield(taking)

    def _taken(self, taking: asyncio.Task[None]) -> None:
        self._taking.discard(taking)
        if not taking.cancelled():
            # Whoever waits is told; where nobody does any more, it is no fault of ours.
            taking.exception()

    async def _take(self, decide: Decide) -> None:
        async with self._turn:
            try:
                await self._write(await decide(self.book.progress))
            except StoreFailed as failure:
                raise log_unavailable() from failure

    async def _write(self, rows: Sequence[Row]) -> None:
        """Store rows, then take them in, then tell."""
        if not rows:
            return
        if self._desk.tables.is_draining:
            raise draining()
        book, stored = self.book, self.book.written(rows)
        status, summary = summary_after(book, rows)
        changed = TournamentRow(
            tournament_id=book.tournament_id,
            state=status.value,
            created_ms=book.created_ms,
            secret=book.secret,
            version=stored[-1].version,
            summary=summary,
        )
        await self._desk.store.append_tournament(stored, changed)
        for row, written in zip(rows, stored, strict=True):
            book.add(row, written.chain)
        self._due.set()
        self.audience.changed()

    async def _run(self) -> None:
        while not (self.book.is_over and not self.live):
            await self._due.wait()
            self._due.clear()
            try:
                await self._direct()
            except (ArenaError, StoreFailed):
                # Nothing is lost: results are in the logs of their matches.
                self._again_later()
            except Exception as error:
                self._broken(error)
                self._again_later()
        self._done(self)

    async def _direct(self) -> None:
        """Do whatever is due."""
        if self._desk.tables.is_draining:
            return
        if self._must_look:
            await self._look()
            self._must_look = False
        async with self._turn:
            while rows := await self._next_rows():
                await self._write(rows)
        self._forget()
        await self._stop_unwanted()
        await self._make_matches()

    async def _next_rows(self) -> Sequence[Row]:
        progress = self.book.progress
        if self.book.is_over:
            return ()
        if progress.current is not None:
            return self._results()
        if progress.status is not Status.RUNNING:
            return ()
        decision = self._decision()
        if decision is not None:
            return (self._finished(f"decided: {decision.value}"),)
        paired = await self._pairing()
        if paired is not None:
            self._names.clear()
            return (paired,)
        few = len(progress.active) < 2
        return (self._finished("fewer than two are left" if few else "all rounds were played"),)

    async def _pairing(self) -> Row | None:
        """The next round; found beside the event loop, which a large field would hold up."""
        next_pairing = partial(self.book.progress.next_pairing, self.book.secret)
        return await self._desk.side_work.run(next_pairing)

    def _finished(self, reason: str) -> Finished:
        return Finished(reason, self.book.secret.hex())

    def _decision(self) -> Decision | None:
        """What a duel has come to, once that is known."""
        progress = self.book.progress
        if not progress.played:
            return None
        stage = progress.plan.stages[progress.played[-1].stage]
        decision = duel_decision(progress) if stage.format is Format.DUEL else None
        return None if decision is Decision.UNDECIDED else decision

    def _results(self) -> list[Row]:
        """Rows of boards that are over, one a table: the next may not count any more."""
        rows: list[Row] = []
        told: set[int] = set()
        for wanted in self.book.progress.unplayed():
            if wanted.table not in told:
                found = self._result(wanted)
                told.update([wanted.table] if found else ())
                rows += found
        return rows

    def _result(self, wanted: Wanted) -> Sequence[Row]:
        names = self._names_of(wanted)
        ended = [
            (half, self._ended[name]) for half, name in enumerate(names) if name in self._ended
        ]
        ref = wanted.ref
        if any(is_void(self.book, wanted, half, record) for half, record in ended):
            void = BoardVoided(wanted.table, ref.board, ref.attempt, "a fault of the server's own")
            if ref.attempt + 1 < MOST_VOIDS or self.book.progress.status is not Status.RUNNING:
                return (void,)
            why = f"board {ref.board + 1} of table {wanted.table + 1} was void too often"
            return void, Paused(why, SERVER)
        if len(ended) < len(names):
            return ()
        halves = tuple(half_of(record, half) for half, record in ended if record is not None)
        return (BoardPlayed(wanted.table, ref.board, ref.attempt, halves),)

    async def _stop_unwanted(self) -> None:
        """End matches that count for nothing any more."""
        wanted = self._wanted_names()
        for match_id in sorted(self.live - wanted):
            await self._adjudicate(match_id)

    async def _adjudicate(self, match_id: str) -> None:
        table = self._desk.tables.find(match_id)
        if table is None:
            self.live.discard(match_id)
            self._due.set()
            return
        try:
            await self._desk.tables.adjudicate(table, Adjudicated(SERVER, _UNWANTED))
        except ArenaError as refused:
            if refused.complaint is not Complaint.MATCH_ENDED:
                raise

    async def _make_matches(self) -> None:
        """Begin the boards that there is room for, a board at all tables before the next one."""
        room = self.book.terms.tables_at_once - len(self.live)
        making: list[tuple[Wanted, int]] = []
        wanted = sorted(self.book.progress.wanted(), key=lambda one: (one.ref.board, one.table))
        for one in wanted:
            missing = [
                (one, half)
                for half, name in enumerate(self._names_of(one))
                if name not in self.live and name not in self._ended
            ]
            # The halves of a board begin together, even where that is more than may be played.
            if len(making) + len(missing) > room and (self.live or making):
                break
            making += missing
        # All of it before anything is waited for: a round may be over after that.
        date_ms = self._desk.clock.date_ms()
        plans = [match_plan(self.book, one, half, date_ms) for one, half in making]
        made = [self._make_match(plan) for plan in plans]
        for outcome in await asyncio.gather(*made, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _make_match(self, plan: MatchPlan) -> None:
        # Before it is made: it may end at once.
        self.live.add(plan.match_id)
        try:
            await self._desk.tables.create(plan)
        except BaseException as error:
            self.live.discard(plan.match_id)
            self._must_look |= (
                isinstance(error, ArenaError) and error.complaint is Complaint.MATCH_EXISTS
            )
            raise

    async def _look(self) -> None:
        """Find the matches of wanted boards that were made before the server stopped."""
        for wanted in self.book.progress.unplayed():
            for name in self._names_of(wanted):
                if name in self._ended or name in self.live:
                    continue
                if self._desk.tables.find(name) is not None:
                    self.live.add(name)
                    continue
                row = await self._desk.store.match(name)
                if row is not None and row.state is MatchState.ENDED:
                    self._ended[name] = await self._read(name)

    async def _read(self, match_id: str) -> MatchRecord | None:
        rows = await self._desk.store.log(match_id)
        try:
            record, _ = await self._desk.side_work.run(partial(fold_match, rows))
        except LogBroken:
            return None
        # One that was set aside has not ended by its log.
        return record if record.state is MatchState.ENDED else None

    def _forget(self) -> None:
        """Keep only what is still to be written down."""
        wanted = self._wanted_names()
        self._ended = {name: record for name, record in self._ended.items() if name in wanted}

    def _wanted_names(self) -> set[str]:
        if self.book.is_over:
            return set()
        unplayed = self.book.progress.unplayed()
        return {name for wanted in unplayed for name in self._names_of(wanted)}

    def _names_of(self, wanted: Wanted) -> tuple[str, ...]:
        names = self._names.get(wanted.ref)
        if names is None:
            names = self._names[wanted.ref] = match_names(self.book, wanted)
        return names

    def _again_later(self) -> None:
        clock = self._desk.clock
        if self._timer is not None:
            self._timer.cancel()
        self._timer = clock.call_at(clock.now() + RETRY_SECONDS, self._due.set)

    def _broken(self, error: Exception) -> None:
        self._desk.broken(error, "")

    async def _picture(self) -> tuple[bytes, bool]:
        standings = await standings_of(self.book, self._desk.side_work)
        shown = tournament_service_pb2.WatchTournamentResponse(
            tournament=summary_to_wire(self.book), places=places_to_wire(standings)
        )
        return shown.SerializeToString(), self.book.is_over
