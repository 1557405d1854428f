"""What a bot writes beside its answers, and what it hears between them."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from burraco.engine import start_match
from burraco.engine.events import CardDrawn, DealStarted, Event
from burraco.engine.match import play
from burraco.sdk import (
    DRAW_STOCK,
    Action,
    Bot,
    BotCrashed,
    Discard,
    MatchResult,
    OnError,
    PlayOptions,
    SeenEvent,
    View,
)
from burraco.v1 import play_pb2
from tests.sdk.drawer import DRAWN, MATCH, Drawer, run
from tests.sdk.fake_server import (
    Connection,
    Script,
    decision,
    ended,
    seat_ref,
    serving,
    started,
    wire_events,
)

OPENING = start_match(MATCH.setup).events
DRAWING = play(MATCH, DRAW_STOCK).events
DISCARDING = play(DRAWN, Discard(DRAWN.deal.drawn)).events if DRAWN.deal else ()


def noting(*notes: object, on_thread: bool = False) -> type[Bot]:
    """A bot that draws or discards and leaves notes, one for each question."""
    left = iter(notes)

    class Noting(Bot):
        async def decide(self, view: View) -> Action:
            assert self.note == ""
            self.note = next(left)  # type: ignore[assignment]  # what an author might write
            return view.legal[-1]

    class NotingInPlace(Bot):
        def decide(self, view: View) -> Action:
            assert self.note == ""
            self.note = next(left)  # type: ignore[assignment]  # what an author might write
            return view.legal[-1]

    return NotingInPlace if on_thread else Noting


def asking_twice(notes: list[str], limit: int = 0) -> Script:
    async def script(line: Connection) -> None:
        await line.open(limits=play_pb2.Limits(note_chars=limit))
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 1))
        for seq in (3, 4):
            act = await line.act()
            notes.append(act.note)
            question = decision(DRAWN, 2) if seq == 3 else None
            await line.judge(act, "APPLIED", seq, next=question)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    return script


@pytest.mark.parametrize("threaded", [False, True])
async def test_a_note_goes_with_its_answer_and_no_other(threaded: bool) -> None:
    notes: list[str] = []
    async with serving(asking_twice(notes)) as address:
        bot = noting("gain 12.5 of 80 worlds, Àé", "", on_thread=threaded)
        await run(bot, address, PlayOptions(threaded=threaded))
    assert notes == ["gain 12.5 of 80 worlds, Àé", ""]


@pytest.mark.parametrize(
    ("note", "limit"), [("x" * 501, 0), ("x" * 11, 10), ("two\nlines", 0), (b"bytes", 0), (7, 0)]
)
async def test_a_note_that_cannot_be_kept_is_an_error_of_the_bot(note: object, limit: int) -> None:
    async def script(line: Connection) -> None:
        await line.open(limits=play_pb2.Limits(note_chars=limit))
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 1))
        await line.until_closed()

    said = rf"the note is .*: a note is text of at most {limit or 500} characters"
    async with serving(script) as address:
        with pytest.raises(BotCrashed, match=said):
            await run(noting(note), address)


async def test_or_its_default_is_played_without_it() -> None:
    notes: list[str] = []
    async with serving(asking_twice(notes, 3)) as address:
        await run(noting("four", "abc"), address, PlayOptions(on_error=OnError.DEFAULT))
    assert notes == ["", "abc"]


class Listener(Drawer):
    """Remembers what it hears, and when."""

    made = []  # noqa: RUF012 - emptied by the tests

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def decide(self, view: View) -> Action:
        self.heard.append("decide")
        return super().decide(view)

    def on_event(self, event: SeenEvent) -> None:
        self.heard.append(type(event.fact))

    def end(self, result: MatchResult) -> None:
        self.heard.append("end")


def a_listener() -> type[Listener]:
    return type("Fresh", (Listener,), {"made": []})


def live(events: Sequence[Event], first: int) -> play_pb2.LiveEvents:
    return play_pb2.LiveEvents(seat=seat_ref(), events=wire_events(events, first))


async def test_live_events_are_asked_for_by_bots_that_hear_them(drawer: type[Drawer]) -> None:
    for bot, wanted in ((drawer, False), (a_listener(), True)):
        lines: list[Connection] = []

        async def script(line: Connection, lines: list[Connection] = lines) -> None:
            await line.open()
            lines.append(line)
            await line.send(1, match_started=started())
            await line.send(2, match_ended=ended())
            await line.until_closed()

        async with serving(script) as address:
            await run(bot, address)
        assert lines[0].hello.live_events is wanted


async def test_every_event_is_heard_once_and_in_order_however_it_comes() -> None:
    bot = a_listener()
    first, second = 1 + len(OPENING), 1 + len(OPENING) + len(DRAWING)

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, live_events=live(OPENING, 1))
        told = wire_events(OPENING, 1)
        await line.send(3, decision=decision(MATCH, 1, events=told))
        drew = wire_events(DRAWING, first)
        after = decision(DRAWN, 2, events=drew)
        await line.judge(await line.act(), "APPLIED", 4, events=drew, next=after)
        await line.judge(await line.act(), "APPLIED", 5)
        await line.send(6, match_ended=ended(events=wire_events(DISCARDING, second)))
        await line.until_closed()

    async with serving(script) as address:
        await run(bot, address)
    (listener,) = bot.made
    assert isinstance(listener, Listener)
    drawn = [type(event.fact) for event in DRAWING]
    discarded = [type(event.fact) for event in DISCARDING]
    assert listener.heard == [DealStarted, "decide", *drawn, "decide", *discarded, "end"]
    # The same ones come with the questions, for bots that would rather read them there.
    assert [[type(event.fact) for event in table.events] for table in listener.tables] == [
        [DealStarted],
        drawn,
    ]
    assert CardDrawn in drawn


@pytest.mark.parametrize("threaded", [False, True])
async def test_what_happens_while_a_bot_decides_is_heard_before_its_next_question(
    threaded: bool,
) -> None:
    heard: list[object] = []
    asked, let_go = threading.Event(), threading.Event()
    asked_here, let_go_here = asyncio.Event(), asyncio.Event()

    class InThread(Bot):
        def decide(self, view: View) -> Action:
            heard.append("begin")
            asked.set()
            let_go.wait()
            heard.append("decided")
            return DRAW_STOCK

        def on_event(self, event: SeenEvent) -> None:
            heard.append(type(event.fact))

    class Coroutine(Bot):
        async def decide(self, view: View) -> Action:
            heard.append("begin")
            asked_here.set()
            await let_go_here.wait()
            heard.append("decided")
            return DRAW_STOCK

        def on_event(self, event: SeenEvent) -> None:
            heard.append(type(event.fact))

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        if threaded:
            await asyncio.to_thread(asked.wait)
        else:
            await asked_here.wait()
        await line.send(3, live_events=live(OPENING, 1))
        # This match ends behind the event in the stream: by then it has come.
        await line.send(4, match_started=started("other"))
        await line.send(5, match_ended=ended("other"))
        act = await line.act()
        await line.judge(act, "APPLIED", 6, next=decision(DRAWN, 2))
        await line.judge(await line.act(), "APPLIED", 7)
        await line.send(8, match_ended=ended())
        await line.until_closed()

    def release(match_id: str, *_: object) -> None:
        if match_id == "other":
            let_go.set()
            let_go_here.set()

    async with serving(script) as address:
        bot = InThread if threaded else Coroutine
        await run(bot, address, PlayOptions(threaded=threaded), matches=2, told=release)
    assert heard == ["begin", "decided", DealStarted, "begin", "decided"]


async def test_an_error_while_hearing_names_the_bot_or_is_passed_over() -> None:
    class Deaf(Drawer):
        made = []  # noqa: RUF012 - of this test alone

        def on_event(self, event: SeenEvent) -> None:
            raise ValueError("what was that")

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, live_events=live(OPENING, 1))
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        with pytest.raises(BotCrashed, match="match m, seat N, on_event: the bot failed"):
            await run(Deaf, address)
    async with serving(script) as address:
        await run(Deaf, address, PlayOptions(on_error=OnError.DEFAULT))
