"""A server that dies or fails at each named place keeps its promises."""

from collections import Counter
from pathlib import Path

import pytest

from burraco.server.addresses import AddressRefused
from burraco.server.failpoints import POINTS, arm
from tests.faults.__main__ import main, shortfall
from tests.faults.chaos import Place, Plan, chaos
from tests.faults.torment import Strokes


async def test_promises_are_kept_at_every_fail_point(tmp_path: Path) -> None:
    plan = Plan(matches=12, deals=1, strokes=Strokes(points=1), seed=3, seconds=240)
    outcome = await chaos(Place(tmp_path), plan)
    assert outcome.wrong == []
    struck = {f"{point}:{effect}" for point, effects in POINTS.items() for effect in effects}
    assert struck <= outcome.counts.keys()


def test_fewer_strokes_than_were_asked_for_are_told() -> None:
    asked = Strokes(kills=3, points=2, full_disks=1, database_kills=1)
    done = Counter({f"{point}:{effect}": 2 for point in POINTS for effect in POINTS[point]})
    done |= Counter({"kills": 2, "full disks": 1})
    assert list(shortfall(asked, "sqlite", done, 1)) == [
        "kills: 2 of 3; give it more --matches or --deals"
    ]
    done["recovery.fold:kill"] = 1
    told = list(shortfall(asked, "postgres", done, 1))
    assert [line.partition(";")[0] for line in told] == [
        "kills: 2 of 3",
        "recovery.fold:kill: 1 of 2",
        "database kills: 0 of 1",
    ]


@pytest.mark.parametrize(
    "options",
    [
        ["chaos", "--matches", "0"],
        ["chaos", "--kills", "-1"],
        ["positions", "--step", "0"],
        ["fuzz", "--messages", "-5"],
        ["soak", "--decisions", "10"],
    ],
)
def test_a_number_that_means_nothing_is_refused_by_name(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["faults", *options])
    with pytest.raises(SystemExit) as refused:
        main()
    assert refused.value.code == 2
    assert f"argument {options[1]}: {options[2]}: give " in capsys.readouterr().err


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
