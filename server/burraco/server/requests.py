"""Requests as values: what cannot be used is refused here, by the name of its field."""

import re
import secrets
from collections.abc import Iterable
from typing import Final

from burraco.engine.actions import Action
from burraco.engine.deal import NONCE_LIMIT, SEED_SIZE
from burraco.engine.errors import Unreadable
from burraco.engine.rules import SIDES, Ruleset
from burraco.engine.state import SEAT_NAMES
from burraco.server.acts import Act, Reply
from burraco.server.chairs import digest
from burraco.server.errors import ArenaError, Complaint, invalid
from burraco.server.journal import action_to_text
from burraco.server.links import SeatLink
from burraco.server.settings import (
    ACTION_ID_CHARS,
    ACTIONS_PER_ACT,
    CLIENT_CHARS,
    MOST_DEALS,
    MOST_TABLES,
    NOTE_CHARS,
    REASON_CHARS,
)
from burraco.server.term_requests import read_terms
from burraco.server.terms import MatchPlan
from burraco.v1 import actions_pb2, match_service_pb2, play_pb2
from burraco.wire import action_from_wire, rules_from_choice, seat_from_wire

_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,40}")


def read_act(message: play_pb2.Act, arrived: float, link: SeatLink | None, reply: Reply) -> Act:
    """An answer to a decision."""
    action_id = message.action_id
    if not 0 < len(action_id) <= ACTION_ID_CHARS or not is_ascii_line(action_id):
        raise invalid("act.action_id", f"1 to {ACTION_ID_CHARS} printable ASCII characters")
    if message.note and (len(message.note) > NOTE_CHARS or not message.note.isprintable()):
        raise invalid("act.note", f"at most {NOTE_CHARS} characters, none of them a control one")
    actions = _read_actions(message.actions)
    told = f"{message.decision_id} {' '.join(map(action_to_text, actions))}"
    return Act(
        seat=read_seat(message.seat.seat, "act.seat.seat"),
        decision=message.decision_id,
        action_id=action_id,
        actions=actions,
        content=digest(told.encode()),
        note=message.note,
        arrived=arrived,
        link=link,
        reply=reply,
    )


def _read_actions(messages: Iterable[actions_pb2.Action]) -> tuple[Action, ...]:
    messages = tuple(messages)
    if not 0 < len(messages) <= ACTIONS_PER_ACT:
        raise invalid("act.actions", f"1 to {ACTIONS_PER_ACT} actions, not {len(messages)}")
    actions = []
    for at, message in enumerate(messages):
        try:
            actions.append(action_from_wire(message))
        except Unreadable as unreadable:
            raise invalid(f"act.actions[{at}]", str(unreadable)) from unreadable
    return tuple(actions)


def read_seat(value: int, field: str) -> int:
    """A seat of the table."""
    try:
        return seat_from_wire(value)
    except Unreadable as unreadable:
        raise invalid(field, str(unreadable)) from unreadable


def require_seat(seat: int, players: int, field: str) -> int:
    """A seat that a table of so many players has."""
    if seat >= players:
        there = " ".join(SEAT_NAMES[:players])
        raise invalid(field, f"{SEAT_NAMES[seat]} is no seat of {players} players: {there}")
    return seat


def read_hello(hello: play_pb2.Hello) -> play_pb2.Hello:
    """The first frame of a stream, checked."""
    if len(hello.client) > CLIENT_CHARS or not (hello.client.isprintable()):
        raise invalid("hello.client", f"at most {CLIENT_CHARS} printable characters")
    if len(hello.session_id) > ACTION_ID_CHARS or not is_ascii_line(hello.session_id):
        raise invalid("hello.session_id", "one that a Welcome gave, or none")
    return hello


def read_name(name: str, field: str) -> str:
    """The name of a player."""
    if not _NAME.fullmatch(name):
        raise invalid(field, "1 to 40 letters, digits and - _ . +")
    return name


def read_reason(reason: str, field: str) -> str:
    """A sentence for the log."""
    if not 0 < len(reason) <= REASON_CHARS or not reason.isprintable():
        raise invalid(field, f"1 to {REASON_CHARS} printable characters")
    return reason


