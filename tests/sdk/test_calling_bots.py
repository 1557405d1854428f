"""Bots that raise, wait, or think in a thread, and answers that are none."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from burraco.sdk import (
    DRAW_STOCK,
    Action,
    Bot,
    BotCrashed,
    MatchResult,
    OnError,
    PlayOptions,
    PlayPlan,
    Table,
    View,
    play_bot,
)
from burraco.wire import action_from_wire
from tests.sdk.fake_server import TOKEN, Connection, a_match, decision, ended, serving, started

MATCH = a_match()
DEFAULT = PlayOptions(on_error=OnError.DEFAULT)


async def run(bot: type[Bot], address: str, options: PlayOptions | None = None) -> None:
    await play_bot(bot, address, TOKEN, PlayPlan(options or PlayOptions(), matches=1))


def bot_that(decide: Callable[[View], Any], **hooks: Callable[..., Any]) -> type[Bot]:
    """A bot class whose ``decide`` is a function."""
    return type("Given", (Bot,), {"decide": lambda _self, view: decide(view), **hooks})


async def asked_once(line: Connection) -> None:
    """Ask one question, expect a draw, and end the match."""
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(MATCH, 4))
    act = await line.act()
    assert [action_from_wire(action) for action in act.actions] == [DRAW_STOCK]
    await line.judge(act, "APPLIED", 3)
    await line.send(4, match_ended=ended())
    await line.until_closed()


async def asked_in_vain(line: Connection) -> None:
    """Ask one question that is never answered."""
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(MATCH, 4))
    await line.until_closed()


def divide(_view: View) -> Action:
    raise ZeroDivisionError("my own mistake")


async def divide_later(view: View) -> Action:
    await asyncio.sleep(0)
    return divide(view)


class Dividing(Bot):
    def decide(self, view: View) -> Action:
        return divide(view)


class DividingLater(Bot):
    async def decide(self, view: View) -> Action:
        return await divide_later(view)


@pytest.mark.parametrize("bot", [Dividing, DividingLater])
@pytest.mark.parametrize("threaded", [False, True])
async def test_a_bot_that_raises_ends_the_client_and_its_author_sees_where(
    bot: type[Bot], threaded: bool
) -> None:
    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed) as caught:
            await run(bot, address, PlayOptions(threaded=threaded))
    said = str(caught.value)
    assert said.startswith("match m, seat N, decision 4: the bot failed\n")
    assert 'raise ZeroDivisionError("my own mistake")' in said
    assert said.endswith("ZeroDivisionError: my own mistake")
    assert "asking.py" not in said


async def give_up(_view: View) -> Action:
    task = asyncio.create_task(asyncio.sleep(1_000))
    task.cancel()
    await task
    return DRAW_STOCK


class GivingUp(Bot):
    async def decide(self, view: View) -> Action:
        return await give_up(view)


class GivingUpBeside(Bot):
    def decide(self, view: View) -> Action:
        return asyncio.run(give_up(view))


@pytest.mark.parametrize("bot", [GivingUp, GivingUpBeside])
async def test_a_bot_that_waits_for_what_it_has_cancelled_ends_the_client_too(
    bot: type[Bot],
) -> None:
    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed, match=r"await task(.|\n)*RuntimeError"):
            await run(bot, address, PlayOptions(threaded=True))


@pytest.mark.parametrize("threaded", [False, True])
async def test_a_bot_whose_iterator_is_at_its_end_ends_the_client_too(threaded: bool) -> None:
    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed, match=r"StopIteration"):
            await run(
                bot_that(lambda _view: next(iter(()))), address, PlayOptions(threaded=threaded)
            )


@pytest.mark.parametrize("bot", [Dividing, DividingLater])
async def test_or_its_default_is_played(bot: type[Bot]) -> None:
    async with serving(asked_once) as address:
        await run(bot, address, DEFAULT)


@pytest.mark.parametrize("answer", [None, [], "draw", [DRAW_STOCK, None]])
async def test_what_is_no_answer_is_an_error_of_the_bot(answer: object) -> None:
    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed, match=r"return an action or a list of actions"):
            await run(bot_that(lambda _view: answer), address)


async def test_a_bot_that_ends_the_process_is_named_as_one_that_fails() -> None:
    def leave(_view: View) -> Action:
        raise SystemExit(3)

    async def leave_later(view: View) -> Action:
        return leave(view)

    for bot in (bot_that(leave), bot_that(leave_later)):
        async with serving(asked_in_vain) as address:
            with pytest.raises(BotCrashed, match=r"decision 4: .*(.|\n)*sys\.exit\(3\) was called"):
                await run(bot, address)


async def test_a_long_answer_that_is_none_is_told_in_short() -> None:
    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed) as crashed:
            await run(bot_that(lambda _view: ["no action"] * 100_000), address)
    assert len(str(crashed.value)) < 1_000


async def test_errors_in_start_and_end_are_named() -> None:
    def fail(_bot: Bot, _what: Table | MatchResult) -> None:
        raise ValueError("not ready")

    async with serving(asked_in_vain) as address:
        with pytest.raises(BotCrashed, match=r"match m, seat N, start: the bot failed"):
            await run(bot_that(lambda _view: DRAW_STOCK, start=fail), address)
    async with serving(asked_once) as address:
        with pytest.raises(BotCrashed, match=r"match m, seat N, end: the bot failed"):
            await run(bot_that(lambda _view: DRAW_STOCK, end=fail), address)
    async with serving(asked_once) as address:
        await run(bot_that(lambda _view: DRAW_STOCK, end=fail), address, DEFAULT)


async def test_145_an_answer_that_takes_too_long_is_given_up_and_the_next_is_normal() -> None:
    class Slow(Bot):
        """Never answers its first question."""

        seen = 0

        async def decide(self, view: View) -> Action:
            self.seen += 1
            if self.seen == 1:
                await asyncio.Event().wait()
            return DRAW_STOCK

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 4, remaining_ms=1))
        await line.send(3, decision=decision(MATCH, 8))
        act = await line.act()
        assert act.decision_id == 8
        await line.judge(act, "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Slow, address)


async def test_145_a_thread_that_takes_too_long_is_given_up_and_holds_up_nobody() -> None:
    let_go = threading.Event()
    seen: list[int] = []

    class Slow(Bot):
        """Never answers its first question while it has time."""

        def decide(self, view: View) -> Action:
            seen.append(1)
            if len(seen) == 1:
                let_go.wait()
            return DRAW_STOCK

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 4, remaining_ms=1))
        await line.send(3, match_started=started("other"))
        await line.send(4, decision=decision(MATCH, 1, "other", remaining_ms=60_000))
        assert (await line.act()).seat.match_id == "other"
        # Still busy when the time of the next one is over, too: nobody waits for it for ever.
        await line.send(5, decision=decision(MATCH, 6, remaining_ms=1))
        await line.send(6, match_ended=ended("other"))
        await line.send(7, decision=decision(MATCH, 8))
        let_go.set()
        act = await line.act()
        assert act.decision_id == 8
        await line.judge(act, "APPLIED", 8)
        await line.send(9, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await play_bot(Slow, address, TOKEN, PlayPlan(PlayOptions(threaded=True), matches=2))


async def test_145_a_thread_that_never_ends_does_not_keep_the_process() -> None:
    asked, never = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    threads: list[threading.Thread] = []

    class Hung(Bot):
        def decide(self, view: View) -> Action:
            threads.append(threading.current_thread())
            loop.call_soon_threadsafe(asked.set)
            never.wait()
            return DRAW_STOCK

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 4))
        await asked.wait()
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Hung, address, PlayOptions(threaded=True))
    assert [thread.is_alive() and thread.daemon for thread in threads] == [True]
    never.set()


async def test_145_a_coroutine_that_waits_does_not_hold_up_another_seat() -> None:
    let_go = asyncio.Event()

    class Waiting(Bot):
        async def decide(self, view: View) -> Action:
            if self.table.match_id == "a":
                await let_go.wait()
            return DRAW_STOCK

    await _second_seat_first(Waiting, PlayOptions(), let_go)


async def test_145_nor_does_a_thread() -> None:
    let_go = threading.Event()

    class Waiting(Bot):
        def decide(self, view: View) -> Action:
            if self.table.match_id == "a":
                let_go.wait()
            return DRAW_STOCK

    await _second_seat_first(Waiting, PlayOptions(threaded=True), let_go)


async def _second_seat_first(
    bot: type[Bot], options: PlayOptions, let_go: asyncio.Event | threading.Event
) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        for seq, name in enumerate("ab", 1):
            await line.send(seq, match_started=started(name))
        for seq, name in enumerate("ab", 3):
            await line.send(seq, decision=decision(MATCH, 1, name))
        for seq, name in enumerate("ba", 5):
            act = await line.act()
            assert act.seat.match_id == name
            await line.judge(act, "APPLIED", seq)
            let_go.set()
        for seq, name in enumerate("ab", 7):
            await line.send(seq, match_ended=ended(name))
        await line.until_closed()

    async with serving(script) as address:
        await play_bot(bot, address, TOKEN, PlayPlan(options, matches=2))


async def test_a_thread_is_never_called_twice_at_once() -> None:
    let_go = threading.Event()
    at_work: list[int] = []
    most: list[int] = []

    class Busy(Bot):
        def decide(self, view: View) -> Action:
            at_work.append(1)
            most.append(len(at_work))
            if len(most) == 1:
                let_go.wait()
            at_work.pop()
            return DRAW_STOCK

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 4))
        await line.send(3, decision=decision(MATCH, 8))
        await line.send(4, match_started=started("other"))
        await line.send(5, decision=decision(MATCH, 1, "other"))
        assert (await line.act()).seat.match_id == "other"
        let_go.set()
        act = await line.act()
        assert act.decision_id == 8
        await line.judge(act, "APPLIED", 6)
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Busy, address, PlayOptions(threaded=True))


async def test_a_bot_sees_how_much_time_is_left() -> None:
    left: list[int | None] = []

    def decide(_view: View) -> Action:
        return DRAW_STOCK

    class Clocked(Bot):
        def decide(self, view: View) -> Action:
            left.append(self.table.remaining_ms)
            return decide(view)

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        for seq, question in enumerate(
            (decision(MATCH, 1), decision(MATCH, 2, remaining_ms=60_000)), 2
        ):
            await line.send(seq, decision=question)
            await line.judge(await line.act(), "APPLIED")
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Clocked, address)
    assert left[0] is None
    assert left[1] is not None
    assert 0 < left[1] <= 60_000
