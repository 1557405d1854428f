"""Whether a row can be the next of a log: a log that somebody hands over need not be whole."""

import re
from collections.abc import Iterator
from typing import Final

from burraco.tournament.field import Entry, Round
from burraco.tournament.plan import Unplayable, require_playable
from burraco.tournament.progress import Progress, Status
from burraco.tournament.rows import (
    BoardPlayed,
    BoardVoided,
    Entered,
    Half,
    Opened,
    Paused,
    Resumed,
    RoundPaired,
    Row,
    Started,
    TableAdjudicated,
    TableRequeued,
    Withdrawn,
)

# No deal comes near it; it keeps sums within what is counted exactly.
_MOST_POINTS: Final = 1_000_000
_MOST_BOTS: Final = 2
_COMMITMENT: Final = re.compile("[0-9a-f]{64}")
_BEFORE: Final[dict[type[Row], Status]] = {
    Started: Status.OPEN,
    Paused: Status.RUNNING,
    Resumed: Status.PAUSED,
}


def first_misfit(row: Row) -> str | None:
    """Why a log cannot begin with a row; None when it can."""
    if not isinstance(row, Opened):
        return f"a log begins with Opened, not {type(row).__name__}"
    if not _COMMITMENT.fullmatch(row.commitment):
        return "the commitment is not 64 hexadecimal digits"
    try:
        require_playable(row.plan)
    except Unplayable as fault:
        return f"this plan cannot be played: {fault}"
    return None


def misfit(progress: Progress, row: Row) -> str | None:
    """Why a row cannot come next; None when it can."""
    return next(_misfits(progress, row), None)


def _misfits(progress: Progress, row: Row) -> Iterator[str]:
    if isinstance(row, Opened):
        yield "an event is opened once"
    if progress.ending is not None:
        yield "nothing follows the end of an event"
    before = _BEFORE.get(type(row))
    if before is not None and progress.status is not before:
        yield f"the event is {progress.status.value}, not {before.value}"
    match row:
        case Entered():
            yield from _entry_misfits(progress, row.entry)
        case Withdrawn():
            if row.entry not in progress.active:
                yield f"entry {row.entry} is not in the field"
        case RoundPaired():
            yield from _pairing_misfits(progress, row)
        case BoardPlayed() | BoardVoided() | TableRequeued() | TableAdjudicated():
            yield from _table_misfits(progress, row)
        case _:
            return


def _entry_misfits(progress: Progress, entry: Entry) -> Iterator[str]:
    if entry.number != len(progress.entries):
        yield f"entry {entry.number} where {len(progress.entries)} was due"
    if any(entry.name == other.name for other in progress.entries):
        yield f"a second entry named {entry.name!r}"
    if not 1 <= len(entry.bots) <= _MOST_BOTS:
        yield f"an entry of {len(entry.bots)} bots: 1 or {_MOST_BOTS}"


def _pairing_misfits(progress: Progress, row: RoundPaired) -> Iterator[str]:
    if progress.current is not None:
        yield f"round {progress.number + 1} is not over"
    if progress.status is Status.OPEN:
        yield "the event has not started"
    begun = progress.played[-1].stage if progress.played else 0
    if not begun <= row.stage < len(progress.plan.stages):
        yield f"stage {row.stage} of {len(progress.plan.stages)}, after stage {begun}"
    yield from _round_misfits(progress, row.round)


def _round_misfits(progress: Progress, round_: Round) -> Iterator[str]:
    paired = [entry for table in round_.tables for entry in table.entries] + [*round_.byes]
    if len(set(paired)) < len(paired):
        yield "an entry is paired twice in a round"
    if not set(paired) <= set(range(len(progress.entries))):
        yield "somebody is paired who has not entered"
    for first, second in (table.sides for table in round_.tables):
        if len(first) != len(second) or len(first) not in (1, 2):
            yield "a side is one entry, or two where partners change"


def _table_misfits(
    progress: Progress, row: BoardPlayed | BoardVoided | TableRequeued | TableAdjudicated
) -> Iterator[str]:
    current = progress.current
    if current is None:
        yield "no round is being played"
        return
    if not 0 <= row.table < len(current.tables):
        yield f"no table {row.table} in a round of {len(current.tables)}"
        return
    if isinstance(row, TableAdjudicated):
        yield from _points_misfits(row.gains)
    if isinstance(row, BoardPlayed | BoardVoided):
        attempts = current.tables[row.table].attempts
        if not 0 <= row.board < len(attempts):
            yield f"no board {row.board} at a table of {len(attempts)}"
        elif row.attempt != attempts[row.board]:
            yield f"attempt {row.attempt} of a board whose attempt {attempts[row.board]} was due"
    if isinstance(row, BoardPlayed):
        yield from _board_misfits(progress, row.halves)


def _board_misfits(progress: Progress, halves: tuple[Half, ...]) -> Iterator[str]:
    plan = progress.plan
    if len(halves) != plan.halves:
        yield f"a board of {len(halves)} halves: the plan has {plan.halves}"
    for half in halves:
        yield from _points_misfits(half.points)
        if len(half.reasons) != plan.rules.players:
            yield f"reasons of {len(half.reasons)} seats: {plan.rules.players} play"


def _points_misfits(points: tuple[int, int]) -> Iterator[str]:
    if any(abs(count) > _MOST_POINTS for count in points):
        yield f"more points than {_MOST_POINTS}"
