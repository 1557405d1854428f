"""Who sits where at both halves of a board, and that it makes no difference."""

from burraco.bots.random_bot import RandomBot
from burraco.bots.selfplay import Played, play_match
from burraco.engine.rules import CLASSIC
from burraco.tournament.boards import (
    BoardRef,
    board_name,
    board_seed,
    dealer,
    match_name,
    seating,
)
from burraco.tournament.field import Entry, Table
from tests.tournament.events import field_of

SECRET = bytes(range(32))
TABLE = Table(sides=((0,), (1,)), deck=0)
BOARDS = 200


class OneBot(RandomBot):
    """The bot of the first entry."""


class OtherBot(RandomBot):
    """The bot of the second, which plays no better and no worse."""


BOTS = {"b0": OneBot, "b1": OtherBot}


def _leg(ref: BoardRef, half: int) -> Played:
    seats = seating(TABLE, field_of(2), half, CLASSIC.players)
    return play_match(
        [BOTS[name] for name in seats],
        rules=CLASSIC,
        seed=board_seed("e", SECRET, ref),
        match_id=match_name("e", SECRET, ref, half),
        dealer=dealer(ref, CLASSIC.players),
    )


def test_163_equal_bots_win_as_often_whoever_sits_where() -> None:
    """Ties are half a win: 400 matches on 200 deals, each with both sides."""
    wins, by_side, names = 0.0, 0.0, set()
    for number in range(BOARDS):
        ref = BoardRef(round=0, deck=0, board=number, attempt=0, table=0)
        first, second = _leg(ref, 0), _leg(ref, 1)
        assert first.match.setup == second.match.setup
        assert first.match.layout == second.match.layout is not None
        assert first.match.dealer == second.match.dealer
        wins += _won(first, 0) + _won(second, 1)
        by_side += _won(first, 0) + _won(second, 0)
        names.add(board_name("e", SECRET, ref))
    assert len(names) == BOARDS
    assert 0.43 <= wins / (2 * BOARDS) <= 0.57
    assert 0.43 <= by_side / (2 * BOARDS) <= 0.57


def _won(played: Played, side: int) -> float:
    winner = played.match.winner
    return 0.5 if winner is None else float(winner == side)


def test_160_the_bots_of_an_entry_are_partners_at_both_halves() -> None:
    entries = (
        Entry(0, "x", "one", ("x1", "x2"), False),
        Entry(1, "y", "other", ("y1", "y2"), False),
    )
    assert seating(TABLE, entries, 0, 4) == ("x1", "y1", "x2", "y2")
    assert seating(TABLE, entries, 1, 4) == ("y1", "x1", "y2", "x2")
    swapped = Table(sides=((1,), (0,)), deck=0)
    assert seating(swapped, entries, 0, 4) == ("y1", "x1", "y2", "x2")
