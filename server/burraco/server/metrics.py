"""What the server counts. Labels come from closed sets only: never a bot, a match or an address.

However much clients send, all of it stays under 400 series: calls are counted by method when they
start, by service and code when they end, and refusals by their typed reason.
"""

import os
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from burraco.engine.compiled import is_compiled
from burraco.server.errors import Complaint
from burraco.server.record import MatchRecord
from burraco.server.terms import MatchEnd, SeatEnd

_FAST: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_SLOW: Final = (0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 120.0)
_CALL: Final = (0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 5.0)


# Twice the series, for nothing that a host asks.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no type for it


class Metrics:
    """One registry with all of it; a server has one, so tests never share counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._gauge = partial(Gauge, registry=self.registry)
        self._counter = partial(Counter, registry=self.registry)
        self._histogram = partial(Histogram, registry=self.registry)
        self._count_process()
        self._count_matches()
        self._count_tournaments()
        self._count_log()
        self._count_sessions()
        self._count_calls()

    def decided(self, phase: str, verdict: str) -> None:
        """Count an answer."""
        key = (phase, verdict)
        count = self._counted.get(key)
        if count is None:
            count = self._counted[key] = self._decisions.labels(phase, verdict).inc
        count()

    def resumed(self, outcome: str) -> None:
        """Count a Hello: ``resumed`` or ``fresh``."""
        self._resumes.labels(outcome).inc()

    def refused(self, reason: str) -> None:
        """Count a call that was refused; what is no reason of the contract counts as INTERNAL."""
        known = reason if reason in Complaint.__members__ else Complaint.INTERNAL.value
        self._refused_calls.labels(known).inc()

    def ended(self, record: MatchRecord) -> None:
        """Count a match that is over, and how its seats came out of it."""
        if record.end is not None:
            self._matches_ended.labels(record.end.value).inc()
        for seat in record.seats:
            self.seat_ended(record.seat_end(seat)[0])

    def seat_ended(self, end: SeatEnd) -> None:
        """Count how the part of a seat ended."""
        self._seats_ended.labels(end.value).inc()

    def watch_disk(self, folder: Path) -> None:
        """Tell, at every scrape, how large the file system of a folder is and what is left."""
        self._data_free.set_function(lambda: _space(folder)[0])
        self._data_size.set_function(lambda: _space(folder)[1])

    def _count_process(self) -> None:
        build = self._gauge(
            "burraco_build_info", "Always 1; the labels say what runs.", ["version", "engine"]
        )
        build.labels(version("burraco"), "compiled" if is_compiled() else "pure").set(1)
        self.loop_lag = self._histogram(
            "burraco_event_loop_lag_seconds",
            "How late the event loop runs what is due.",
            buckets=_FAST,
        )
        self.draining = self._gauge("burraco_draining", "1 while the server takes nothing new.")
        self.internal_errors = self._counter(
            "burraco_internal_errors", "Faults of the server's own; each has its id in the log."
        )
        self._data_free = self._gauge(
            "burraco_data_free_bytes", "Space left where the data folder is."
        )
        self._data_size = self._gauge(
            "burraco_data_size_bytes", "Size of the file system where the data folder is."
        )

    def _count_matches(self) -> None:
        self.matches_live = self._gauge("burraco_matches_live", "Matches that wait or are played.")
        self.matches_quarantined = self._gauge(
            "burraco_matches_quarantined", "Matches set aside because their log cannot be read."
        )
        self._matches_ended = self._counter(
            "burraco_matches_ended", "Matches by how they ended.", ["reason"]
        )
        for end in MatchEnd:
            self._matches_ended.labels(end.value)
        self._seats_ended = self._counter(
            "burraco_seats_ended", "Seats by how their part ended.", ["end"]
        )
        self._decisions = self._counter(
            "burraco_decisions",
            "Decisions by phase and by what became of the answer.",
            ["phase", "verdict"],
        )
        parts = self._histogram(
            "burraco_decision_seconds",
            "Time of a decision: the bot thinks, the network carries, then the server answers.",
            ["part"],
            buckets=_SLOW,
        )
        # Looking up a child by its labels costs more than counting, so the hot ones are kept.
        self._counted: dict[tuple[str, str], Callable[[], None]] = {}
        self.think_seconds = parts.labels("think").observe
        self.network_seconds = parts.labels("network").observe
        self.server_seconds = parts.labels("server").observe

    def _count_tournaments(self) -> None:
        self.tournaments = self._gauge(
            "burraco_tournaments", "Tournaments that are not over, by status.", ["status"]
        )
        self.tournament_matches = self._gauge(
            "burraco_tournament_matches", "Matches of tournaments that wait or are played."
        )
        self.tournament_boards = self._gauge(
            "burraco_tournament_boards",
            "Boards that tables of the rounds being played have not finished.",
        )
        self.tournaments_damaged = self._gauge(
            "burraco_tournaments_damaged", "Tournaments set aside because of their log."
        )

    def _count_log(self) -> None:
        self.log_commit = self._histogram(
            "burraco_log_commit_seconds", "Time of a commit of the event log.", buckets=_FAST
        )
        self.log_failures = self._counter("burraco_log_failures", "Commits that failed.")
        self.log_stalled = self._gauge(
            "burraco_log_stalled", "1 while a commit hangs and everything new is refused."
        )

    def _count_sessions(self) -> None:
        self.sessions_live = self._gauge("burraco_sessions_live", "Sessions with a connection.")
        self._resumes = self._counter("burraco_resumes", "Hellos by what they led to.", ["outcome"])
        for outcome in ("resumed", "fresh"):
            self._resumes.labels(outcome)
        self.outbox_frames = self._gauge(
            "burraco_outbox_frames", "Frames that wait for their readers."
        )

    def _count_calls(self) -> None:
        self.rpc_started = self._counter(
            "grpc_server_started", "Calls started.", ["grpc_type", "grpc_service", "grpc_method"]
        )
        self.rpc_handled = self._counter(
            "grpc_server_handled",
            "Calls completed, by code.",
            ["grpc_service", "grpc_code"],
        )
        self.rpc_seconds = self._histogram(
            "grpc_server_handling_seconds",
            "Time of calls that are no streams.",
            ["grpc_type", "grpc_service"],
            buckets=_CALL,
        )
        self._refused_calls = self._counter(
            "burraco_refused_calls", "Calls and frames refused, by typed reason.", ["reason"]
        )
        # A counter that appears with its first count has no increase that an alert could see.
        for complaint in Complaint:
            self._refused_calls.labels(complaint.value)


def _space(folder: Path) -> tuple[float, float]:
    """Free and whole space; NaN where the system does not say, which no alert fires on."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return float("nan"), float("nan")
    return float(found.f_bavail * found.f_frsize), float(found.f_blocks * found.f_frsize)
