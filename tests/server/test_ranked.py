"""Standings as they are shown: intervals, ties, faults, and tables that nobody played."""

from burraco.engine import preset
from burraco.server.presets import CLOCKS
from burraco.server.sidework import SideWork
from burraco.server.terms import FaultTerms
from burraco.server.tournaments.logbook import Logbook, open_logbook
from burraco.server.tournaments.ranked import Standings, standings_of
from burraco.server.tournaments.terms import Terms, terms_from_text, terms_to_text
from burraco.tournament.boards import commitment_to
from burraco.tournament.field import Entry, Format, Round, Stage, Table
from burraco.tournament.plan import Plan
from burraco.tournament.ranking import Scoring
from burraco.tournament.rows import (
    BoardPlayed,
    Entered,
    Half,
    Opened,
    RoundPaired,
    Row,
    Started,
    TableAdjudicated,
    Withdrawn,
)
from tests.server.events import SECRET

POINTS = Scoring(uses_victory_points=False, bye_victory_points=0, bye_difference=0)
VICTORY = Scoring(uses_victory_points=True, bye_victory_points=14, bye_difference=355)
TERMS = Terms(CLOCKS["fibur"], FaultTerms(2, 3), 8)


def book_of(*rows: Row, boards: int = 2, halves: int = 2, scoring: Scoring = POINTS) -> Logbook:
    """A tournament of four that has begun, and what happened then."""
    plan = Plan(
        name="test",
        stages=(Stage(Format.SWISS, 3),),
        rules=preset("classic"),
        boards=boards,
        halves=halves,
        scoring=scoring,
        adjusted=500,
        adjusted_allowed=0,
        question=None,
    )
    opened = Opened("t", plan, terms_to_text(TERMS), commitment_to("t", SECRET), "director")
    book, _ = open_logbook(opened, SECRET, 0)
    entries = [Entered(Entry(at, f"e{at}", f"o{at}", (f"b{at}",), False)) for at in range(4)]
    tables = (Table(((0,), (1,)), 0), Table(((2,), (3,)), 0))
    for row in (*entries, Started("director"), RoundPaired(0, Round(tables, ())), *rows):
        book.add(row, b"")
    return book


def board(
    table: int, number: int, *leads: int, at_fault: tuple[bool, bool] = (False, False)
) -> BoardPlayed:
    """A board of a table, with what its first side led by at each half."""
    halves = tuple(
        Half("m", (max(0, lead), max(0, -lead)), at_fault, "played", ("clean",) * 4)
        for lead in leads
    )
    return BoardPlayed(table, number, 0, halves)


async def standings(book: Logbook) -> Standings:
    side_work = SideWork()
    try:
        return await standings_of(book, side_work)
    finally:
        side_work.close()


async def test_intervals_are_of_boards_and_ties_are_those_that_overlap() -> None:
    book = book_of(
        *(board(0, 0, 100, 300), board(0, 1, 200, 200)),
        *(board(1, 0, 10, -30), board(1, 1, 50, 10)),
    )
    rows = (await standings(book)).rows
    assert [row.place.entry for row in rows] == [0, 2, 3, 1]
    assert [row.points_per_deal for row in rows] == [200, 10, -10, -200]
    # Both boards of the first table came to 200 a deal, whatever is drawn again.
    assert rows[0].interval == (200, 200)
    assert rows[1].interval == (-10, 30)
    assert [(row.tied_from, row.tied_to) for row in rows] == [(1, 1), (2, 3), (2, 3), (4, 4)]


async def test_a_table_that_is_decided_counts_as_one_more_board() -> None:
    book = book_of(
        board(0, 0, 100, 100),
        TableAdjudicated(0, (400, -400), "agreed", "director"),
        *(board(1, 0, 0, 0), board(1, 1, 0, 0)),
    )
    rows = (await standings(book)).rows
    assert rows[0].points_per_deal == 100
    assert rows[0].interval == (100, 100)


async def test_an_adjudication_over_played_boards_stands_for_all_of_them() -> None:
    book = book_of(
        *(board(0, 0, 100, 100), board(0, 1, 100, 100)),
        TableAdjudicated(0, (-8, 8), "swapped cards", "director"),
        *(board(1, 0, 0, 0), board(1, 1, 0, 0)),
    )
    rows = (await standings(book)).rows
    assert {row.place.entry: row.points_per_deal for row in rows} == {0: -2, 1: 2, 2: 0, 3: 0}


async def test_faults_are_counted_by_deal_and_a_forfeit_costs_what_is_missing() -> None:
    book = book_of(
        board(0, 0, 100, 300, at_fault=(False, True)),
        *(board(1, 0, 0, 0), board(1, 1, 0, 0)),
    )
    rows = {row.place.entry: row for row in (await standings(book)).rows}
    assert [rows[entry].faults for entry in range(4)] == [0, 2, 0, 0]
    assert rows[1].points_per_deal == -500
    assert rows[0].points_per_deal == 100


async def test_with_victory_points_a_side_that_leaves_has_what_the_rules_say() -> None:
    book = book_of(Withdrawn(1, "gone", "director"), board(1, 0, 0, 0), boards=1, scoring=VICTORY)
    rows = {row.place.entry: row for row in (await standings(book)).rows}
    assert {entry: row.place.victory_points for entry, row in rows.items()} == {
        0: 14,
        1: 6,
        2: 10,
        3: 10,
    }
    assert rows[1].place.has_left
    assert rows[1].tied_from == rows[1].tied_to == 4


async def test_nobody_is_known_before_a_deal_and_all_are_tied() -> None:
    rows = (await standings(book_of())).rows
    assert {row.interval for row in rows} == {None}
    assert {(row.tied_from, row.tied_to) for row in rows} == {(1, 4)}


async def test_standings_are_found_once_until_they_change() -> None:
    book = book_of(board(0, 0, 1, 1), board(0, 1, 1, 1), board(1, 0, 0, 0))
    before = await standings(book)
    assert await standings(book) is before
    book.add(board(1, 1, 0, 0), b"")
    assert await standings(book) is not before


def test_terms_come_back_from_their_text() -> None:
    assert terms_from_text(terms_to_text(TERMS)) == TERMS
