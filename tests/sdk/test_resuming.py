"""What a client does when its session goes on after a break: nothing twice, and nothing late."""

import asyncio

import pytest

from burraco.sdk import DRAW_STOCK, Action, Bot, View
from burraco.v1 import match_service_pb2, matches_pb2, play_pb2
from tests.sdk.drawer import DRAWN, MATCH, Drawer, run
from tests.sdk.fake_server import (
    Connection,
    Field,
    Matches,
    decision,
    ended,
    refusal,
    result,
    seat_ref,
    serving,
    started,
)


def still_open(number: int, **more: Field) -> play_pb2.OpenDecision:
    return play_pb2.OpenDecision(
        **{"seat": seat_ref(), "decision_id": number, "attempt": 1, **more}
    )


async def one_act(line: Connection) -> play_pb2.Act:
    """Begin a session, ask once, and take the act."""
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(MATCH, 1))
    return await line.act()


async def test_an_act_whose_verdict_was_missed_is_not_sent_again(drawer: type[Drawer]) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        acts.append(await one_act(line))

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=3, open_decisions=[still_open(2)])
        await line.judge(acts[0], "APPLIED", 3, next=decision(DRAWN, 2))
        act = await line.act()
        assert act.decision_id == 2
        await line.judge(act, "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)


async def test_a_refused_act_whose_verdict_was_missed_counts_once(drawer: type[Drawer]) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        acts.append(await one_act(line))

    async def second(line: Connection) -> None:
        again = decision(MATCH, 1, attempt=2)
        await line.open(resumed=True, last_seq=3, open_decisions=[still_open(1, attempt=2)])
        await line.judge(acts[0], "ILLEGAL", 3, refusal=refusal(), next=again)
        act = await line.act()
        assert act.action_id != acts[0].action_id
        await line.judge(act, "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)
    (bot,) = drawer.made
    assert [table.attempt for table in bot.tables] == [1, 2]
    assert bot.tables[1].refusal is not None


async def test_an_act_without_a_verdict_is_sent_again_once_the_missed_frames_are_there(
    drawer: type[Drawer],
) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        acts.append(await one_act(line))

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=4, open_decisions=[still_open(1)])
        await line.send(3, match_started=started("other"))
        await line.send(4, match_ended=ended("other"))
        acts.append(await line.act())
        await line.judge(acts[1], "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address, matches=2)
    assert acts[0] == acts[1]


async def test_only_what_is_still_open_is_asked_and_with_the_time_it_has_left(
    drawer: type[Drawer],
) -> None:
    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())

    async def second(line: Connection) -> None:
        left = still_open(5, remaining_ms=700, bank_ms=200)
        await line.open(resumed=True, last_seq=4, open_decisions=[left])
        await line.send(2, decision=decision(MATCH, 1, remaining_ms=90_000))
        await line.send(3, decision=decision(MATCH, 3, remaining_ms=90_000))
        await line.send(4, decision=decision(DRAWN, 5, remaining_ms=90_000))
        act = await line.act()
        assert act.decision_id == 5
        await line.judge(act, "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)
    (bot,) = drawer.made
    (table,) = bot.tables
    assert table.remaining_ms is not None
    assert table.remaining_ms <= 700


async def test_a_decision_that_was_missed_and_is_over_is_not_asked(drawer: type[Drawer]) -> None:
    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=2)
        await line.send(2, decision=decision(MATCH, 1))
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)
    assert drawer.made[0].tables == []


async def test_the_present_state_is_nothing_new_to_who_has_answered(drawer: type[Drawer]) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        acts.append(await one_act(line))

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=2, open_decisions=[still_open(1)])
        await line.send(decision=decision(MATCH, 1))
        assert await line.act() == acts[0]
        await line.judge(acts[0], "APPLIED", 3, next=decision(DRAWN, 2))
        assert (await line.act()).decision_id == 2
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)
    assert len(drawer.made[0].tables) == 2


async def test_the_present_state_is_asked_where_its_first_telling_is_lost(
    drawer: type[Drawer],
) -> None:
    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=1, open_decisions=[still_open(4)])
        await line.send(decision=decision(MATCH, 4, remaining_ms=60_000))
        act = await line.act()
        assert act.decision_id == 4
        await line.judge(act, "APPLIED", 2)
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        await run(drawer, address)


