"""What a table comes to, from the boards that were played there."""

from collections.abc import Sequence

from burraco.tournament.field import TableScore
from burraco.tournament.plan import Plan
from burraco.tournament.rows import BoardPlayed, Half
from burraco.tournament.victory_points import leaver_points, victory_points


def half_gains(plan: Plan, half: Half) -> tuple[int, int]:
    """What the sides gain at one half.

    A side at fault loses the adjusted points; its opponents keep what they won, if they won.
    """
    difference = half.points[0] - half.points[1]
    if not any(half.at_fault):
        return difference, -difference
    return _kept(plan, half, 0, difference), _kept(plan, half, 1, -difference)


def table_score(plan: Plan, boards: Sequence[BoardPlayed]) -> TableScore:
    """The score of a table whose boards have all been played."""
    halves = [half for board in boards for half in board.halves]
    gains = [half_gains(plan, half) for half in halves]
    both = sum(gain[0] for gain in gains), sum(gain[1] for gain in gains)
    return TableScore(both, _victory_points(plan, both, len(halves)), len(halves))


def forfeiting(plan: Plan, boards: Sequence[BoardPlayed]) -> tuple[bool, bool]:
    """Which sides were at fault on more boards than the plan allows."""
    counts = [
        sum(any(half.at_fault[side] for half in board.halves) for board in boards)
        for side in (0, 1)
    ]
    return counts[0] > plan.adjusted_allowed, counts[1] > plan.adjusted_allowed


def forfeited_score(
    plan: Plan, boards: Sequence[BoardPlayed], leavers: tuple[bool, bool]
) -> TableScore:
    """The score of a table that a side, or both, have left or forfeited.

    With victory points the leaver has those of a side that leaves, its opponents those of a bye.
    Without, it loses the adjusted points for each deal that is not played; its opponents gain
    nothing by those.
    """
    if not plan.scoring.uses_victory_points:
        played = table_score(plan, boards)
        missing = plan.deals - played.deals
        lost = [plan.adjusted * missing * leaves for leaves in leavers]
        gains = played.gains[0] - lost[0], played.gains[1] - lost[1]
        return TableScore(gains, (0, 0), plan.deals)
    bye, worth = plan.scoring, leaver_points(plan.deals)
    points = [worth if leaves else bye.bye_victory_points for leaves in leavers]
    gain = [-bye.bye_difference if leaves else bye.bye_difference for leaves in leavers]
    return TableScore((gain[0], gain[1]), (points[0], points[1]), plan.deals)


def adjudicated_score(plan: Plan, gains: tuple[int, int]) -> TableScore:
    """The score that an organiser gives a table."""
    return TableScore(gains, _victory_points(plan, gains, plan.deals), plan.deals)


def _kept(plan: Plan, half: Half, side: int, difference: int) -> int:
    return -plan.adjusted if half.at_fault[side] else max(0, difference)


def _victory_points(plan: Plan, gains: tuple[int, int], deals: int) -> tuple[int, int]:
    if not plan.scoring.uses_victory_points:
        return (0, 0)
    # Where a side was at fault the gains are no negatives of each other: the middle of both counts.
    return victory_points((gains[0] - gains[1]) // 2, deals)
