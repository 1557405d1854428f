"""Acts of a seat that does not answer, the default's or the stand-in's, as far as one may go."""

from collections.abc import Callable

from burraco.engine.actions import Action, Cut, Discard
from burraco.engine.deal import shuffled
from burraco.engine.events import Event
from burraco.engine.match import Match, MatchStep, match_view
from burraco.engine.view import View
from burraco.server.record import is_revealing, play_all

Policy = Callable[[View], Action]


def policy_act(match: Match, policy: Policy) -> tuple[tuple[Action, ...], MatchStep]:
    """Play a policy for the seat to act until its turn is over or it has seen something new."""
    seat = match.turn
    assert seat is not None
    if match.deal is None:
        cut = drawn_cut(match)
        return (cut,), play_all(match, seat, (cut,))
    actions: list[Action] = []
    events: list[Event] = []
    while True:
        view = match_view(match, seat)
        assert view is not None
        action = policy(view)
        step = play_all(match, seat, (action,))
        actions.append(action)
        events += step.events
        match = step.match
        if isinstance(action, Discard) or is_revealing(step, seat):
            return tuple(actions), MatchStep(match, tuple(events))


def drawn_cut(match: Match) -> Cut:
    """The cut of R19 as the seed has it, for a cutter who does not choose."""
    return Cut(shuffled(match.setup.seed, match.number)[1])
