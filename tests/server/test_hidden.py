"""No message to a seat or a viewer names a card that is hidden from it (cases 92, 95, 97, 98)."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from google.protobuf.message import Message

from burraco.engine import Card, DealState
from burraco.engine.cards import unpack
from burraco.server.recovery import fold
from burraco.server.store import LogRow
from burraco.v1 import cards_pb2, events_pb2, match_service_pb2, play_pb2
from burraco.wire import cards_from_wire
from tests.server.harness import SEED, Client, Running, serving

NAMES = ("north", "east", "south", "west")
SEED_TEXT = SEED.hex()


def states(rows: Sequence[LogRow]) -> dict[int, DealState | None]:
    """The deal as it stood when each decision was open, from the log."""
    found: dict[int, DealState | None] = {}
    for end in range(1, len(rows) + 1):
        record, _ = fold(rows[:end])
        if record.match is not None:
            found[record.decision] = record.match.deal
    return found


def cards_in(message: Message) -> Iterator[int]:
    """Every card that a message names anywhere."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.enum_type is not None and field.enum_type is cards_pb2.Card.DESCRIPTOR:
            yield from values
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for inner in values:
                yield from cards_in(inner)


def visible(deal: DealState, seat: int | None) -> Counter[Card]:
    """What a seat may see: its own hand and everything that lies open."""
    shown: Counter[Card] = Counter(deal.pile)
    for side in deal.melds:
        for meld in side:
            shown.update(meld.cards)
    if seat is not None:
        shown.update(unpack(deal.hands[seat]))
    return shown


def decisions_of(frames: Sequence[play_pb2.ServerFrame]) -> Iterator[play_pb2.Decision]:
    for frame in frames:
        if frame.HasField("decision"):
            yield frame.decision
        elif frame.verdict.HasField("next"):
            yield frame.verdict.next


def events_of(frames: Sequence[play_pb2.ServerFrame]) -> Iterator[events_pb2.Event]:
    for frame in frames:
        yield from frame.decision.events
        yield from frame.verdict.events
        yield from frame.match_ended.events


async def play(running: Running, players: int = 4) -> list[Client]:
    names = NAMES[:players]
    await running.register(*names)
    await running.create(names, deals=2, dealer=None, knobs={"players": str(players)})
    bots = [await running.connect(name) for name in names]
    await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
    return bots


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_every_view_of_a_match_shows_exactly_what_its_seat_may_see(
    tmp_path: Path, players: int
) -> None:
    async with serving(tmp_path) as running:
        bots = await play(running, players)
        # Every prefix is folded, which is quadratic, so the first deal and a half will do.
        rows = await running.arena.store.log("m")
        known = states(rows[:150])
    if players == 3:
        assert any(deal is not None and len(set(deal.sides)) == 2 for deal in known.values())
    checked = 0
    for seat, bot in enumerate(bots):
        for decision in decisions_of(bot.frames):
            deal = known.get(decision.decision_id)
            if deal is None:
                continue
            shown = Counter(Card(card - 1) for card in cards_in(decision.view))
            extra = [decision.view.own.drawn] if decision.view.own.HasField("drawn") else []
            extra += [decision.view.own.barred] if decision.view.own.HasField("barred") else []
            shown.subtract(cards_from_wire(extra))
            assert +shown == visible(deal, seat)
            checked += 1
    assert checked > 100


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_events_carry_secrets_to_their_owner_alone(tmp_path: Path, players: int) -> None:
    async with serving(tmp_path) as running:
        bots = await play(running, players)
    for seat, bot in enumerate(bots):
        for event in events_of(bot.frames):
            if not event.HasField("own"):
                continue
            fact = event.WhichOneof("fact")
            assert fact in ("deal_started", "card_drawn", "pozzetto_taken", "pozzetto_opened")
            if fact != "deal_started":
                assert getattr(event, fact).seat == seat + 1
    drawn = [
        event
        for bot in bots
        for event in events_of(bot.frames)
        if event.WhichOneof("fact") == "card_drawn"
    ]
    owned = sum(event.HasField("own") for event in drawn)
    assert 0 < owned * (players - 1) < len(drawn)


async def test_case_98_a_viewer_sees_no_hand_and_no_secret(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await running.register(*NAMES)
        await running.create(NAMES)
        watching = running.matches.WatchMatch(
            match_service_pb2.WatchMatchRequest(match_id="m"), metadata=running.organiser
        )
        bots = [await running.connect(name) for name in NAMES]
        seen = asyncio.ensure_future(all_of(watching))
        await asyncio.gather(*(bot.play_to_the_end() for bot in bots))
        messages = await seen
    numbers = [event.number for message in messages for event in message.events]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not any(event.HasField("own") for message in messages for event in message.events)
    assert messages[-1].HasField("result")
    assert not any(message.HasField("result") for message in messages[:-1])
    assert messages[-1].result.seed == SEED


async def all_of(
    stream: object,
) -> list[match_service_pb2.WatchMatchResponse]:
    return [message async for message in stream]  # type: ignore[attr-defined]  # a call that streams


async def test_case_104_the_seed_is_in_nothing_that_is_sent_before_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        bots = await play(running)
        told = running.log.getvalue()
    for bot in bots:
        for frame in bot.frames:
            raw = frame.SerializeToString()
            assert (SEED in raw) == frame.HasField("match_ended")
    assert SEED_TEXT not in told
    assert not any(token in told for token in running.tokens.values())
