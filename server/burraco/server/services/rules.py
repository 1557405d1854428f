"""RulesService: the rules as answers, without a login and without any state."""

from functools import partial
from typing import Any, Final

from burraco.engine.bgn import judge
from burraco.engine.bgn_tags import paired
from burraco.engine.cards import EMPTY, JOKER, Bag, Card, bag
from burraco.engine.errors import IllegalAction, Unreadable
from burraco.engine.legal import legal
from burraco.engine.refusals import require_copies, require_meld
from burraco.engine.rules import PRESETS, Ruleset
from burraco.engine.state import NO_CARD, DealState, Phase
from burraco.engine.transition import require
from burraco.engine.view import View
from burraco.server.errors import invalid
from burraco.server.requests import read_rules, require_seat
from burraco.server.sidework import SideWork
from burraco.v1 import rules_service_pb2 as pb
from burraco.v1 import rules_service_pb2_grpc, views_pb2
from burraco.wire import (
    action_from_wire,
    action_to_wire,
    cards_from_wire,
    explanation_to_wire,
    meld_to_wire,
    refusal_to_wire,
    rulebook,
    rules_to_wire,
    view_from_wire,
)

# More than any seat comes to hold, and little enough to list all actions in no time.
_MOST_HELD: Final = 70
_MOST_STOCK: Final = 63


class RulesService(rules_service_pb2_grpc.RulesServiceServicer):
    """The rules as a service."""

    def __init__(self, side_work: SideWork) -> None:
        self._side_work = side_work

    async def ListRulesets(
        self,
        request: pb.ListRulesetsRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ListRulesetsResponse:
        """List the presets."""
        return pb.ListRulesetsResponse(rulesets=map(rules_to_wire, PRESETS.values()))

    async def ClassifyMeld(
        self,
        request: pb.ClassifyMeldRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ClassifyMeldResponse:
        """Say what cards are when laid together, or added to a meld."""
        rules = read_rules(request.rules)
        cards, added = cards_from_wire(request.cards), cards_from_wire(request.added)
        try:
            require_copies(cards + added)
            meld = require_meld(rules, bag(cards), None)
            if added:
                meld = require_meld(rules, Bag(meld.bag + bag(added)), meld)
        except IllegalAction as refused:
            return pb.ClassifyMeldResponse(refusal=refusal_to_wire(refused))
        return pb.ClassifyMeldResponse(meld=meld_to_wire(meld, rules), bonus=meld.bonus(rules))

    async def JudgeAction(
        self,
        request: pb.JudgeActionRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.JudgeActionResponse:
        """Judge one action of the seat whose view is given."""
        state = _read_state(read_rules(request.rules), request.view)
        action = action_from_wire(request.action)
        try:
            require(state, action)
        except IllegalAction as refused:
            # What is near a refused action takes as long to find as to list the legal ones.
            told = await self._side_work.run(partial(refusal_to_wire, refused))
            return pb.JudgeActionResponse(legal=False, refusal=told)
        return pb.JudgeActionResponse(legal=True)

    async def EnumerateActions(
        self,
        request: pb.EnumerateActionsRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.EnumerateActionsResponse:
        """List every legal action of the seat whose view is given."""
        state = _read_state(read_rules(request.rules), request.view)

        def enumerate_actions() -> pb.EnumerateActionsResponse:
            return pb.EnumerateActionsResponse(actions=map(action_to_wire, legal(state)))

        return await self._side_work.run(enumerate_actions)

    async def JudgeNotation(
        self,
        request: pb.JudgeNotationRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.JudgeNotationResponse:
        """Replay blocks of Burraco Game Notation and score them."""
        verdicts = await self._side_work.run(lambda: list(judge(request.bgn)))
        return pb.JudgeNotationResponse(
            verdicts=[verdict.shown("bgn") for verdict in verdicts],
            ok=all(verdict.is_ok for verdict in verdicts),
        )

    async def ExplainRule(
        self,
        request: pb.ExplainRuleRequest,
        context: Any,  # noqa: ANN401
    ) -> pb.ExplainRuleResponse:
        """Say what the rules of record have on a rule number, a reason or a knob."""
        try:
            return explanation_to_wire(rulebook().explain(request.subject))
        except Unreadable as unreadable:
            raise invalid("subject", str(unreadable)) from unreadable


def _read_state(rules: Ruleset, message: views_pb2.SeatView) -> DealState:
    """The deal as far as the seat to act sees it, which is all that its actions depend on."""
    try:
        view = view_from_wire(message, rules)
    except Unreadable as unreadable:
        raise invalid("view", str(unreadable)) from unreadable
    _check_view(view)
    hands = tuple(bag(view.hand) if seat == view.seat else EMPTY for seat in range(len(view.sides)))
    return DealState(
        rules=rules,
        dealer=view.dealer,
        turn=view.turn,
        phase=view.phase,
        hands=hands,
        melds=view.melds,
        pile=view.pile,
        stock=(Card(JOKER),) * view.stock,
        pozzetti=(EMPTY,) * view.pozzetti,
        taken=view.taken,
        unopened=(EMPTY,) * len(view.sides),
        drawn=NO_CARD if view.drawn is None else int(view.drawn),
        barred=NO_CARD if view.barred is None else int(view.barred),
        must_meld=view.must_meld,
        idle=False,
        passive=view.passive,
        last_turn=view.last_turn,
        end=view.end,
        sides=view.sides,
    )


def _check_view(view: View) -> None:
    if view.seat is None or view.seat != view.turn:
        raise invalid("view.own.seat", "the view is to be of the seat to act")
    if view.phase is Phase.OVER:
        raise invalid("view.public.phase", "the deal is to go on")
    require_seat(max(view.seat, view.dealer), len(view.sides), "view")
    dealt = view.rules.sides_as_dealt
    if view.sides not in (dealt, *(paired(dealt, lone) for lone in range(len(dealt)))):
        raise invalid("view", "the sides are three players alone, or one against the other two")
    most = view.rules.side_count
    if len(view.hand) > _MOST_HELD or view.stock > _MOST_STOCK or view.pozzetti > most:
        raise invalid(
            "view",
            f"at most {_MOST_HELD} cards in hand, {_MOST_STOCK} in the stock, {most} pozzetti",
        )
    table = [card for side in view.melds for meld in side for card in meld.cards]
    try:
        require_copies([*view.hand, *view.pile, *table])
    except IllegalAction as refused:
        raise invalid("view", str(refused)) from refused
