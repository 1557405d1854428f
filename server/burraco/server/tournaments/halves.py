"""The matches of a tournament: how each half of a board is made, and what it came to."""

from burraco.server.record import MatchRecord
from burraco.server.terms import Fault, MatchEnd, MatchPlan
from burraco.server.tournaments.logbook import Logbook
from burraco.tournament.boards import (
    board_name,
    board_seed,
    dealer,
    match_name,
    seating,
    suit_order,
)
from burraco.tournament.field import Table
from burraco.tournament.progress import Wanted
from burraco.tournament.rows import Half

# Whose fault a seat that a stand-in played has to be for its side to pay.
_COSTLY = frozenset({Fault.BOT, Fault.NETWORK})


def table_of(book: Logbook, wanted: Wanted) -> Table:
    """Who meets at the table of a board."""
    current = book.progress.current
    assert current is not None, "no round is being played"
    return current.round.tables[wanted.table]


def match_names(book: Logbook, wanted: Wanted) -> tuple[str, ...]:
    """The ids of all halves of a board."""
    event = book.tournament_id
    halves = range(book.progress.plan.halves)
    return tuple(match_name(event, book.secret, wanted.ref, half) for half in halves)


def match_plan(book: Logbook, wanted: Wanted, half: int, created_ms: int) -> MatchPlan:
    """A half of a board as a match."""
    event, secret, ref = book.tournament_id, book.secret, wanted.ref
    plan, terms = book.progress.plan, book.terms
    return MatchPlan(
        match_id=match_name(event, secret, ref, half),
        rules=plan.rules,
        players=_players(book, wanted, half),
        deals=1,
        secret=board_seed(event, secret, ref),
        dealer=dealer(ref, plan.rules.players),
        draws_seats=False,
        asks_cut=False,
        clocks=terms.clocks,
        faults=terms.faults,
        board_id=board_name(event, secret, ref),
        board_tables=_tables(book, wanted),
        created_ms=created_ms,
        event=event,
        suits=suit_order(event, secret, ref, half),
    )


def is_void(book: Logbook, wanted: Wanted, half: int, record: MatchRecord | None) -> bool:
    """Whether a half that is over counts for nobody; None where its log is damaged."""
    if record is None or record.end is MatchEnd.VOID:
        return True
    # Somebody has made another match by this name.
    ours = (book.tournament_id, _players(book, wanted, half))
    return (record.plan.event, record.players) != ours


def half_of(record: MatchRecord, half: int) -> Half:
    """What a match came to, by the sides of the pairing: they swap seats at the second half."""
    sides = record.plan.rules.sides_as_dealt
    at_fault = [side in record.forfeits for side in (0, 1)]
    for seat in record.seats:
        was_lost = record.chairs[seat].take_overs > 0 and record.seat_end(seat)[1] in _COSTLY
        at_fault[sides[seat]] |= was_lost
    first, second = (0, 1) if half == 0 else (1, 0)
    assert record.end is not None, "a half that is played has come to nothing yet"
    return Half(
        match_id=record.plan.match_id,
        points=(record.totals[first], record.totals[second]),
        at_fault=(at_fault[first], at_fault[second]),
        end=record.end.value,
        reasons=tuple(record.seat_end(seat)[0].value for seat in record.seats),
    )


def _players(book: Logbook, wanted: Wanted, half: int) -> tuple[str, ...]:
    progress = book.progress
    return seating(table_of(book, wanted), progress.entries, half, progress.plan.rules.players)


def _tables(book: Logbook, wanted: Wanted) -> int:
    """Matches that are dealt from the seed of a board, which stays hidden until they are over."""
    current, plan = book.progress.current, book.progress.plan
    assert current is not None, "no round is being played"
    if wanted.ref.attempt:
        return plan.halves
    return plan.halves * sum(table.deck == wanted.ref.deck for table in current.round.tables)
