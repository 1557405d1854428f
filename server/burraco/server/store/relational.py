"""A store in a relational database; what SQLite and PostgreSQL do differently is beside it."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Executable, Table, select, tuple_, update
from sqlalchemy.engine import RowMapping

from burraco.server.settings import CLAIM_SECONDS, LOOK_SECONDS
from burraco.server.store import (
    AuditRow,
    LogRow,
    MatchFilter,
    MatchRow,
    StoreFailed,
    StoreFenced,
    StoreUnreachable,
    StoreUnusable,
    TokenRow,
    TournamentLogRow,
    TournamentRow,
)
from burraco.server.store.credentials import (
    TOKEN_CHANGES,
    TOKEN_KEYS,
    add_note,
    all_tokens,
    note_of,
    notes_before,
    token_of,
    token_values,
)
from burraco.server.store.migrating import SchemaRefused, migrate
from burraco.server.store.tables import log, matches, seats, service, tokens
from burraco.server.store.tournaments import (
    has_row,
    log_of,
    log_row_of,
    one_tournament,
    put_tournament,
    tournament_of,
    tournaments_after,
)
from burraco.server.store.worker import CommitUnknown, Worker
from burraco.server.terms import MatchState

T = TypeVar("T")


class Dialect(Protocol):
    """What one kind of database does in its own way."""

    name: str
    advice: str

    def engine(self, *, writes: bool) -> Engine:
        """An engine without a pool; its transactions lock what they read where they write."""

    def socket_of(self, connection: Connection) -> socket.socket | None:
        """A socket of its own that stands for a connection, None where there is none."""

    def lock_epochs(self, connection: Connection, match_ids: Sequence[str]) -> dict[str, int]:
        """Lock matches until the transaction ends, and give the epochs they have by then."""

    def insert_log(self, connection: Connection, rows: Sequence[LogRow]) -> None:
        """Add rows to the log."""

    def put(self, table: Table, keys: Sequence[str], changing: Sequence[str]) -> Executable:
        """A statement that inserts rows, or changes some columns of those that are there."""


class RelationalStore:
    """Matches and tokens in the tables of one database; ``patience`` is what it may take."""

    def __init__(self, dialect: Dialect, patience: float) -> None:
        self._dialect = dialect
        self._epoch: int | None = None
        writing, reading = dialect.engine(writes=True), dialect.engine(writes=False)
        self._writer = Worker(writing, dialect.socket_of, patience, "log-writer")
        self._reader = Worker(reading, dialect.socket_of, patience, "log-reader")

    async def open(self) -> None:
        """Make the tables, or bring them up to date."""
        name = self._dialect.name
        try:
            await self._writer.run(migrate, CLAIM_SECONDS)
        except SchemaRefused as refused:
            raise StoreUnusable(f"{name}: {refused}") from refused
        except (StoreFailed, CommitUnknown) as failure:
            raise StoreUnusable(
                f"{name}: not a database this server can use ({failure}); {self._dialect.advice}"
            ) from failure

    async def close(self) -> None:
        """Close every connection."""
        await self._writer.close()
        await self._reader.close()

    async def claim(self) -> list[str]:
        """Take over every match that has not ended and give their ids, oldest first."""
        try:
            self._epoch, match_ids = await self._writer.run(_claim, CLAIM_SECONDS)
        except CommitUnknown as unknown:
            # Maybe an epoch that nobody has: the next claim raises it again.
            raise StoreFailed(str(unknown)) from unknown
        return match_ids

    async def require_ownership(self) -> None:
        """Compare epochs beside whatever is written, which it never waits for."""
        assert self._epoch is not None, "nobody owns it yet: claim first"
        await self._look(partial(_compare_epochs, self._epoch))

    async def append(self, rows: Sequence[LogRow], changed: Sequence[MatchRow]) -> None:
        """Add log rows and put match rows in place in one transaction."""
        assert self._epoch is not None, "only the owner writes: claim first"
        await self._write_once(
            partial(_append, self._dialect, self._epoch, rows, changed),
            partial(_is_stored, self._dialect, rows),
        )

    async def log(self, match_id: str) -> list[LogRow]:
        """The whole log of a match in order."""
        wanted = select(log).where(log.c.match_id == match_id).order_by(log.c.version)
        return [LogRow(**row) for row in await self._read(wanted)]

    async def match(self, match_id: str) -> MatchRow | None:
        """One match."""
        found = await self._read_matches(select(matches).where(matches.c.match_id == match_id))
        return found[0] if found else None

    async def matches(self, wanted: MatchFilter) -> list[MatchRow]:
        """Matches, oldest first."""
        query = select(matches).order_by(matches.c.created_ms, matches.c.match_id)
        if wanted.after is not None:
            query = query.where(tuple_(matches.c.created_ms, matches.c.match_id) > wanted.after)
        if wanted.state is not None:
            query = query.where(matches.c.state == wanted.state.value)
        if wanted.player is not None:
            seated = select(seats.c.match_id).where(seats.c.player == wanted.player)
            query = query.where(matches.c.match_id.in_(seated))
        return await self._read_matches(query.limit(wanted.limit))

    async def board(self, board_id: str) -> list[MatchRow]:
        """The tables of a board."""
        return await self._read_matches(select(matches).where(matches.c.board_id == board_id))

    async def tokens(self) -> list[TokenRow]:
        """Every token."""
        return [token_of(row) for row in await self._read(all_tokens())]

    async def put_tokens(self, changed: Sequence[TokenRow], noted: AuditRow) -> None:
        """Put tokens in place and note who did it, both or neither."""
        put = self._dialect.put(tokens, TOKEN_KEYS, TOKEN_CHANGES)
        values = [token_values(token) for token in changed]

        def work(connection: Connection) -> None:
            if values:
                connection.execute(put, values)
            add_note(noted, connection)

        await self._write(work)

    async def note(self, noted: AuditRow) -> None:
        """Keep an entry of the audit log."""
        await self._write(partial(add_note, noted))

    async def audit(self, before: int | None, limit: int) -> list[AuditRow]:
        """Entries of the audit log, newest first."""
        return [note_of(row) for row in await self._read(notes_before(before, limit))]

    async def append_tournament(
        self, rows: Sequence[TournamentLogRow], changed: TournamentRow
    ) -> None:
        """Add rows to a tournament's log and put it in place in one transaction."""
        assert self._epoch is not None, "only the owner writes: claim first"
        epoch = self._epoch

        def write(connection: Connection) -> None:
            _require_service(epoch, connection)
            put_tournament(self._dialect.put, changed, rows, connection)

        def is_stored(connection: Connection) -> bool:
            _service_epoch(connection, shares=False)
            return bool(rows) and has_row(rows[0], connection)

        await self._write_once(write, is_stored)

    async def tournament_log(self, tournament_id: str) -> list[TournamentLogRow]:
        """The whole log of a tournament in order."""
        return [log_row_of(row) for row in await self._read(log_of(tournament_id))]

    async def tournament(self, tournament_id: str) -> TournamentRow | None:
        """One tournament."""
        found = await self._read(one_tournament(tournament_id))
        return tournament_of(found[0]) if found else None

    async def tournaments(
        self, after: tuple[int, str] | None, states: Sequence[str], limit: int | None
    ) -> list[TournamentRow]:
        """Tournaments, oldest first."""
        wanted = tournaments_after(after, states, limit)
        return [tournament_of(row) for row in await self._read(wanted)]

    async def _write_once(
        self, write: Callable[[Connection], None], is_stored: Callable[[Connection], bool]
    ) -> None:
        """Do something that must not be done twice, with a definite outcome."""
        try:
            await self._writer.run(write)
        except CommitUnknown as unknown:
            if not await self._find_out(is_stored):
                raise StoreFailed(str(unknown)) from unknown

    async def _write(self, work: Callable[[Connection], None]) -> None:
        """Do something that may be asked for again when its answer was lost."""

        def owned(connection: Connection) -> None:
            if self._epoch is not None:
                _require_service(self._epoch, connection)
            work(connection)

        try:
            await self._writer.run(owned)
        except CommitUnknown as unknown:
            raise StoreFailed(str(unknown)) from unknown

    async def _read(self, query: Any) -> Sequence[RowMapping]:  # noqa: ANN401 - a Select
        return await self._look(partial(_rows, query))

    async def _read_matches(self, query: Any) -> list[MatchRow]:  # noqa: ANN401 - a Select
        return await self._look(partial(_match_rows, query))

    async def _look(self, work: Callable[[Connection], T]) -> T:
        """Read something, which changes nothing however its transaction ended."""
        try:
            return await self._reader.run(work)
        except CommitUnknown as unknown:
            raise StoreUnreachable(str(unknown)) from unknown

    async def _find_out(self, is_stored: Callable[[Connection], bool]) -> bool:
        """Whether what got no answer to its commit is stored; asks until somebody can say."""
        while True:
            try:
                return await self._writer.run(is_stored)
            except (StoreFailed, CommitUnknown):
                await asyncio.sleep(LOOK_SECONDS)


