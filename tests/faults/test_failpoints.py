"""A server that dies or fails at each named place keeps its promises."""

from pathlib import Path

import pytest

from burraco.server.addresses import AddressRefused
from burraco.server.failpoints import POINTS, arm
from tests.faults.chaos import Place, Plan, chaos
from tests.faults.torment import Strokes


async def test_promises_are_kept_at_every_fail_point(tmp_path: Path) -> None:
    plan = Plan(matches=12, deals=1, strokes=Strokes(points=1), seed=3, seconds=240)
    outcome = await chaos(Place(tmp_path), plan)
    assert outcome.wrong == []
    struck = {f"{point}:{effect}" for point, effects in POINTS.items() for effect in effects}
    assert struck <= outcome.counts.keys()


@pytest.mark.parametrize(
    ("text", "listen"),
    [
        pytest.param("nowhere:kill:1", "127.0.0.1:0", id="no-such-point"),
        pytest.param("writer.committed:raise:1", "127.0.0.1:0", id="no-such-effect-there"),
        pytest.param("writer.commit:kill", "127.0.0.1:0", id="no-turn"),
        pytest.param("writer.commit:kill:1", "0.0.0.0:7070", id="beyond-this-machine"),
    ],
)
def test_what_cannot_be_armed_is_refused(text: str, listen: str) -> None:
    with pytest.raises(AddressRefused):
        arm(text, listen)
    arm("", listen)
