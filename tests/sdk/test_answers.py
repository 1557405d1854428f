"""Answers that are refused, and what a bot is told with its next question."""

import pytest

from burraco.engine import start_match
from burraco.engine.events import CardDrawn, DealStarted
from burraco.engine.match import play
from burraco.sdk import (
    DRAW_STOCK,
    Action,
    Add,
    Bot,
    Cut,
    Discard,
    IllegalAnswer,
    PlayOptions,
    Refusal,
    View,
)
from burraco.v1 import play_pb2
from tests.sdk.drawer import DRAWN, MATCH, Drawer, actions_of, run
from tests.sdk.fake_server import (
    Connection,
    cut_decision,
    decision,
    ended,
    refusal,
    serving,
    started,
    wire_events,
)


class Wrong(Drawer):
    """Answers illegally, always."""

    made = []  # noqa: RUF012 - emptied by the tests

    def decide(self, view: View) -> Action:
        self.tables.append(self.table)
        return Add(99, view.hand[:1])


async def _refused(line: Connection, tries: int) -> play_pb2.Act:
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(DRAWN, 7))
    for attempt in range(2, tries + 2):
        act = await line.act()
        assert actions_of(act) == [Add(99, act_cards(act))]
        question = decision(DRAWN, 7, attempt=attempt)
        await line.judge(act, "ILLEGAL", attempt + 1, refusal=refusal(), next=question)
    return await line.act()


def act_cards(act: play_pb2.Act) -> tuple[int, ...]:
    (action,) = actions_of(act)
    assert isinstance(action, Add)
    return action.cards


async def test_a_bot_that_gives_way_sends_the_default_after_two_illegal_answers() -> None:
    class Yielding(Wrong):
        gives_way = True
        made = []  # noqa: RUF012 - of this test alone

    acts: list[play_pb2.Act] = []

    async def script(line: Connection) -> None:
        acts.append(await _refused(line, 2))
        await line.judge(acts[0], "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Yielding, address)
    assert actions_of(acts[0]) == list(Yielding.made[0].tables[0].default)
    first, second = Yielding.made[0].tables
    assert first.refusal is None
    assert second.refusal is not None
    assert (second.refusal.reason, second.refusal.rule) == ("NO_SUCH_MELD", "R27")
    assert (first.attempt, second.attempt) == (1, 2)


async def test_an_illegal_answer_is_asked_again_until_the_match_has_enough() -> None:
    async def script(line: Connection) -> None:
        act = await _refused(line, 3)
        await line.judge(act, "ILLEGAL", 6, refusal=refusal())
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Wrong, address)


async def test_strict_raises_at_the_first_illegal_answer() -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 7))
        await line.judge(await line.act(), "ILLEGAL", 3, refusal=refusal())
        await line.until_closed()

    said = "match m, seat N, decision 7: NO_SUCH_MELD (R27): name a meld of your own side"
    async with serving(script) as address:
        with pytest.raises(IllegalAnswer) as caught:
            await run(Wrong, address, PlayOptions(strict=True))
    assert str(caught.value) == said


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"])
async def test_an_act_that_cannot_be_read_is_asked_for_again_and_then_the_default(
    code: str,
) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 7))
        for _ in range(2):
            act = await line.act()
            unread = play_pb2.StreamError(
                code=code, refusal=refusal("INVALID_FIELD"), action_id=act.action_id
            )
            await line.send(stream_error=unread)
        act = await line.act()
        assert DRAWN.deal is not None
        assert actions_of(act) == [Discard(DRAWN.deal.drawn)]
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    Wrong.made = []
    async with serving(script) as address:
        await run(Wrong, address)
    second = Wrong.made[0].tables[1].refusal
    assert second is not None
    assert second.reason == "INVALID_FIELD"


async def test_a_default_that_cannot_be_read_either_is_not_sent_for_ever() -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 7))
        for _ in range(3):
            act = await line.act()
            unread = play_pb2.StreamError(
                code="INVALID_ARGUMENT", refusal=refusal("INVALID_FIELD"), action_id=act.action_id
            )
            await line.send(stream_error=unread)
        assert DRAWN.deal is not None
        assert actions_of(act) == [Discard(DRAWN.deal.drawn)]
        # The next thing that comes is a ping, and not the default again.
        await line.ping()
        await line.send(3, match_ended=ended())
        await line.until_closed()

    Wrong.made = []
    async with serving(script) as address:
        await run(Wrong, address)


async def test_an_answer_that_no_message_can_hold_is_refused_before_it_is_sent() -> None:
    class Negative(Drawer):
        made = []  # noqa: RUF012 - of this test alone

        def decide(self, view: View) -> Action:
            self.tables.append(self.table)
            return Add(-1, view.hand[:1])

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 7))
        assert actions_of(await line.act()) == [DRAW_STOCK]
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Negative, address)
    assert len(Negative.made[0].tables) == 2


async def test_an_answer_longer_than_a_frame_is_refused_before_it_is_sent() -> None:
    class Endless(Drawer):
        made = []  # noqa: RUF012 - of this test alone

        def decide(self, view: View) -> list[Action]:  # type: ignore[override]  # Drawer answers one
            self.tables.append(self.table)
            return [DRAW_STOCK] * 100_000

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 7))
        assert actions_of(await line.act()) == [DRAW_STOCK]
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Endless, address)
    told = Endless.made[0].tables[1].refusal
    assert told is not None
    assert "100000 actions cannot be sent" in str(told)


def test_a_refusal_names_its_reason_once() -> None:
    assert str(Refusal("BUSY", "", "later")) == "BUSY: later"
    assert (
        str(Refusal("MUST_DRAW_FIRST", "R44", "draw first")) == "MUST_DRAW_FIRST (R44): draw first"
    )
    whole = "MUST_DRAW_FIRST (R44): draw first"
    assert str(Refusal("MUST_DRAW_FIRST", "R44", whole)) == whole


@pytest.mark.parametrize("chosen", [30, None])
async def test_a_bot_cuts_or_leaves_it_to_the_match(chosen: int | None) -> None:
    class Cutter(Bot):
        def cut(self) -> int | None:
            return chosen

        def decide(self, view: View) -> Action:
            return view.legal[0]

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=cut_decision(1, Cut(41)))
        assert actions_of(await line.act()) == [Cut(chosen or 41)]
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Cutter, address)


async def test_events_reach_the_bot_once_and_gaps_are_counted(drawer: type[Drawer]) -> None:
    opening = start_match(MATCH.setup)
    drawing = play(opening.match, DRAW_STOCK)
    dealt = wire_events(opening.events, 1)
    drew = wire_events(drawing.events, 5)

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1, events=dealt))
        verdict = {"events": [*dealt, *drew], "next": decision(DRAWN, 2, events=drew)}
        await line.judge(await line.act(), "APPLIED", 3, **verdict)
        await line.judge(await line.act(), "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)
    first, second = drawer.made[0].tables
    assert [type(event.fact) for event in first.events] == [DealStarted]
    assert [type(event.fact) for event in second.events] == [CardDrawn]
    assert second.events[0].cards
    assert (first.missed, second.missed) == (0, 3)
