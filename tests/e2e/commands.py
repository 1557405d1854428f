"""Runs the command `burraco` as its users do, in a process of its own."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from typing import Final

# A background job of a shell begins with Ctrl-C ignored, and its children inherit that.
MAIN: Final = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " from burraco.sdk.command import main; sys.exit(main())"
)
_DEADLINE_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


async def burraco(*arguments: object) -> Finished:
    """Run `burraco` with the arguments to its end; it never outlives the test."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MAIN, *map(str, arguments), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(_DEADLINE_SECONDS):
            out, err = await child.communicate()
    finally:
        if child.returncode is None:
            child.terminate()
            await child.wait()
    assert child.returncode is not None
    return Finished(child.returncode, out.decode(), err.decode())
