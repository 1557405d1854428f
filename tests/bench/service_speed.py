"""Decisions a server serves, beside the echo stream of the same run."""

from collections.abc import Iterator

from burraco.bots.load import LoadPlan, measure_load
from tests.bench.echo import Rate, echo_rate

_MESSAGES = 40_000
_MATCHES = 100


def report() -> Iterator[str]:
    """Lines of the report; the echo runs before and after, since the machine is shared."""
    before = echo_rate(_MESSAGES)
    served = _decisions()
    after = echo_rate(_MESSAGES)
    echo = (before.per_second + after.per_second) / 2
    echo_cpu = (before.cpu_each + after.cpu_each) / 2
    yield f"echo: {echo:.0f} messages a second, {echo_cpu * 1e6:.0f} µs of server processor each"
    yield (
        f"server, {_MATCHES} matches at once: {served.per_second:.0f} decisions a second,"
        f" {served.cpu_each * 1e6:.0f} µs of server processor each"
    )
    yield (
        f"decisions are {served.per_second / echo:.2f} of the echo rate,"
        f" at {served.cpu_each / echo_cpu:.1f} times its processor time"
    )


def _decisions() -> Rate:
    plan = LoadPlan(matches=_MATCHES, streams=4, bots="default", deals=1, seconds=300)
    run = measure_load(plan, None, None)
    assert not run.tally.errors, run.tally.errors
    assert run.before is not None
    assert run.after is not None
    return Rate(run.tally.decisions, run.seconds, run.after.cpu - run.before.cpu)
