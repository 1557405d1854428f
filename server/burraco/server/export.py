"""A finished match in Burraco Game Notation, made from its log alone."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from burraco.engine.bgn import DealRecord, Move, write_deal
from burraco.engine.match import Match
from burraco.server.journal import Acted
from burraco.server.record import MatchRecord, play_all
from burraco.server.recovery import fold, read_row
from burraco.server.store import LogRow
from burraco.server.terms import MatchState, PlayedBy

_SEAT_TAGS = ("North", "East", "South", "West")


def match_to_bgn(rows: Sequence[LogRow]) -> str:
    """One block a deal; empty when the match ended before its first deal."""
    record, _ = fold(rows)
    assert record.state is MatchState.ENDED
    blocks = (
        write_deal(deal, _tags(record, number))
        for number, deal in enumerate(_deals(record, rows), start=1)
    )
    return "\n".join(blocks)


def _deals(record: MatchRecord, rows: Sequence[LogRow]) -> Iterator[DealRecord]:
    """Play the log through once more and cut it where deals end."""
    replayed = MatchRecord(record.plan)
    moves: list[Move] = []
    for stored in rows:
        row = read_row(stored)
        match = replayed.match
        if isinstance(row, Acted) and match is not None:
            for action in row.actions:
                if match.deal is not None:
                    moves.append(Move(row.seat, action, row.by is PlayedBy.TIME_OUT))
                after = play_all(match, row.seat, (action,)).match
                if len(after.results) > len(match.results):
                    yield _deal(match, moves, is_adjudicated=False)
                    moves = []
                match = after
        replayed.apply(row, stored.chain)
    last = replayed.match
    if last is not None and last.deal is not None and _is_cut_short(last):
        yield _deal(last, moves, is_adjudicated=True)


def _is_cut_short(match: Match) -> bool:
    return bool(match.results) and match.results[-1].end.by.value == "adjudicated"


def _deal(match: Match, moves: Sequence[Move], *, is_adjudicated: bool) -> DealRecord:
    assert match.layout is not None
    return DealRecord(match.setup.rules, match.dealer, match.layout, tuple(moves), is_adjudicated)


def _tags(record: MatchRecord, number: int) -> dict[str, str]:
    plan = record.plan
    created = datetime.fromtimestamp(plan.created_ms / 1000, UTC)
    tags = {
        "Event": plan.match_id,
        "Date": created.strftime("%Y.%m.%d"),
        "Round": str(number),
    }
    if plan.board_id:
        tags["Board"] = plan.board_id
    return tags | dict(zip(_SEAT_TAGS, record.players, strict=True))
