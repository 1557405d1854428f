"""How a client ends: with a good-bye that is heard, and with the exit status that says why."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest

from burraco.sdk import DRAW_STOCK, Action, Bot, BotCrashed, PlayOptions, View
from burraco.v1 import play_pb2
from tests.sdk.drawer import MATCH, Drawer, run
from tests.sdk.fake_server import TOKEN, Connection, decision, ended, serving, started

# Whoever started the tests may have had Ctrl-C ignored, and children inherit that.
HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
COMMAND = f"{HEARING}import sys; from burraco.sdk.command import main; sys.exit(main())"
SCRIPT = """\
from burraco.sdk import Action, Bot, View, run_bot

class Waiting(Bot):
    def decide(self, view: View) -> Action:
        return view.legal[0]

run_bot(Waiting, {address!r}, "token")
"""


class Line:
    """A script that begins a match and waits for the good-bye."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.has_left = False

    async def __call__(self, line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, match_started=started("other"))
        self.began.set()
        await line.until_closed()
        self.has_left = line.has_left


async def test_a_client_that_has_played_enough_says_good_bye(drawer: type[Drawer]) -> None:
    lines: list[Connection] = []

    async def script(line: Connection) -> None:
        lines.append(line)
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)
    assert lines[0].has_left
    assert lines[0].pings[-1].last_seq == 2


async def test_one_that_is_cancelled_says_good_bye(drawer: type[Drawer]) -> None:
    line = Line()
    async with serving(line) as address:
        playing = asyncio.create_task(run(drawer, address))
        await line.began.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
    assert line.has_left


async def test_one_that_is_cancelled_before_its_welcome_says_good_bye(
    drawer: type[Drawer],
) -> None:
    lines: list[Connection] = []
    greeted, cancelled = asyncio.Event(), asyncio.Event()

    async def script(line: Connection) -> None:
        lines.append(line)
        assert (await line.receive()).HasField("hello")
        greeted.set()
        await cancelled.wait()
        await line.send(welcome=play_pb2.Welcome(session_id="s"))
        await line.until_closed()

    async with serving(script) as address:
        playing = asyncio.create_task(run(drawer, address))
        await greeted.wait()
        playing.cancel()
        cancelled.set()
        with pytest.raises(asyncio.CancelledError):
            await playing
    assert lines[0].has_left


async def test_one_whose_bot_fails_says_good_bye() -> None:
    class Broken(Bot):
        async def decide(self, view: View) -> Action:
            raise ValueError("broken")

    lines: list[Connection] = []

    async def script(line: Connection) -> None:
        lines.append(line)
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        await line.until_closed()

    for threaded in (False, True):
        async with serving(script) as address:
            with pytest.raises(BotCrashed):
                await run(Broken, address, PlayOptions(threaded=threaded))
    assert [line.has_left for line in lines] == [True, True]


async def test_one_that_cannot_be_heard_ends_all_the_same(
    drawer: type[Drawer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burraco.sdk.client.LEAVE_SECONDS", 0.01)
    monkeypatch.setattr("burraco.sdk.stream.LEAVE_SECONDS", 0.01)
    began, gone = asyncio.Event(), asyncio.Event()

    async def deaf(line: Connection) -> None:
        await line.open()
        began.set()
        await gone.wait()

    async with serving(deaf) as address:
        playing = asyncio.create_task(run(drawer, address))
        await began.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        gone.set()


async def test_a_bot_that_will_not_be_cancelled_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("burraco.sdk.client.LEAVE_SECONDS", 0.01)
    let_go, asked = asyncio.Event(), asyncio.Event()

    class Stubborn(Bot):
        async def decide(self, view: View) -> Action:
            asked.set()
            while not let_go.is_set():
                try:
                    await let_go.wait()
                except asyncio.CancelledError:
                    continue
            return DRAW_STOCK

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        await line.until_closed()

    async with serving(script) as address:
        playing = asyncio.create_task(run(Stubborn, address))
        await asked.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        let_go.set()


async def test_the_first_ping_goes_out_before_anything_is_answered(drawer: type[Drawer]) -> None:
    lines: list[Connection] = []

    async def script(line: Connection) -> None:
        lines.append(line)
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, match_started=started("other"))
        # Nothing but a ping can come: whoever waits for it needs no clock.
        await line.ping()
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)
    assert lines[0].pings[0].last_seq <= 2


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
async def test_a_signal_ends_the_command_with_a_good_bye(
    number: signal.Signals, status: int
) -> None:
    line = Line()
    async with serving(line) as address:
        options = ("bot", "run", "greedy", "--server", address, "--token", TOKEN)
        ended_with, said = await _signalled(line, number, "-c", COMMAND, *options)
    assert line.has_left, said
    assert ended_with == status
    assert said.endswith(f"burraco bot run: ended by {number.name}\n")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)]
)
async def test_a_signal_ends_a_program_of_ones_own_as_usual_after_the_good_bye(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    line = Line()
    async with serving(line) as address:
        program = tmp_path / "mine.py"
        program.write_text(HEARING + SCRIPT.format(address=address))
        ended_with, said = await _signalled(line, number, str(program))
    assert line.has_left, said
    assert ended_with == status


async def _signalled(line: Line, number: signal.Signals, *words: str) -> tuple[int, str]:
    """Start Python, send a signal when it plays; its status, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *words),
        stdout=DEVNULL,
        stderr=PIPE,
        env={**os.environ, "BURRACO_TOKEN": TOKEN},
    )
    try:
        async with asyncio.timeout(60):
            await line.began.wait()
        process.send_signal(number)
        _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, said.decode()
