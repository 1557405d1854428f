"""Views on the wire: the public part and the seat's own part are different messages."""

from collections.abc import Iterable
from typing import Final

from burraco.engine.cards import bag
from burraco.engine.errors import Unreadable
from burraco.engine.melds import Grade, Kind, Meld, classify, is_allowed
from burraco.engine.rules import SIDES, Ruleset
from burraco.engine.state import End, EndedBy, Phase
from burraco.engine.view import View
from burraco.v1 import views_pb2 as pb
from burraco.v1.cards_pb2 import SidePoints
from burraco.wire.cards import (
    card_from_wire,
    card_to_wire,
    cards_from_wire,
    cards_to_wire,
    fill_points,
    points_from_wire,
    points_to_wire,
    seat_from_wire,
    seat_to_wire,
    side_from_wire,
    side_to_wire,
)
from burraco.wire.events import ENDS_TO_WIRE, end_from_wire

_PHASES: Final = {
    Phase.DRAW: pb.PHASE_DRAW,
    Phase.PLAY: pb.PHASE_PLAY,
    Phase.OVER: pb.PHASE_OVER,
}
_PHASES_BACK: Final[dict[int, Phase]] = {value: phase for phase, value in _PHASES.items()}
_KINDS: Final = {Kind.SEQUENCE: pb.MELD_KIND_SEQUENCE, Kind.SET: pb.MELD_KIND_SET}
_GRADES: Final = {
    None: pb.GRADE_UNSPECIFIED,
    Grade.CLEAN: pb.GRADE_CLEAN,
    Grade.SEMICLEAN: pb.GRADE_SEMICLEAN,
    Grade.DIRTY: pb.GRADE_DIRTY,
}
Melds = tuple[tuple[Meld, ...], ...]

# Melds are one object for equal cards and change rarely, so each is encoded once for its rules.
# Keyed by the hash of the rules: hashing a Ruleset is slow. Bytes, since a message of its own takes
# ten times the memory, and a whole view of them is joined in a tenth of the time of copying them.
_MELDS_LIMIT: Final = 1 << 14
_melds: dict[tuple[Meld, bytes], bytes] = {}


def meld_to_wire(meld: Meld, rules: Ruleset) -> pb.TableMeld:
    """A meld with its class under the rules."""
    return pb.TableMeld(
        cards=cards_to_wire(meld.cards),
        kind=_KINDS[meld.kind],
        clean=meld.is_clean,
        grade=_GRADES[meld.grade(rules)],
        points=meld.points,
    )


def _tag_of(empty: pb.PublicView) -> bytes:
    """What stands before each meld of a side: that of a message with one meld, without its size."""
    return empty.SerializeToString()[:-1]


_TAGS: Final = (
    _tag_of(pb.PublicView(melds_ns=[pb.TableMeld()])),
    _tag_of(pb.PublicView(melds_ew=[pb.TableMeld()])),
    _tag_of(pb.PublicView(melds_s=[pb.TableMeld()])),
)


def _encoded_meld(meld: Meld, rules: Ruleset) -> bytes:
    """A meld with its size before it, as it stands in a message."""
    key = (meld, rules.content_hash)
    encoded = _melds.get(key)
    if encoded is None:
        if len(_melds) >= _MELDS_LIMIT:
            _melds.clear()
        message = pb.PublicView(melds_ns=[meld_to_wire(meld, rules)])
        encoded = _melds[key] = message.SerializeToString()[len(_TAGS[0]) :]
    return encoded


# What lies on the table changes once or twice a turn and is sent to all who sit there.
_TABLES_LIMIT: Final = 1 << 11
_tables: dict[tuple[Melds, bytes], bytes] = {}


def _encoded_melds(melds: Melds, rules: Ruleset) -> bytes:
    """The melds of all sides, as a public view with nothing else in it."""
    key = (melds, rules.content_hash)
    encoded = _tables.get(key)
    if encoded is None:
        if len(_tables) >= _TABLES_LIMIT:
            _tables.clear()
        encoded = _tables[key] = b"".join(
            tag + _encoded_meld(meld, rules)
            for tag, side in zip(_TAGS, melds, strict=False)
            for meld in side
        )
    return encoded


def public_view_to_wire(view: View) -> pb.PublicView:
    """What everybody may see of a deal."""
    message = pb.PublicView()
    _fill_public(message, view)
    return message


def view_to_wire(view: View) -> pb.SeatView:
    """A seat's view; a viewer without a seat gets the public view alone."""
    message = pb.SeatView()
    fill_view(message, view)
    return message


def fill_view(message: pb.SeatView, view: View) -> None:
    """Write a seat's view into an empty message: one that is part of another needs no copy."""
    _fill_public(message.public, view)
    if view.seat is not None:
        _fill_own(message.own, view, view.seat)


