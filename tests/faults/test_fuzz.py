"""Whatever bytes a server is sent, it refuses them by name, and others play on."""

import asyncio
from pathlib import Path

from tests.faults.bystander import NAME, play_for
from tests.faults.flood import Tokens, flood
from tests.faults.translators import READERS, try_readers
from tests.server.harness import ORGANISER, serving


def test_readers_refuse_what_they_cannot_read() -> None:
    done = try_readers(1_000 * len(READERS), seed=4)
    assert done.wrong == []
    assert 0 < done.usable < done.tried


async def test_a_flood_of_wrong_messages_is_refused_while_a_bystander_plays(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as running:
        await running.register("fuzzer", "expendable", NAME)
        await running.create(["fuzzer"] * 4, match_id="fuzzed")
        tokens = Tokens(ORGANISER, running.tokens["fuzzer"], running.tokens["expendable"])
        address = str(running.arena.listen)
        flooded, quickness = await asyncio.gather(
            flood(address, tokens, "fuzzed", 2_000, 4),
            play_for(address, (ORGANISER, running.tokens[NAME]), seconds=0.1),
        )
    assert flooded.wrong == []
    assert flooded.sent >= 2_000
    assert flooded.codes["INVALID_ARGUMENT"] > flooded.codes["OK"]
    assert quickness.wrong == ()