def _claim(connection: Connection) -> tuple[int, list[str]]:
    epoch = _service_epoch(connection, shares=False) + 1
    connection.execute(update(service).values(epoch=epoch))
    unfinished = matches.c.state != MatchState.ENDED.value
    # In one order, so that nobody who locks matches in that order waits for us in a ring.
    locked = select(matches.c.match_id).where(unfinished).order_by(matches.c.match_id)
    connection.execute(locked.with_for_update()).all()
    connection.execute(update(matches).where(unfinished).values(epoch=epoch))
    oldest_first = select(matches.c.match_id).where(unfinished)
    oldest_first = oldest_first.order_by(matches.c.created_ms, matches.c.match_id)
    return epoch, list(connection.execute(oldest_first).scalars())


def _service_epoch(connection: Connection, *, shares: bool) -> int:
    """The epoch of the whole store, which nobody changes until the transaction ends."""
    wanted = select(service.c.epoch).with_for_update(read=shares)
    return int(connection.execute(wanted).scalar_one())


def _append(
    dialect: Dialect,
    epoch: int,
    rows: Sequence[LogRow],
    changed: Sequence[MatchRow],
    connection: Connection,
) -> None:
    makes = any(row.version == 1 for row in rows)
    if makes:
        # Before any match, as those who claim lock them: in another order they wait in a ring.
        _require_service(epoch, connection)
    _require_owner(dialect, epoch, _match_ids(rows, changed), connection, makes)
    if rows:
        dialect.insert_log(connection, rows)
    if changed:
        _put_matches(dialect, epoch, changed, connection)


