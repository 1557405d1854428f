"""Engine and reference side by side: the same position, and everything they say compared.

At every step the whole set of legal moves, what the move played does to the table, who learns what,
and the points when the deal ends are compared; at some steps also moves that look like legal ones,
and the views of the seats.
"""

from collections import Counter
from dataclasses import astuple
from random import Random

from burraco.engine import DealState, IllegalAction, apply, legal, score, view
from burraco.engine.bgn import write_scene
from tests.reference.adapter import (
    FAULT_OF,
    action_of,
    differences,
    event_of,
    move_of,
    shown,
    table_of,
)
from tests.reference.knobs import Knobs
from tests.reference.moves import Move, faults, legal_moves
from tests.reference.near_misses import near_misses
from tests.reference.play import play
from tests.reference.players import Temper, choose
from tests.reference.scoring import points
from tests.reference.table import Table

# Some tempers under some knobs go round in circles for ever.
LONGEST = 1500
_HOW_OFTEN_NEAR_MISSES = 0.3
# With so few cards closings and dead ends are near.
_FEW_CARDS = 3
_MANY_CARDS = 16
_HOW_OFTEN_VIEWS = 0.05


class Disagreement(AssertionError):
    """Engine and reference differ: about what, in which state, at which move if at one."""

    def __init__(self, about: str, state: DealState, move: Move | None, text: str) -> None:
        super().__init__(about, text)
        self.about = about
        self.state = state
        self.move = move
        self.text = text

    def __str__(self) -> str:
        action = "" if self.move is None else f"\naction: {action_of(self.move)!r}"
        return f"{self.about}: {self.text}{action}\n{write_scene(self.state, {})}"


def compare_moves(state: DealState, table: Table) -> list[Move]:
    """The legal moves, on which both agree."""
    try:
        engine = [move_of(action) for action in legal(state)]
        reference = legal_moves(table)
    except Exception as fault:
        raise Disagreement("legal moves", state, None, f"stopped by {fault!r}") from fault
    if len(engine) != len(reference) or set(engine).symmetric_difference(reference):
        only_engine = sorted(set(engine) - set(reference))
        only_reference = sorted(set(reference) - set(engine))
        repeated = [move for move, number in Counter(engine).items() if number > 1]
        raise Disagreement(
            "legal moves",
            state,
            (only_engine + only_reference + repeated + [None])[0],
            f"only engine {only_engine}, only reference {only_reference}, repeated {repeated}",
        )
    return reference


def compare_step(state: DealState, table: Table, move: Move) -> tuple[DealState, Table]:
    """Both positions after a legal move, which are the same, as is what was told of it."""
    try:
        step = apply(state, action_of(move))
        after, events = play(table, move)
    except Exception as fault:
        raise Disagreement("step", state, move, f"stopped by {fault!r}") from fault
    wrong = differences(step.state, after)
    if wrong:
        raise Disagreement("step", state, move, "; ".join(wrong))
    told = [event_of(event) for event in step.events]
    expected = [shown(event) for event in events]
    if told != expected:
        raise Disagreement("events", state, move, f"engine {told}, reference {expected}")
    if after.end is not None:
        _compare_points(state, move, step.state, after)
    return step.state, after


def _compare_points(state: DealState, move: Move, ended: DealState, table: Table) -> None:
    engine = [astuple(side) for side in score(ended)]
    reference = [tuple(points(table, side)) for side in range(len(table.melds))]
    if engine != reference:
        raise Disagreement("points", state, move, f"engine {engine}, reference {reference}")


def compare_verdict(state: DealState, table: Table, move: Move) -> str:
    """What is wrong with a move in the words of both, ``legal`` for nothing.

    When several things are wrong the engine may give any of them as its reason.
    """
    wrong = faults(table, move)
    try:
        apply(state, action_of(move))
    except IllegalAction as refusal:
        fault = FAULT_OF.get(refusal.reason, str(refusal.reason))
        if fault not in wrong:
            text = f"engine {refusal}, reference {sorted(wrong) or 'legal'}"
            raise Disagreement("refusal", state, move, text) from None
        return fault
    except Exception as fault_of_engine:
        text = f"stopped by {fault_of_engine!r}"
        raise Disagreement("refusal", state, move, text) from fault_of_engine
    if wrong:
        raise Disagreement("refusal", state, move, f"engine legal, reference {sorted(wrong)}")
    return "legal"


def compare_views(state: DealState, table: Table) -> None:
    """What each seat sees of hands: its own, and how many cards the others hold (E55)."""
    seats = range(len(table.sides))
    counts = [len(table.hands[seat]) + len(table.unopened[seat]) for seat in seats]
    for seat in seats:
        seen = view(state, seat, 1, (0,) * len(table.melds))
        engine = (sorted(map(str, seen.hand)), seen.hidden, list(seen.counts), list(seen.sides))
        own = sorted(table.hands[seat])
        expected = (own, len(table.unopened[seat]), counts, table.sides)
        if engine != expected:
            raise Disagreement("view", state, None, f"engine {engine}, reference {expected}")


def play_out(
    state: DealState, table: Table, tempers: list[Temper | None], chance: Random
) -> Counter[str]:
    """Play to the end of the deal, comparing at every step; what was met on the way, counted."""
    met: Counter[str] = Counter()
    for _ in range(LONGEST):
        if table.end is not None:
            met[f"ended by {table.end[0]}"] += 1
            for move in near_misses(table, [], chance):
                met[compare_verdict(state, table, move)] += 1
            return met
        moves = compare_moves(state, table)
        met["states"] += 1
        met["legal moves"] += len(moves)
        if len(table.hand) >= _MANY_CARDS:
            met[f"states with a hand of {_MANY_CARDS} cards or more"] += 1
        near_the_end = table.has_drawn and len(table.hand) <= _FEW_CARDS
        if near_the_end or chance.random() < _HOW_OFTEN_NEAR_MISSES:
            met["states with near misses"] += 1
            for move in near_misses(table, moves, chance):
                met[compare_verdict(state, table, move)] += 1
        if chance.random() < _HOW_OFTEN_VIEWS:
            compare_views(state, table)
        if not moves:  # only in a scene that no deal leads to (E11)
            met["no legal move"] += 1
            return met
        state, table = compare_step(state, table, choose(tempers[table.turn], moves, chance))
    met["stopped"] += 1
    return met


def compare_position(state: DealState, knobs: Knobs, move: Move | None) -> None:
    """Everything that can be compared in one state, without the deal that led to it."""
    table = table_of(state, knobs)
    if move is not None:
        compare_verdict(state, table, move)
    for each in compare_moves(state, table):
        compare_verdict(state, table, each)
        compare_step(state, table, each)
    compare_views(state, table)