def read_nonce(nonce: bytes) -> bytes:
    """Bytes that a player adds to the shuffle."""
    if len(nonce) > NONCE_LIMIT:
        raise invalid("nonce", f"at most {NONCE_LIMIT} bytes, not {len(nonce)}")
    return nonce


def is_ascii_line(text: str) -> bool:
    """Whether every character is printable ASCII."""
    return text.isascii() and text.isprintable()


def is_match_id(text: str) -> bool:
    """Whether a match can have that id; what cannot be one is never looked for in a database."""
    return _ID.fullmatch(text) is not None


def read_plan(
    request: match_service_pb2.CreateMatchRequest, board_secret: bytes | None, created_ms: int
) -> MatchPlan:
    """A match as its organiser wants it; ``board_secret`` is the seed its board has already."""
    try:
        rules = rules_from_choice(request.rules)
    except Unreadable as unreadable:
        raise invalid("rules", str(unreadable)) from unreadable
    if request.asks_cut and not rules.physical_cut:
        raise invalid("asks_cut", f"the rules {rules.name} know no cut")
    if request.deals > MOST_DEALS:
        raise invalid("deals", f"at most {MOST_DEALS}, not {request.deals}")
    dealer = None
    if request.HasField("dealer"):
        dealer = require_seat(read_seat(request.dealer, "dealer"), rules.players, "dealer")
    if request.draw_seats and dealer is not None:
        raise invalid("dealer", "the draw for seats decides who deals first: leave one of them out")
    clocks, faults = read_terms(request)
    return MatchPlan(
        match_id=_read_match_id(request.match_id),
        rules=rules,
        players=_read_players(request.players, rules),
        deals=request.deals,
        secret=_read_secret(request.seed, board_secret),
        dealer=dealer,
        draws_seats=request.draw_seats,
        asks_cut=request.asks_cut,
        clocks=clocks,
        faults=faults,
        board_id=_read_board(request, rules),
        board_tables=request.board_tables,
        created_ms=created_ms,
    )


def read_board_id(request: match_service_pb2.CreateMatchRequest) -> str:
    """The board of a match, empty for none; a board says how many tables it has."""
    board_id = request.board_id
    if bool(board_id) != bool(request.board_tables):
        raise invalid("board_tables", "a board has an id and at least one table, or neither")
    if board_id and not _ID.fullmatch(board_id):
        raise invalid("board_id", "1 to 64 letters, digits and - _ .")
    if request.board_tables > MOST_TABLES:
        raise invalid("board_tables", f"at most {MOST_TABLES}, not {request.board_tables}")
    return board_id


def _read_match_id(match_id: str) -> str:
    if not match_id:
        return f"m-{secrets.token_hex(8)}"
    if not is_match_id(match_id):
        raise invalid("match_id", "1 to 64 letters, digits and - _ ., or empty")
    return match_id


def _read_board(request: match_service_pb2.CreateMatchRequest, rules: Ruleset) -> str:
    board_id = read_board_id(request)
    if board_id and rules.side_count > SIDES:
        raise invalid(
            "board_id",
            f"a board compares two sides on the same cards, and {rules.players} players are"
            f" {rules.side_count} sides: make a match without a board",
        )
    return board_id


def _read_players(players: Iterable[str], rules: Ruleset) -> tuple[str, ...]:
    names = tuple(players)
    if len(names) != rules.players:
        seats = " ".join(SEAT_NAMES[: rules.players])
        raise invalid(
            "players",
            f"{rules.players} names are due, {seats}, empty for a free seat; not {len(names)}",
        )
    return tuple(name and read_name(name, f"players[{place}]") for place, name in enumerate(names))


def _read_secret(seed: bytes, board_secret: bytes | None) -> bytes:
    if not seed:
        return board_secret or secrets.token_bytes(SEED_SIZE)
    if len(seed) != SEED_SIZE:
        raise invalid("seed", f"{SEED_SIZE} bytes or none, not {len(seed)}")
    if board_secret is not None and board_secret != seed:
        raise ArenaError(
            Complaint.BOARD_MISMATCH, "the board has another seed: leave the seed out to use it"
        )
    return seed
