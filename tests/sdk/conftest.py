"""What the tests of the client share."""

import pytest

from tests.sdk.drawer import Drawer, a_drawer


@pytest.fixture
def drawer() -> type[Drawer]:
    """A bot class of this test alone."""
    return a_drawer()
