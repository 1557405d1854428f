"""Frames on their way to one reader: bounded, and cut with a typed error when it does not read."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from burraco.server.clock import Clock, Timer
from burraco.server.errors import ArenaError, Complaint
from burraco.server.settings import OUTBOX_FRAMES, OUTBOX_MOST, OUTBOX_SECONDS, PROMPT_FRAMES
from burraco.server.turns import Turns

Write = Callable[[bytes], Awaitable[None]]


class Outbox:
    """A queue of encoded frames that one task drains.

    It is cut when more than ``OUTBOX_FRAMES`` wait and one has waited ``OUTBOX_SECONDS``, or at
    ``OUTBOX_MOST``: a reader of many seats may be sent much at once, as long as it reads. One that
    is to end is cut when it still holds something ``OUTBOX_SECONDS`` later.

    ``turns``, where it has them, are waited for before each frame but the last ``prompt`` ones.
    """

    __slots__ = (
        "_clock",
        "_drainer",
        "_frames",
        "_is_closed",
        "_prompt",
        "_room",
        "_sent",
        "_timed",
        "_timer",
        "_turns",
        "_waiting",
        "_who",
        "ending",
    )

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._frames: deque[bytes] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._drainer: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self._sent = 0
        self._timed = 0
        self._is_closed = False
        self._turns: Turns | None = None
        self._who = ""
        self._prompt = PROMPT_FRAMES
        self.ending: ArenaError | None = None

    def share(self, turns: Turns, who: str, prompt: int) -> None:
        """Take turns with other outboxes, on somebody's behalf."""
        self._turns, self._who, self._prompt = turns, who, prompt

    def __len__(self) -> int:
        return len(self._frames)

    def put(self, frame: bytes) -> None:
        """Queue a frame; after the end nothing is taken any more."""
        if self._is_closed:
            return
        frames = self._frames
        frames.append(frame)
        if len(frames) > OUTBOX_FRAMES:
            self._mind_the_reader()
        self._wake()

    async def room(self) -> None:
        """Wait until few frames are left to send, or none is taken any more; for one at a time."""
        if len(self._frames) > self._prompt and not self._is_closed:
            self._room = asyncio.get_running_loop().create_future()
            await self._room

    def add(self, frame: bytes) -> None:
        """Queue a frame even while the stream is ending, as an answer to what still came."""
        if self._is_closed and len(self._frames) < OUTBOX_FRAMES:
            self._frames.append(frame)
        else:
            self.put(frame)

    def close(self, ending: ArenaError | None) -> None:
        """Take no more, send what is queued, and end the stream, with an error or without."""
        if self._is_closed:
            return
        self._is_closed, self.ending = True, ending
        self._make_room()
        self._stop_timer()
        cut = partial(self.cut, ending or _slow_reader())
        self._timer = self._clock.call_at(self._clock.now() + OUTBOX_SECONDS, cut)
        self._wake()

    def cut(self, ending: ArenaError) -> None:
        """End the stream at once; what is queued is not sent."""
        self._is_closed, self.ending = True, ending
        self._make_room()
        self._frames.clear()
        if self._drainer is not None:
            self._drainer.cancel()

    def start(self, write: Write) -> asyncio.Task[None]:
        """Begin to drain; the task ends when the outbox does."""
        self._drainer = asyncio.create_task(self._drain(write))
        return self._drainer

    def stop(self) -> None:
        """Let go of timer and task."""
        self._is_closed = True
        self._make_room()
        self._stop_timer()
        if self._drainer is not None:
            self._drainer.cancel()

    async def _drain(self, write: Write) -> None:
        frames = self._frames
        while True:
            while frames:
                if self._turns is not None and len(frames) > self._prompt:
                    await self._turns.wait(self._who)
                self._sent += 1
                await write(frames.popleft())
                if len(frames) <= self._prompt:
                    self._make_room()
            if self._is_closed:
                self._stop_timer()
                return
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _make_room(self) -> None:
        room = self._room
        if room is not None and not room.done():
            room.set_result(None)

    def _wake(self) -> None:
        waiting = self._waiting
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def _mind_the_reader(self) -> None:
        if len(self._frames) >= OUTBOX_MOST:
            self.cut(_slow_reader())
        elif self._timer is None:
            self._time_the_last_frame()

    def _time_the_last_frame(self) -> None:
        self._timed = self._sent + len(self._frames)
        self._timer = self._clock.call_at(self._clock.now() + OUTBOX_SECONDS, self._look_again)

    def _look_again(self) -> None:
        """The frame that was last when the timer was set has been sent by now, or has waited."""
        self._timer = None
        if len(self._frames) <= OUTBOX_FRAMES:
            return
        if self._sent < self._timed:
            self.cut(_slow_reader())
        else:
            self._time_the_last_frame()


def _slow_reader() -> ArenaError:
    return ArenaError(
        Complaint.SLOW_READER,
        f"more than {OUTBOX_FRAMES} frames wait, for {OUTBOX_SECONDS} s: read faster, then resume",
        frames=str(OUTBOX_FRAMES),
        seconds=str(OUTBOX_SECONDS),
        retry_ms="1000",
    )
