"""The notation of an event's matches: how each deal ended, what it came to, and every action."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from burraco.engine.actions import Action, Add, Cut, Discard, DrawStock, LayMeld, TakePile
from burraco.engine.bgn import MoveRefused, adjudicated, replay
from burraco.engine.bgn_replay import Move
from burraco.engine.bgn_tags import read_end
from burraco.engine.bgn_text import BadNotation, Block, parse
from burraco.engine.cards import Card, show_cards
from burraco.engine.scoring import SideScore, score
from burraco.engine.state import DealState, End, EndedBy
from burraco.engine.transition import advance

FOLDER: Final = "bgn"


class UnreadableNotation(ValueError):
    """A file of notation that is not sound; the text says where and what to do."""


@dataclass(frozen=True, slots=True)
class NotedAction:
    """One action; ``cards`` are those it moved, ``meld`` counts from 1, else None.

    ``hand``, ``pile`` and ``stock`` are how many cards there were before it.
    """

    turn: int
    seat: int
    kind: str
    cards: str
    meld: int | None
    timed_out: bool
    hand: int
    pile: int
    stock: int


@dataclass(frozen=True, slots=True)
class NotedDeal:
    """A deal as its notation tells it; ``scores`` are by side, NS first."""

    number: int
    dealer: int
    end: End | None
    scores: tuple[SideScore, ...]
    actions: tuple[NotedAction, ...]


def path_of(match_id: str) -> str:
    """Where the notation of a match is, from the folder of its event."""
    return f"{FOLDER}/{match_id}.bgn"


def read_notation(root: Path, match_ids: Iterable[str]) -> dict[str, tuple[NotedDeal, ...]]:
    """The deals of every match whose notation is there.

    Raises ``UnreadableNotation`` for the first file that is not sound.
    """
    found: dict[str, tuple[NotedDeal, ...]] = {}
    for match_id in match_ids:
        path = root / path_of(match_id)
        if is_plain(match_id) and path.is_file():
            found[match_id] = _read(path)
    return found


def is_plain(match_id: str) -> bool:
    """Whether an id can be the name of a file, and of nothing outside its folder."""
    return match_id.isascii() and match_id.replace("-", "").replace("_", "").isalnum()


def _read(path: Path) -> tuple[NotedDeal, ...]:
    again = "export the match again, or remove the file"
    try:
        blocks = parse(path.read_text(encoding="utf-8"))
        return tuple(_noted(number, block) for number, block in enumerate(blocks, start=1))
    except BadNotation as fault:
        place = f"{path}:{fault.line}:{fault.column}"
        raise UnreadableNotation(f"{place}: {fault.problem}; {again}") from None
    except (MoveRefused, UnicodeDecodeError) as fault:
        raise UnreadableNotation(f"{path}: {fault}; {again}") from None


def _noted(number: int, block: Block) -> NotedDeal:
    played = replay(block)
    final, told = played.final, block.tags.get("Termination")
    end = final.end if told is None else read_end(told)
    if end is not None and end.by is EndedBy.ADJUDICATED:
        final = adjudicated(final)
    actions = tuple(_actions(played.start, played.moves))
    return NotedDeal(number, played.start.dealer, end, tuple(score(final)), actions)


def _actions(state: DealState, moves: Iterable[Move]) -> Iterator[NotedAction]:
    turn = 1
    for move in moves:
        action = move.action
        kind, cards, meld = _told(state, action)
        yield NotedAction(
            turn=turn,
            seat=move.seat,
            kind=kind,
            cards=cards,
            meld=meld,
            timed_out=move.timed_out,
            hand=state.hand_size(move.seat),
            pile=len(state.pile),
            stock=len(state.stock),
        )
        state = advance(state, action)
        turn += isinstance(action, Discard)


def _told(state: DealState, action: Action) -> tuple[str, str, int | None]:
    match action:
        case DrawStock():
            return "draw", str(Card(state.stock[0])), None
        case TakePile():
            return "take_pile", show_cards(state.pile, " "), None
        case LayMeld():
            return "lay", show_cards(action.cards, " "), 1 + _melds(state)
        case Add():
            return "add", show_cards(action.cards, " "), 1 + action.meld
        case Discard():
            return "discard", str(action.card), None
        case Cut():
            raise AssertionError("a cut comes before the deal")


def _melds(state: DealState) -> int:
    """How many melds the side to act has on the table."""
    return len(state.melds[state.sides[state.turn]])
