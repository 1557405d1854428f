"""Plays boards on the engine alone, without a network, to tune bots and to try them.

``python -m burraco.bots.selfplay club greedy --boards 200 --seed 1``
"""

import argparse
import asyncio
import hashlib
import sys
import time
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from burraco.bots.arena_schedule import HALVES, require_two_sides, side_of
from burraco.bots.registry import HOUSE_BOTS
from burraco.bots.standings import bootstrap
from burraco.engine import (
    Action,
    IllegalAction,
    Match,
    MatchSetup,
    Reason,
    Ruleset,
    Seed,
    SeenEvent,
    match_view,
    play,
    start_match,
)
from burraco.engine.bgn_tags import write_rules
from burraco.engine.deal import SEED_SIZE
from burraco.engine.events import Event
from burraco.engine.standin import default_action
from burraco.sdk import Answer, Bot, MatchEnd, MatchResult, Refusal, Table, View
from burraco.sdk.loader import BotNotFound, load_bot
from burraco.sdk.rules_options import add_rules, rules_of

_TRIES: Final = 2


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played, with refused answers, decisions and thinking time by seat."""

    match: Match
    faults: tuple[int, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """Points by side as dealt."""
        return self.match.totals


@dataclass(slots=True)
class _Chair:
    """One bot at the table and what it has not been told yet."""

    bot: Bot
    table: Table
    waiting: list[SeenEvent] = field(default_factory=list)
    faults: int = 0
    decisions: int = 0
    seconds: float = 0.0


def play_match(
    bots: Sequence[type[Bot]],
    *,
    rules: Ruleset,
    seed: bytes,
    match_id: str,
    dealer: int = 0,
    deals: int = 1,
) -> Played:
    """Play a match with a bot at each seat of the rules; the same arguments give the same match.

    An answer that the rules refuse is asked for once more, then the default action is played.
    """
    setup = MatchSetup(rules, Seed(seed, b""), dealer, deals, False)
    step = start_match(setup)
    names = tuple(bot.__name__ for bot in bots)
    chairs = [_Chair(bot(), Table(match_id, seat, names, rules)) for seat, bot in enumerate(bots)]
    _tell(chairs, step.events)
    for chair in chairs:
        chair.bot.table = chair.table
        chair.bot.start(chair.table)
    match = step.match
    while not match.is_over:
        match = _take_turn(match, chairs)
    result = MatchResult(MatchEnd.PLAYED, match.totals, match.winner, len(match.results))
    for chair in chairs:
        chair.bot.end(result)
    return Played(
        match,
        tuple(chair.faults for chair in chairs),
        tuple(chair.decisions for chair in chairs),
        tuple(chair.seconds for chair in chairs),
    )


def _take_turn(match: Match, chairs: Sequence[_Chair]) -> Match:
    seat = match.turn
    assert seat is not None
    view = match_view(match, seat)
    assert view is not None
    chair = chairs[seat]
    default = (default_action(view),)
    table = replace(chair.table, events=tuple(chair.waiting), default=default)
    chair.waiting.clear()
    for attempt in range(1, _TRIES + 1):
        answer = _ask(chair, replace(table, attempt=attempt), view)
        try:
            return _play_all(match, answer, chairs)
        except IllegalAction as refused:
            chair.faults += 1
            told = Refusal(refused.reason.value, refused.rule, str(refused), refused.facts)
            table = replace(table, refusal=told, events=())
    return _play_all(match, default, chairs)


def _ask(chair: _Chair, table: Table, view: View) -> tuple[Action, ...]:
    chair.bot.table = table
    chair.decisions += 1
    began = time.process_time()
    answer = chair.bot.decide(view)
    if isinstance(answer, Awaitable):
        answer = asyncio.run(_awaited(answer))
    chair.seconds += time.process_time() - began
    return tuple(answer) if isinstance(answer, Sequence) else (answer,)


async def _awaited(answer: Awaitable[Answer]) -> Answer:
    return await answer


def _play_all(match: Match, actions: Sequence[Action], chairs: Sequence[_Chair]) -> Match:
    events: list[Event] = []
    seat = match.turn
    for action in actions:
        if match.turn != seat:
            raise IllegalAction(Reason.NOT_YOUR_TURN, "R46")
        step = play(match, action)
        match = step.match
        events += step.events
    _tell(chairs, events)
    return match


def _tell(chairs: Sequence[_Chair], events: Sequence[Event]) -> None:
    for seat, chair in enumerate(chairs):
        chair.waiting += [event.seen_by(seat) for event in events]


def board_seed(seed: int, board: int) -> bytes:
    """The 80 bytes of a board of a series."""
    text = f"burraco/selfplay/v1 {seed} {board}"
    return hashlib.shake_256(text.encode()).digest(SEED_SIZE)


def play_board(
    first: type[Bot], second: type[Bot], *, rules: Ruleset, seed: int, board: int
) -> tuple[Played, Played]:
    """Play a board pair, ``first`` at NS and then at EW with the same cards."""
    cards, dealer = board_seed(seed, board), board % rules.players
    halves = [
        play_match(
            pair * (rules.players // len(pair)),
            rules=rules,
            seed=cards,
            match_id=f"self-{seed}-{board}-{half}",
            dealer=dealer,
        )
        for half, pair in enumerate(([first, second], [second, first]))
    ]
    return halves[0], halves[1]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a series showed: points a deal of the first bot over the second, by board pair."""

    boards: tuple[float, ...]
    low: float
    high: float
    faults: tuple[int, int]
    mean_ms: tuple[float, float]

    @property
    def mean(self) -> float:
        """Mean difference per deal."""
        return sum(self.boards) / len(self.boards)


