"""Clocks and faults as an organiser asks for them: by name, whole, or single values."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from burraco.server.errors import invalid
from burraco.server.presets import CLOCKS, POLICIES, USUAL_POLICY
from burraco.server.settings import HAND_LIMITS, LONGEST_MS, MOST_RETRIES
from burraco.server.terms import ClockTerms, FaultTerms, HandLimit, OwnerReturn
from burraco.v1 import match_service_pb2, matches_pb2, tournament_service_pb2

RETURNS: Final[Mapping[OwnerReturn, matches_pb2.OwnerReturn.ValueType]] = {
    OwnerReturn.NEVER: matches_pb2.OWNER_RETURN_NEVER,
    OwnerReturn.AFTER_ABSENCE: matches_pb2.OWNER_RETURN_AFTER_ABSENCE,
    OwnerReturn.ALWAYS: matches_pb2.OWNER_RETURN_ALWAYS,
}
_RETURNS_BACK: Final[Mapping[int, OwnerReturn]] = {
    matches_pb2.OWNER_RETURN_UNSPECIFIED: OwnerReturn.AFTER_ABSENCE,
    **{value: returns for returns, value in RETURNS.items()},
}
_MOST_CARDS: Final = 108
_CLOCK_VALUES: Final = frozenset(
    ("turn_ms", "bank_ms", "warmup_ms", "disconnect_ms", "increment_ms", "network_ms")
)
_COUNTS: Final = frozenset(("illegal_retries", "strikes", "forfeit_after"))
_SWITCHES: Final = frozenset(("whole_turn", "forgives_illegal"))
_OWNER_RETURN: Final = "owner_return"


def read_terms(
    request: match_service_pb2.CreateMatchRequest | tournament_service_pb2.CreateTournamentRequest,
) -> tuple[ClockTerms, FaultTerms]:
    """The clocks and faults that a request comes to, checked."""
    policy = POLICIES.get(request.policy or USUAL_POLICY)
    if policy is None:
        raise invalid("policy", f"one of {', '.join(POLICIES)}, or none")
    if request.policy and request.HasField("faults"):
        raise invalid("policy", "not together with faults: leave one of them out")
    if request.clock_preset and request.HasField("clocks"):
        raise invalid("clock_preset", "not together with clocks: leave one of them out")
    clocks = CLOCKS.get(request.clock_preset or policy.clocks)
    if clocks is None:
        raise invalid("clock_preset", f"one of {', '.join(CLOCKS)}, or none")
    if request.HasField("clocks"):
        clocks = _read_clocks(request.clocks)
    faults = _read_faults(request.faults) if request.HasField("faults") else policy.faults
    return _overridden(clocks, faults, request.overrides)


def clocks_to_wire(clocks: ClockTerms) -> matches_pb2.ClockTerms:
    """Clocks, encoded."""
    return matches_pb2.ClockTerms(
        turn_ms=clocks.turn_ms,
        bank_ms=clocks.bank_ms,
        warmup_ms=clocks.warmup_ms,
        disconnect_ms=clocks.disconnect_ms,
        increment_ms=clocks.increment_ms,
        network_ms=clocks.network_ms,
        hand_limits=[
            matches_pb2.HandLimit(cards=limit.cards, turn_ms=limit.turn_ms)
            for limit in clocks.hand_limits
        ],
        whole_turn=clocks.whole_turn,
    )


def faults_to_wire(faults: FaultTerms) -> matches_pb2.FaultTerms:
    """Faults, encoded."""
    return matches_pb2.FaultTerms(
        illegal_retries=faults.illegal_retries,
        strikes=faults.strikes,
        forgives_illegal=faults.forgives_illegal,
        owner_return=RETURNS[faults.owner_return],
        forfeit_after=faults.forfeit_after,
    )


def _read_clocks(message: matches_pb2.ClockTerms) -> ClockTerms:
    limits = tuple(HandLimit(limit.cards, limit.turn_ms) for limit in message.hand_limits)
    clocks = ClockTerms(
        **{name: getattr(message, name) for name in _CLOCK_VALUES},
        hand_limits=limits,
        whole_turn=message.whole_turn,
    )
    _check_clocks(clocks, "clocks")
    return clocks


def _check_clocks(clocks: ClockTerms, field: str) -> None:
    for name in sorted(_CLOCK_VALUES):
        if getattr(clocks, name) > LONGEST_MS:
            raise invalid(f"{field}.{name}", f"at most {LONGEST_MS} milliseconds")
    _check_limits(clocks)


def _check_limits(clocks: ClockTerms) -> None:
    limits = clocks.hand_limits
    if len(limits) > HAND_LIMITS:
        raise invalid("clocks.hand_limits", f"at most {HAND_LIMITS}, not {len(limits)}")
    if limits and not clocks.turn_ms:
        raise invalid("clocks.hand_limits", "clocks are off: set turn_ms, or leave them out")
    before = -1
    for at, limit in enumerate(limits):
        if not before < limit.cards <= _MOST_CARDS or not 0 < limit.turn_ms <= LONGEST_MS:
            raise invalid(
                f"clocks.hand_limits[{at}]",
                f"cards from few to many, at most {_MOST_CARDS}, with 1 to {LONGEST_MS} ms each",
            )
        before = limit.cards


def _read_faults(message: matches_pb2.FaultTerms) -> FaultTerms:
    faults = FaultTerms(
        illegal_retries=message.illegal_retries,
        strikes=message.strikes,
        forgives_illegal=message.forgives_illegal,
        owner_return=_read_return(message.owner_return, "faults.owner_return"),
        forfeit_after=message.forfeit_after,
    )
    _check_faults(faults, "faults")
    return faults


def _check_faults(faults: FaultTerms, field: str) -> None:
    for name in sorted(_COUNTS):
        if getattr(faults, name) > MOST_RETRIES:
            raise invalid(f"{field}.{name}", f"at most {MOST_RETRIES}")


def _read_return(value: int, field: str) -> OwnerReturn:
    returns = _RETURNS_BACK.get(value)
    if returns is None:
        raise invalid(field, f"a value of OwnerReturn, not {value}")
    return returns


def _overridden(
    clocks: ClockTerms, faults: FaultTerms, overrides: Mapping[str, int]
) -> tuple[ClockTerms, FaultTerms]:
    values: dict[str, Any] = {name: _override(name, value) for name, value in overrides.items()}
    of_faults = {field.name for field in fields(FaultTerms)} & values.keys()
    clocks = replace(clocks, **{name: values[name] for name in values.keys() - of_faults})
    faults = replace(faults, **{name: values[name] for name in of_faults})
    _check_clocks(clocks, "overrides")
    _check_faults(faults, "overrides")
    return clocks, faults


def _override(name: str, value: int) -> int | bool | OwnerReturn:
    field = f"overrides[{name[:40]}]"
    if name in _CLOCK_VALUES or name in _COUNTS:
        most = LONGEST_MS if name in _CLOCK_VALUES else MOST_RETRIES
        if value > most:
            raise invalid(field, f"at most {most}, not {value}")
        return value
    if name in _SWITCHES:
        if value > 1:
            raise invalid(field, f"0 or 1, not {value}")
        return bool(value)
    if name == _OWNER_RETURN:
        return _read_return(value, field)
    known = sorted(_CLOCK_VALUES | _COUNTS | _SWITCHES | {_OWNER_RETURN})
    raise invalid("overrides", f"the values are {', '.join(known)}")
