"""What a match that is over leaves behind: nothing that has to be looked for."""

import gc
from collections.abc import Iterator

import pytest

from burraco.server.presets import CLOCKS
from burraco.server.record import MatchRecord
from burraco.server.table import Table
from burraco.server.terms import FaultTerms
from tests.server.tableside import Tableside

_LONG = 10_000


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing goes by the collector, only what nobody refers to any more."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _there_are(kind: type) -> int:
    return sum(type(found) is kind for found in gc.get_objects())


def test_a_table_is_gone_with_whoever_used_it_last(uncollected: None) -> None:
    side = Tableside(CLOCKS["blitz"], FaultTerms(0, 9))
    tables, records = _there_are(Table), _there_are(MatchRecord)
    side.sit()
    while side.record.turn is not None:
        assert side.table.asked is not None
        side.act(*side.table.asked.default)
    assert side.ended == 1
    # The clock of a test keeps what was cancelled until its time has come.
    side.move(_LONG)
    del side.table
    assert (_there_are(Table), _there_are(MatchRecord)) == (tables - 1, records - 1)