def _require_owner(
    dialect: Dialect, epoch: int, match_ids: Sequence[str], connection: Connection, makes: bool
) -> None:
    """Lock what is written to and refuse it where another server's epoch stands by then."""
    epochs = dialect.lock_epochs(connection, match_ids)
    for match_id, found in epochs.items():
        if found != epoch:
            raise StoreFenced(f"match {match_id}: a server of epoch {found} has taken it over")
    if len(epochs) < len(match_ids) and not makes:
        _require_service(epoch, connection)


def _require_service(epoch: int, connection: Connection) -> None:
    """Refuse what is new where another server has claimed the store."""
    _require_epoch(epoch, _service_epoch(connection, shares=True))


def _compare_epochs(epoch: int, connection: Connection) -> None:
    """The same without a lock: good enough to notice, not to write."""
    _require_epoch(epoch, connection.execute(select(service.c.epoch)).scalar_one())


def _require_epoch(epoch: int, found: int) -> None:
    if found != epoch:
        raise StoreFenced(f"a server of epoch {found} has taken this database over")


def _match_ids(rows: Sequence[LogRow], changed: Sequence[MatchRow]) -> list[str]:
    return sorted({row.match_id for row in rows} | {match.match_id for match in changed})


def _is_stored(dialect: Dialect, rows: Sequence[LogRow], connection: Connection) -> bool:
    """Whether rows that were written together are there.

    What a lost transaction had locked is locked first: it may still be at work somewhere, and then
    only its end frees the locks.
    """
    _service_epoch(connection, shares=False)
    dialect.lock_epochs(connection, _match_ids(rows, []))
    if not rows:
        return False
    first = rows[0]
    wanted = select(log.c.chain).where(
        log.c.match_id == first.match_id, log.c.version == first.version
    )
    return connection.execute(wanted).scalar() == first.chain


def _rows(query: Any, connection: Connection) -> Sequence[RowMapping]:  # noqa: ANN401 - a Select
    return connection.execute(query).mappings().all()


def _match_rows(query: Any, connection: Connection) -> list[MatchRow]:  # noqa: ANN401 - a Select
    found = _rows(query, connection)
    seated = _rows(
        select(seats)
        .where(seats.c.match_id.in_([row["match_id"] for row in found]))
        .order_by(seats.c.match_id, seats.c.seat),
        connection,
    )
    players: dict[str, list[str]] = {}
    for row in seated:
        players.setdefault(row["match_id"], []).append(row["player"])
    return [_match_of(row, players.get(row["match_id"], [])) for row in found]


def _put_matches(
    dialect: Dialect, epoch: int, changed: Sequence[MatchRow], connection: Connection
) -> None:
    connection.execute(
        dialect.put(matches, ["match_id"], ["state", "summary"]),
        [
            {
                "match_id": match.match_id,
                "state": match.state.value,
                "board_id": match.board_id,
                "created_ms": match.created_ms,
                "summary": match.summary,
                "epoch": epoch,
            }
            for match in changed
        ],
    )
    connection.execute(
        dialect.put(seats, ["match_id", "seat"], ["player"]),
        [
            {"match_id": match.match_id, "seat": seat, "player": player}
            for match in changed
            for seat, player in enumerate(match.players)
        ],
    )


def _match_of(row: RowMapping, players: Sequence[str]) -> MatchRow:
    return MatchRow(
        row["match_id"],
        _state_of(row),
        row["board_id"],
        row["created_ms"],
        tuple(players),
        row["summary"],
    )


def _state_of(row: RowMapping) -> MatchState:
    """The state of a match; where it is damaged, what follows from its summary."""
    try:
        return MatchState(row["state"])
    except ValueError:
        # Only what has ended keeps one.
        return MatchState.ENDED if row["summary"] else MatchState.RUNNING
