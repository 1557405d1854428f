"""The command ``burraco bgn view``: deals as one seat saw them, from files and pipes."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from burraco.engine.bgn import judge
from burraco.sdk.command import main
from tests.support.cases import CASES

FIBUR = CASES / "deals-fibur.bgn"

Ran = tuple[int, str, str]
Burraco = Callable[..., Ran]


@pytest.fixture
def burraco(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Burraco:
    """Run the command in this process; ``stdin`` is what it reads there."""

    def run(*argv: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        status = main(argv)
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("seat", ["N", "E", "S", "W"])
def test_every_deal_is_printed_with_the_own_hand_alone(burraco: Burraco, seat: str) -> None:
    status, out, err = burraco("bgn", "view", str(FIBUR), "--seat", seat)
    assert (status, err) == (0, "")
    assert out.count("[Deal ") == 6
    dealt = [line for line in out.splitlines() if line.startswith("[Deal ")]
    assert all(line.count(":*11") == 5 and f"{seat}:*11" not in line for line in dealt)
    assert all(verdict.is_ok for verdict in judge(out))


def test_without_a_seat_no_hand_is_shown(burraco: Burraco) -> None:
    status, out, _ = burraco("bgn", "view", "-", stdin=FIBUR.read_text())
    assert (status, out.count(":*11")) == (0, 6 * 6)
    assert " +??" in out


def test_what_cannot_be_shown_is_named_and_the_rest_is_printed(
    burraco: Burraco, tmp_path: Path
) -> None:
    text = FIBUR.read_text()
    scene = '[BGN "1"]\n[Turn "N play"]\n\n'
    wrong = text.split("\n\n[BGN")[0].replace("NS 45 EW 285", "NS 50 EW 285") + "\n\n"
    faulty = '[BGN "1"]\n[Turn "N\n\n'
    missing = str(tmp_path / "none.bgn")
    status, out, err = burraco(
        "bgn", "view", missing, "-", "--seat", "N", stdin=scene + wrong + faulty + text
    )
    assert status == 2
    assert out.count("[Deal ") == 6
    assert err.splitlines() == [
        f"burraco bgn view: {missing}: No such file or directory",
        "burraco bgn view: unreadable -:1:2: this is a scene; a deal has the tag Deal",
        "burraco bgn view: differs NS 45 EW 285, the file says NS 50 EW 285",
        'burraco bgn view: unreadable -:75:1: a tag is written [Name "value"] on one line',
    ]


def test_bytes_that_are_no_text_are_named(burraco: Burraco, tmp_path: Path) -> None:
    path = tmp_path / "x.bgn"
    path.write_bytes(b"\xff")
    status, _, err = burraco("bgn", "view", str(path))
    assert (status, err) == (1, f"burraco bgn view: unreadable {path}:1:1: this is no UTF-8 text\n")
