"""The battery in small: it lets the engine's shuffle pass and finds every wrong one.

All chance is seeded, so each test comes out the same every time.
"""

import hashlib
import random

import pytest

from tests.battery.chances import of_cells, of_chi_square, of_count, of_normal, worst
from tests.battery.shuffles import WRONG, Wrong, ours
from tests.battery.trials import TRIALS, run

SECRET = hashlib.shake_256(b"battery in small").digest(80)


def test_the_shuffle_of_the_engine_passes() -> None:
    findings = run(ours(SECRET), 3_000)
    assert [finding.trial for finding in findings] == list(TRIALS)
    assert not [finding for finding in findings if finding.is_rejected]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_shuffle_is_rejected(wrong: Wrong) -> None:
    findings = run(wrong.source(random.Random(1)), wrong.deals)
    assert [finding for finding in findings if finding.is_rejected]


@pytest.mark.parametrize(
    ("chance", "expected"),
    [
        # Tables of the normal and of the chi-square distribution, doubled for the two sides.
        pytest.param(of_normal(1.959964), 0.05, id="normal"),
        pytest.param(of_chi_square(9.487729, 4), 0.10, id="chi-square-4"),
        pytest.param(of_chi_square(0.710723, 4), 0.10, id="chi-square-4-too-even"),
        pytest.param(of_chi_square(56.94239, 41), 0.10, id="chi-square-41"),
        pytest.param(of_chi_square(124.3421, 100), 0.10, id="chi-square-100"),
        pytest.param(of_chi_square(70.06489, 100), 0.02, id="chi-square-100-too-even"),
        pytest.param(of_count(0, 5.0), 2 * 0.006737947, id="none-of-five"),
        pytest.param(of_count(12, 5.0), 2 * 0.005453092, id="twelve-of-five"),
        # Ten heads and no tails: the statistic is 10, with one degree of freedom.
        pytest.param(of_cells([10, 0], [5, 5]), 2 * 0.001565402, id="cells"),
        pytest.param(of_cells([10, 0, 0], [5, 3, 2]), 2 * 0.001565402, id="sparse-cells-pooled"),
        pytest.param(worst([0.5, 0.01, 0.3]), 0.03, id="worst-of-three"),
        pytest.param(worst([0.5, 0.4, 0.9]), 1.0, id="worst-is-at-most-one"),
    ],
)
def test_chances(chance: float, expected: float) -> None:
    assert chance == pytest.approx(expected, rel=1e-4)
