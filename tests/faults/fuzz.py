"""Wrong messages to a real server while somebody else plays there, and to the readers alone."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.bystander import NAME, Quickness, another_process, bystand
from tests.faults.flood import Flooded, Tokens, flood
from tests.faults.guests import make_matches, register
from tests.faults.server import ServerProcess, serving_process
from tests.faults.translators import Read, try_readers

_QUIET_SECONDS = 10
# A bystander plays for so long beside the flood.
_LOADED_SECONDS = 20


@dataclass(slots=True)
class Fuzzed:
    """What came of it."""

    read: Read
    flooded: Flooded
    quiet: Quickness
    loaded: Quickness
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """For a person."""
        met = ", ".join(f"{code} {times}" for code, times in sorted(self.flooded.codes.items()))
        return [
            f"in process: {self.read.tried} messages, {self.read.usable} of them usable",
            f"over the wire: {self.flooded.sent} messages ({met})",
            f"bystander, quiet: {self.quiet}",
            f"bystander, beside it: {self.loaded} ({self.loaded.p99 / self.quiet.p99:.2f} times)",
            f"violations {len(self.wrong)}; {self.seconds:.0f} s",
            *self.wrong[:20],
        ]


async def fuzz(folder: Path, messages: int, in_process: int, seed: int) -> Fuzzed:
    """Try the readers, then flood a server with a bystander."""
    began = time.monotonic()
    read = try_readers(in_process, seed)
    async with serving_process(folder, None) as server:
        bot, expendable, bystander = await register(server, ["fuzzer", "expendable", NAME])
        (match_id,) = await make_matches(server, [["fuzzer"] * 4])
        tokens = Tokens(server.organiser, bot, expendable)
        with another_process() as process:
            seats = (server.organiser, bystander)
            quiet = await bystand(process, server.address, seats, _QUIET_SECONDS)
            flooded, loaded = await asyncio.gather(
                flood(server.address, tokens, match_id, messages, seed),
                bystand(process, server.address, seats, _LOADED_SECONDS),
            )
        status = await _end(server)
    done = Fuzzed(read, flooded, quiet, loaded, [*read.wrong, *flooded.wrong])
    done.wrong += (*quiet.wrong, *loaded.wrong, *status)
    done.seconds = time.monotonic() - began
    return done


async def _end(server: ServerProcess) -> list[str]:
    if not server.is_running:
        return ["the server has ended"]
    faults = server.faults()
    await server.stop()
    return [f"{faults} internal errors"] if faults else []
