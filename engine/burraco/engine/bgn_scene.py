"""Scenes: a deal in the middle as tags, read into a state and written from one."""

import re
from collections.abc import Mapping
from typing import Final

from burraco.engine.bgn_tags import (
    Faces,
    read_dealer,
    read_end,
    read_rules,
    sections,
    write_end,
    write_points,
    write_rules,
)
from burraco.engine.bgn_text import VERSION, Block, Words, write_block
from burraco.engine.cards import EMPTY, UNKNOWN, Bag, Card, bag, unpack
from burraco.engine.errors import IllegalAction, Unreadable
from burraco.engine.legal import legal
from burraco.engine.melds import Meld
from burraco.engine.notation import write_cards, write_meld
from burraco.engine.refusals import require_meld
from burraco.engine.rules import POZZETTO_SIZE, SEATS, SIDES, STOCK_FLOOR, Ruleset, StockEnd
from burraco.engine.scoring import deal_points
from burraco.engine.state import (
    NO_CARD,
    SEAT_NAMES,
    SIDE_NAMES,
    DealState,
    End,
    EndedBy,
    Phase,
    side_of,
)

_UNOPENED: Final = re.compile(r"(NS|EW) unopened ([NESW])(?::(.*))?", re.ASCII)
_UNKNOWN_POZZETTO: Final = Bag(bag([UNKNOWN]) * POZZETTO_SIZE)


def read_scene(block: Block) -> DealState:
    """The state a scene begins in; a tag that is missing means empty, or none (docs/bgn.md)."""
    faces, rules = Faces(), read_rules(block)
    turn = _read_turn(block.tags["Turn"])
    seat, phase = turn.seat, turn.phase
    hands = _read_hands(block, faces)
    melds = _read_melds(block, faces, rules)
    pile = faces.read_open(block.tags["Pile"]) if "Pile" in block.tags else ()
    stock = faces.read(block.tags["Stock"]) if "Stock" in block.tags else ()
    taken, unopened = _read_taken(block, faces)
    dealer = read_dealer(block)
    state = DealState(
        rules=rules,
        dealer=(seat - 1) % SEATS if dealer is None else dealer,
        turn=seat,
        phase=phase,
        hands=hands,
        melds=melds,
        pile=pile,
        stock=stock,
        pozzetti=_read_pozzetti(block, faces, taken),
        taken=taken,
        unopened=unopened,
        drawn=turn.drawn,
        barred=turn.barred,
        must_meld=turn.must_meld,
        idle=turn.idle,
        passive=_read_passive(block),
        last_turn=rules.stock_end is StockEnd.AFTER_DISCARD
        and phase is not Phase.DRAW
        and len(stock) == STOCK_FLOOR,
        end=_read_end(block) if phase is Phase.OVER else None,
    )
    if phase is Phase.DRAW and not _can_begin(state):
        state.phase, state.end = Phase.OVER, End(EndedBy.STOCK, None)
    return state


def _can_begin(state: DealState) -> bool:
    """Whether there is a way to draw; without one the deal is over."""
    if not state.pile:
        return len(state.stock) > STOCK_FLOOR
    return bool(state.stock or state.hands[state.turn] >= bag([UNKNOWN]) or legal(state))


class _Turn(NamedTuple):
    seat: int
    phase: Phase
    drawn: int
    barred: int
    must_meld: bool
    idle: bool


def _read_turn(words: Words) -> _Turn:
    """``N play``, and what N did before: ``drew 7h``, ``barred 8d``, ``must-meld``, ``idle``."""
    match words.text.split():
        case [seat, phase, *facts] if seat in tuple(SEAT_NAMES) and phase in _PHASES:
            told = _read_facts(words, facts)
        case _:
            raise words.bad(f"cannot read {words.text!r}: write N draw, N play or N over")
    if facts and phase == Phase.DRAW.value:
        raise words.bad(f"{' '.join(facts)!r} tells what a seat did that has yet to draw")
    return _Turn(
        SEAT_NAMES.index(seat),
        Phase(phase),
        told.get("drew", NO_CARD),
        told.get("barred", NO_CARD),
        "must-meld" in told,
        "idle" in told,
    )


_PHASES: Final = tuple(phase.value for phase in Phase)


def _read_facts(words: Words, facts: list[str]) -> dict[str, int]:
    told: dict[str, int] = {}
    rest = iter(facts)
    for fact in rest:
        if fact in told or fact not in ("drew", "barred", "must-meld", "idle"):
            raise words.bad(
                f"unexpected {fact!r}: drew 7h, barred 8d, must-meld or idle, each once"
            )
        told[fact] = NO_CARD
        if fact in ("drew", "barred"):
            try:
                told[fact] = Card.parse(next(rest, ""))
            except Unreadable as fault:
                raise words.bad(f"{fact}: {fault}") from None
    return told


def _read_hands(block: Block, faces: Faces) -> tuple[Bag, ...]:
    words = block.tags.get("Hands")
    hands = {} if words is None else sections(words, "|".join(SEAT_NAMES))
    return tuple(bag(faces.read(hands[seat])) if seat in hands else EMPTY for seat in SEAT_NAMES)


def _read_melds(block: Block, faces: Faces, rules: Ruleset) -> tuple[tuple[Meld, ...], ...]:
    words = block.tags.get("Melds")
    laid = {} if words is None else sections(words, "|".join(SIDE_NAMES))
    return tuple(
        tuple(_read_meld(part, faces, rules) for part in _split(laid[side])) if side in laid else ()
        for side in SIDE_NAMES
    )


def _split(words: Words) -> list[Words]:
    """The parts between commas, none for blank text."""
    if not words.text.strip():
        return []
    return [
        words.part(*found.span())
        for found in re.finditer(r"[^,\s][^,]*|(?<=,)(?=\s*(?:,|$))", words.text)
    ]


def _read_meld(words: Words, faces: Faces, rules: Ruleset) -> Meld:
    cards = faces.read_open(words)
    try:
        return require_meld(rules, bag(cards), None)
    except IllegalAction as refusal:
        raise words.bad(
            f"{words.text.strip()!r} is no meld: {refusal.reason} ({refusal.rule})"
        ) from None


def _read_taken(block: Block, faces: Faces) -> tuple[tuple[bool, ...], tuple[Bag, ...]]:
    """Which sides have their pozzetto, and by seat those taken on the discard and not opened (E55)."""
    words = block.tags.get("Pozzetto")
    taken, unopened = [False] * SIDES, [EMPTY] * SEATS
    for part in [] if words is None else _split(words):
        side, owner, cards = _read_taking(part, faces)
        if taken[side]:
            raise part.bad(f"{SIDE_NAMES[side]} comes twice: a side takes one pozzetto (E58)")
        taken[side] = True
        if owner is not None:
            unopened[owner] = cards
    return tuple(taken), tuple(unopened)


def _read_taking(words: Words, faces: Faces) -> tuple[int, int | None, Bag]:
    text = words.text.rstrip()
    if text in ("NS taken", "EW taken"):
        return SIDE_NAMES.index(text[:2]), None, EMPTY
    found = _UNOPENED.fullmatch(text)
    if found is None:
        raise words.bad(f"cannot read {text!r}: write NS taken, or EW unopened E:… with its cards")
    side, owner = SIDE_NAMES.index(found[1]), SEAT_NAMES.index(found[2])
    if side_of(owner) != side:
        raise words.bad(f"{found[2]} does not play for {found[1]}")
    if found[3] is None:
        return side, owner, _UNKNOWN_POZZETTO
    return side, owner, faces.read_pozzetto(words.part(*found.span(3)))
