"""Burraco Game Notation: judging blocks, and writing deals and scenes (docs/bgn.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from burraco.engine.actions import Action, Add, Cut, Discard, DrawStock, LayMeld, TakePile
from burraco.engine.bgn_replay import Move, MoveRefused, Replay, replay, round_after
from burraco.engine.bgn_scene import write_scene
from burraco.engine.bgn_tags import (
    UNFINISHED,
    ordered_tags,
    read_end,
    read_points,
    read_rules,
    write_end,
    write_layout,
    write_points,
    write_rules,
)
from burraco.engine.bgn_text import (
    VERSION,
    BadNotation,
    Block,
    parse,
    parse_each,
    write_block,
)
from burraco.engine.cards import JOKER, NAMES, POINTS, UNKNOWN, Bag, count, show_cards
from burraco.engine.deal import open_deal
from burraco.engine.errors import IllegalAction, Reason
from burraco.engine.notation import write_added, write_cards, write_meld
from burraco.engine.rules import Ruleset
from burraco.engine.scoring import deal_points
from burraco.engine.state import (
    SEAT_NAMES,
    DealState,
    End,
    EndedBy,
    Layout,
    Phase,
)
from burraco.engine.transition import advance, require

__all__ = [
    "BadNotation",
    "Block",
    "DealRecord",
    "Move",
    "MoveRefused",
    "Outcome",
    "Replay",
    "Verdict",
    "judge",
    "judge_block",
    "parse",
    "read_deal",
    "replay",
    "unreadable",
    "write_deal",
    "write_scene",
]


class Outcome(Enum):
    """What judging a block comes to."""

    OK = "ok"
    REFUSED = "refused"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one block; ``line`` and ``column`` say where in the text, from 1."""

    outcome: Outcome
    text: str
    hint: str
    line: int
    column: int

    @property
    def is_ok(self) -> bool:
        """Whether everything in the block holds."""
        return self.outcome is Outcome.OK

    def shown(self, source: str) -> str:
        """The verdict in one line; ``source`` names the text where it cannot be read."""
        if self.outcome is Outcome.UNREADABLE:
            return f"unreadable {source}:{self.line}:{self.column}: {self.text}"
        return f"{self.outcome.value} {self.text}"


def judge(text: str) -> Iterator[Verdict]:
    """Judge every block of a text, one verdict a block."""
    for block in parse_each(text):
        yield unreadable(block) if isinstance(block, BadNotation) else judge_block(block)


def judge_block(block: Block) -> Verdict:
    """Replay a block by the rules, then compare how it ended and the points with its tags."""
    try:
        said = _read_claims(block)
        return _compare(block, replay(block), said)
    except BadNotation as fault:
        return unreadable(fault)
    except MoveRefused as refused:
        words = refused.words
        return Verdict(Outcome.REFUSED, str(refused), refused.hint, words.line, words.column)


def unreadable(fault: BadNotation) -> Verdict:
    """The verdict on a block that cannot be read."""
    return Verdict(Outcome.UNREADABLE, fault.problem, "", fault.line, fault.column)


@dataclass(frozen=True, slots=True)
class _Claims:
    """What the tags say of the end; None where there is no such tag.

    ``result`` is as it would be written here, ``points`` its numbers, None where it has none.
    """

    end: str | None
    result: str | None
    points: tuple[int, ...] | None


def _read_claims(block: Block) -> _Claims:
    rules = read_rules(block)
    end, result = block.tags.get("Termination"), block.tags.get("Result")
    points = None if result is None else read_points(result, rules)
    written = UNFINISHED if points is None else write_points(points, rules)
    return _Claims(
        end=None if end is None else write_end(read_end(end)),
        result=None if result is None else written,
        points=points,
    )


def _compare(block: Block, played: Replay, said: _Claims) -> Verdict:
    state = played.final
    if said.end == EndedBy.ADJUDICATED.value and state.end is None:
        state = adjudicated(state)
    end, points = write_end(state.end), write_points(_points(state, said.points), state.rules)
    differences = ""
    if said.result not in (None, points) and (state.end or said.result != UNFINISHED):
        differences += f", the file says {said.result}"
    if said.end is None and played.layout is not None:
        differences += f"; {end}, the file has no Termination"
    elif said.end not in (None, end):
        differences += f"; {end}, the file says {said.end}"
    text = points if state.end else f"{UNFINISHED} {points}"
    outcome = Outcome.DIFFERS if differences else Outcome.OK
    return Verdict(outcome, text + differences, "", block.start.line, block.start.column)


