"""What the server counts. Labels come from closed sets only: never a bot, a match or an address."""

from collections.abc import Callable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

from burraco.server.record import MatchRecord

_FAST: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_SLOW: Final = (0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 120.0)


# Twice the series, for nothing that a host asks.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no type for it


class Metrics:
    """One registry with all of it; a server has one, so tests never share counts."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.matches_live = Gauge(
            "burraco_matches_live", "Matches that wait or are played.", registry=registry
        )
        self._decisions = Counter(
            "burraco_decisions",
            "Decisions by phase and by what became of the answer.",
            ["phase", "verdict"],
            registry=registry,
        )
        self._decision_seconds = Histogram(
            "burraco_decision_seconds",
            "Time of a decision: the bot thinks and the network carries, then the server answers.",
            ["part"],
            buckets=_SLOW,
            registry=registry,
        )
        self._matches_ended = Counter(
            "burraco_matches_ended", "Matches by how they ended.", ["reason"], registry=registry
        )
        self._seats_ended = Counter(
            "burraco_seats_ended", "Seats by how their part ended.", ["end"], registry=registry
        )
        self.loop_lag = Histogram(
            "burraco_event_loop_lag_seconds",
            "How late the event loop runs what is due.",
            buckets=_FAST,
            registry=registry,
        )
        self.log_commit = Histogram(
            "burraco_log_commit_seconds",
            "Time of a commit of the event log.",
            buckets=_FAST,
            registry=registry,
        )
        self.log_failures = Counter(
            "burraco_log_failures", "Commits that failed.", registry=registry
        )
        self.sessions_live = Gauge(
            "burraco_sessions_live", "Sessions with a connection.", registry=registry
        )
        self._resumes = Counter(
            "burraco_resumes",
            "Hellos by what they led to.",
            ["outcome"],
            registry=registry,
        )
        self.outbox_frames = Gauge(
            "burraco_outbox_frames", "Frames that wait for their readers.", registry=registry
        )
        self.rpc_started = Counter(
            "grpc_server_started",
            "Calls started.",
            ["grpc_type", "grpc_service", "grpc_method"],
            registry=registry,
        )
        self.rpc_handled = Counter(
            "grpc_server_handled",
            "Calls completed, by code.",
            ["grpc_type", "grpc_service", "grpc_method", "grpc_code"],
            registry=registry,
        )
        self.rpc_seconds = Histogram(
            "grpc_server_handling_seconds",
            "Time of calls.",
            ["grpc_type", "grpc_service", "grpc_method"],
            buckets=_SLOW,
            registry=registry,
        )
        # Looking up a child by its labels costs more than counting, so the hot ones are kept.
        self._counted: dict[tuple[str, str], Callable[[], None]] = {}
        self.think_seconds = self._decision_seconds.labels("think").observe
        self.server_seconds = self._decision_seconds.labels("server").observe

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

    def ended(self, record: MatchRecord) -> None:
        """Count a match that is over, and how its seats came out of it."""
        if record.end is not None:
            self._matches_ended.labels(record.end.value).inc()
        for chair in record.chairs:
            self._seats_ended.labels(chair.outcome.value).inc()
