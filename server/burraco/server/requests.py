"""Requests as values: what cannot be used is refused here, by the name of its field."""

import secrets
from collections.abc import Iterable

from burraco.engine.actions import Action
from burraco.engine.deal import SEED_SIZE
from burraco.engine.errors import Unreadable
from burraco.engine.rules import CLASSIC, SIDES, Ruleset, preset
from burraco.engine.state import SEAT_NAMES
from burraco.server.acts import Act, Reply
from burraco.server.chairs import digest
from burraco.server.errors import ArenaError, Complaint, invalid
from burraco.server.fields import MATCH_ID, check, located
from burraco.server.journal import action_to_text
from burraco.server.links import SeatLink
from burraco.server.settings import (
    ACTION_ID_CHARS,
    ACTIONS_PER_ACT,
    MOST_DEALS,
    MOST_TABLES,
    NOTE_CHARS,
)
from burraco.server.term_requests import read_terms
from burraco.server.terms import MatchPlan
from burraco.v1 import match_service_pb2, play_pb2, rules_pb2
from burraco.wire import action_from_wire, rules_from_choice, seat_from_wire


def read_act(message: play_pb2.Act, arrived: float, link: SeatLink | None, reply: Reply) -> Act:
    """An answer to a decision; ``link`` where it came from says that its match is known.

    Bots send little else, so what is right is read without the walk over its fields.
    """
    if link is None and not is_match_id(message.seat.match_id):
        raise located(message.seat, "act.seat.", "act.seat.match_id", "no id of a match")
    action_id = message.action_id
    if not 0 < len(action_id) <= ACTION_ID_CHARS or not is_ascii_line(action_id):
        raise invalid("act.action_id", f"1 to {ACTION_ID_CHARS} printable ASCII characters")
    if message.note and (len(message.note) > NOTE_CHARS or not message.note.isprintable()):
        raise invalid("act.note", f"at most {NOTE_CHARS} characters, none of them a control one")
    actions = _read_actions(message)
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


def _read_actions(act: play_pb2.Act) -> tuple[Action, ...]:
    messages = act.actions
    if not 0 < len(messages) <= ACTIONS_PER_ACT:
        raise invalid("act.actions", f"1 to {ACTIONS_PER_ACT} actions, not {len(messages)}")
    actions = []
    for at, message in enumerate(messages):
        try:
            actions.append(action_from_wire(message))
        except Unreadable as unreadable:
            field = f"act.actions[{at}]"
            raise located(message, f"{field}.", field, str(unreadable)) from unreadable
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
    check(hello, "hello.")
    return hello


def is_ascii_line(text: str) -> bool:
    """Whether every character is printable ASCII."""
    return text.isascii() and text.isprintable()


def is_match_id(text: str) -> bool:
    """Whether a match can have that id; what cannot be one is never looked for in a database."""
    return MATCH_ID.fullmatch(text) is not None


def read_plan(
    request: match_service_pb2.CreateMatchRequest, board_secret: bytes | None, created_ms: int
) -> MatchPlan:
    """A match as its organiser wants it; ``board_secret`` is the seed its board has already."""
    rules = read_rules(request.rules)
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


def read_rules(choice: rules_pb2.RulesChoice) -> Ruleset:
    """The rules that were chosen."""
    try:
        preset(choice.preset or CLASSIC.name)
    except Unreadable as unreadable:
        raise invalid("rules.preset", str(unreadable)) from unreadable
    try:
        return rules_from_choice(choice)
    except Unreadable as unreadable:
        raise invalid("rules.overrides", str(unreadable)) from unreadable


def read_board_id(request: match_service_pb2.CreateMatchRequest) -> str:
    """The board of a match, empty for none; a board says how many tables it has."""
    board_id = request.board_id
    if bool(board_id) != bool(request.board_tables):
        raise invalid("board_tables", "a board has an id and at least one table, or neither")
    if board_id and not is_match_id(board_id):
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
    return names


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