def _points(state: DealState, said: tuple[int, ...] | None) -> tuple[int, ...]:
    """Points as the cards give them; where unknown cards are held, as said if that can be."""
    known = deal_points(state)
    if said is None:
        return known
    can_be = (
        0 <= known[side] - said[side] <= _most_unknown(state, state.sides[seat])
        for seat, side in enumerate(state.rules.sides_as_dealt)
    )
    return said if all(can_be) and not any(points % 5 for points in said) else known


def _most_unknown(state: DealState, side: int) -> int:
    """What the unknown cards that a side holds can be worth, counted as jokers."""
    held = (
        Bag(hand + waiting)
        for own, hand, waiting in zip(state.sides, state.hands, state.unopened, strict=True)
        if own == side
    )
    return POINTS[JOKER] * sum(count(cards, UNKNOWN) for cards in held)


def adjudicated(state: DealState) -> DealState:
    """The deal ended where it stands: scored as the cards lie, without a closing."""
    stopped = state.copy()
    stopped.phase, stopped.end = Phase.OVER, End(EndedBy.ADJUDICATED, None)
    return stopped


@dataclass(frozen=True, slots=True)
class DealRecord:
    """One deal: the pack as dealt and every action; ``adjudicated`` if stopped before its end."""

    rules: Ruleset
    dealer: int
    layout: Layout
    moves: tuple[Move, ...]
    adjudicated: bool


def read_deal(block: Block) -> DealRecord:
    """The record of a block that is a whole deal, or ``BadNotation`` or ``MoveRefused``."""
    played = replay(block)
    if played.layout is None:
        raise block.start.bad("this is a scene; a deal has the tag Deal")
    stopped = _read_claims(block).end == EndedBy.ADJUDICATED.value
    start = played.start
    return DealRecord(start.rules, start.dealer, played.layout, played.moves, stopped)


def write_deal(record: DealRecord, free: Mapping[str, str]) -> str:
    """Write a deal as a block; ``free`` are tags beside its own, such as ``Event`` and ``North``.

    A move that is not legal raises ``IllegalAction``.
    """
    turns, state = _play_out(record)
    if record.adjudicated and state.end is None:
        state = adjudicated(state)
    points = UNFINISHED
    if state.end is not None:
        points = write_points(deal_points(state), record.rules)
    own = {
        "BGN": VERSION,
        "Rules": write_rules(record.rules),
        "Dealer": SEAT_NAMES[record.dealer],
        "Deal": write_layout(record.layout),
        "Termination": write_end(state.end),
        "Result": points,
    }
    return write_block(ordered_tags(free, own), turns)


def _play_out(record: DealRecord) -> tuple[list[str], DealState]:
    """Every turn as a line, and the deal after the last."""
    state = open_deal(record.rules, record.dealer, record.layout)
    turns: list[str] = []
    number, begins = 1, True
    for move in record.moves:
        if state.phase is not Phase.OVER and move.seat != state.turn:
            raise IllegalAction(Reason.NOT_YOUR_TURN, "R42")
        require(state, move.action)
        before, state = state, advance(state, move.action)
        if begins:
            turns.append(f"{number}{SEAT_NAMES[move.seat]}")
        turns[-1] += " " + " ".join(_tokens(record, before, move, state))
        begins = isinstance(move.action, Discard)
        number = round_after(number, state) if begins else number
    return turns, state


def _tokens(record: DealRecord, before: DealState, move: Move, after: DealState) -> Iterator[str]:
    yield _written(before, move.action, after)
    if move.timed_out:
        yield "!to"
    if after.end is not None and after.end.by is EndedBy.CLOSED:
        yield "#"
    if after.taken != before.taken:
        pozzetto = write_cards(record.layout.pozzetti[sum(before.taken)])
        yield f"{'P.' if isinstance(move.action, Discard) else 'P!'}({pozzetto})"


def _written(before: DealState, action: Action, after: DealState) -> str:
    melds = after.melds[before.sides[before.turn]]
    match action:
        case DrawStock():
            return f"+{NAMES[before.stock[0]]}"
        case TakePile():
            return f"^({show_cards(before.pile)})"
        case LayMeld():
            return f"M{len(melds)}={write_meld(melds[-1])}"
        case Add():
            return f"M{action.meld + 1}+{write_added(melds[action.meld], action.bag)}"
        case Discard():
            return f"-{action.card}"
        case Cut():
            raise AssertionError("a cut comes before the deal")
