"""A match as a fold over the rows of its log: the one place where the engine is asked to play.

``apply`` is the only way a record changes, live and at a restart, so both give the same state.
"""

from collections.abc import Sequence
from typing import assert_never

from burraco.engine.actions import Action, Cut, Discard
from burraco.engine.cards import size
from burraco.engine.deal import Seed, draw_seats, first_dealer, mix_nonces
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.events import Event
from burraco.engine.match import Match, MatchSetup, MatchStep, adjudicate, play, start_match
from burraco.server.chairs import Chair
from burraco.server.journal import (
    Acted,
    Adjudicated,
    Created,
    Forfeited,
    GivenBack,
    Joined,
    Refused,
    Row,
    Started,
    Suspended,
    TakenOver,
    Voided,
)
from burraco.server.terms import Fault, MatchEnd, MatchPlan, MatchState, PlayedBy, SeatEnd


class PastReveal(Exception):
    """An act goes on past an action that shows hidden cards; ``at`` is its place in the act."""

    def __init__(self, at: int) -> None:
        self.at = at
        super().__init__(at)


class MatchRecord:
    """Everything the log says of a match; ``version`` counts its rows, ``chain`` is the last hash.

    ``decision`` is the id of the decision that is open or comes next, ``tries`` how many illegal
    acts it has seen, ``used_ms`` what it had used when a server that asked it was stopped. Of the
    turn that is played, ``turn_cards`` is the hand at its beginning, ``turn_used_ms`` the time it
    has used, and ``turn_lost`` whether that ran out. ``forfeits`` are the sides that lost the match
    by forfeit.
    """

    __slots__ = (
        "chain",
        "chairs",
        "decision",
        "end",
        "forfeits",
        "match",
        "places",
        "plan",
        "state",
        "tries",
        "turn_cards",
        "turn_lost",
        "turn_used_ms",
        "used_ms",
        "version",
    )

    def __init__(self, plan: MatchPlan) -> None:
        self.plan = plan
        self.version = 0
        self.chain = b""
        self.state = MatchState.WAITING
        self.end: MatchEnd | None = None
        self.match: Match | None = None
        self.chairs = [Chair(player, plan.clocks.bank_ms) for player in plan.players]
        self.places: tuple[int, ...] = tuple(self.seats)
        self.decision = 1
        self.tries = 0
        self.used_ms = 0
        self.forfeits: tuple[int, ...] = ()
        self.turn_cards = 0
        self.turn_used_ms = 0
        self.turn_lost = False

    @property
    def players(self) -> tuple[str, ...]:
        """Who holds the seats N E S W, or, before the start, the places in order of entry."""
        return tuple(chair.player for chair in self.chairs)

    @property
    def nonces(self) -> tuple[bytes, ...]:
        """The nonces in order of entry, as they are mixed."""
        by_place = dict(zip(self.places, self.chairs, strict=True))
        return tuple(by_place[place].nonce for place in self.seats)

    @property
    def seats(self) -> range:
        """The seats there are, or the places before the start."""
        return range(len(self.chairs))

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of the finished deals by side as dealt."""
        if self.match is None:
            return (0,) * self.plan.rules.side_count
        return self.match.totals

    @property
    def turn(self) -> int | None:
        """The seat whose decision is open, None when nothing is to be decided."""
        if self.match is None or self.state is not MatchState.RUNNING:
            return None
        return self.match.turn

    @property
    def winner(self) -> int | None:
        """The winning side of a match that is over, None for equal totals or one that is void.

        Of two sides the one that does not forfeit wins, of three the one of the others with more.
        """
        if self.end is MatchEnd.FORFEITED:
            return self._best_of([side for side in self._sides if side not in self.forfeits])
        if self.end is MatchEnd.VOID or self.match is None:
            return None
        return self.match.winner

    @property
    def _sides(self) -> range:
        return range(self.plan.rules.side_count)

    def _best_of(self, sides: Sequence[int]) -> int | None:
        """Whoever of some sides has most points, None for nobody or where two have most."""
        totals = [self.totals[side] for side in sides]
        most = max(totals, default=0)
        return sides[totals.index(most)] if totals.count(most) == 1 else None

    def seat_end(self, seat: int) -> tuple[SeatEnd, Fault]:
        """How a seat's part has ended, or has gone so far, and whose fault that is."""
        chair = self.chairs[seat]
        if self.end is MatchEnd.VOID:
            return SeatEnd.VOID, Fault.SERVER
        if self.end is MatchEnd.ADJUDICATED and chair.outcome is SeatEnd.CLEAN:
            return SeatEnd.STOPPED, Fault.ORGANISER
        return chair.outcome, chair.fault

    def costs_strike(self, by: PlayedBy) -> bool:
        """Whether losing the open decision is a strike; a turn's time can be lost only once."""
        return by is not PlayedBy.TIME_OUT or not self.turn_lost

    def hand_size(self, seat: int) -> int:
        """Cards in a seat's hand; none before they are dealt."""
        deal = None if self.match is None else self.match.deal
        return 0 if deal is None else size(deal.hands[seat])

    def is_held(self, seat: int, player: str) -> bool:
        """Whether a player holds a seat; one that this table does not have is nobody's."""
        return seat in self.seats and self.chairs[seat].player == player

    def seats_of(self, player: str) -> tuple[int, ...]:
        """The seats, or places before the start, that a player holds."""
        return tuple(seat for seat, chair in enumerate(self.chairs) if chair.player == player)

    def apply(self, row: Row, chain: bytes, step: MatchStep | None = None) -> tuple[Event, ...]:
        """Take a row of the log with its hash, and tell what it made happen.

        ``step`` saves replaying the actions of a row that has just been played.
        """
        self.version += 1
        self.chain = chain
        match row:
            case Acted():
                return self._acted(row, step)
            case Refused():
                self.chairs[row.seat].illegal_acts += 1
                self.tries += 1
            case TakenOver():
                chair = self.chairs[row.seat]
                chair.stood_in, chair.end = True, row.end
                chair.take_overs += 1
            case GivenBack():
                self.chairs[row.seat].stood_in = False
            case Joined():
                chair = self.chairs[row.place]
                chair.player, chair.nonce = row.player, row.nonce
            case Started():
                return self._started(row)
            case Suspended():
                assert row.decision == self.decision
                self.used_ms = row.used_ms
            case Adjudicated():
                return self._stopped(MatchEnd.ADJUDICATED)
            case Forfeited():
                self.forfeits = row.sides
                return self._stopped(MatchEnd.FORFEITED)
            case Voided():
                return self._stopped(MatchEnd.VOID)
            case Created():
                pass
            case _:
                assert_never(row)
        return ()

    def _acted(self, row: Acted, step: MatchStep | None) -> tuple[Event, ...]:
        assert self.match is not None
        assert row.decision == self.decision
        chair = self.chairs[row.seat]
        chair.bank_ms = row.bank_ms
        if row.by is PlayedBy.BOT:
            chair.decisions += 1
            chair.think_ms += row.think_ms
            chair.network_ms += row.network_ms
            chair.answers.note(row.action_id, row.content)
        elif row.by is not PlayedBy.STAND_IN:
            chair.strikes += self.costs_strike(row.by)
            chair.away_strikes += self.costs_strike(row.by) and row.away
            chair.time_outs += row.by is PlayedBy.TIME_OUT
            chair.lost = (row.decision, row.actions)
        played = step or play_all(self.match, row.seat, row.actions)
        self._mind_turn(self.match, played.match, row)
        self.match = played.match
        self.decision += 1
        self.tries = self.used_ms = 0
        if played.match.is_over:
            self.state, self.end = MatchState.ENDED, MatchEnd.PLAYED
        return played.events

    def _mind_turn(self, before: Match, after: Match, row: Acted) -> None:
        """Keep what whole turns are timed by; a turn goes on while its seat decides in its deal."""
        if not self.plan.clocks.whole_turn:
            return
        if after.turn == row.seat and after.number == before.number and before.deal is not None:
            self.turn_used_ms = row.turn_ms
            self.turn_lost |= row.by is PlayedBy.TIME_OUT
            return
        self._begin_turn(after)

    def _begin_turn(self, match: Match) -> None:
        self.turn_used_ms, self.turn_lost = 0, False
        deal, seat = match.deal, match.turn
        self.turn_cards = 0 if deal is None or seat is None else size(deal.hands[seat])

    def _started(self, row: Started) -> tuple[Event, ...]:
        plan = self.plan
        self.places = row.places
        self.chairs = [self.chairs[place] for place in row.places]
        seed = Seed(plan.secret, row.mix, plan.suits)
        begun = start_match(MatchSetup(plan.rules, seed, row.dealer, plan.deals, plan.asks_cut))
        self.match, self.state = begun.match, MatchState.RUNNING
        self._begin_turn(begun.match)
        return begun.events

    def _stopped(self, end: MatchEnd) -> tuple[Event, ...]:
        self.state, self.end = MatchState.ENDED, end
        if self.match is None:
            return ()
        stopped = adjudicate(self.match)
        self.match = stopped.match
        return stopped.events


