"""Fair shares of the event loop."""

import asyncio

from burraco.server.turns import Turns


async def _ask(turns: Turns, who: str, done: list[str]) -> None:
    await turns.wait(who)
    done.append(who)


async def _a_turn_of_the_loop() -> None:
    # One for whoever is let go on to be woken, one for it to run.
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_what_there_is_room_for_waits_for_nobody() -> None:
    turns, done = Turns(2), list[str]()
    await _ask(turns, "a", done)
    await _ask(turns, "a", done)
    assert done == ["a", "a"]


async def test_only_so_many_go_on_in_one_turn() -> None:
    turns, done = Turns(2), list[str]()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(9):
            tasks.create_task(_ask(turns, "a", done))
        most = before = 0
        while before < 9:
            await asyncio.sleep(0)
            most, before = max(most, len(done) - before), len(done)
    assert most == 2


async def test_whoever_asks_for_little_does_not_wait_behind_whoever_asks_for_much() -> None:
    turns, done = Turns(1), list[str]()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(50):
            tasks.create_task(_ask(turns, "many", done))
        await _a_turn_of_the_loop()
        before = len(done)
        tasks.create_task(_ask(turns, "one", done))
    assert done.index("one") <= before + 3


async def test_whoever_stops_waiting_takes_no_turn() -> None:
    turns, done = Turns(1), list[str]()
    tasks = [asyncio.create_task(_ask(turns, name, done)) for name in "abcd"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done == ["a", "c", "d"]
