"""What an organiser chooses, as messages: rules, clocks and faults."""

from burraco.engine import Ruleset
from burraco.engine.rules import CLASSIC, PRESETS
from burraco.sdk.matches import Clocks, Faults
from burraco.v1 import matches_pb2, rules_pb2
from burraco.wire import knob_texts


def rules_choice(rules: str | Ruleset) -> rules_pb2.RulesChoice:
    """A preset, with those knobs of a ruleset that differ from the preset of its name."""
    if isinstance(rules, str):
        return rules_pb2.RulesChoice(preset=rules)
    start = PRESETS.get(rules.name, CLASSIC)
    usual = knob_texts(start)
    differing = {knob: text for knob, text in knob_texts(rules).items() if text != usual[knob]}
    return rules_pb2.RulesChoice(preset=start.name, overrides=differing)


def clock_terms(clocks: Clocks) -> matches_pb2.ClockTerms:
    """Clocks as a message."""
    return matches_pb2.ClockTerms(
        turn_ms=clocks.turn_ms,
        bank_ms=clocks.bank_ms,
        warmup_ms=clocks.warmup_ms,
        disconnect_ms=clocks.disconnect_ms,
        increment_ms=clocks.increment_ms,
        network_ms=clocks.network_ms,
        hand_limits=[
            matches_pb2.HandLimit(cards=cards, turn_ms=turn_ms)
            for cards, turn_ms in clocks.hand_limits
        ],
        whole_turn=clocks.whole_turn,
    )


def fault_terms(faults: Faults) -> matches_pb2.FaultTerms:
    """Faults as a message."""
    return matches_pb2.FaultTerms(
        illegal_retries=faults.illegal_retries,
        strikes=faults.strikes,
        forgives_illegal=faults.forgives_illegal,
        owner_return=matches_pb2.OwnerReturn.Value(f"OWNER_RETURN_{faults.owner_return.name}"),
        forfeit_after=faults.forfeit_after,
    )
