"""What the tests of the server share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from burraco.server.store.choosing import choose_store
from burraco.server.store.relational import RelationalStore
from tests.server.harness import FakeClock, Running, serving
from tests.server.postgres import Postgres


@pytest.fixture
def clock() -> FakeClock:
    """Time for a server that a test moves itself."""
    return FakeClock()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """A server on the clock of the event loop."""
    async with serving(tmp_path) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'burraco.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.make_database().render_as_string(hide_password=False)


@pytest.fixture
async def store(database: str) -> AsyncIterator[RelationalStore]:
    """A store that owns what is in it."""
    store = choose_store(database, Path("unused"))
    await store.open()
    await store.claim()
    yield store
    await store.close()
