"""Policies and clocks by name, for organisers who do not write out every value."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from burraco.server.terms import ClockTerms, FaultTerms, HandLimit, OwnerReturn


class Policy(NamedTuple):
    """Faults, and the clocks that go with them unless others are asked for."""

    faults: FaultTerms
    clocks: str


CLOCKS: Final[Mapping[str, ClockTerms]] = {
    "off": ClockTerms(turn_ms=0, bank_ms=0, warmup_ms=0, disconnect_ms=0),
    "bullet": ClockTerms(
        turn_ms=200,
        bank_ms=5_000,
        warmup_ms=10_000,
        disconnect_ms=5_000,
        increment_ms=20,
        network_ms=50,
    ),
    "blitz": ClockTerms(
        turn_ms=2_000, bank_ms=20_000, warmup_ms=10_000, disconnect_ms=10_000, network_ms=200
    ),
    "club": ClockTerms(
        turn_ms=10_000,
        bank_ms=120_000,
        warmup_ms=60_000,
        disconnect_ms=60_000,
        increment_ms=1_000,
        network_ms=500,
    ),
    "human": ClockTerms(
        turn_ms=45_000,
        bank_ms=600_000,
        warmup_ms=180_000,
        disconnect_ms=300_000,
        increment_ms=5_000,
        network_ms=1_000,
    ),
    # The limits of the federation's tournaments: a turn, by the cards in hand at its beginning.
    "fibur": ClockTerms(
        turn_ms=40_000,
        bank_ms=0,
        warmup_ms=120_000,
        disconnect_ms=120_000,
        network_ms=1_000,
        hand_limits=(HandLimit(3, 10_000), HandLimit(10, 20_000)),
        whole_turn=True,
    ),
}
# No policy forfeits by itself: a board that is not played out says nothing about the other bots.
POLICIES: Final[Mapping[str, Policy]] = {
    "ranked": Policy(FaultTerms(illegal_retries=2, strikes=3), "blitz"),
    "casual": Policy(
        FaultTerms(illegal_retries=5, strikes=6, owner_return=OwnerReturn.ALWAYS), "club"
    ),
    "debug": Policy(
        FaultTerms(
            illegal_retries=0, strikes=1, forgives_illegal=True, owner_return=OwnerReturn.ALWAYS
        ),
        "off",
    ),
}
USUAL_POLICY: Final = "ranked"
