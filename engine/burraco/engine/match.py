"""A match: deals one after the other from one seed, until somebody has won (R71, R72)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from burraco.engine.actions import Action, Cut
from burraco.engine.deal import Seed, check_cut, lay_out, open_deal, shuffled, smallest_cut_for
from burraco.engine.errors import IllegalAction, Reason, Unreadable
from burraco.engine.events import DealEnded, DealStarted, Event, MatchEnded, Secret
from burraco.engine.nearest import nearest_cut
from burraco.engine.rules import Ruleset, pozzetto_sizes
from burraco.engine.scoring import deal_points
from burraco.engine.state import DealState, End, EndedBy, Layout, Phase, left_of
from burraco.engine.transition import apply
from burraco.engine.view import View, view


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What a match is played with.

    ``deals`` ends it after so many deals whatever the rules say (a board is a match of one), 0
    leaves the end to the rules. ``asks_cut`` gives the player at the dealer's right the choice of
    R19.
    """

    rules: Ruleset
    seed: Seed
    dealer: int
    deals: int
    asks_cut: bool


@dataclass(frozen=True, slots=True)
class DealResult:
    """A finished deal of a match."""

    dealer: int
    end: End
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one moment; ``deal`` is None while a cut is due, ``number`` counts from 1."""

    setup: MatchSetup
    number: int
    dealer: int
    deal: DealState | None
    layout: Layout | None
    results: tuple[DealResult, ...]
    is_over: bool

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of all finished deals by side as dealt; below zero is kept."""
        return _added(self.setup.rules, self.results)

    @property
    def winner(self) -> int | None:
        """The side with most points once it is over, None where two have most."""
        return _leader(self.totals) if self.is_over else None

    @property
    def cutter(self) -> int | None:
        """The seat that is to cut (R18: at the dealer's right), or None."""
        waiting = self.deal is None and not self.is_over
        return (self.dealer - 1) % self.setup.rules.players if waiting else None

    @property
    def turn(self) -> int | None:
        """The seat that is to do something, None when the match is over."""
        if self.is_over:
            return None
        return self.cutter if self.deal is None else self.deal.turn

    def with_deal(self, deal: DealState) -> "Match":
        """The match after a step of its deal; every step makes one, and ``replace`` is slow."""
        return Match(
            self.setup, self.number, self.dealer, deal, self.layout, self.results, self.is_over
        )


class MatchStep(NamedTuple):
    """A new state of the match and what everybody learns from the way there."""

    match: Match
    events: tuple[Event, ...]


def start_match(setup: MatchSetup) -> MatchStep:
    """Begin a match: deal at once, or wait for the cutter where the setup asks for a cut."""
    if setup.deals < 0 or not 0 <= setup.dealer < setup.rules.players:
        raise Unreadable(f"deals {setup.deals}, dealer {setup.dealer}: no match begins like this")
    if setup.asks_cut and not setup.rules.physical_cut:
        raise Unreadable(f"rules {setup.rules.name} know no cut, so no cutter can be asked")
    fresh = Match(setup, 1, setup.dealer, None, None, (), False)
    return MatchStep(fresh, ()) if setup.asks_cut else _deal_out(fresh, None)


def play(match: Match, action: Action) -> MatchStep:
    """Play an action of ``match.turn``, or raise ``IllegalAction`` with nothing changed.

    When a deal ends its points are added, and the next deal begins in the same step or the match
    ends.
    """
    if match.is_over:
        raise IllegalAction(Reason.MATCH_OVER, "R71")
    if match.deal is None:
        if not isinstance(action, Cut):
            refused = IllegalAction(Reason.MUST_CUT_FIRST, "R18")
            smallest = _smallest_cut(match)
            refused.offer(partial(nearest_cut, smallest, smallest))
            raise refused
        check_cut(action.size, _smallest_cut(match))
        return _deal_out(match, action.size)
    step = apply(match.deal, action)
    played = match.with_deal(step.state)
    if step.state.end is None:
        return MatchStep(played, step.events)
    return _finish_deal(played, step.events)


