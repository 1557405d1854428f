"""The rows of a match's log as values, and as the JSON that is hashed and stored.

A row is complete: reading one with a field missing fails. Fields that rows of format 1 did not have
from the beginning are read as what was meant before they were there.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, assert_never

from burraco.engine.actions import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Cut,
    Discard,
    DrawStock,
    LayMeld,
    TakePile,
)
from burraco.engine.cards import Card, parse_cards, show_cards
from burraco.engine.deal import SUITS_AS_THEY_ARE
from burraco.engine.rules import BEHAVIOUR_EPOCH
from burraco.server.terms import (
    ClockTerms,
    FaultTerms,
    HandLimit,
    MatchPlan,
    OwnerReturn,
    PlayedBy,
    SeatEnd,
)
from burraco.wire import knob_texts, rules_from_texts

FORMAT: Final = 1

_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Created:
    """A match was made; the seed is in the log before anything is dealt from it."""

    plan: MatchPlan


@dataclass(frozen=True, slots=True)
class Joined:
    """A player took a free place and gave a nonce, maybe an empty one."""

    place: int
    player: str
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Started:
    """The first deal was dealt. ``places`` gives the place of entry that sits at each seat."""

    places: tuple[int, ...]
    dealer: int
    mix: bytes


class Acted(NamedTuple):
    """A decision was answered.

    ``action_id`` and ``content`` (a digest of what was asked for) are empty unless the bot
    answered. ``think_ms`` is what was charged for the answer, ``network_ms`` what was credited and
    not charged, ``bank_ms`` what is left of the seat's bank after it, ``turn_ms`` what its turn has
    used by then. ``away`` says that time ran out while nobody was connected.
    """

    decision: int
    seat: int
    by: PlayedBy
    actions: tuple[Action, ...]
    action_id: str
    content: bytes
    note: str
    think_ms: int
    bank_ms: int
    network_ms: int = 0
    turn_ms: int = 0
    away: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The rules refused an act; it counts, and changes nothing else."""

    decision: int
    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A stand-in plays a seat from now on."""

    seat: int
    end: SeatEnd


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The owner of a seat came back to it."""

    seat: int


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """An organiser ended the match where it stood."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Forfeited:
    """Sides lost the match where it stood, because stand-ins took their seats too often."""

    sides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Suspended:
    """The server was stopped in order while a decision was open, which had used so much by then."""

    decision: int
    used_ms: int


@dataclass(frozen=True, slots=True)
class Voided:
    """The match could not go on for a fault of the server's, logged by that id."""

    error_id: str


Row = (
    Created
    | Joined
    | Started
    | Acted
    | Refused
    | TakenOver
    | GivenBack
    | Adjudicated
    | Forfeited
    | Suspended
    | Voided
)


def row_to_json(row: Row) -> tuple[str, str]:
    """Kind and JSON of a row; the kind is part of the JSON too, so that the hash covers it."""
    kind, fields = _fields_of(row)
    fields["kind"] = kind
    return kind, _encode(fields)


def row_from_json(text: str) -> Row:
    """A row from its JSON; ``KeyError`` or ``ValueError`` when it is not whole."""
    fields: dict[str, Any] = json.loads(text)
    return _READERS[fields["kind"]](fields)


def chained(previous: bytes, payload: str) -> bytes:
    """The hash of a row: SHA-256 over the hash of the row before it and its own JSON."""
    return hashlib.sha256(previous + payload.encode()).digest()


def action_to_text(action: Action) -> str:
    """An action in marks like the notation's: ``+ ^ M=7h7d7c M1+7s -Th``, and ``/30`` for a cut."""
    match action:
        case DrawStock():
            return "+"
        case TakePile():
            return "^"
        case LayMeld():
            return f"M={show_cards(action.cards)}"
        case Add():
            return f"M{action.meld + 1}+{show_cards(action.cards)}"
        case Discard():
            return f"-{action.card}"
        case Cut():
            return f"/{action.size}"
        case _:
            assert_never(action)


def action_from_text(text: str) -> Action:
    """An action as ``action_to_text`` wrote it."""
    mark, rest = text[0], text[1:]
    if mark == "+":
        return DRAW_STOCK
    if mark == "^":
        return TAKE_PILE
    if mark == "-":
        return Discard(Card.parse(rest))
    if mark == "/":
        return Cut(int(rest))
    if text.startswith("M="):
        return LayMeld(parse_cards(text[2:]))
    meld, cards = rest.split("+")
    return Add(int(meld) - 1, parse_cards(cards))


