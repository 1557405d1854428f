"""The page on limits says what the server holds its clients to."""

import re
from pathlib import Path
from typing import Final

import pytest

from burraco.server import settings
from burraco.server.errors import CODES, Complaint
from burraco.server.quotas import limits_to_wire
from burraco.server.settings import PlayerLimits
from burraco.v1 import play_pb2

PAGE: Final = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
USUAL: Final = limits_to_wire(PlayerLimits())
FIELDS: Final = [field.name for field in play_pb2.Limits.DESCRIPTOR.fields]
# What a limit is refused with, and whether the refusal says when to try again.
REASONS: Final = {
    "frame_bytes": Complaint.FRAME_TOO_LARGE,
    "metadata_bytes": Complaint.METADATA_TOO_LARGE,
    "streams": Complaint.TOO_MANY_STREAMS,
    "matches": Complaint.TOO_MANY_MATCHES,
    "acts_per_second": Complaint.TOO_MANY_ACTS,
    "illegal_acts_per_second": Complaint.TOO_MANY_ILLEGAL_ACTS,
    "mailbox_acts": Complaint.MAILBOX_FULL,
    "outbox_frames": Complaint.SLOW_READER,
    "outbox_seconds": Complaint.SLOW_READER,
    "session_frames": None,
}
OTHERS: Final = {
    "ids of matches": settings.ID_CHARS,
    "reasons for the log": settings.REASON_CHARS,
    "names of presets": settings.WORD_CHARS,
    "single values": settings.OVERRIDES,
    f"entries of a page of any list; {settings.USUAL_PAGE} where": settings.LARGEST_PAGE,
    "page tokens": settings.PAGE_TOKEN_CHARS,
    "matches that one ListQuarantined": settings.ROWS_PER_SEARCH,
    "any time of a clock": settings.LONGEST_MS,
    "retries, strikes": settings.MOST_RETRIES,
    "limits by cards": settings.HAND_LIMITS,
    "deals of a match": settings.MOST_DEALS,
    "tables of a board": settings.MOST_TABLES,
    "life of a token": settings.LONGEST_LIFETIME_S,
    "overlap of a rotated token": settings.LONGEST_OVERLAP_S,
}


def test_the_page_has_a_row_for_every_limit_and_no_other() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == sorted(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_a_limit_is_as_told(name: str) -> None:
    ((value, reason, hint),) = re.findall(
        rf"^\| `{name}` \| (\d+) \| (.*?) \| (.+) \|$", PAGE, re.MULTILINE
    )
    assert int(value) == getattr(USUAL, name)
    complaint = REASONS.get(name, Complaint.INVALID_FIELD)
    assert reason == ("–" if complaint is None else f"`{complaint}`")
    assert hint


def test_what_is_no_field_is_a_limit_that_waiting_may_lift() -> None:
    for complaint in filter(None, REASONS.values()):
        assert CODES[complaint] == "RESOURCE_EXHAUSTED"
    assert f"{settings.ACTS_AT_ONCE} may come at once" in PAGE
    assert f"{settings.ILLEGAL_ACTS_AT_ONCE} may come at once" in PAGE
    assert f"beyond {settings.SIDE_JOBS} of them" in PAGE
    assert f"carries {settings.STREAMS + 100:,} calls" in PAGE


def test_other_bounds_are_as_told() -> None:
    rows = re.findall(r"^\| ([a-z][^|`]+) \| (\d+) \|$", PAGE, re.MULTILINE)
    told = {label: int(value) for label, value in rows}
    assert len(told) == len(OTHERS)
    for start, value in OTHERS.items():
        (found,) = [told[label] for label in told if label.startswith(start)]
        assert found == value