async def test_a_bot_that_thinks_over_a_break_is_not_asked_twice() -> None:
    let_go = asyncio.Event()
    asked: list[int] = []

    class Thinker(Bot):
        async def decide(self, view: View) -> Action:
            asked.append(self.table.attempt)
            await let_go.wait()
            return DRAW_STOCK

    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))

    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=2, open_decisions=[still_open(1)])
        await line.send(decision=decision(MATCH, 1))
        await line.send(3, match_started=started("other"))
        await line.send(4, match_ended=ended("other"))
        await line.judge(await line.act(), "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        # The other match ends behind the question in the stream: by then it has come again.
        await run(Thinker, address, matches=2, told=lambda *_: let_go.set())
    assert asked == [1]


async def test_145_a_bot_that_was_given_up_is_asked_again_where_the_decision_is_still_open() -> (
    None
):
    asked: list[int] = []

    class Slow(Bot):
        async def decide(self, view: View) -> Action:
            asked.append(self.table.attempt)
            if len(asked) == 1:
                await asyncio.Event().wait()
            return DRAW_STOCK

    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1, remaining_ms=1))
        await line.send(3, match_started=started("other"))
        await line.send(4, decision=decision(MATCH, 1, "other"))
        await line.act()

    async def second(line: Connection) -> None:
        left = still_open(1, remaining_ms=60_000)
        await line.open(resumed=True, last_seq=4, open_decisions=[left])
        acts = {act.seat.match_id: act for act in (await line.act(), await line.act())}
        assert sorted(acts) == ["m", "other"]
        await line.send(5, match_ended=ended())
        await line.send(6, match_ended=ended("other"))
        await line.until_closed()

    async with serving(first, second) as address:
        await run(Slow, address, matches=2)
    assert asked == [1, 1, 1]


async def test_a_new_session_names_the_matches_it_plays_and_hears_of_their_ends(
    drawer: type[Drawer],
) -> None:
    limits = play_pb2.Limits(hello_matches=800)

    async def first(line: Connection) -> None:
        await line.open(limits=limits)
        assert list(line.hello.matches) == []
        for seq, (name, seat) in enumerate((("a", 0), ("a", 2), ("b", 0)), 1):
            await line.send(seq, match_started=started(name, seat))

    async def second(line: Connection) -> None:
        await line.open(session="another", limits=limits)
        assert list(line.hello.matches) == ["a", "b"]
        for seq, (name, seat) in enumerate((("a", 0), ("a", 2), ("b", 0)), 1):
            await line.send(seq, match_ended=ended(name, seat))
        await line.until_closed()

    async with serving(first, second) as address:
        assert list(await run(drawer, address, matches=2)) == ["a", "b"]


async def test_those_there_is_no_room_for_are_asked_after(drawer: type[Drawer]) -> None:
    limits = play_pb2.Limits(hello_matches=1)

    async def first(line: Connection) -> None:
        await line.open(limits=limits)
        for seq, (name, seat) in enumerate((("a", 0), ("b", 0), ("b", 2)), 1):
            await line.send(seq, match_started=started(name, seat))

    async def second(line: Connection) -> None:
        await line.open(session="another", limits=limits)
        assert list(line.hello.matches) == ["a"]
        await line.send(1, match_ended=ended("a"))
        await line.until_closed()

    over = matches_pb2.MatchSummary(
        match_id="b", state=matches_pb2.MATCH_STATE_ENDED, result=result(5, -5)
    )
    matches = Matches(GetMatch=match_service_pb2.GetMatchResponse(match=over))
    async with serving(first, second, matches=matches) as address:
        results = await run(drawer, address, matches=2)
    assert results["b"].totals == (5, -5)
    assert [request.match_id for request in matches.requests] == ["b"]
    assert len(drawer.made) == 3


@pytest.mark.parametrize("code", ["RESOURCE_EXHAUSTED", "UNAVAILABLE"])
async def test_an_act_is_sent_again_when_the_server_says_so(
    drawer: type[Drawer], code: str
) -> None:
    async def script(line: Connection) -> None:
        act = await one_act(line)
        busy = play_pb2.StreamError(
            code=code, refusal=refusal("TOO_FAST"), action_id=act.action_id, retry_ms=20
        )
        await line.send(stream_error=busy)
        assert await line.act() == act
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        # Long before it would be sent again without being told.
        await run(drawer, address, nudge=1000.0)


async def test_what_is_sent_later_is_not_sent_after_its_verdict(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        act = await one_act(line)
        busy = play_pb2.StreamError(
            code="UNAVAILABLE", refusal=refusal("BUSY"), action_id=act.action_id, retry_ms=5
        )
        await line.send(stream_error=busy)
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_started=started("other"))
        await line.send(5, decision=decision(MATCH, 1, "other"))
        assert (await line.act()).seat.match_id == "other"
        await line.send(6, match_ended=ended("other"))
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, matches=2)
