"""Scenes: a deal in the middle as tags, read into a state and written from one."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from burraco.engine.bgn_tags import (
    Faces,
    dealt_pozzetti,
    ordered_tags,
    paired,
    read_dealer,
    read_end,
    read_rules,
    seat_names,
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
from burraco.engine.rules import STOCK_FLOOR, Ruleset, StockEnd
from burraco.engine.scoring import deal_points
from burraco.engine.state import (
    NO_CARD,
    SEAT_NAMES,
    DealState,
    End,
    EndedBy,
    Phase,
    side_names,
)

# How a pozzetto that somebody has taken is written.
_GONE: Final = "-"
_TAKING: Final = re.compile(r"([NESW]+) (?:taken|unopened ([NESW])(?::(.*))?)", re.ASCII)


class _Sides(NamedTuple):
    """Who plays with whom by seat, the names of the sides, and the sizes of the dealt pozzetti."""

    by_seat: tuple[int, ...]
    names: dict[int, str]
    dealt: tuple[int, ...]

    def numbered(self, words: Words, name: str) -> int:
        """The number of a side."""
        for side, own in self.names.items():
            if own == name:
                return side
        raise words.bad(f"no side {name}: {', '.join(self.names.values())}")


def read_scene(block: Block) -> DealState:
    """The state a scene begins in; a tag that is missing means empty, or none (docs/bgn.md)."""
    faces, rules = Faces(), read_rules(block)
    turn = _read_turn(block.tags["Turn"], seat_names(rules))
    seat, phase = turn.seat, turn.phase
    sides = _read_sides(block, rules)
    hands = _read_hands(block, faces, rules)
    melds = _read_melds(block, faces, rules, sides)
    pile = faces.read_open(block.tags["Pile"]) if "Pile" in block.tags else ()
    stock = faces.read(block.tags["Stock"]) if "Stock" in block.tags else ()
    taken, unopened = _read_taken(block, faces, rules, sides)
    dealer = read_dealer(block)
    state = DealState(
        rules=rules,
        dealer=(seat - 1) % rules.players if dealer is None else dealer,
        turn=seat,
        phase=phase,
        hands=hands,
        melds=melds,
        pile=pile,
        stock=stock,
        pozzetti=_read_pozzetti(block, faces, taken, sides.dealt),
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
        sides=sides.by_seat,
    )
    if phase is Phase.DRAW and not _can_begin(state):
        state.phase, state.end = Phase.OVER, End(EndedBy.STOCK, None)
    return state


def _read_sides(block: Block, rules: Ruleset) -> _Sides:
    """The sides as dealt, or as the one who took the first pozzetto alone leaves them (H6)."""
    alone = str(rules.side_count) in _pozzetti_named(block)
    dealt, sides = dealt_pozzetti(rules, alone=alone), rules.sides_as_dealt
    if len(dealt) < rules.side_count:
        lone = _read_lone(block, rules)
        if lone is not None:
            sides = paired(sides, lone)
    return _Sides(sides, side_names(sides), dealt)


def _read_lone(block: Block, rules: Ruleset) -> int | None:
    """The seat that plays alone against a pair, None while nobody has taken a pozzetto."""
    words = block.tags.get("Pozzetto")
    if words is None or not words.text.strip():
        if list(_pozzetti_named(block).values()) == [_GONE, _GONE]:
            raise block.tags["Pozzetti"].bad("the tag Pozzetto has to say who took the first alone")
        return None
    named = [part.text.split()[0] for part in _split(words) if part.text.strip()]
    lone = [name for name in named if name in tuple(seat_names(rules))]
    if len(lone) != 1:
        raise words.bad("one player took the first pozzetto and plays alone: N taken, ES taken")
    return SEAT_NAMES.index(lone[0])


def _pozzetti_named(block: Block) -> dict[str, str]:
    words = block.tags.get("Pozzetti")
    named = {} if words is None else sections(words, "1|2|3")
    return {number: part.text.strip() for number, part in named.items()}


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


def _read_turn(words: Words, seats: str) -> _Turn:
    """``N play``, and what N did before: ``drew 7h``, ``barred 8d``, ``must-meld``, ``idle``."""
    match words.text.split():
        case [seat, phase, *facts] if seat in tuple(seats) and phase in _PHASES:
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


def _read_hands(block: Block, faces: Faces, rules: Ruleset) -> tuple[Bag, ...]:
    words, seats = block.tags.get("Hands"), seat_names(rules)
    hands = {} if words is None else sections(words, "|".join(seats))
    return tuple(bag(faces.read(hands[seat])) if seat in hands else EMPTY for seat in seats)


def _read_melds(
    block: Block, faces: Faces, rules: Ruleset, sides: _Sides
) -> tuple[tuple[Meld, ...], ...]:
    words = block.tags.get("Melds")
    laid = {} if words is None else sections(words, "|".join(sides.names.values()))
    melds: list[tuple[Meld, ...]] = [()] * rules.side_count
    for side, name in sides.names.items():
        parts = _split(laid[name]) if name in laid else []
        melds[side] = tuple(_read_meld(part, faces, rules) for part in parts)
    return tuple(melds)


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


def _read_taken(
    block: Block, faces: Faces, rules: Ruleset, sides: _Sides
) -> tuple[tuple[bool, ...], tuple[Bag, ...]]:
    """Which sides have their pozzetto, and by seat those taken and not opened (E55)."""
    words = block.tags.get("Pozzetto")
    all_gone = list(_pozzetti_named(block).values()) == [_GONE] * len(sides.dealt)
    taken = [words is None and all_gone] * rules.side_count
    unopened = [EMPTY] * rules.players
    for part in [] if words is None else _split(words):
        side, owner, cards = _read_taking(part, faces, sides)
        if taken[side]:
            raise part.bad(f"{sides.names[side]} comes twice: a side takes one pozzetto (E58)")
        taken[side] = True
        if owner is not None:
            unopened[owner] = cards
    return tuple(taken), tuple(unopened)


def _read_taking(words: Words, faces: Faces, sides: _Sides) -> tuple[int, int | None, Bag]:
    text = words.text.rstrip()
    found = _TAKING.fullmatch(text)
    if found is None:
        raise words.bad(f"cannot read {text!r}: write NS taken, or EW unopened E:… with its cards")
    side = sides.numbered(words, found[1])
    if found[2] is None:
        return side, None, EMPTY
    if found[2] not in found[1]:
        raise words.bad(f"{found[2]} does not play for {found[1]}")
    # A player who took the first of fewer pozzetti than sides is alone (H6).
    size = sides.dealt[0 if len(found[1]) == 1 else -1]
    owner = SEAT_NAMES.index(found[2])
    if found[3] is None:
        return side, owner, _unknown(size)
    return side, owner, faces.read_pozzetto(words.part(*found.span(3)), size)


def _unknown(size: int) -> Bag:
    return Bag(ONE[UNKNOWN] * size)


def _read_pozzetti(
    block: Block, faces: Faces, taken: tuple[bool, ...], dealt: tuple[int, ...]
) -> tuple[Bag, ...]:
    """Those still on the table, in the order in which they are taken; unnamed ones are unknown."""
    words = block.tags.get("Pozzetti")
    named = {} if words is None else sections(words, "|".join(map(str, range(1, len(dealt) + 1))))
    marked = sum(part.text.strip() == _GONE for part in named.values())
    gone = sum(taken) - marked
    left: list[Bag] = []
    for number, size in enumerate(dealt, 1):
        part = named.get(str(number))
        if part is not None and part.text.strip() != _GONE:
            left.append(faces.read_pozzetto(part, size))
        elif part is None and gone > 0:
            gone -= 1
        elif part is None:
            left.append(_unknown(size))
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
        own["Result"] = write_points(deal_points(state), state.rules)
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
    hands = zip(seat_names(state.rules), state.hands, strict=True)
    return " ".join(f"{seat}:{write_cards(unpack(hand))}" for seat, hand in hands)


def _write_melds(state: DealState) -> str:
    return " ".join(
        f"{name}: {', '.join(map(write_meld, state.melds[side]))}"
        for side, name in side_names(state.sides).items()
        if state.melds[side]
    )


def _write_pozzetti(state: DealState) -> str:
    left = [write_cards(unpack(pozzetto)) for pozzetto in state.pozzetti]
    slots = [*[_GONE] * sum(state.taken), *left]
    return " ".join(f"{number}:{slot}" for number, slot in enumerate(slots, 1))


def _write_taken(state: DealState) -> str:
    parts: list[str] = []
    for side, name in side_names(state.sides).items():
        if not state.taken[side]:
            continue
        waiting = [seat for seat, cards in enumerate(state.unopened) if cards]
        own = [seat for seat in waiting if state.sides[seat] == side]
        if own:
            cards = write_cards(unpack(state.unopened[own[0]]))
            parts.append(f"{name} unopened {SEAT_NAMES[own[0]]}:{cards}")
        else:
            parts.append(f"{name} taken")
    return ", ".join(parts)
