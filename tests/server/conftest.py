"""What the tests of the server share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.harness import FakeClock, Running, serving


@pytest.fixture
def clock() -> FakeClock:
    """Time for a server that a test moves itself."""
    return FakeClock()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """A server on the clock of the event loop."""
    async with serving(tmp_path) as running:
        yield running