def compare(
    first: type[Bot], second: type[Bot], *, rules: Ruleset, seed: int, boards: int
) -> Comparison:
    """Play a series of board pairs and bootstrap a 95 % interval by board."""
    pairs = [
        play_board(first, second, rules=rules, seed=seed, board=board) for board in range(boards)
    ]
    gains = [
        (one.totals[0] - one.totals[1]) + (two.totals[1] - two.totals[0]) for one, two in pairs
    ]
    low, high = bootstrap([(gain, HALVES) for gain in gains], seed)
    mine = list(_sides(pairs, 0))
    theirs = list(_sides(pairs, 1))
    return Comparison(
        tuple(gain / HALVES for gain in gains),
        low,
        high,
        (_faults(mine), _faults(theirs)),
        (_mean_ms(mine), _mean_ms(theirs)),
    )


def _sides(pairs: Sequence[tuple[Played, Played]], bot: int) -> Iterator[tuple[int, int, float]]:
    """Faults, decisions and seconds of every seat of the first (0) or second (1) bot."""
    for halves in pairs:
        for half, played in enumerate(halves):
            for seat in range(len(played.faults)):
                if side_of(seat) == (bot + half) % 2:
                    yield played.faults[seat], played.decisions[seat], played.seconds[seat]


def _faults(seats: Sequence[tuple[int, int, float]]) -> int:
    return sum(faults for faults, _, _ in seats)


def _mean_ms(seats: Sequence[tuple[int, int, float]]) -> float:
    decisions = sum(decisions for _, decisions, _ in seats)
    return 1000 * sum(seconds for _, _, seconds in seats) / max(1, decisions)


def _named_bot(spec: str) -> type[Bot]:
    """A house bot without asking what is installed, or what the SDK finds."""
    return HOUSE_BOTS.get(spec) or load_bot(spec)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two bots and print the result."""
    parser = argparse.ArgumentParser(
        prog="python -m burraco.bots.selfplay", description=main.__doc__
    )
    parser.add_argument("first", help="a house bot or FILE.py[:Class]")
    parser.add_argument("second", help="its opponent")
    parser.add_argument("--boards", type=int, default=100, help="board pairs to play")
    parser.add_argument("--seed", type=int, default=1, help="of the series")
    add_rules(parser)
    chosen = parser.parse_args(arguments)
    try:
        bots = _named_bot(chosen.first), _named_bot(chosen.second)
        rules = require_two_sides(rules_of(chosen))
    except (BotNotFound, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    found = compare(*bots, rules=rules, seed=chosen.seed, boards=chosen.boards)
    print(
        f"{chosen.first} - {chosen.second}: {found.mean:+.1f} points a deal,"
        f" 95 % {found.low:+.1f} to {found.high:+.1f}"
        f" ({chosen.boards} board pairs, seed {chosen.seed}, {write_rules(rules)})"
    )
    for name, faults, mean_ms in zip(
        (chosen.first, chosen.second), found.faults, found.mean_ms, strict=True
    ):
        print(f"  {name}: {faults} refused answers, {mean_ms:.2f} ms of processor a decision")
    return 0


if __name__ == "__main__":
    sys.exit(main())
