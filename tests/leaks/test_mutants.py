"""The checker sees what it is for: every leak that is planted on purpose is found."""

from collections.abc import Callable

import pytest

from burraco.engine.compiled import is_compiled
from tests.leaks.checker import leaks
from tests.leaks.mutants import MUTANTS

# Enough for the rarest: a hand that is discarded to its last card before the pozzetto.
PAIRS = 20_000


@pytest.mark.skipif(is_compiled(), reason="leaks are planted by replacing source functions")
@pytest.mark.parametrize(
    ("plant", "way"), [pytest.param(*mutant, id=mutant[0].__name__) for mutant in MUTANTS.items()]
)
def test_a_planted_leak_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert way in (leak.way for leak in leaks(0, PAIRS))