def _fill_public(message: pb.PublicView, view: View) -> None:
    if any(view.melds):
        message.ParseFromString(_encoded_melds(view.melds, view.rules))
    message.deal = view.deal
    message.dealer = seat_to_wire(view.dealer)
    message.turn = seat_to_wire(view.turn)
    message.phase = _PHASES[view.phase]
    message.counts.extend(view.counts)
    message.pile.extend(cards_to_wire(view.pile))
    message.stock = view.stock
    message.pozzetti = view.pozzetti
    message.taken.extend([side_to_wire(side) for side, took in enumerate(view.taken) if took])
    if any(view.unopened):
        message.unopened.extend(seat_to_wire(at) for at, has in enumerate(view.unopened) if has)
    if view.sides != view.rules.sides_as_dealt:
        message.sides.extend([side_to_wire(side) for side in view.sides])
    message.passive = view.passive
    message.last_turn = view.last_turn
    fill_points(message.totals, view.totals)
    if view.end is not None and view.points is not None:
        message.ended_by = ENDS_TO_WIRE[view.end.by]
        message.points.CopyFrom(points_to_wire(view.points))
        if view.end.closer is not None:
            message.closer = seat_to_wire(view.end.closer)


def _fill_own(message: pb.OwnView, view: View, seat: int) -> None:
    message.seat = seat_to_wire(seat)
    message.hand.extend(cards_to_wire(view.hand))
    message.hidden = view.hidden
    message.must_meld = view.must_meld
    if view.drawn is not None:
        message.drawn = card_to_wire(view.drawn)
    if view.barred is not None:
        message.barred = card_to_wire(view.barred)


def view_from_wire(message: pb.SeatView, rules: Ruleset) -> View:
    """A seat's view; fields that make no table are unreadable, and the message names them."""
    shown, own = message.public, message.own
    if shown.phase not in _PHASES_BACK:
        raise Unreadable(f"public.phase {shown.phase}: draw, play or over")
    seats, sides = range(rules.players), _sides_from_wire(shown, rules)
    if len(shown.counts) != rules.players:
        raise Unreadable(f"public.counts has {len(shown.counts)} numbers, not {rules.players}")
    melds = (
        _melds_from_wire(shown.melds_ns, rules, "public.melds_ns"),
        _melds_from_wire(shown.melds_ew, rules, "public.melds_ew"),
        _melds_from_wire(shown.melds_s, rules, "public.melds_s"),
    )
    taken = {side_from_wire(side) for side in shown.taken}
    unopened = {seat_from_wire(seat) for seat in shown.unopened}
    return View(
        rules=rules,
        seat=seat_from_wire(own.seat) if message.HasField("own") else None,
        deal=shown.deal,
        dealer=seat_from_wire(shown.dealer),
        turn=seat_from_wire(shown.turn),
        phase=_PHASES_BACK[shown.phase],
        hand=tuple(sorted(cards_from_wire(own.hand))),
        hidden=own.hidden,
        counts=tuple(shown.counts),
        melds=melds[: rules.side_count],
        pile=cards_from_wire(shown.pile),
        stock=shown.stock,
        pozzetti=shown.pozzetti,
        taken=tuple(side in taken for side in range(rules.side_count)),
        unopened=tuple(seat in unopened for seat in seats),
        passive=shown.passive,
        last_turn=shown.last_turn,
        drawn=card_from_wire(own.drawn) if own.HasField("drawn") else None,
        barred=card_from_wire(own.barred) if own.HasField("barred") else None,
        must_meld=own.must_meld,
        end=_end_from_wire(shown),
        points=_points_of(shown.points, rules) if shown.HasField("points") else None,
        totals=_points_of(shown.totals, rules),
        sides=sides,
    )


def _sides_from_wire(shown: pb.PublicView, rules: Ruleset) -> tuple[int, ...]:
    """The side of each seat; sent only once three players have become two sides."""
    if not shown.sides:
        return rules.sides_as_dealt
    sides = tuple(side_from_wire(side) for side in shown.sides)
    if rules.side_count <= SIDES or len(sides) != rules.players:
        raise Unreadable(f"public.sides has {len(sides)} sides: only three players change theirs")
    return sides


def _points_of(message: SidePoints, rules: Ruleset) -> tuple[int, ...]:
    """Points by side as dealt; what is not said is 0."""
    return (*points_from_wire(message), 0)[: rules.side_count]


def _end_from_wire(shown: pb.PublicView) -> End | None:
    if not shown.HasField("ended_by"):
        return None
    by = end_from_wire(shown.ended_by)
    closer = seat_from_wire(shown.closer) if shown.HasField("closer") else None
    return End(by, closer if by is EndedBy.CLOSED else None)


def _melds_from_wire(
    messages: Iterable[pb.TableMeld], rules: Ruleset, field: str
) -> tuple[Meld, ...]:
    return tuple(
        _meld_from_wire(message, rules, f"{field}[{at}]") for at, message in enumerate(messages)
    )


def _meld_from_wire(message: pb.TableMeld, rules: Ruleset, field: str) -> Meld:
    meld = classify(bag(cards_from_wire(message.cards)))
    if meld is None or not is_allowed(meld, rules):
        raise Unreadable(f"{field}: these cards are no meld under the rules {rules.name}")
    return meld
