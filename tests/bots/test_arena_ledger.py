"""Who is out, after what, and what is said about it (docs/arena.md, *When a bot fails*)."""

from collections.abc import Mapping
from dataclasses import replace

from burraco.bots.arena_ledger import RESTARTS, Ledger
from burraco.bots.arena_schedule import Half, schedule
from burraco.sdk import Fault, MatchEnd, MatchResult, SeatEnd, SeatResult

NAMES = ("good", "bad", "other")
GOOD, BAD, OTHER = range(3)


def result(
    half: Half, failing: Mapping[int, SeatEnd], points: tuple[int, int] = (300, 100)
) -> MatchResult:
    """A table at which the first seat of every failing entry ended like that."""
    ends = [SeatEnd.CLEAN] * 4
    for side, entry in enumerate(half.sides):
        ends[side] = failing.get(entry, SeatEnd.CLEAN)
    seats = tuple(
        SeatResult(seat, NAMES[half.sides[seat % 2]], end, Fault.BOT, 0, 0, 10, 50)
        for seat, end in enumerate(ends)
    )
    return MatchResult(MatchEnd.PLAYED, points, 0, 1, seats)


def ledger(boards: int) -> Ledger:
    return Ledger(NAMES, schedule(len(NAMES), boards))


def play_all(book: Ledger, failing: Mapping[int, SeatEnd]) -> int:
    """Play as the arena does, table after table; how many were begun."""
    begun = 0
    for half in book.halves:
        if book.is_off(half):
            continue
        begun += 1
        book.begin([half])
        book.record(half, result(half, failing))
    return begun


def test_clean_tables_count_as_played() -> None:
    book = ledger(2)

    assert play_all(book, {}) == book.done == len(book.halves) == 12
    assert all(outcome.points == (300, 100) for outcome in book.outcomes())
    assert book.notes() == ("", "", "")


def test_three_forfeits_in_a_row_retire() -> None:
    book = ledger(4)

    # A round has six tables, four of them with the bad bot: it is out after its third.
    begun = play_all(book, {BAD: SeatEnd.TIME_OUTS})

    assert book.is_retired(BAD)
    assert not book.is_retired(GOOD)
    assert begun == 3 + 8
    assert book.notes()[BAD] == "retired: 3 tables in a row lost to time-outs"
    assert book.notes()[GOOD] == book.notes()[OTHER] == ""


def test_tables_of_a_retired_bot_are_forfeited_without_play() -> None:
    book = ledger(4)
    play_all(book, {BAD: SeatEnd.ILLEGAL_ACTS})

    theirs = [outcome for outcome in book.outcomes() if BAD in outcome.entries]
    unplayed = [outcome for outcome in theirs if outcome.points is None]
    assert len(theirs) == 16
    assert len(unplayed) == 13
    assert all(
        outcome.scores[outcome.entries.index(BAD)] == -500
        and outcome.scores[1 - outcome.entries.index(BAD)] == 0
        for outcome in unplayed
    )


def test_in_a_row_goes_by_the_schedule_and_not_by_the_clock() -> None:
    late, early = ledger(3), ledger(3)
    fail = {BAD: SeatEnd.NO_SHOW}
    for book, order in ((early, early.halves), (late, late.halves[::-1])):
        book.begin(book.halves)
        for half in order:
            book.record(half, result(half, fail))

    assert early.outcomes() == late.outcomes()
    assert early.done == late.done == 18
    assert early.notes() == late.notes()


def test_a_good_table_breaks_the_row() -> None:
    book = Ledger(NAMES[:2], schedule(2, 4))
    for at, half in enumerate(book.halves):
        book.begin([half])
        book.record(half, result(half, {} if at % 3 == 2 else {BAD: SeatEnd.DISCONNECTED}))

    assert not book.is_retired(BAD)
    assert book.notes()[BAD] == "6 tables lost to going away"


def test_strikes_are_no_forfeit() -> None:
    book = Ledger(NAMES[:2], schedule(2, 2))
    play_all(book, {BAD: SeatEnd.STRIKES})

    assert book.notes()[BAD] == "4 tables with strikes"
    assert all(outcome.forfeited == (False, False) for outcome in book.outcomes())
    assert [outcome.clean[outcome.entries.index(BAD)] for outcome in book.outcomes()] == [False] * 4


def test_a_process_that_ends_too_often_retires_its_bot() -> None:
    book = ledger(2)
    for crash in range(RESTARTS):
        book.record_exit(BAD, 70)
        assert not book.is_retired(BAD), crash
    assert book.notes()[BAD] == "crashed: exit status 70, started again 3 times"
    book.record_exit(BAD, -9)

    assert book.is_retired(BAD)
    assert play_all(book, {}) == 4
    assert book.done == 12
    assert book.notes()[BAD] == "retired: crashed: signal 9, 4 times"


def test_tables_that_had_begun_are_waited_for() -> None:
    book = Ledger(NAMES[:2], schedule(2, 1))
    book.begin(book.halves)
    for _ in range(RESTARTS + 1):
        book.record_exit(BAD, 1)
    assert book.done == 0

    for half in book.halves:
        book.record(half, result(half, {BAD: SeatEnd.DISCONNECTED}, points=(0, 80)))

    assert [outcome.scores for outcome in book.outcomes()] == [(0, -500), (-500, 80)]


def test_illegal_acts_that_are_allowed_are_told_and_not_clean_but_cost_no_deal() -> None:
    book = Ledger(NAMES[:2], schedule(2, 1))
    for half in book.halves:
        book.begin([half])
        clean = result(half, {})
        seats = [replace(seat, illegal_acts=5 * (seat.player == "bad")) for seat in clean.seats]
        book.record(half, replace(clean, seats=tuple(seats)))

    assert book.notes() == ("", "2 tables with illegal acts")
    for outcome in book.outcomes():
        assert outcome.clean == tuple(entry != BAD for entry in outcome.entries)
        assert outcome.forfeited == (False, False)
