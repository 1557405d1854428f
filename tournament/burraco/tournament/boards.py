"""The cards of an event: which seed a board has, who sits where, and what each match is called."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from burraco.tournament.chance import lot
from burraco.tournament.field import Entry, Table

SECRET_BYTES: Final = 32
SEED_BYTES: Final = 80
_COMMITMENT: Final = b"burraco/event/v1"
_SEED: Final = b"burraco/board/v1"
_SUITS: Final = (0, 1, 2, 3)
_ORDERS: Final = tuple(order for order in permutations(_SUITS) if order != _SUITS)


@dataclass(frozen=True, slots=True)
class BoardRef:
    """A board of a round. Tables with the same ``deck`` share it; ``attempt`` counts from 0.

    A board that is played again is another one, for its table alone.
    """

    round: int
    deck: int
    board: int
    attempt: int
    table: int


def commitment_to(event_id: str, secret: bytes) -> str:
    """What is published before the first entry: the secret cannot be exchanged any more."""
    name = event_id.encode()
    return hashlib.sha256(_COMMITMENT + len(name).to_bytes(4, "big") + name + secret).hexdigest()


def board_name(event_id: str, secret: bytes, ref: BoardRef) -> str:
    """The id of a board: the same for all its tables, and nothing can be read from it."""
    return f"b-{_hidden(secret, 'board', event_id, *_shared(ref))}"


def match_name(event_id: str, secret: bytes, ref: BoardRef, half: int) -> str:
    """The id of a match: bots cannot tell from it which tables play the same cards."""
    places = (*_shared(ref), ref.table, half)
    return f"m-{_hidden(secret, 'match', event_id, *places)}"


def board_seed(event_id: str, secret: bytes, ref: BoardRef) -> bytes:
    """The 80 bytes that a board is dealt from, as ``burraco-deal-v1`` says."""
    text = " ".join(map(str, (event_id, *_shared(ref)))).encode()
    return hashlib.shake_256(_SEED + secret + text).digest(SEED_BYTES)


def suit_order(event_id: str, secret: bytes, ref: BoardRef, half: int) -> tuple[int, ...]:
    """What the suits S H D C become at a half of a board: themselves at the first one.

    At the second one no bot shall know the cards again; the rules treat all suits alike.
    """
    if half == 0:
        return _SUITS
    return _ORDERS[lot(secret, "suits", event_id, *_shared(ref)) % len(_ORDERS)]


def dealer(ref: BoardRef, players: int) -> int:
    """The seat that deals a board: it goes round with the boards."""
    return ref.board % players


def seating(table: Table, entries: Sequence[Entry], half: int, players: int) -> tuple[str, ...]:
    """The bots at the seats in order, N E S W or N E; sides are swapped at the second half.

    Where partners change, each entry is one bot; else an entry's first bot sits North or East.
    """
    sides = table.sides if half == 0 else table.sides[::-1]
    bots = [_bots(side, entries, players // 2) for side in sides]
    return tuple(bots[seat % 2][seat // 2] for seat in range(players))


def _bots(side: Sequence[int], entries: Sequence[Entry], seats: int) -> tuple[str, ...]:
    bots = [bot for entry in side for bot in entries[entry].bots]
    return tuple(bots[seat % len(bots)] for seat in range(seats))


def _shared(ref: BoardRef) -> tuple[object, ...]:
    alone = (ref.table,) if ref.attempt else ()
    return (ref.round, ref.deck, ref.board, ref.attempt, *alone)


def _hidden(secret: bytes, *names: object) -> str:
    return f"{lot(secret, 'high', *names):016x}{lot(secret, 'low', *names):016x}"
