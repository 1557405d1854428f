"""Boards in memory: few of them, and no seed before its time."""

from dataclasses import replace

from burraco.server.boards import Boards
from burraco.server.presets import CLOCKS
from burraco.server.record import MatchRecord
from burraco.server.terms import FaultTerms
from tests.server.tableside import Tableside

_MANY = 1_000


def _table(board: int, table: int) -> MatchRecord:
    plan = Tableside(CLOCKS["blitz"], FaultTerms(0, 9)).record.plan
    return MatchRecord(
        replace(plan, match_id=f"m-{board}-{table}", board_id=f"b-{board}", board_tables=2)
    )


def test_a_board_is_over_when_its_last_table_has_ended() -> None:
    boards, first, second = Boards(), _table(1, 1), _table(1, 2)
    for record in (first, second):
        boards.enter(record)
    boards.end(first)
    assert boards.secret_shown(first) == b""
    boards.end(second)
    assert boards.secret_shown(second) == boards.secret_shown(first) == first.plan.secret


def test_boards_whose_other_tables_are_never_made_are_forgotten_without_their_seed() -> None:
    boards, tables = Boards(), [_table(number, 1) for number in range(_MANY)]
    for record in tables:
        boards.enter(record)
        boards.end(record)
    assert len(boards) < _MANY / 2
    assert not boards.knows("b-0")
    assert {boards.secret_shown(record) for record in tables} == {b""}


def test_a_board_with_a_live_table_is_never_forgotten() -> None:
    boards, live = Boards(), _table(0, 1)
    boards.enter(live)
    for number in range(1, _MANY):
        record = _table(number, 1)
        boards.enter(record)
        boards.end(record)
    assert boards.knows("b-0")
