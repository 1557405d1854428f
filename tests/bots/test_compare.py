"""What a comparison makes of a duel: its verdict, its figures and its exit status."""

import argparse
from collections.abc import Sequence

import pytest

from burraco.bots.commands import register
from burraco.bots.compare import Finding, Verdict, found, out_of
from burraco.bots.compare_command import STATUSES
from burraco.sdk import (
    DuelDecision,
    TournamentHalf,
    TournamentPlace,
    TournamentRound,
    TournamentTable,
)


def place(entry: int, points: float, deals: int = 48) -> TournamentPlace:
    return TournamentPlace(
        rank=1,
        tied=(1, 1),
        entry=entry,
        victory_points=0,
        difference=round(points * deals),
        points_per_deal=points,
        interval=(points - 20, points + 20),
        deals=deals,
        wins=1,
        byes=0,
        faults=0,
        has_left=False,
    )


PLACES = (place(1, 30.0), place(0, -30.0))


@pytest.mark.parametrize(
    ("decision", "failed", "verdict"),
    [
        pytest.param(DuelDecision.BETTER, None, Verdict.BETTER, id="better"),
        pytest.param(DuelDecision.WORSE, None, Verdict.WORSE, id="worse"),
        pytest.param(DuelDecision.EQUAL, None, Verdict.EQUAL, id="equal"),
        pytest.param(DuelDecision.UNDECIDED, None, Verdict.UNDECIDED, id="undecided"),
        pytest.param(None, None, Verdict.UNDECIDED, id="nothing-played"),
        pytest.param(DuelDecision.BETTER, 0, Verdict.WORSE, id="it-keeps-failing"),
        pytest.param(DuelDecision.BETTER, 1, Verdict.UNKNOWN, id="the-other-keeps-failing"),
    ],
)
def test_the_verdict_is_about_the_first_bot(
    decision: DuelDecision | None, failed: int | None, verdict: Verdict
) -> None:
    assert found(PLACES, decision, failed) == Finding(verdict, -30.0, (-50.0, -10.0), 24)


def test_every_verdict_has_a_status_of_its_own() -> None:
    assert STATUSES == {
        Verdict.BETTER: 0,
        Verdict.UNKNOWN: 1,
        Verdict.WORSE: 3,
        Verdict.EQUAL: 4,
        Verdict.UNDECIDED: 5,
    }


def played(boards_at_fault: Sequence[int], side: int) -> TournamentRound:
    """A round of eight boards, entry 1 first, in which a side failed in the second halves."""
    halves = tuple(
        TournamentHalf(
            f"m{board}{half}",
            board,
            half,
            (0, 0),
            (
                half == 1 and side == 0 and board in boards_at_fault,
                half == 1 and side == 1 and board in boards_at_fault,
            ),
            0,
        )
        for board in range(8)
        for half in (0, 1)
    )
    table = TournamentTable((1,), (0,), 0, (0, 0), (0, 0), halves)
    return TournamentRound(1, 1, (table,), (), is_over=True)


@pytest.mark.parametrize(
    ("boards", "side", "out"),
    [
        pytest.param((), 0, None, id="clean"),
        pytest.param((1, 5), 0, None, id="as-many-as-are-allowed"),
        pytest.param((1, 5, 7), 0, 1, id="the-first-side"),
        pytest.param((0, 1, 2), 1, 0, id="the-second-side"),
    ],
)
def test_who_fails_on_three_boards_of_a_round_is_out(
    boards: Sequence[int], side: int, out: int | None
) -> None:
    assert out_of(played(boards, side)) == out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        pytest.param([], "--until-decided", id="not-said"),
        pytest.param(["--until-decided", "--gain", "0"], "points a deal above 0", id="gain"),
        pytest.param(["--until-decided", "--misses", "0.5"], "0.0001 to 0.4", id="misses"),
        pytest.param(["--until-decided", "--gain", "much"], "a number is needed", id="no-number"),
        pytest.param(["--until-decided", "--boards-at-most", "8"], "from 24", id="too-few-boards"),
    ],
)
def test_wrong_commands(
    options: Sequence[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())

    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["compare", "greedy", "club", *options])

    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
