"""A short storm on each store: nothing acknowledged is lost, doubled, or undone."""

from pathlib import Path

import pytest

from tests.faults.chaos import Place, Plan, chaos
from tests.faults.moments import MANNERS, Moment
from tests.faults.torment import Strokes
from tests.server.postgres import Postgres, serving_postgres

STORM = Plan(matches=4, deals=1, cuts=10, strokes=Strokes(kills=4, freezes=1), seed=7, seconds=240)


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_promises_are_kept_through_kills_and_broken_connections(
    store: str, tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.make_database() if store == "postgres" else None
    database = url.render_as_string(hide_password=False) if url is not None else None
    outcome = await chaos(Place(tmp_path, database=database), STORM)
    assert outcome.wrong == []
    assert outcome.counts["matches"] == STORM.matches
    assert outcome.counts["kills"] >= 2, outcome.counts


async def test_promises_are_kept_at_every_moment_and_in_every_manner(tmp_path: Path) -> None:
    plan = Plan(matches=8, deals=1, disconnects=1, seed=5, seconds=240, patience=0.5)
    outcome = await chaos(Place(tmp_path), plan)
    assert outcome.wrong == []
    # At the end of a match a connection may have been struck already; `make chaos` has enough.
    always = set(Moment) - {Moment.MATCH_END}
    assert all(outcome.counts[one] for one in (*always, *MANNERS)), outcome.counts


async def test_a_full_disk_costs_refusals_and_nothing_else(tmp_path: Path) -> None:
    plan = Plan(matches=4, deals=1, strokes=Strokes(full_disks=2), seconds=240)
    outcome = await chaos(Place(tmp_path), plan)
    assert outcome.wrong == []
    assert outcome.counts["full disks"] == 2


async def test_a_database_that_dies_or_freezes_costs_refusals_and_nothing_else(
    tmp_path: Path,
) -> None:
    strokes = Strokes(database_kills=1, database_freezes=1)
    with serving_postgres(is_durable=True) as postgres:
        url = postgres.make_database().render_as_string(hide_password=False)
        plan = Plan(matches=4, deals=1, strokes=strokes, seconds=240)
        outcome = await chaos(Place(tmp_path, postgres, url), plan)
    assert outcome.wrong == []
    assert (outcome.counts["database kills"], outcome.counts["database freezes"]) == (1, 1)
