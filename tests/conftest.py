"""What every test shares: readable failures in helpers, and how many examples Hypothesis tries."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.server.postgres import Postgres

pytest.register_assert_rewrite("tests.support")

_SLOW_IS_FINE = [HealthCheck.too_slow]
# A laptop looks for something new each time; CI tries more, and the same examples every time.
settings.register_profile(
    "dev", max_examples=10, deadline=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile(
    "ci",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    """A real PostgreSQL server, for as long as the worker of the test run lives."""
    # Imported here: the tests of the engine need no server.
    from tests.server.postgres import serving_postgres

    with serving_postgres() as server:
        yield server
