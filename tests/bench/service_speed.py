"""Decisions a server serves, beside the echo stream of the same run."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from burraco.bots.load import LoadPlan, measure_load
from tests.bench.echo import Rate, echo_rate

# The machine is shared and its speed varies, so echo and server take turns and medians are told.
_ROUNDS = 3
_MESSAGES = 20_000
_MATCHES = 100


@dataclass(frozen=True, slots=True)
class _Round:
    """One run of each, the echo first."""

    echo: Rate
    served: Rate

    @property
    def rate_ratio(self) -> float:
        """Decisions for one echo message."""
        return self.served.per_second / self.echo.per_second

    @property
    def cpu_ratio(self) -> float:
        """Processor time of a decision in that of an echo message."""
        return self.served.cpu_each / self.echo.cpu_each


def report() -> Iterator[str]:
    """Lines of the report."""
    rounds = [_Round(echo_rate(_MESSAGES), _decisions()) for _ in range(_ROUNDS)]
    yield f"echo: {_figures([one.echo for one in rounds], 'messages')}"
    served = _figures([one.served for one in rounds], "decisions")
    yield f"server, {_MATCHES} matches at once: {served}"
    ratios = ", ".join(f"{ratio:.1f}" for ratio in sorted(one.cpu_ratio for one in rounds))
    yield (
        f"decisions are {median(one.rate_ratio for one in rounds):.2f} of the echo rate, at"
        f" {median(one.cpu_ratio for one in rounds):.1f} times its processor time ({ratios})"
    )


def _figures(rates: list[Rate], things: str) -> str:
    per_second = median(rate.per_second for rate in rates)
    cpu = median(rate.cpu_each for rate in rates)
    return f"{per_second:.0f} {things} a second, {cpu * 1e6:.0f} µs of server processor each"


def _decisions() -> Rate:
    plan = LoadPlan(matches=_MATCHES, streams=4, bots="default", deals=1, seconds=300)
    run = measure_load(plan, None, None)
    assert not run.tally.errors, run.tally.errors
    assert run.before is not None
    assert run.after is not None
    return Rate(run.tally.decisions, run.seconds, run.after.cpu - run.before.cpu)
