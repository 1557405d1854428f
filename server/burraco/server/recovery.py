"""From the rows of a log back to the match."""

from collections.abc import Sequence

from burraco.server.failpoints import passing
from burraco.server.journal import Created, Row, chained, row_from_json
from burraco.server.record import MatchRecord
from burraco.server.store import LogRow


class LogBroken(Exception):
    """A log that cannot be what this server wrote; the text says where."""


def fold(rows: Sequence[LogRow]) -> tuple[MatchRecord, int]:
    """The match that a whole log describes, and how many events it has had."""
    passing("recovery.fold")
    record, events = begin(rows), 0
    for place, stored in enumerate(rows, start=1):
        if stored.version != place or stored.chain != chained(record.chain, stored.payload):
            raise LogBroken(f"match {stored.match_id}: the log breaks at row {place}")
        row = read_row(stored)
        try:
            events += len(record.apply(row, stored.chain))
        except Exception as error:
            # Whatever a row leads to that no server of ours would have written.
            raise LogBroken(
                f"match {stored.match_id}: row {place} does not follow from those before it"
            ) from error
    return record, events


def begin(rows: Sequence[LogRow]) -> MatchRecord:
    """The match as its first row made it, which is checked; the others are not looked at."""
    if not rows:
        raise LogBroken("the log is empty")
    first = rows[0]
    created = read_row(first)
    if not isinstance(created, Created):
        raise LogBroken(f"match {first.match_id}: the log does not begin with its creation")
    if first.chain != chained(b"", first.payload):
        raise LogBroken(f"match {first.match_id}: the log breaks at row 1")
    if created.plan.match_id != first.match_id:
        raise LogBroken(f"match {first.match_id}: the log is that of another match")
    return MatchRecord(created.plan)


def read_row(stored: LogRow) -> Row:
    """One row as a value."""
    try:
        return row_from_json(stored.payload)
    except Exception as error:
        # Its own text may hold cards, and the seed.
        raise LogBroken(
            f"match {stored.match_id}: row {stored.version} is not whole ({_why(error)})"
        ) from error


def _why(error: Exception) -> str:
    return str(error) if type(error) is ValueError else type(error).__name__
