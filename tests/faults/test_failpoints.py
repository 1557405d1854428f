"""A server that dies or fails at each named place keeps its promises."""

from pathlib import Path

import pytest

from burraco.server.addresses import AddressRefused
from burraco.server.failpoints import KILL, POINTS, arm
from tests.faults.chaos import Plan, chaos

_AT: dict[str, int] = {"recovery.fold": 1, "publisher.end": 1}


@pytest.mark.parametrize(
    ("point", "effect"), [(point, effect) for point in POINTS for effect in POINTS[point]]
)
async def test_promises_are_kept(point: str, effect: str, tmp_path: Path) -> None:
    turn = _AT.get(point, 12)
    plan = Plan(matches=2, deals=1, seconds=120, fail_point=f"{point}:{effect}:{turn}")
    outcome = await chaos(tmp_path, None, plan)
    assert outcome.wrong == []
    assert outcome.counts["died"] == (effect == KILL)
    assert ("internal_error" in (tmp_path / "server.log").read_text()) == (effect != KILL)


@pytest.mark.parametrize(
    ("text", "listen"),
    [
        ("nowhere:kill:1", "127.0.0.1:0"),
        ("writer.committed:raise:1", "127.0.0.1:0"),
        ("writer.commit:kill", "127.0.0.1:0"),
        ("writer.commit:kill:1", "0.0.0.0:7070"),
    ],
    ids=["point", "effect", "turn", "listen"],
)
def test_what_cannot_be_armed_is_refused(text: str, listen: str) -> None:
    with pytest.raises(AddressRefused):
        arm(text, listen)
    arm("", listen)
