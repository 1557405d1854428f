"""Refusals on the wire."""

from burraco.engine.errors import IllegalAction
from burraco.v1 import errors_pb2 as pb


def refusal_to_wire(refused: IllegalAction) -> pb.Refusal:
    """Reason, rule and facts, with the hint as words."""
    return pb.Refusal(
        reason=refused.reason.value, rule=refused.rule, message=str(refused), facts=refused.facts
    )
