"""Everything that a report of an event is made from, read from its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from burraco.bots.report_notation import NotedDeal, UnreadableNotation, read_notation
from burraco.bots.report_times import SeatTime, UnreadableTimes, read_times
from burraco.tournament.accounts import PlayedHalf, played_halves
from burraco.tournament.exported import LOG_NAME, Log, UnreadableLog, read_log
from burraco.tournament.field import Side
from burraco.tournament.progress import Progress


class Unusable(Exception):
    """A file that is there but cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """A log with what lies beside it: notation and times of its matches, where there are any."""

    log: Log
    halves: tuple[PlayedHalf, ...]
    notation: Mapping[str, tuple[NotedDeal, ...]]
    times: Mapping[str, tuple[SeatTime, ...]]

    @property
    def progress(self) -> Progress:
        """The event that the log comes to."""
        return self.log.progress

    def side_name(self, side: Side) -> str:
        """The names of a side, joined where partners change."""
        return " + ".join(self.progress.entries[entry].name for entry in side)


def log_path(given: Path) -> Path:
    """The log in a folder, or the file itself."""
    return given / LOG_NAME if given.is_dir() else given


def read_log_file(path: Path) -> Log:
    """The log of a file; ``Unusable`` when it is none, ``OSError`` when it cannot be read."""
    try:
        return read_log(path.read_bytes().decode())
    except UnicodeDecodeError:
        raise Unusable(f"{path}: this is no UTF-8 text; export the log again") from None
    except UnreadableLog as fault:
        raise Unusable(f"{path}: {fault}") from None


def read_event(path: Path) -> ReportedEvent:
    """The event of a log file and what lies beside it; raises as ``read_log_file`` does."""
    log = read_log_file(path)
    halves = tuple(played_halves(log.progress))
    root = path.parent
    try:
        notation = read_notation(root, (half.result.match_id for half in halves))
        return ReportedEvent(log, halves, notation, read_times(root))
    except (UnreadableNotation, UnreadableTimes) as fault:
        raise Unusable(str(fault)) from None
