"""What tables came to, counted by hand: sums, clean boards, faults, places, ratings, payoffs."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from burraco.tournament.accounts import (
    NOT_TOLD,
    clean_boards,
    entry_sums,
    faults,
    played_halves,
    played_tables,
)
from burraco.tournament.deciding import FEWEST_BOARDS, Decision
from burraco.tournament.duels import duel_decision
from burraco.tournament.exported import read_log, write_log
from burraco.tournament.field import Format, Round, Stage, Table
from burraco.tournament.figures import written
from burraco.tournament.history import round_results, rulings
from burraco.tournament.placing import FEWEST_UNITS, placed, standings_document
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress
from burraco.tournament.rows import (
    BoardPlayed,
    BoardVoided,
    Finished,
    Half,
    RoundPaired,
    Row,
    TableAdjudicated,
    Withdrawn,
)
from burraco.tournament.strengths import UnknownAnchor, ratings_document, strengths
from tests.tournament.events import (
    LOTS,
    PLAN,
    POINTS,
    by_chance,
    field_of,
    half,
    plan_of,
    play,
    started,
)

BY_POINTS = replace(PLAN, scoring=POINTS)
FIRST = (True, False)
SECOND = (False, True)


def paired(*tables: tuple[Sequence[int], Sequence[int]], byes: tuple[int, ...] = ()) -> RoundPaired:
    """A round of these tables, all of them with the same cards."""
    sides = [(tuple(first), tuple(second)) for first, second in tables]
    return RoundPaired(0, Round(tuple(Table(both, 0) for both in sides), byes))


def board(table: int, number: int, *halves: Half, attempt: int = 0) -> BoardPlayed:
    return BoardPlayed(table, number, attempt, halves)


def won(gain: int) -> Half:
    """A half that the first side won by so much, or lost."""
    return half((max(0, gain), max(0, -gain)))


def event(plan: Plan, entries: int, *rows: Row) -> Progress:
    return Progress.of([*started(plan, field_of(entries)), *rows])


def steady(rounds: int, gain: int) -> list[Row]:
    """Rounds in which entry 0 wins every deal against entry 1 by the same."""
    rows: list[Row] = []
    for _ in range(rounds):
        rows.append(paired(([0], [1])))
        rows += [board(0, number, won(gain), won(gain)) for number in (0, 1)]
    return rows


ONE_TABLE = event(
    BY_POINTS,
    2,
    paired(([0], [1])),
    board(0, 0, half((100, 40)), half((30, 80))),
    board(0, 1, half((200, 0), FIRST), half((0, 70))),
)


def test_a_board_is_the_sum_of_its_halves_faults_and_all() -> None:
    first, second = entry_sums(ONE_TABLE)
    # 60 - 50; then 500 lost for the fault, and 70. The others keep nothing they did not win.
    assert list(first.values()) == [(10, 2), (-570, 2)]
    assert list(second.values()) == [(-10, 2), (70, 2)]


def test_ratings_are_counted_from_halves_without_a_fault() -> None:
    assert [(found.points, found.deals) for found in clean_boards(ONE_TABLE)] == [(10, 2), (-70, 1)]


def test_a_side_at_fault_in_every_half_leaves_no_clean_board() -> None:
    halves = half((0, 0), FIRST), half((0, 0), SECOND)
    rows = [board(0, number, *halves) for number in (0, 1)]
    progress = event(BY_POINTS, 2, paired(([0], [1])), *rows)
    assert list(clean_boards(progress)) == []
    found = strengths(progress)
    assert [(rating.entry, rating.points) for rating in found.ratings] == [(0, 0.0)]
    assert (found.payoffs, found.by_bot, found.shares) == ({}, {}, None)


def test_tables_with_the_same_cards_are_drawn_together_and_a_board_played_again_alone() -> None:
    progress = event(
        BY_POINTS,
        4,
        paired(([0], [1]), ([2], [3])),
        BoardVoided(1, 0, 0, "the server failed"),
        *(board(0, number, won(5), won(5)) for number in (0, 1)),
        board(1, 0, won(5), won(5), attempt=1),
        board(1, 1, won(5), won(5)),
    )
    numbers = [(found.at.number, found.number) for found in clean_boards(progress)]
    assert numbers == [(0, 0), (0, 1), (1, 2), (1, 1)]


def test_what_an_organiser_gave_for_deals_that_were_not_played_is_a_unit() -> None:
    progress = event(
        BY_POINTS,
        2,
        paired(([0], [1])),
        board(0, 0, won(300), won(300)),
        TableAdjudicated(0, (100, -100), "a power cut", "director"),
    )
    # 600 were won in two deals: what is left to the decision is the rest.
    first, second = entry_sums(progress)
    assert list(first.values()) == [(600, 2), (-500, 2)]
    assert list(second.values()) == [(-600, 2), (500, 2)]
    assert [table.by_boards for table in played_tables(progress)] == [False]
    # What was played still tells how well they play.
    assert [found.points for found in clean_boards(progress)] == [600]


def test_a_score_that_boards_do_not_explain_is_one_unit() -> None:
    faulty = half((0, 0), FIRST)
    rows = [board(0, number, faulty, won(0)) for number in (0, 1)]
    # At fault on both boards, it has forfeited the round: 355 match points, whatever was played.
    progress = event(PLAN, 2, paired(([0], [1])), *rows)
    assert [list(sums.values()) for sums in entry_sums(progress)] == [[(-355, 4)], [(355, 4)]]


def test_who_leaves_loses_the_deals_that_are_not_played() -> None:
    progress = event(
        BY_POINTS,
        2,
        paired(([0], [1])),
        board(0, 0, won(50), won(50)),
        Withdrawn(0, "gone", "director"),
    )
    first, second = entry_sums(progress)
    assert list(first.values()) == [(100, 2), (-1000, 2)]
    assert list(second.values()) == [(-100, 2), (0, 2)]


def test_seats_change_sides_in_the_second_half() -> None:
    table = next(played_tables(event(BY_POINTS, 2, *steady(1, 10))))
    assert [table.entry_at(seat, 0) for seat in range(4)] == [0, 1, 0, 1]
    assert [table.entry_at(seat, 1) for seat in range(4)] == [1, 0, 1, 0]


def test_faults_are_those_of_the_seats_an_entry_held() -> None:
    def faulty(at_fault: tuple[bool, bool], *reasons: str) -> Half:
        return Half("m", (0, 0), at_fault, "played", reasons)

    progress = event(
        BY_POINTS,
        2,
        paired(([0], [1])),
        board(
            0,
            0,
            faulty(FIRST, "time_outs", "clean", "clean", "clean"),
            faulty(FIRST, "clean", "disconnected", "strikes", "clean"),
        ),
        board(0, 1, faulty(SECOND, "clean", "clean", "clean", "clean"), won(0)),
    )
    assert faults(progress) == [
        Counter({"time_outs": 1, "disconnected": 1}),
        Counter({NOT_TOLD: 1}),
    ]


def test_faults_of_one_partner_are_not_those_of_the_other() -> None:
    reasons = ("clean", "clean", "no_show", "clean")
    rows = [
        board(0, number, Half("m", (0, 0), FIRST, "played", reasons), won(0)) for number in (0, 1)
    ]
    individual = replace(BY_POINTS, stages=(Stage(Format.INDIVIDUAL, 1),))
    progress = event(individual, 4, paired(([0, 1], [2, 3])), *rows)
    # North is the first entry of its side, South the second.
    assert [found.total() for found in faults(progress)] == [0, 2, 0, 0]


def test_a_rating_and_a_payoff_are_means_a_deal() -> None:
    found = strengths(ONE_TABLE)
    # (60 - 50 - 70) / 3 is lost by entry 0, the anchor; the best stands first.
    assert [rating.entry for rating in found.ratings] == [1, 0]
    assert [rating.points for rating in found.ratings] == pytest.approx([20, 0])
    assert (found.payoffs[0, 1].points, found.payoffs[1, 0].points) == (-20, 20)
    assert found.payoffs[0, 1].deals == 3


def test_too_few_boards_tell_no_interval() -> None:
    document = ratings_document(ONE_TABLE, strengths(ONE_TABLE))
    told = json.loads(written(document))
    assert [row["ci95"] for row in told["ratings"]] == [None, None]
    assert {row["ci95"] for row in told["payoffs"]} == {None}
    assert [row.tied for row in placed(ONE_TABLE, LOTS)] == [(1, 2), (1, 2)]


def test_what_never_varies_has_no_width_and_is_not_tied() -> None:
    progress = event(BY_POINTS, 2, *steady(FEWEST_UNITS // 2, 10))
    first, second = placed(progress, LOTS)
    assert (first.points_per_deal, first.interval, first.tied) == (10, (10, 10), (1, 1))
    assert (second.points_per_deal, second.interval, second.tied) == (-10, (-10, -10), (2, 2))
    assert [row.shown_place for row in (first, second)] == ["1", "2"]


def test_places_are_tied_for_as_far_as_the_interval_reaches() -> None:
    plan = replace(plan_of(Stage(Format.ROUND_ROBIN, 0)), scoring=POINTS)
    progress = play(started(plan, field_of(8)), by_chance(3))
    rows = placed(progress, LOTS)
    for at, row in enumerate(rows):
        first, last = row.tied
        assert first <= at + 1 <= last
        for other in rows[first - 1 : last]:
            assert row.interval[0] <= other.interval[1]
            assert other.interval[0] <= row.interval[1]


def test_who_has_left_is_tied_with_nobody_who_has_not() -> None:
    rows = [*steady(3, 10), Withdrawn(0, "gone", "director")]
    first, second = placed(event(BY_POINTS, 3, *rows), LOTS)[-2:]
    assert (second.place.entry, second.tied) == (0, (3, 3))
    assert first.tied[1] == 2


def test_the_interval_of_victory_points_is_of_their_sum_and_byes_are_certain() -> None:
    rows: list[Row] = []
    for _ in range(3):
        rows.append(paired(([0], [1]), byes=(2,)))
        rows += [board(0, number, won(100), won(100)) for number in (0, 1)]
    first, second, third = placed(event(PLAN, 3, *rows), LOTS)
    # 400 points over four deals are 12-8, three times; a bye is 14.
    found = [(row.place.entry, row.place.victory_points) for row in (first, second, third)]
    assert found == [(2, 42), (0, 36), (1, 24)]
    intervals = [row.victory_interval for row in (first, second, third)]
    assert intervals == [(42, 42), (36, 36), (24, 24)]


def test_an_interval_of_victory_points_holds_what_was_won() -> None:
    progress = play(started(plan_of(Stage(Format.SWISS, 6)), field_of(8)), by_chance(5))
    for row in placed(progress, LOTS):
        assert row.victory_interval is not None
        low, high = row.victory_interval
        assert 0 <= low < row.place.victory_points < high <= 120


def test_the_anchor_is_the_named_entry_the_first_anchor_or_the_first() -> None:
    rows = [*started(BY_POINTS, field_of(3)), *steady(1, 10)]
    assert strengths(Progress.of(rows)).anchor == 0
    anchored = [replace(entry, is_anchor=entry.number > 0) for entry in field_of(3)]
    progress = Progress.of([*started(BY_POINTS, tuple(anchored)), *steady(1, 10)])
    assert strengths(progress).anchor == 1
    assert strengths(progress, "e2").anchor == 2
    with pytest.raises(UnknownAnchor, match="no entry is named 'x'; there are e0, e1, e2"):
        strengths(progress, "x")


def test_where_partners_change_a_rating_is_what_a_seat_adds() -> None:
    worth = (0, 40, -20, 100)
    rows: list[Row] = []
    for first, second in (([0, 1], [2, 3]), ([0, 2], [1, 3]), ([0, 3], [1, 2])):
        gain = sum(worth[entry] for entry in first) - sum(worth[entry] for entry in second)
        rows.append(paired((first, second)))
        rows += [board(0, number, won(gain), won(gain)) for number in (0, 1)]
    individual = replace(BY_POINTS, stages=(Stage(Format.INDIVIDUAL, 3),))
    found = strengths(event(individual, 4, *rows))
    assert {rating.entry: round(rating.points) for rating in found.ratings} == dict(
        enumerate(worth)
    )
    # Against entry 3: -40 beside 1, -160 beside 2, never beside 3.
    assert found.payoffs[0, 3].points == -100


@pytest.mark.parametrize(("gain", "decision"), [(100, Decision.BETTER), (-100, Decision.WORSE)])
def test_a_duel_is_decided_by_the_boards_without_a_fault(gain: int, decision: Decision) -> None:
    plan = replace(plan_of(Stage(Format.DUEL, 0)), scoring=POINTS)
    rows = steady(FEWEST_BOARDS // 2, gain)
    assert duel_decision(event(plan, 2, *rows)) is decision
    assert duel_decision(event(plan, 2, *rows[:-3])) is Decision.UNDECIDED
    assert duel_decision(ONE_TABLE) is None


def test_nash_shares_are_told_only_where_everybody_met_everybody() -> None:
    plan = replace(plan_of(Stage(Format.ROUND_ROBIN, 0)), scoring=POINTS)
    rows = started(plan, field_of(4))
    whole = strengths(play(rows, by_chance(1)))
    assert whole.shares is not None
    assert sum(whole.shares) == pytest.approx(1)
    tables = [board(table, number, won(5), won(5)) for table in (0, 1) for number in (0, 1)]
    half_way = strengths(event(plan, 4, paired(([0], [1]), ([2], [3])), *tables))
    assert len(half_way.payoffs) == 4
    assert half_way.shares is None


def test_the_ladder_rates_every_bot_once_a_table_and_never_against_itself() -> None:
    entries = [replace(entry, bots=("a", f"b{entry.number}")) for entry in field_of(2)]
    progress = Progress.of([*started(BY_POINTS, tuple(entries)), *steady(2, 10)])
    found = strengths(progress)
    assert found.by_bot == {}
    assert {name: rating.meetings for name, rating in found.by_pair.items()} == {
        "a + b0": 2,
        "a + b1": 2,
    }
    assert found.by_pair["a + b0"].mu > found.by_pair["a + b1"].mu


def test_rounds_tell_victory_points_gains_and_byes() -> None:
    rows = [board(0, number, won(100), won(100)) for number in (0, 1)]
    (results,) = round_results(event(PLAN, 3, paired(([0], [1]), byes=(2,)), *rows))
    assert (results[0].victory_points, results[0].gain, results[0].opponents) == (12, 400, (1,))
    assert (results[1].victory_points, results[1].gain, results[1].opponents) == (8, -400, (0,))
    assert (results[2].victory_points, results[2].gain, results[2].is_bye) == (14, 355, True)


def test_everything_that_was_decided_is_told_with_its_reason() -> None:
    rows = [
        *started(BY_POINTS, field_of(3)),
        paired(([0], [1])),
        BoardVoided(0, 1, 0, "the server failed"),
        TableAdjudicated(0, (100, -100), "a power cut", "director"),
        Withdrawn(2, "went home", "e2"),
    ]
    told = [(ruling.round, ruling.table, ruling.reason, ruling.by) for ruling in rulings(rows)]
    assert told == [
        (1, 1, "the server failed", "the server"),
        (1, 1, "a power cut", "director"),
        (2, None, "went home", "e2"),
    ]


@pytest.mark.parametrize("format_", [Format.SWISS, Format.ROUND_ROBIN, Format.INDIVIDUAL])
def test_the_same_log_gives_the_same_bytes(format_: Format) -> None:
    rounds = 0 if format_ is Format.ROUND_ROBIN else 3
    rows = started(plan_of(Stage(format_, rounds)), field_of(8))
    progress = play(rows, by_chance(7))
    again = read_log(write_log(rows))
    assert write_log(again.rows) == write_log(rows)
    assert written(ratings_document(progress, strengths(progress))) == written(
        ratings_document(again.progress, strengths(again.progress))
    )
    assert written(standings_document(progress, again.lots)) == written(
        standings_document(again.progress, again.lots)
    )


def test_an_event_without_a_round_has_standings_and_ratings_all_the_same() -> None:
    for progress in (event(PLAN, 0), event(PLAN, 2), event(PLAN, 0, Finished("played", "00"))):
        written(standings_document(progress, LOTS))
        written(ratings_document(progress, strengths(progress)))
        assert list(played_halves(progress)) == []