def starting_row(record: MatchRecord) -> Started:
    """How a waiting match begins: the mix of its nonces, then seats and dealer from the seed."""
    plan = record.plan
    # The tables of a board are dealt alike, so nothing that differs between them may be mixed in.
    seed = Seed(plan.secret, mix_nonces(record.nonces))
    if plan.draws_seats:
        # The lowest card deals, from the last seat (R12 to R16, H2).
        return Started(draw_seats(seed, plan.rules), record.seats[-1], seed.mix)
    dealer = first_dealer(seed, plan.rules.players) if plan.dealer is None else plan.dealer
    return Started(tuple(record.seats), dealer, seed.mix)


def play_all(match: Match, seat: int, actions: Sequence[Action]) -> MatchStep:
    """Play the actions of one seat in order, or raise with nothing changed.

    ``IllegalAction`` where the rules say no; ``PastReveal`` where more follows an action that shows
    hidden cards, since a bot must see them before it decides on.
    """
    if len(actions) == 1:
        return play(match, actions[0])
    events: list[Event] = []
    last = len(actions) - 1
    for at, action in enumerate(actions):
        step = play(match, action)
        if at < last and is_revealing(step, seat):
            raise PastReveal(at)
        if at < last and isinstance(action, Discard | Cut):
            raise IllegalAction(Reason.NOT_YOUR_TURN, "R46")
        match = step.match
        events += step.events
    return MatchStep(match, tuple(events))


def is_revealing(step: MatchStep, seat: int) -> bool:
    """Whether a step shows cards to a seat that it could not see before."""
    return any(secret.seat == seat for event in step.events for secret in event.secrets)
