"""A short storm on each store: nothing acknowledged is lost, doubled, or undone."""

from pathlib import Path

import pytest

from tests.faults.chaos import Plan, chaos
from tests.server.postgres import Postgres

STORM = Plan(matches=4, kills=4, freezes=1, cuts=10, deals=1, seed=7, seconds=240)


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_promises_are_kept_through_kills_and_broken_connections(
    store: str, tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.make_database() if store == "postgres" else None
    database = url.render_as_string(hide_password=False) if url is not None else None
    outcome = await chaos(tmp_path, database, STORM)
    assert outcome.wrong == []
    assert outcome.counts["matches"] == STORM.matches
    assert outcome.counts["kills"] >= 2, outcome.counts
