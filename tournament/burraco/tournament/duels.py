"""What a duel has come to so far."""

from burraco.tournament.accounts import clean_boards
from burraco.tournament.deciding import Decision, decide
from burraco.tournament.field import Format
from burraco.tournament.progress import Progress


def duel_decision(progress: Progress) -> Decision | None:
    """What a duel says of its first entry beside the second; None where there is no duel.

    Only boards count of which no half has a fault.
    """
    plan = progress.plan
    if plan.question is None:
        return None
    margins = [
        board.points
        / board.deals
        * (1 if board.at.table.sides[0] < board.at.table.sides[1] else -1)
        for board in clean_boards(progress)
        if board.deals == plan.halves
        and plan.stages[progress.played[board.at.round].stage].format is Format.DUEL
    ]
    return decide(plan.question, margins)
