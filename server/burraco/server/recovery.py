"""From the rows of a log back to the match."""

from collections.abc import Sequence

from burraco.server.journal import Created, Row, chained, row_from_json
from burraco.server.record import MatchRecord
from burraco.server.store import LogRow


class LogBroken(Exception):
    """A log that cannot be what this server wrote; the text says where."""


def fold(rows: Sequence[LogRow]) -> tuple[MatchRecord, int]:
    """The match that a whole log describes, and how many events it has had."""
    first = read_row(rows[0])
    if not isinstance(first, Created):
        raise LogBroken(f"match {rows[0].match_id}: the log does not begin with its creation")
    record, events = MatchRecord(first.plan), 0
    for place, stored in enumerate(rows, start=1):
        if stored.version != place or stored.chain != chained(record.chain, stored.payload):
            raise LogBroken(f"match {stored.match_id}: the log breaks at row {place}")
        events += len(record.apply(read_row(stored), stored.chain))
    return record, events


def read_row(stored: LogRow) -> Row:
    """One row as a value."""
    try:
        return row_from_json(stored.payload)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise LogBroken(
            f"match {stored.match_id}: row {stored.version} is not whole ({error!r})"
        ) from error