def _fields_of(row: Row) -> tuple[str, dict[str, Any]]:
    match row:
        case Acted():
            return "acted", {
                "decision": row.decision,
                "seat": row.seat,
                "by": row.by.value,
                "actions": [action_to_text(action) for action in row.actions],
                "action_id": row.action_id,
                "content": row.content.hex(),
                "note": row.note,
                "think_ms": row.think_ms,
                "bank_ms": row.bank_ms,
                "network_ms": row.network_ms,
                "turn_ms": row.turn_ms,
                "away": row.away,
            }
        case Refused():
            return "refused", asdict(row)
        case TakenOver():
            return "taken_over", {"seat": row.seat, "end": row.end.value}
        case GivenBack():
            return "given_back", asdict(row)
        case Joined():
            return "joined", {"place": row.place, "player": row.player, "nonce": row.nonce.hex()}
        case Started():
            return "started", {
                "places": row.places,
                "dealer": row.dealer,
                "mix": row.mix.hex(),
            }
        case Adjudicated():
            return "adjudicated", asdict(row)
        case Forfeited():
            return "forfeited", asdict(row)
        case Suspended():
            return "suspended", asdict(row)
        case Voided():
            return "voided", asdict(row)
        case Created():
            return "created", _plan_fields(row.plan)
        case _:
            assert_never(row)


def _plan_fields(plan: MatchPlan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "epoch": BEHAVIOUR_EPOCH,
        "match_id": plan.match_id,
        "rules": {"name": plan.rules.name, "knobs": knob_texts(plan.rules)},
        "players": plan.players,
        "deals": plan.deals,
        "seed": plan.secret.hex(),
        "dealer": plan.dealer,
        "draws_seats": plan.draws_seats,
        "asks_cut": plan.asks_cut,
        "clocks": asdict(plan.clocks),
        "faults": asdict(plan.faults),
        "board_id": plan.board_id,
        "board_tables": plan.board_tables,
        "created_ms": plan.created_ms,
        "event": plan.event,
        "suits": plan.suits,
    }


def _created(fields: Mapping[str, Any]) -> Created:
    if fields["format"] != FORMAT:
        raise ValueError(f"log format {fields['format']}: this version reads {FORMAT}")
    if fields["epoch"] != BEHAVIOUR_EPOCH:
        raise ValueError(f"behaviour epoch {fields['epoch']}: this engine plays {BEHAVIOUR_EPOCH}")
    plan = MatchPlan(
        match_id=fields["match_id"],
        rules=rules_from_texts(fields["rules"]["name"], fields["rules"]["knobs"]),
        players=_strings(fields["players"]),
        deals=fields["deals"],
        secret=bytes.fromhex(fields["seed"]),
        dealer=fields["dealer"],
        draws_seats=fields["draws_seats"],
        asks_cut=fields["asks_cut"],
        clocks=clocks_of(fields["clocks"]),
        faults=faults_of(fields["faults"]),
        board_id=fields["board_id"],
        board_tables=fields["board_tables"],
        created_ms=fields["created_ms"],
        event=fields.get("event", ""),
        suits=tuple(fields.get("suits", SUITS_AS_THEY_ARE)),
    )
    return Created(plan)


def clocks_of(fields: Mapping[str, Any]) -> ClockTerms:
    """Clocks from their JSON."""
    limits = tuple(HandLimit(*limit) for limit in fields.get("hand_limits", ()))
    return ClockTerms(**{**fields, "hand_limits": limits})


def faults_of(fields: Mapping[str, Any]) -> FaultTerms:
    """Faults from their JSON."""
    returns = OwnerReturn(fields.get("owner_return", OwnerReturn.AFTER_ABSENCE))
    return FaultTerms(**{**fields, "owner_return": returns})


def _strings(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _acted(fields: Mapping[str, Any]) -> Acted:
    return Acted(
        decision=fields["decision"],
        seat=fields["seat"],
        by=PlayedBy(fields["by"]),
        actions=tuple(action_from_text(text) for text in fields["actions"]),
        action_id=fields["action_id"],
        content=bytes.fromhex(fields["content"]),
        note=fields["note"],
        think_ms=fields["think_ms"],
        bank_ms=fields["bank_ms"],
        network_ms=fields.get("network_ms", 0),
        turn_ms=fields.get("turn_ms", 0),
        away=fields.get("away", False),
    )


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Row]]] = {
    "created": _created,
    "joined": lambda f: Joined(f["place"], f["player"], bytes.fromhex(f["nonce"])),
    "started": lambda f: Started(tuple(f["places"]), f["dealer"], bytes.fromhex(f["mix"])),
    "acted": _acted,
    "refused": lambda f: Refused(f["decision"], f["seat"], f["reason"]),
    "taken_over": lambda f: TakenOver(f["seat"], SeatEnd(f["end"])),
    "given_back": lambda f: GivenBack(f["seat"]),
    "adjudicated": lambda f: Adjudicated(f["by"], f["reason"]),
    "forfeited": lambda f: Forfeited(tuple(f["sides"])),
    "suspended": lambda f: Suspended(f["decision"], f["used_ms"]),
    "voided": lambda f: Voided(f["error_id"]),
}
