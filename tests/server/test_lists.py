"""Lists cost what they show, and one damaged row is no harm to the others."""

from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from burraco.server.settings import ROWS_PER_SEARCH
from burraco.server.store import LogRow, MatchRow
from burraco.server.terms import MatchState
from burraco.v1 import (
    admin_service_pb2,
    admin_service_pb2_grpc,
    match_service_pb2,
    matches_pb2,
)
from tests.server.harness import SEED, SOLO, Metadata, Running, serving

PLAYED = matches_pb2.MATCH_END_PLAYED
VOID = matches_pb2.MATCH_END_VOID


async def listed(running: Running, metadata: Metadata) -> dict[str, matches_pb2.MatchSummary]:
    page = await running.matches.ListMatches(
        match_service_pb2.ListMatchesRequest(), metadata=metadata
    )
    return {match.match_id: match for match in page.matches}


async def end(running: Running, *match_ids: str) -> None:
    for match_id in match_ids:
        request = match_service_pb2.AdjudicateMatchRequest(match_id=match_id, reason="test")
        await running.matches.AdjudicateMatch(request, metadata=running.organiser)
    await running.arena.writer.flush()


async def damage(running: Running, match_id: str, summary: bytes) -> None:
    row = await running.arena.store.match(match_id)
    assert row is not None
    await running.arena.store.append([], [replace(row, summary=summary)])


def forbid_logs(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    async def log(match_id: str) -> list[LogRow]:
        raise AssertionError(f"the log of {match_id} was read for a list")

    monkeypatch.setattr(running.arena.store, "log", log)


async def test_finished_matches_are_listed_without_their_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as running:
        await running.register(SOLO)
        tokens = running.tokens
        await running.create([SOLO] * 4, match_id="alone")
        for board in ("over", "half"):
            for table in ("1", "2"):
                await running.create([SOLO] * 4, match_id=f"{board}{table}", board=(board, 2))
        await end(running, "alone", "over1", "over2", "half1")
    async with serving(tmp_path) as running:
        running.tokens = tokens
        with monkeypatch.context() as guarded:
            forbid_logs(running, guarded)
            as_player = await listed(running, running.as_bot(SOLO))
            as_organiser = await listed(running, running.organiser)
    boards = {"alone": "", "over1": "over", "over2": "over", "half1": "", "half2": ""}
    assert {name: match.board_id for name, match in as_player.items()} == boards
    tables = {name: 2 if board else 0 for name, board in boards.items()}
    assert {name: match.board_tables for name, match in as_player.items()} == tables
    assert as_organiser["half1"].board_id == as_organiser["half2"].board_id == "half"
    seeds = {name: match.result.seed for name, match in as_player.items()}
    assert seeds == {"alone": SEED, "over1": b"", "over2": b"", "half1": b"", "half2": b""}


@pytest.mark.parametrize(
    "summary",
    [b"\xff\xff", b"", matches_pb2.MatchSummary(match_id="m0").SerializeToString()],
    ids=["torn", "gone", "of-another-match"],
)
async def test_a_damaged_summary_is_made_anew_from_the_log(tmp_path: Path, summary: bytes) -> None:
    async with serving(tmp_path) as running:
        for number in range(3):
            await running.create([""] * 4, match_id=f"m{number}")
        await end(running, "m0", "m1", "m2")
        whole = await listed(running, running.organiser)
        await damage(running, "m1", summary)
    async with serving(tmp_path) as running:
        assert await listed(running, running.organiser) == whole


async def test_a_damaged_summary_of_a_damaged_log_is_shown_as_void(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        for number in range(2):
            await running.create([""] * 4, match_id=f"m{number}")
        await end(running, "m0", "m1")
        whole = await listed(running, running.organiser)
        await damage(running, "m1", b"\xff\xff")
        row = LogRow("m1", 9, "ended", "{}", b"x" * 32)
        await running.arena.store.append([row], [])
    async with serving(tmp_path) as running:
        shown = await listed(running, running.organiser)
        one = await running.summary("m1")
    assert shown["m0"] == whole["m0"]
    assert shown["m1"].result.end == one.result.end == VOID


def ended(number: int, match_end: matches_pb2.MatchEnd.ValueType) -> MatchRow:
    match_id = f"m{number}"
    result = matches_pb2.MatchResult(end=match_end)
    summary = matches_pb2.MatchSummary(match_id=match_id, result=result)
    return MatchRow(
        match_id, MatchState.ENDED, "", number, ("", "", "", ""), summary.SerializeToString()
    )


async def test_one_call_looks_through_so_many_matches_for_the_quarantined(tmp_path: Path) -> None:
    rows = [ended(number, PLAYED) for number in range(ROWS_PER_SEARCH + 10)]
    rows[-3] = ended(ROWS_PER_SEARCH + 7, VOID)
    rows[-2] = replace(rows[-2], summary=b"\xff\xff")
    async with (
        serving(tmp_path, admin="127.0.0.1:0") as running,
        grpc.aio.insecure_channel(str(running.arena.admin_at)) as channel,
    ):
        await running.arena.store.append([], rows)
        admin = admin_service_pb2_grpc.AdminServiceStub(channel)
        request = admin_service_pb2.ListQuarantinedRequest()
        first = await admin.ListQuarantined(request, metadata=running.organiser)
        request.page_token = first.next_page_token
        second = await admin.ListQuarantined(request, metadata=running.organiser)
    assert not first.matches
    assert [match.match_id for match in second.matches] == [rows[-3].match_id, rows[-2].match_id]
    assert all(match.result.end == VOID for match in second.matches)
    assert not second.next_page_token
