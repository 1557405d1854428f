"""An event is a fold over its rows: at each of them it is what it was when the row was written."""

from dataclasses import replace

import pytest

from burraco.tournament.field import Format, Stage
from burraco.tournament.plan import Plan, Unplayable, require_playable
from burraco.tournament.progress import Progress, Status
from burraco.tournament.rows import (
    BoardPlayed,
    BoardVoided,
    Cancelled,
    Opened,
    Paused,
    Resumed,
    Row,
    TableAdjudicated,
    TableRequeued,
    UnreadableRow,
    Withdrawn,
    row_from_json,
    row_to_json,
)
from tests.tournament.events import (
    LOTS,
    PLAN,
    POINTS,
    QUESTION,
    by_chance,
    field_of,
    half,
    plan_of,
    play,
    started,
)


def running(plan: Plan = PLAN, entries: int = 4) -> Progress:
    progress = Progress.of(started(plan, field_of(entries)))
    paired = progress.next_pairing(LOTS)
    assert paired is not None
    progress.apply(paired)
    return progress


def played(table: int, board: int, attempt: int = 0) -> BoardPlayed:
    return BoardPlayed(table, board, attempt, (half((100, 0)), half((100, 0))))


def finish(progress: Progress) -> None:
    for wanted in progress.wanted():
        progress.apply(played(wanted.table, wanted.ref.board, wanted.ref.attempt))


@pytest.mark.parametrize("format_", list(Format))
def test_any_prefix_goes_on_as_the_whole_did(format_: Format) -> None:
    size = 2 if format_ is Format.DUEL else 6
    rounds = 0 if format_ in (Format.KNOCK_OUT, Format.ROUND_ROBIN) else 3
    entries = field_of(size, anchors=2 if format_ is Format.GAUNTLET else 0)
    rows = started(plan_of(Stage(format_, rounds)), entries)
    first = len(rows)
    whole = play(rows, by_chance(3))
    for cut in range(first, len(rows)):
        progress = Progress.of(rows[:cut])
        for row in rows[cut:]:
            progress.apply(row)
        assert (progress.played, progress.version) == (whole.played, whole.version)
        assert progress.standings(LOTS) == whole.standings(LOTS)


def test_rows_are_the_same_again_after_json() -> None:
    rows: list[Row] = started(plan_of(Stage(Format.DUEL, 2)), field_of(2))
    play(rows, by_chance(3))
    rows += [
        Withdrawn(1, "gone", "director"),
        Paused("lunch", "director"),
        Resumed("director"),
        BoardVoided(0, 1, 0, "the server failed"),
        TableRequeued(0, "wrong version", "director"),
        TableAdjudicated(0, (5, -5), "agreed", "director"),
        Cancelled("fire", "director", "00"),
    ]
    for row in rows:
        assert row_from_json(*row_to_json(row)) == row


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("Nothing", "{}"),
        ("Started", "{}"),
        ("Started", '{"by": 5}'),
        ("BoardVoided", '{"table": "0", "board": 0, "attempt": 0, "reason": ""}'),
        ("Opened", "not JSON"),
    ],
)
def test_a_row_that_lacks_something_is_refused(kind: str, payload: str) -> None:
    with pytest.raises(UnreadableRow):
        row_from_json(kind, payload)


def test_161_the_format_is_in_the_event_itself() -> None:
    kind, payload = row_to_json(Opened("e", PLAN, "{}", "00" * 32, "director"))
    assert '"format":"swiss"' in payload
    with pytest.raises(UnreadableRow, match="format"):
        row_from_json(kind, payload.replace('"format":"swiss",', ""))


def test_a_round_is_over_when_all_its_tables_are() -> None:
    progress = running()
    wanted = progress.wanted()
    assert [(one.table, one.ref.board) for one in wanted] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for one in wanted[:-1]:
        progress.apply(played(one.table, one.ref.board))
        assert progress.current is not None
    progress.apply(played(1, 1))
    assert progress.current is None
    assert [score.gains for score in progress.played[0].scores] == [(400, -400)] * 2


def test_a_voided_board_is_wanted_again_as_another_one() -> None:
    progress = running()
    before = progress.wanted()[0].ref
    progress.apply(BoardVoided(0, 0, 0, "the server failed"))
    again = progress.wanted()[0].ref
    assert (again.board, again.attempt) == (before.board, 1)
    progress.apply(played(0, 0, 1))
    assert [(one.table, one.ref.board) for one in progress.wanted()] == [(0, 1), (1, 0), (1, 1)]


def test_a_requeued_table_plays_all_its_boards_again() -> None:
    progress = running()
    progress.apply(played(0, 0))
    progress.apply(TableRequeued(0, "wrong version", "director"))
    assert [one.ref.attempt for one in progress.wanted() if one.table == 0] == [1, 1]


