"""What a load prints."""

from collections.abc import Iterator, Sequence
from math import ceil

from burraco.bots.load_client import Tally
from burraco.bots.load_machine import Usage


def load_lines(tally: Tally, seconds: float) -> Iterator[str]:
    """What the streams saw in so many seconds."""
    rate = tally.decisions / max(seconds, 1e-9)
    yield f"{tally.decisions} decisions in {seconds:.1f} s, {rate:.0f} a second"
    yield f"{tally.ended} of {tally.started} seats to their end, {tally.most_at_once} at once"
    trips = sorted(tally.round_trips)
    p50, p99 = (1000 * percentile(trips, share) for share in (0.5, 0.99))
    yield f"act to verdict: p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    yield f"{tally.errors.total()} errors"
    for error, count in tally.errors.most_common():
        yield f"  {count} x {error}"


def server_line(before: Usage, after: Usage) -> str:
    """What the load took from the server's machine."""
    return (
        f"server: {before.rss:.0f} MiB before, {after.peak:.0f} MiB at its peak,"
        f" {after.cpu - before.cpu:.1f} s of processor time"
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value that a share of ordered values does not exceed (nearest rank); 0 for none."""
    if not ordered:
        return 0.0
    return ordered[ceil(share * len(ordered)) - 1]
