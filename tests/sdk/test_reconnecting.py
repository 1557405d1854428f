"""Connections, frames and verdicts that are lost or come twice (reported faults, 142 to 146)."""

import asyncio
import gc
from itertools import count, pairwise
from weakref import WeakSet

import grpc
import grpc.aio
import pytest

from burraco.sdk import DRAW_STOCK, Action, Bot, View
from burraco.sdk.calls import Server
from burraco.sdk.stream import ACKNOWLEDGED_EVERY
from burraco.v1 import match_service_pb2, matches_pb2, play_pb2
from tests.sdk.drawer import DRAWN, MATCH, Drawer, actions_of, run
from tests.sdk.fake_server import (
    TOKEN,
    Connection,
    Matches,
    Script,
    decision,
    ended,
    refusal,
    result,
    serving,
    started,
)


async def test_142_a_bot_that_is_to_move_at_once_moves_and_again_after_reconnecting(
    drawer: type[Drawer],
) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        await line.open()
        assert line.hello.session_id == ""
        assert line.metadata["authorization"] == f"Bearer {TOKEN}"
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())

    async def second(line: Connection) -> None:
        await line.open(resumed=True)
        assert (line.hello.session_id, line.hello.last_seq) == ("session", 2)
        acts.append(await line.act())
        await line.judge(acts[1], "DUPLICATE", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        results = await run(drawer, address)
    assert acts[0] == acts[1]
    assert actions_of(acts[0]) == [DRAW_STOCK]
    (bot,) = drawer.made
    assert (bot.starts, len(bot.tables), bot.results) == (1, 1, [results["m"]])
    assert results["m"].totals == (100, 20)
    assert results["m"].is_clean


async def test_143_only_match_ended_ends_a_match(drawer: type[Drawer]) -> None:
    async def broken(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.fail(grpc.StatusCode.UNAVAILABLE, "gone")

    async def closed(line: Connection) -> None:
        await line.open(resumed=True)

    async def whole(line: Connection) -> None:
        await line.open(resumed=True)
        await line.send(2, decision=decision(MATCH, 1))
        await line.judge(await line.act(), "APPLIED", 3, next=decision(DRAWN, 2))
        await line.judge(await line.act(), "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(broken, closed, whole) as address:
        results = await run(drawer, address)
    assert list(results) == ["m"]
    assert len(drawer.made) == 1


async def test_a_session_that_begins_afresh_asks_again_and_gets_the_same_act(
    drawer: type[Drawer],
) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())

    async def second(line: Connection) -> None:
        await line.open(session="another")
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())
        await line.judge(acts[1], "DUPLICATE", 3, next=decision(DRAWN, 2))
        acts.append(await line.act())
        await line.judge(acts[2], "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    running = match_service_pb2.GetMatchResponse(
        match=matches_pb2.MatchSummary(match_id="m", state=matches_pb2.MATCH_STATE_RUNNING)
    )
    async with serving(first, second, matches=Matches(GetMatch=running)) as address:
        await run(drawer, address)
    assert acts[0] == acts[1]
    assert acts[2].decision_id == 2
    (bot,) = drawer.made
    assert (bot.starts, len(bot.tables)) == (1, 2)


async def test_a_match_that_ended_while_the_server_restarted_is_asked_for(
    drawer: type[Drawer],
) -> None:
    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())

    async def second(line: Connection) -> None:
        await line.open(session="another")
        await line.send(1, match_started=started("other"))
        await line.send(2, match_ended=ended("other"))
        await line.until_closed()

    over = matches_pb2.MatchSummary(
        match_id="m", state=matches_pb2.MATCH_STATE_ENDED, result=result(5, -5)
    )
    answer = match_service_pb2.GetMatchResponse(match=over)
    async with serving(first, second, matches=Matches(GetMatch=answer)) as address:
        results = await run(drawer, address, matches=2)
    assert results["m"].totals == (5, -5)


async def test_frames_that_come_twice_are_taken_once(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        for _ in range(2):
            await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        await line.judge(act, "APPLIED", 3)
        await line.judge(act, "DUPLICATE", 4, next=decision(DRAWN, 2))
        await line.send(5, decision=decision(DRAWN, 2))
        second = await line.act()
        assert second.decision_id == 2
        await line.judge(second, "APPLIED", 6)
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)


