"""The back-up that docs/operations.md tells of, taken from a live server and started elsewhere."""

import sqlite3
from contextlib import closing
from pathlib import Path

from burraco.server.folder import DATABASE
from burraco.v1 import matches_pb2
from tests.server.harness import serving, solo


def back_up(folder: Path, copy: Path) -> None:
    """What `sqlite3 FOLDER/burraco.db ".backup COPY"` does."""
    with (
        closing(sqlite3.connect(folder / DATABASE)) as live,
        closing(sqlite3.connect(copy)) as kept,
    ):
        live.backup(kept)


async def test_a_copy_of_a_live_sqlite_database_goes_on_with_its_matches(tmp_path: Path) -> None:
    live, restored = tmp_path / "live", tmp_path / "restored"
    restored.mkdir()
    async with serving(live) as running:
        client = await solo(running)
        await client.greedy(await client.decision())
        await client.verdict()
        back_up(live, restored / DATABASE)
        at_the_copy, tokens = running.record().version, running.tokens
    async with serving(restored) as running:
        assert running.record().version == at_the_copy
        running.tokens = tokens
        again = await running.connect("solo")
        (ended,) = await again.play_to_the_end()
        assert (await running.summary()).state == matches_pb2.MATCH_STATE_ENDED
        assert ended.seat.match_id == "m"
