"""What every field of a request may hold: one table, and the walk that holds a message to it.

The walk comes before everything else that is done for a call, so what a service is given has known
enum values, texts that can be printed, numbers in range and lists of a bearable length. What only
fields together can get wrong is refused by whoever reads them. Fields that this server does not
know are ignored, as protobuf does: newer clients may send them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.message import Message

from burraco.engine.deal import NONCE_LIMIT, SEED_SIZE
from burraco.server import settings
from burraco.server.errors import ArenaError, invalid
from burraco.server.field_kinds import (
    Anything,
    Choice,
    Many,
    Number,
    Octets,
    Pairs,
    Real,
    Rule,
    Text,
    printable,
    printable_ascii,
)
from burraco.tournament.boards import SECRET_BYTES
from burraco.tournament.plan import MOST_BOARDS, MOST_ENTRIES, MOST_ROUNDS

MATCH_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,40}")
_CARDS: Final = 108
_SEATS: Final = 4
_SIDES: Final = 3
_SCOPES: Final = 4
# A meld has three cards at least.
_MELDS: Final = _CARDS // 3
# Far beyond any number of deals, turns in a row or points.
_COUNT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """A message by its own rules."""

    is_needed: bool = False
    words: str = "it is missing"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - a message
        """Walk on into it."""
        check(value, f"{path}.")


@dataclass(frozen=True, slots=True)
class Nothing:
    """Not here, though the message has it elsewhere."""

    words: str
    is_needed: bool = False

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - of any type
        """Refuse it, or what is wrong within it."""
        if isinstance(value, Message):
            check(value, f"{path}.")
        raise invalid(path, self.words)


_ID_WORDS: Final = f"1 to {settings.ID_CHARS} letters, digits and - _ ."
_MATCH: Final = Text(settings.ID_CHARS, _ID_WORDS, MATCH_ID, is_needed=True)
_NEW_ID: Final = Text(settings.ID_CHARS, f"{_ID_WORDS}, or empty", MATCH_ID)
_NAME_WORDS: Final = f"1 to {settings.NAME_CHARS} letters, digits and - _ . +"
_PLAYER: Final = Text(settings.NAME_CHARS, _NAME_WORDS, _NAME, is_needed=True)
_PLACE: Final = Text(
    settings.NAME_CHARS, f"{_NAME_WORDS}, or empty", re.compile(_NAME.pattern + "|")
)
_WORD: Final = printable(settings.WORD_CHARS)
_TOKEN_ID: Final = printable_ascii(settings.ID_CHARS)
_REASON: Final = printable(settings.REASON_CHARS, is_needed=True)
_PAGE_SIZE: Final = Number(settings.LARGEST_PAGE)
_PAGE_TOKEN: Final = printable_ascii(settings.PAGE_TOKEN_CHARS)
_SWITCH: Final = Anything("yes and no both have a meaning")
_NEEDED: Final = Choice(is_needed=True)
_CARDS_OF_ACTION: Final = Many(Choice(), settings.CARDS_PER_ACTION)
_MS: Final = Number(settings.LONGEST_MS)
_TRIES: Final = Number(settings.MOST_RETRIES)
_LIFETIME: Final = Number(settings.LONGEST_LIFETIME_S)
_POINTS: Final = Number(_COUNT, -_COUNT)
_BY_RULES: Final = Anything("what is out of range is refused by the rules, with a verdict")
_DERIVED: Final = Anything("it follows from the cards, which alone count")
_GOES_ON: Final = Nothing("leave it out: the deal is to go on")
_RULES_TEXT: Final = Pairs(_WORD, _WORD, settings.OVERRIDES)
# Of tournaments.
_ENTRY_NAME: Final = Text(
    settings.NAME_CHARS, f"{_NAME_WORDS} #, or empty", re.compile(r"[A-Za-z0-9_.+#-]{0,40}")
)
_ENTRY: Final = Number(MOST_ENTRIES - 1)
_TABLE: Final = Number(MOST_ENTRIES, 1)
_VERSION: Final = Number(settings.LARGEST_VERSION)
_VERSION_NEEDED: Final = Number(settings.LARGEST_VERSION, 1)
_MATCH_POINTS: Final = Number(settings.MOST_ADJUSTED)
_GAIN: Final = Number(settings.MOST_GAIN, -settings.MOST_GAIN)
_CHANCE: Final = Real(0.0001, 0.4)
_ACT_ID: Final = printable_ascii(settings.ACTION_ID_CHARS, is_needed=True)

RULES: Final[Mapping[str, Mapping[str, Rule]]] = {
    # PlayService
    "Hello": {
        "session_id": printable_ascii(settings.ID_CHARS),
        "last_seq": Anything("from where a session cannot go on, it begins afresh"),
        "client": printable(settings.CLIENT_CHARS),
        "live_events": _SWITCH,
        "matches": Many(_MATCH, settings.HELLO_MATCHES),
    },
    "Act": {
        "seat": Part(is_needed=True),
        "decision_id": Anything("a decision that is not open is answered with STALE"),
        "action_id": _ACT_ID,
        "actions": Many(Part(), settings.ACTIONS_PER_ACT, is_needed=True),
        "note": printable(settings.NOTE_CHARS),
    },
    "SeatRef": {"match_id": _MATCH, "seat": _NEEDED},
    "Ping": {
        "nonce": Anything("it is returned as it is"),
        "last_seq": Anything("held against the frames of the session"),
        "stamp": Anything("one that no Pong gave measures nothing"),
        "wants_quotas": _SWITCH,
    },
    "Leave": {},
    "WatchSeatRequest": {"match_id": _MATCH, "seat": _NEEDED},
    "SubmitActionRequest": {"act": Part(is_needed=True)},
    # Actions
    "Action": {
        kind: Part()
        for kind in ("draw_stock", "take_pile", "lay_meld", "add_cards", "discard", "cut")
    },
    "DrawStock": {},
    "TakePile": {},
    "LayMeld": {"cards": _CARDS_OF_ACTION},
    "AddCards": {"meld": _BY_RULES, "cards": _CARDS_OF_ACTION},
    "Discard": {"card": _NEEDED},
    "Cut": {"size": _BY_RULES},
    # MatchService
    "CreateMatchRequest": {
        "match_id": _NEW_ID,
        "rules": Part(),
        "players": Many(_PLACE, _SEATS),
        "deals": Number(settings.MOST_DEALS),
        "seed": Octets(SEED_SIZE, is_exact=True),
        "dealer": Choice(),
        "draw_seats": _SWITCH,
        "asks_cut": _SWITCH,
        "clocks": Part(),
        "faults": Part(),
        "board_id": _NEW_ID,
        "board_tables": Number(settings.MOST_TABLES),
        "policy": _WORD,
        "clock_preset": _WORD,
        "overrides": Pairs(_WORD, _MS, settings.OVERRIDES),
    },
    "RulesChoice": {"preset": _WORD, "overrides": _RULES_TEXT},
    "ClockTerms": {
        "turn_ms": _MS,
        "bank_ms": _MS,
        "warmup_ms": _MS,
        "disconnect_ms": _MS,
        "increment_ms": _MS,
        "network_ms": _MS,
        "hand_limits": Many(Part(), settings.HAND_LIMITS),
        "whole_turn": _SWITCH,
    },
    "HandLimit": {"cards": Number(_CARDS), "turn_ms": Number(settings.LONGEST_MS, 1)},
    "FaultTerms": {
        "illegal_retries": _TRIES,
        "strikes": _TRIES,
        "forgives_illegal": _SWITCH,
        "owner_return": Choice(),
        "forfeit_after": _TRIES,
    },
    "JoinMatchRequest": {"match_id": _MATCH, "seat": Choice(), "nonce": Octets(NONCE_LIMIT)},
    "GetMatchRequest": {"match_id": _MATCH},
    "ListMatchesRequest": {
        "page_size": _PAGE_SIZE,
        "page_token": _PAGE_TOKEN,
        "state": Choice(),
    },
    "WatchMatchRequest": {"match_id": _MATCH},
    "ExportMatchRequest": {"match_id": _MATCH},
    "AdjudicateMatchRequest": {"match_id": _MATCH, "reason": _REASON},
    # TournamentService
    "CreateTournamentRequest": {
        "tournament_id": _NEW_ID,
        "plan": Part(is_needed=True),
        "rules": Part(),
        "secret": Octets(SECRET_BYTES, is_exact=True),
        "clocks": Part(),
        "faults": Part(),
        "policy": _WORD,
        "clock_preset": _WORD,
        "overrides": Pairs(_WORD, _MS, settings.OVERRIDES),
    },
    "TournamentPlan": {
        "name": printable(settings.WORD_CHARS, is_needed=True),
        "stages": Many(Part(), settings.MOST_STAGES, is_needed=True),
        "boards": Number(MOST_BOARDS),
        "halves": Number(2),
        "victory_points": _SWITCH,
        "bye_victory_points": Number(20),
        "bye_difference": _MATCH_POINTS,
        "adjusted": _MATCH_POINTS,
        "adjusted_allowed": Number(MOST_BOARDS),
        "question": Part(),
        "tables_at_once": Number(settings.MOST_TABLES_AT_ONCE),
    },
    "TournamentStage": {"format": _NEEDED, "rounds": Number(MOST_ROUNDS)},
    "DuelQuestion": {
        "gain": Real(0.001, settings.MOST_GAIN),
        "false_alarms": _CHANCE,
        "misses": _CHANCE,
    },
    "EnterTournamentRequest": {
        "tournament_id": _MATCH,
        "name": _ENTRY_NAME,
        "bots": Many(_PLAYER, 2),
        "owner": _PLACE,
        "is_anchor": _SWITCH,
    },
    "WithdrawEntryRequest": {"tournament_id": _MATCH, "entry": _ENTRY, "reason": _REASON},
    "StartTournamentRequest": {"tournament_id": _MATCH, "expected_version": _VERSION_NEEDED},
    "PauseTournamentRequest": {
        "tournament_id": _MATCH,
        "expected_version": _VERSION,
        "reason": _REASON,
    },
    "ResumeTournamentRequest": {"tournament_id": _MATCH, "expected_version": _VERSION},
    "CancelTournamentRequest": {
        "tournament_id": _MATCH,
        "expected_version": _VERSION,
        "reason": _REASON,
    },
    "GetTournamentRequest": {"tournament_id": _MATCH},
    "ListTournamentsRequest": {"page_size": _PAGE_SIZE, "page_token": _PAGE_TOKEN},
    "GetStandingsRequest": {"tournament_id": _MATCH},
    "GetPairingsRequest": {"tournament_id": _MATCH, "round": Number(settings.LARGEST_ROUND)},
    "WatchTournamentRequest": {"tournament_id": _MATCH},
    "RequeueTableRequest": {
        "tournament_id": _MATCH,
        "expected_version": _VERSION_NEEDED,
        "table": _TABLE,
        "reason": _REASON,
    },
    "AdjudicateTableRequest": {
        "tournament_id": _MATCH,
        "expected_version": _VERSION_NEEDED,
        "table": _TABLE,
        "first_gain": _GAIN,
        "second_gain": _GAIN,
        "reason": _REASON,
    },
    "ExportTournamentRequest": {"tournament_id": _MATCH},
    # RulesService
    "ListRulesetsRequest": {},
    "ClassifyMeldRequest": {
        "rules": Part(),
        "cards": _CARDS_OF_ACTION,
        "added": _CARDS_OF_ACTION,
    },
    "JudgeActionRequest": {
        "rules": Part(),
        "view": Part(is_needed=True),
        "action": Part(is_needed=True),
    },
    "EnumerateActionsRequest": {"rules": Part(), "view": Part(is_needed=True)},
    "JudgeNotationRequest": {
        "bgn": Text(settings.FRAME_BYTES, "printable lines", has_lines=True),
    },
    "ExplainRuleRequest": {"subject": printable(settings.WORD_CHARS, is_needed=True)},
    "SeatView": {"public": Part(is_needed=True), "own": Part(is_needed=True)},
    "PublicView": {
        "deal": Number(_COUNT),
        "dealer": _NEEDED,
        "turn": _NEEDED,
        "phase": _NEEDED,
        "counts": Many(Number(_CARDS), _SEATS),
        "melds_ns": Many(Part(), _MELDS),
        "melds_ew": Many(Part(), _MELDS),
        "pile": Many(Choice(), _CARDS),
        "stock": Number(_CARDS),
        "pozzetti": Number(_SEATS),
        "taken": Many(Choice(), _SIDES),
        "unopened": Many(Choice(), _SEATS),
        "passive": Number(_COUNT),
        "last_turn": _SWITCH,
        "totals": Part(),
        "ended_by": _GOES_ON,
        "closer": _GOES_ON,
        "points": _GOES_ON,
        "melds_s": Many(Part(), _MELDS),
        "sides": Many(Choice(), _SEATS),
    },
    "OwnView": {
        "seat": _NEEDED,
        "hand": Many(Choice(), _CARDS),
        "hidden": Number(_CARDS),
        "drawn": Choice(),
        "barred": Choice(),
        "must_meld": _SWITCH,
    },
    "TableMeld": {
        "cards": Many(Choice(), settings.CARDS_PER_ACTION, is_needed=True),
        "kind": Choice(),
        "clean": _DERIVED,
        "grade": Choice(),
        "points": _DERIVED,
    },
    "SidePoints": {"ns": _POINTS, "ew": _POINTS, "s": _POINTS},
    # BotService
    "RegisterBotRequest": {"name": _PLAYER, "lifetime_s": _LIFETIME},
    "WhoAmIRequest": {},
    "CreateTokenRequest": {
        "name": _PLAYER,
        "scopes": Many(Choice(), _SCOPES, is_needed=True),
        "lifetime_s": _LIFETIME,
    },
    "ListTokensRequest": {"page_size": _PAGE_SIZE, "page_token": _PAGE_TOKEN},
    "RotateTokenRequest": {
        "token_id": _TOKEN_ID,
        "overlap_s": Number(settings.LONGEST_OVERLAP_S),
    },
    "RevokeTokenRequest": {"token_id": _TOKEN_ID},
    # AdminService
    "DrainRequest": {"reason": _REASON},
    "ListQuarantinedRequest": {"page_size": _PAGE_SIZE, "page_token": _PAGE_TOKEN},
    "ListAuditRequest": {"page_size": _PAGE_SIZE, "page_token": _PAGE_TOKEN},
}
# Of these alternatives one has to be set.
ALTERNATIVES: Final[Mapping[str, str]] = {"Action": "kind"}


def check(message: Message, path: str = "") -> None:
    """Raise the refusal of the first field that holds what it may not, or is missing."""
    name = message.DESCRIPTOR.name
    rules = RULES[name]
    for field, value in message.ListFields():
        rules[field.name].check(value, field, f"{path}{field.name}")
    for missing in _missing(message, rules):
        raise invalid(f"{path}{missing}", rules[missing].words)
    oneof = ALTERNATIVES.get(name)
    if oneof is not None and message.WhichOneof(oneof) is None:
        kinds = ", ".join(rules)
        raise invalid(f"{path}{oneof}", f"set exactly one of {kinds}")


def located(message: Message, path: str, field: str, problem: str) -> ArenaError:
    """The refusal of what a reader found unreadable: by the field it is in, else by ``field``."""
    try:
        check(message, path)
    except ArenaError as refusal:
        return refusal
    return invalid(field, problem)


def _missing(message: Any, rules: Mapping[str, Rule]) -> Iterable[str]:  # noqa: ANN401 - any message
    for name, rule in rules.items():
        if rule.is_needed and not (
            message.HasField(name) if isinstance(rule, Part) else getattr(message, name)
        ):
            yield name
