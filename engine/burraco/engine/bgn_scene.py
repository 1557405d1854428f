"""Scenes: a deal in the middle as tags, read into a state and written from one."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from burraco.engine.bgn_tags import (
    Faces,
    ordered_tags,
    read_dealer,
    read_end,
    read_rules,
    sections,
    write_end,
    write_points,
    write_rules,
)
from burraco.engine.bgn_text import VERSION, Block, Words, write_block
from burraco.engine.cards import EMPTY, NAMES, ONE, UNKNOWN, Bag, Card, bag, count, unpack
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

# How a pozzetto that somebody has taken is written.
_GONE: Final = "-"
_UNOPENED: Final = re.compile(r"(NS|EW) unopened ([NESW])(?::(.*))?", re.ASCII)
_UNKNOWN_POZZETTO: Final = Bag(ONE[UNKNOWN] * POZZETTO_SIZE)


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
    return bool(state.stock or count(state.hands[state.turn], UNKNOWN) or legal(state))


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
    parts: list[Words] = []
    start = 0
    for part in words.text.split(",") if words.text.strip() else []:
        indent = len(part) - len(part.lstrip())
        parts.append(words.part(start + indent, start + len(part)))
        start += len(part) + 1
    return parts


def _read_meld(words: Words, faces: Faces, rules: Ruleset) -> Meld:
    cards = faces.read_open(words)
    try:
        return require_meld(rules, bag(cards), None)
    except IllegalAction as refusal:
        raise words.bad(
            f"{words.text.strip()!r} is no meld: {refusal.reason} ({refusal.rule})"
        ) from None


def _read_taken(block: Block, faces: Faces) -> tuple[tuple[bool, ...], tuple[Bag, ...]]:
    """Which sides have their pozzetto, and by seat those taken and not opened (E55)."""
    words = block.tags.get("Pozzetto")
    taken, unopened = [words is None and _both_gone(block)] * SIDES, [EMPTY] * SEATS
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


def _both_gone(block: Block) -> bool:
    words = block.tags.get("Pozzetti")
    named = {} if words is None else sections(words, "1|2")
    return [part.text.strip() for part in named.values()] == [_GONE] * SIDES


def _read_pozzetti(block: Block, faces: Faces, taken: tuple[bool, ...]) -> tuple[Bag, ...]:
    """Those still on the table, in the order in which they are taken; unnamed ones are unknown."""
    words = block.tags.get("Pozzetti")
    named = {} if words is None else sections(words, "1|2")
    marked = sum(part.text.strip() == _GONE for part in named.values())
    gone = sum(taken) - marked
    left: list[Bag] = []
    for part in (named.get("1"), named.get("2")):
        if part is not None and part.text.strip() != _GONE:
            left.append(faces.read_pozzetto(part))
        elif part is None and gone > 0:
            gone -= 1
        elif part is None:
            left.append(_UNKNOWN_POZZETTO)
    if words is not None and gone:
        raise words.bad(
            f"{marked} taken and {len(left)} on the table, but the tag Pozzetto names {sum(taken)}"
            " that have theirs"
        )
    return tuple(left)


def _read_passive(block: Block) -> int:
    words = block.tags.get("Passive")
    if words is None:
        return 0
    if not re.fullmatch(r"\d{1,3}", words.text, re.ASCII):
        raise words.bad(f"cannot read {words.text!r}: the number of passive turns so far")
    return int(words.text)


def _read_end(block: Block) -> End:
    words = block.tags.get("Termination")
    end = None if words is None else read_end(words)
    if end is None:
        raise block.tags["Turn"].bad("a scene that is over tells in Termination how it ended")
    return end


def write_scene(state: DealState, free: Mapping[str, str]) -> str:
    """Write a state as a scene that ``read_scene`` reads back; ``free`` are tags beside its own."""
    own = {
        "BGN": VERSION,
        "Rules": write_rules(state.rules),
        "Dealer": SEAT_NAMES[state.dealer],
        "Turn": _write_turn(state),
        "Hands": _write_hands(state) if any(state.hands) else "",
        "Melds": _write_melds(state),
        "Pile": write_cards(state.pile),
        "Stock": write_cards(state.stock),
        "Pozzetti": _write_pozzetti(state),
        "Pozzetto": _write_taken(state),
        "Passive": str(state.passive or ""),
    }
    if state.end is not None:
        own["Termination"] = write_end(state.end)
        own["Result"] = write_points(deal_points(state))
    return write_block(ordered_tags(free, {name: text for name, text in own.items() if text}), ())


def _write_turn(state: DealState) -> str:
    facts = [SEAT_NAMES[state.turn], state.phase.value]
    if state.drawn != NO_CARD:
        facts.append(f"drew {NAMES[state.drawn]}")
    if state.barred != NO_CARD:
        facts.append(f"barred {NAMES[state.barred]}")
    if state.must_meld:
        facts.append("must-meld")
    if state.idle:
        facts.append("idle")
    return " ".join(facts)


def _write_hands(state: DealState) -> str:
    hands = zip(SEAT_NAMES, state.hands, strict=True)
    return " ".join(f"{seat}:{write_cards(unpack(hand))}" for seat, hand in hands)


def _write_melds(state: DealState) -> str:
    sides = zip(SIDE_NAMES, state.melds, strict=True)
    return " ".join(
        f"{side}: {', '.join(map(write_meld, melds))}" for side, melds in sides if melds
    )


def _write_pozzetti(state: DealState) -> str:
    left = [write_cards(unpack(pozzetto)) for pozzetto in state.pozzetti]
    slots = [*[_GONE] * sum(state.taken), *left]
    return " ".join(f"{number}:{slot}" for number, slot in enumerate(slots, 1))


def _write_taken(state: DealState) -> str:
    parts: list[str] = []
    for side, taken in enumerate(state.taken):
        if not taken:
            continue
        waiting = [seat for seat in range(side, SEATS, SIDES) if state.unopened[seat]]
        if waiting:
            cards = write_cards(unpack(state.unopened[waiting[0]]))
            parts.append(f"{SIDE_NAMES[side]} unopened {SEAT_NAMES[waiting[0]]}:{cards}")
        else:
            parts.append(f"{SIDE_NAMES[side]} taken")
    return ", ".join(parts)
