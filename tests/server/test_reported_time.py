"""Reported faults about clocks and ends that need a table: cases 68, 124, 125 and 128."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from burraco.engine import DRAW_STOCK, Discard
from burraco.server.acts import Act
from burraco.server.chairs import digest
from burraco.server.journal import Adjudicated, TakenOver
from burraco.server.terms import ClockTerms, FaultTerms, MatchState, SeatEnd
from burraco.v1 import cards_pb2, match_service_pb2, matches_pb2, play_pb2
from tests.server.harness import FakeClock, Running, serving
from tests.server.tableside import Tableside

NAMES = ("north", "east", "south", "west")
CLOCKED = ClockTerms(turn_ms=2_000, bank_ms=0, warmup_ms=0, disconnect_ms=30_000)
SLOW = ClockTerms(turn_ms=3_600_000, bank_ms=0, warmup_ms=0, disconnect_ms=30_000)
LIMIT = 12


async def _due(running: Running) -> float | None:
    table = running.arena.tables.find("m")
    assert table is not None
    assert table.asked is not None
    return table.asked.due


async def test_case_68_what_is_refused_and_who_looks_leave_the_deadline(
    tmp_path: Path, clock: FakeClock
) -> None:
    clocks = matches_pb2.ClockTerms(turn_ms=20_000, bank_ms=5_000)
    faults = matches_pb2.FaultTerms(illegal_retries=9, strikes=9)
    async with serving(tmp_path, clock) as running:
        await running.register(*NAMES)
        await running.create(NAMES, clocks=clocks, faults=faults)
        bots = [await running.connect(name) for name in NAMES]
        first = await bots[0].decision()
        due = await _due(running)
        assert due is not None
        for seat, bot in enumerate(bots):
            asked = play_pb2.Decision(decision_id=first.decision_id, seat=first.seat)
            asked.seat.seat = cards_pb2.Seat.ValueType(seat + 1)
            for _ in range(3):
                clock.move(0.5)
                await bot.act(asked, Discard(0))
                verdict = await bot.verdict()
                assert verdict.kind != play_pb2.VERDICT_KIND_APPLIED
                assert await _due(running) == due
            look = match_service_pb2.GetMatchRequest(match_id="m")
            await running.matches.GetMatch(look, metadata=running.as_bot(bot.name))
            assert await _due(running) == due


def _miss(side: Tableside) -> None:
    """Seat 0 lets the time of one decision run out; everybody else plays the default."""
    _play_until(side, 0)
    asked = side.table.asked
    assert asked is not None
    assert asked.due is not None
    side.move(asked.due - side.clock.now())


def _play_until(side: Tableside, seat: int) -> None:
    while (asked := side.table.asked) is not None and asked.seat != seat:
        side.act(*side.default())


def _come_back(side: Tableside) -> None:
    side.drop(0)
    side.resume(0)


def _play_to_the_next_deal(side: Tableside) -> None:
    match = side.record.match
    assert match is not None
    number = match.number
    while side.record.match is not None and side.record.match.number == number:
        side.act(*side.default())


def _act(side: Tableside) -> None:
    _play_until(side, 0)
    side.act(*side.default())


@pytest.mark.parametrize("between", [_come_back, _play_to_the_next_deal, _act])
def test_case_124_nothing_takes_a_missed_turn_back(between: Callable[[Tableside], None]) -> None:
    """A strike stays for the whole match here, so that not even an act in time takes it back."""
    side = Tableside(CLOCKED, FaultTerms(0, LIMIT), deals=2)
    side.sit()
    for _ in range(LIMIT - 1):
        _miss(side)
    between(side)
    assert side.record.chairs[0].strikes == LIMIT - 1
    assert side.logged("taken_over") == []
    _miss(side)
    assert side.logged("taken_over") == [TakenOver(0, SeatEnd.TIME_OUTS)]


ENDINGS = ("last-card", "forfeit", "organiser")


def _before_the_end() -> tuple[Tableside, int]:
    """A table whose next act ends the deal and the match (E1), and a seat that does not act."""
    side = Tableside(SLOW, FaultTerms(0, 1, forfeit_after=1))
    side.sit()
    while True:
        match = side.record.match
        assert match is not None
        assert match.deal is not None
        if len(match.deal.stock) == 3 and side.default() == (DRAW_STOCK,):
            return side, (match.deal.turn + 1) % 4
        side.act(*side.default())


@pytest.mark.parametrize("is_logged_between", [False, True], ids=["one-commit", "each-its-own"])
@pytest.mark.parametrize("order", list(permutations(ENDINGS)), ids="-".join)
def test_case_125_a_match_ends_once(order: tuple[str, ...], is_logged_between: bool) -> None:
    """The last card, a forfeit and an organiser on one tick, in every order."""
    side, absent = _before_the_end()
    side.drop(absent)
    asked = side.table.asked
    assert asked is not None
    now = side.clock.now() + CLOCKED.disconnect_ms / 1000
    last = Act(
        asked.seat, asked.number, "last", (DRAW_STOCK,), digest(b"last"), "", now, None, _ignore
    )
    endings: dict[str, Callable[[], None]] = {
        "last-card": lambda: side.table.act(last),
        "forfeit": lambda: side.clock.move(CLOCKED.disconnect_ms / 1000),
        "organiser": lambda: side.table.adjudicate(Adjudicated("organiser", "over"), _ignore),
    }
    for ending in order:
        endings[ending]()
        if is_logged_between:
            side.writer.pump()
    side.move(3_600)
    assert side.record.state is MatchState.ENDED
    assert side.ended == 1
    end = side.result().result.end
    for sink in side.sinks.values():
        told = [frame for frame in sink.frames if frame.HasField("match_ended")]
        assert len(told) == 1
        assert told[0].match_ended.result.end == end
    assert not side.faults


def _ignore(_reply: object) -> None:
    return None


async def test_case_128_a_card_drawn_at_zero_is_shown_to_its_owner_alone(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with serving(tmp_path, clock) as running:
        await running.register(*NAMES)
        await running.create(NAMES, clocks=matches_pb2.ClockTerms(turn_ms=2_000))
        bots = [await running.connect(name) for name in NAMES]
        events = {name: list[tuple[str, int]]() for name in NAMES}
        size = len(bots[0].view(await bots[0].decision()).hand)
        clock.move(2)
        drawn = await bots[0].decision()
        events["north"] += _facts(drawn)
        assert len(bots[0].view(drawn).hand) == size + 1
        clock.move(2)
        for bot in bots[1:]:
            asked = await bot.decision()
            events[bot.name] += _facts(asked)
            await bot.act(asked, *bot.default(asked))
            following = (await bot.verdict()).next
            await bot.act(following, *bot.default(following))
            await bot.verdict()
        again = await bots[0].decision()
        events["north"] += _facts(again)
        assert len(bots[0].view(again).hand) == size
    assert events["north"][:2] == [("card_drawn", 1), ("card_discarded", 0)]
    for name in NAMES[1:]:
        assert events[name][1:3] == [("card_drawn", 0), ("card_discarded", 0)]


def _facts(decision: play_pb2.Decision) -> list[tuple[str, int]]:
    """What was told, and how many cards of each only this seat was shown."""
    return [(event.WhichOneof("fact") or "", len(event.own.cards)) for event in decision.events]
