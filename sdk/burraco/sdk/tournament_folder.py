"""A tournament in a folder: its log, and the notation and think times of its matches."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from burraco.sdk.organiser import Organiser, OrganiserFailed
from burraco.sdk.outcome import MatchResult
from burraco.sdk.tournament_desk import Tournaments
from burraco.sdk.tournaments import TournamentLogRow

LOG_NAME: Final = "tournament.jsonl"
TIMES_NAME: Final = "times.json"
NOTATION_FOLDER: Final = "bgn"
_STILL_PLAYED: Final = "MATCH_RUNNING"
_PLAYED: Final = "BoardPlayed"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the log, and matches by their ids.

    ``missing`` are ids of matches whose board is still played.
    """

    rows: tuple[TournamentLogRow, ...]
    results: Mapping[str, MatchResult]
    missing: tuple[str, ...]


async def write_tournament(
    tournaments: Tournaments, organiser: Organiser, tournament_id: str, folder: Path
) -> Exported:
    """Write everything there is of a tournament; what the folder has of it is written anew.

    Notation of a board is given out once all tables that play it are over.
    """
    rows = [row async for row in tournaments.export(tournament_id)]
    (folder / NOTATION_FOLDER).mkdir(parents=True, exist_ok=True)
    (folder / LOG_NAME).write_text("".join(map(log_line, rows)), encoding="utf-8", newline="\n")
    results: dict[str, MatchResult] = {}
    missing: list[str] = []
    for match_id in match_ids(rows):
        try:
            notation = await organiser.export(match_id)
        except OrganiserFailed as failed:
            if failed.complaint.reason != _STILL_PLAYED:
                raise
            missing.append(match_id)
            continue
        path = folder / NOTATION_FOLDER / f"{match_id}.bgn"
        path.write_text(notation, encoding="ascii", newline="\n")
        results[match_id] = await organiser.result(match_id)
    times = {match_id: _times(result) for match_id, result in results.items()}
    (folder / TIMES_NAME).write_text(json.dumps(times) + "\n", encoding="utf-8", newline="\n")
    return Exported(tuple(rows), results, tuple(missing))


def log_line(row: TournamentLogRow) -> str:
    """A row as a line of an exported log."""
    told = {"version": row.version, "kind": row.kind, "payload": json.loads(row.payload)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"


def match_ids(rows: Sequence[TournamentLogRow]) -> Iterator[str]:
    """The matches of all boards that count, or counted before they were played again."""
    for row in rows:
        if row.kind == _PLAYED:
            for half in json.loads(row.payload)["halves"]:
                yield half["match_id"]


def _times(result: MatchResult) -> list[dict[str, int]]:
    return [{"decisions": seat.decisions, "think_ms": seat.think_ms} for seat in result.seats]