def adjudicate(match: Match) -> MatchStep:
    """End the match where it stands, the running deal scored as the cards lie."""
    if match.is_over:
        raise IllegalAction(Reason.MATCH_OVER, "R71")
    results = match.results
    ended: tuple[Event, ...] = ()
    if match.deal is not None:
        stopped = match.deal.copy()
        stopped.phase, stopped.end = Phase.OVER, End(EndedBy.ADJUDICATED, None)
        points = deal_points(stopped)
        results = (*results, DealResult(match.dealer, stopped.end, points))
        ended = (Event(DealEnded(EndedBy.ADJUDICATED, None, points), ()),)
        match = replace(match, deal=stopped)
    over = replace(match, results=results, is_over=True)
    return MatchStep(over, (*ended, Event(MatchEnded(over.totals, over.winner), ())))


def match_view(match: Match, seat: int | None) -> View | None:
    """What a seat, or a viewer without one, may know; None while the cutter is to choose."""
    if match.deal is None:
        return None
    return view(match.deal, seat, match.number, _totals_before(match))


def _totals_before(match: Match) -> tuple[int, ...]:
    """Totals without the deal on the table, which may be finished and counted already."""
    return _added(match.setup.rules, match.results[: match.number - 1])


def _added(rules: Ruleset, results: tuple[DealResult, ...]) -> tuple[int, ...]:
    totals = [0] * rules.side_count
    for result in results:
        for side, points in enumerate(result.points):
            totals[side] += points
    return tuple(totals)


def _leader(totals: tuple[int, ...]) -> int | None:
    most = max(totals)
    return totals.index(most) if totals.count(most) == 1 else None


def pozzetti_due(rules: Ruleset, results: Sequence[DealResult]) -> tuple[int, ...]:
    """Cards of each pozzetto of the deal that follows these: the highest totals count (H10)."""
    by_side = zip(*(result.points for result in results), strict=True)
    return pozzetto_sizes(rules, [max(accumulate(points)) for points in by_side])


def _smallest_cut(match: Match) -> int:
    return smallest_cut_for(pozzetti_due(match.setup.rules, match.results))


def _finish_deal(match: Match, events: tuple[Event, ...]) -> MatchStep:
    deal = match.deal
    assert deal is not None
    assert deal.end is not None
    result = DealResult(match.dealer, deal.end, deal_points(deal))
    scored = replace(match, results=(*match.results, result))
    if _is_decided(scored):
        over = replace(scored, is_over=True)
        return MatchStep(over, (*events, Event(MatchEnded(over.totals, over.winner), ())))
    following = replace(
        scored,
        number=match.number + 1,
        dealer=left_of(match.dealer, match.setup.rules.players),
        deal=None,
        layout=None,
    )
    if match.setup.asks_cut:
        return MatchStep(following, events)
    begun = _deal_out(following, None)
    return MatchStep(begun.match, (*events, *begun.events))


def _is_decided(match: Match) -> bool:
    """Whether the match has ended after a complete deal (R71, R72, E64)."""
    rules, played = match.setup.rules, len(match.results)
    limit = match.setup.deals or rules.deals
    if limit:
        return played >= limit
    totals = match.totals
    return max(totals) >= rules.target and _leader(totals) is not None


def _deal_out(match: Match, chosen_cut: int | None) -> MatchStep:
    rules, sizes = match.setup.rules, pozzetti_due(match.setup.rules, match.results)
    pack, drawn_cut = shuffled(match.setup.seed, match.number, smallest_cut_for(sizes))
    cut = 0 if not rules.physical_cut else drawn_cut if chosen_cut is None else chosen_cut
    layout = lay_out(pack, cut, match.dealer, rules.players, sizes)
    deal = open_deal(rules, match.dealer, layout)
    secrets = tuple(Secret(seat, tuple(sorted(hand))) for seat, hand in enumerate(layout.hands))
    started = Event(DealStarted(match.number, match.dealer, layout.upcard), secrets)
    return MatchStep(replace(match, deal=deal, layout=layout), (started,))