def test_an_adjudicated_table_is_wanted_no_more() -> None:
    progress = running()
    progress.apply(TableAdjudicated(1, (550, -550), "agreed", "director"))
    assert {one.table for one in progress.wanted()} == {0}
    finish(progress)
    assert progress.played[0].scores[1].victory_points == (13, 7)


def test_158_who_leaves_in_a_round_ends_its_table_and_is_paired_no_more() -> None:
    progress = running(entries=6)
    assert progress.current is not None
    (leaver,) = progress.current.round.tables[0].sides[0]
    progress.apply(Withdrawn(leaver, "gone", "director"))
    assert {one.table for one in progress.wanted()} == {1, 2}
    finish(progress)
    assert progress.played[0].scores[0].victory_points == (8, 14)
    paired = progress.next_pairing(LOTS)
    assert paired is not None
    there = {entry for table in paired.round.tables for entry in table.entries}
    assert leaver not in there | set(paired.round.byes)
    assert progress.standings(LOTS)[-1].entry == leaver
    assert progress.standings(LOTS)[-1].has_left


def test_158_with_fewer_than_two_left_the_event_ends() -> None:
    progress = running(entries=6)
    finish(progress)
    for entry in range(5):
        progress.apply(Withdrawn(entry, "gone", "director"))
    assert progress.next_pairing(LOTS) is None
    assert progress.standings(LOTS)[0].entry == 5


def test_nothing_is_wanted_while_the_event_pauses() -> None:
    progress = running()
    progress.apply(Paused("lunch", "director"))
    assert progress.wanted() == []
    progress.apply(played(0, 0))
    progress.apply(Resumed("director"))
    assert len(progress.wanted()) == 3


def test_a_forfeit_does_not_depend_on_which_board_ended_first() -> None:
    faulty = (half((0, 0), (True, False)),) * 2
    plan = replace(PLAN, boards=4, halves=1, adjusted_allowed=0)
    one, other = running(plan), running(plan)
    last = BoardPlayed(0, 3, 0, (half((0, 900)),))
    one.apply(BoardPlayed(0, 0, 0, faulty[:1]))
    other.apply(last)
    other.apply(BoardPlayed(0, 0, 0, faulty[:1]))
    assert one.current is not None
    assert other.current is not None
    assert one.current.tables[0].score == other.current.tables[0].score is not None


def test_boards_beyond_a_forfeit_count_in_no_order_of_ends() -> None:
    plan = replace(PLAN, boards=4, halves=1, adjusted_allowed=0)
    faulty = BoardPlayed(0, 0, 0, (half((0, 0), (True, False)),))
    early, late = running(plan), running(plan)
    early.apply(faulty)
    late.apply(BoardPlayed(0, 1, 0, (half((0, 900)),)))
    late.apply(faulty)
    for progress in (early, late):
        assert progress.current is not None
        assert progress.current.tables[0].counted == (faulty,)
    assert early.current is not None
    assert late.current is not None
    assert early.current.tables[0].score == late.current.tables[0].score


def test_what_is_being_played_is_known_while_the_event_pauses() -> None:
    progress = running()
    progress.apply(Paused("lunch", "director"))
    assert len(progress.unplayed()) == 4


def test_a_cancelled_event_keeps_the_rounds_that_were_played() -> None:
    progress = running()
    finish(progress)
    progress.apply(Cancelled("fire", "director", "00"))
    assert progress.status is Status.CANCELLED
    assert len(progress.played) == 1


@pytest.mark.parametrize(
    ("field", "plan"),
    [
        ("stages", replace(PLAN, stages=())),
        ("stages.rounds", replace(PLAN, stages=(Stage(Format.SWISS, 0),))),
        ("stages.rounds", plan_of(Stage(Format.LADDER, 0), Stage(Format.DANISH, 1))),
        ("boards", replace(PLAN, boards=3)),
        ("boards", replace(PLAN, boards=0, scoring=POINTS)),
        ("halves", replace(PLAN, halves=3)),
        ("adjusted_allowed", replace(PLAN, adjusted_allowed=3)),
        ("adjusted", replace(PLAN, adjusted=-1)),
        ("rules.players", replace(PLAN, rules=replace(PLAN.rules, players=3))),
        ("stages", plan_of(Stage(Format.INDIVIDUAL, 2), Stage(Format.DANISH, 1))),
        ("question", replace(PLAN, question=QUESTION)),
        ("question", replace(PLAN, stages=(Stage(Format.DUEL, 5),))),
        (
            "question.gain",
            replace(plan_of(Stage(Format.DUEL, 5)), question=replace(QUESTION, gain=0)),
        ),
    ],
)
def test_a_plan_that_cannot_be_played_says_what_is_wrong(field: str, plan: Plan) -> None:
    with pytest.raises(Unplayable) as refused:
        require_playable(plan)
    assert refused.value.field == field