@pytest.mark.parametrize("kind", ["TOO_LATE", "STALE", "CONFLICT"])
async def test_145_after_a_late_answer_the_bot_goes_on(drawer: type[Drawer], kind: str) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        await line.judge(await line.act(), kind, 3, refusal=refusal("DECISION_LOST"))
        await line.send(4, decision=decision(DRAWN, 5))
        act = await line.act()
        assert act.decision_id == 5
        await line.judge(act, "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)


async def test_145_an_act_whose_verdict_is_lost_is_sent_again(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        assert await line.act() == act
        await line.judge(act, "DUPLICATE", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, nudge=0.01)


async def test_an_act_refused_for_now_is_sent_again(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        away = play_pb2.StreamError(
            code="UNAVAILABLE", refusal=refusal("LOG_UNAVAILABLE"), action_id=act.action_id
        )
        await line.send(stream_error=away)
        assert await line.act() == act
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, nudge=0.01)


async def test_a_bot_that_still_thinks_when_its_question_comes_again_is_not_asked_again() -> None:
    let_go = asyncio.Event()
    questions: list[int] = []

    class Thinker(Bot):
        async def decide(self, view: View) -> Action:
            questions.append(self.table.attempt)
            await let_go.wait()
            return DRAW_STOCK

    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))

    async def second(line: Connection) -> None:
        await line.open(session="another")
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        await line.send(3, match_started=started("other"))
        await line.send(4, match_ended=ended("other"))
        act = await line.act()
        assert act.decision_id == 1
        await line.judge(act, "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    running = match_service_pb2.GetMatchResponse(
        match=matches_pb2.MatchSummary(match_id="m", state=matches_pb2.MATCH_STATE_RUNNING)
    )
    async with serving(first, second, matches=Matches(GetMatch=running)) as address:
        # The other match ends behind the question in the stream: by then it has come again.
        await run(Thinker, address, matches=2, told=lambda *_: let_go.set())
    assert questions == [1]


@pytest.fixture
def channels(monkeypatch: pytest.MonkeyPatch) -> WeakSet[grpc.aio.Channel]:
    """The channels that clients of a test have made and that are still there."""
    made: WeakSet[grpc.aio.Channel] = WeakSet()
    make = Server.channel

    def channel(server: Server) -> grpc.aio.Channel:
        new = make(server)
        made.add(new)
        return new

    monkeypatch.setattr(Server, "channel", channel)
    return made


async def test_146_two_hundred_matches_in_a_row_leave_nothing_behind(
    drawer: type[Drawer], channels: WeakSet[grpc.aio.Channel]
) -> None:
    tasks: list[int] = []
    lines: list[int] = []

    async def script(line: Connection) -> None:
        await line.open()
        seq = count(1)
        for number in range(200):
            name = f"m{number}"
            await line.send(next(seq), match_started=started(name))
            await line.send(next(seq), decision=decision(MATCH, 1, name))
            await line.judge(await line.act(), "APPLIED", next(seq))
            await line.send(next(seq), match_ended=ended(name))
            tasks.append(len(asyncio.all_tasks()))
            lines.append(len(channels))
        await line.until_closed()

    async with serving(script) as address:
        results = await run(drawer, address, matches=200)
    assert len(results) == 200
    assert max(tasks[10:]) <= max(tasks[:10])
    assert set(lines) == {1}
    gc.collect()
    assert not channels


async def test_146_nor_do_matches_each_of_which_loses_its_connection(
    drawer: type[Drawer], channels: WeakSet[grpc.aio.Channel]
) -> None:
    rounds = 12
    tasks: list[int] = []
    lines: list[int] = []

    def script_of(number: int) -> Script:
        async def script(line: Connection) -> None:
            await line.open(resumed=number > 0, last_seq=3 * number)
            name, seq = f"m{number}", count(3 * number + 1)
            await line.send(next(seq), match_started=started(name))
            await line.send(next(seq), decision=decision(MATCH, 1, name))
            await line.act()
            await line.send(next(seq), match_ended=ended(name))
            if number == rounds - 1:
                await line.until_closed()

        return script

    def count_up(*_: object) -> None:
        if len(channels) > 1:
            gc.collect()
        tasks.append(len(asyncio.all_tasks()))
        lines.append(len(channels))

    async with serving(*map(script_of, range(rounds))) as address:
        await run(drawer, address, matches=rounds, told=count_up)
    assert max(tasks[3:]) <= max(tasks[:3])
    assert set(lines) == {1}


async def test_frames_are_acknowledged_before_a_server_has_to_forget_them(
    drawer: type[Drawer],
) -> None:
    lines: list[Connection] = []

    async def script(line: Connection) -> None:
        lines.append(line)
        await line.open()
        for number in range(200):
            await line.send(2 * number + 1, match_started=started(f"m{number}"))
            await line.send(2 * number + 2, match_ended=ended(f"m{number}"))
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, matches=200)
    told = [ping.last_seq for ping in lines[0].pings]
    assert told == sorted(told)
    steps = [later - earlier for earlier, later in pairwise([0, *told])]
    assert max(steps) <= ACKNOWLEDGED_EVERY
