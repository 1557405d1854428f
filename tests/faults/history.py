"""Holds what bots wrote down against the event log: were the promises kept?

P1 an acknowledged act is in the log for ever, P2 once, P4 every viewer sees one history without
gaps and nothing that is undone, P6 every match ends (design §6). Gaps within a session are written
down by the bot; between sessions a snapshot may stand in place of events.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from burraco.engine.events import Event
from burraco.server.journal import Acted
from burraco.server.recovery import begin, fold, read_row
from burraco.server.store import LogRow
from burraco.server.terms import MatchState, PlayedBy
from burraco.v1 import play_pb2
from burraco.wire import action_from_wire, event_to_wire, seat_from_wire
from tests.faults.player import APPLIED, Journal

_KEPT = (APPLIED, play_pb2.VERDICT_KIND_DUPLICATE)


def violations(logs: Mapping[str, Sequence[LogRow]], journals: Iterable[Journal]) -> Iterator[str]:
    """Everything that breaks a promise, one line each; nothing where all is well."""
    journals = tuple(journals)
    acted = {
        match: [row for row in map(read_row, log) if isinstance(row, Acted)]
        for match, log in logs.items()
    }
    for match, log in logs.items():
        if fold(log)[0].state is not MatchState.ENDED:
            yield f"{match}: has not ended"
    for journal in journals:
        yield from (f"{journal.name}: {fault}" for fault in journal.faults)
        yield from _acts(acted, journal)
        yield from _events(logs, journal)
    yield from _strangers(acted, journals)


def _acts(acted: Mapping[str, Sequence[Acted]], journal: Journal) -> Iterator[str]:
    for action_id, kinds in journal.verdicts.items():
        act = journal.acts.get(action_id)
        if act is None:
            yield f"{journal.name}: a verdict on {action_id}, which was never sent"
            continue
        rows = [row for row in acted.get(act.seat.match_id, ()) if row.action_id == action_id]
        if not any(kind in _KEPT for kind in kinds):
            if rows:
                yield f"{journal.name}: {action_id} was refused and is in the log"
            continue
        if kinds.count(APPLIED) > 1:
            yield f"{journal.name}: {action_id} was applied {kinds.count(APPLIED)} times"
        if len(rows) != 1:
            yield f"{journal.name}: {action_id} is {len(rows)} times in the log"
        elif not _is_same(act, rows[0]):
            yield f"{journal.name}: {action_id} is in the log as another act"


def _is_same(act: play_pb2.Act, row: Acted) -> bool:
    sent = tuple(action_from_wire(action) for action in act.actions)
    place = (act.decision_id, seat_from_wire(act.seat.seat), sent)
    return place == (row.decision, row.seat, row.actions)


def _events(logs: Mapping[str, Sequence[LogRow]], journal: Journal) -> Iterator[str]:
    for (match, seat), told in journal.events.items():
        history = [
            event_to_wire(event.seen_by(seat), number).SerializeToString(deterministic=True)
            for number, event in enumerate(_history(logs[match]), start=1)
        ]
        where = f"{journal.name}: {match} seat {seat}"
        for number, raw in told.items():
            if number > len(history):
                yield f"{where}: event {number} was told and is not in the log"
            elif history[number - 1] != raw:
                yield f"{where}: event {number} is another in the log"


def _history(log: Sequence[LogRow]) -> list[Event]:
    record = begin(log)
    return [event for stored in log for event in record.apply(read_row(stored), stored.chain)]


def _strangers(acted: Mapping[str, Sequence[Acted]], journals: Sequence[Journal]) -> Iterator[str]:
    sent = {action_id for journal in journals for action_id in journal.acts}
    for match, rows in acted.items():
        by_bots = [row for row in rows if row.by is PlayedBy.BOT]
        for action_id, times in Counter(row.action_id for row in by_bots).items():
            if action_id not in sent:
                yield f"{match}: {action_id} is in the log and nobody sent it"
            elif times > 1:
                yield f"{match}: {action_id} is {times} times in the log"
