"""Whole matches, played greedily so that they end, and exported as a server exports them."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from burraco.engine import Action, Add, LayMeld, Match, MatchSetup, commitment, legal, play
from burraco.engine.bgn import DealRecord, Move, write_deal
from burraco.engine.bgn_tags import write_points
from burraco.engine.match import DealResult
from burraco.engine.state import SEAT_NAMES
from burraco.engine.verify import BY_DRAW, BY_SEED, NO_NONCE

SEAT_TAGS = ("North", "East", "South", "West")


@dataclass(frozen=True)
class PlayedDeal:
    """A deal of a match, the totals before it, and what it came to."""

    record: DealRecord
    before: tuple[int, ...]
    result: DealResult


def greedy(chance: Random, actions: list[Action]) -> Action:
    """The most cards that can be melded, else any action."""
    grown = [action for action in actions if isinstance(action, LayMeld | Add)]
    if grown:
        return max(grown, key=lambda action: len(action.cards))
    return chance.choice(actions)


def matches(match: Match, number: int) -> Iterator[tuple[Match, Action, Match]]:
    """Every step of a match to its end: before, the action, after."""
    chance = Random(number)
    while not match.is_over:
        assert match.deal is not None
        action = greedy(chance, legal(match.deal))
        after = play(match, action).match
        yield match, action, after
        match = after


def played_deals(match: Match, number: int) -> list[PlayedDeal]:
    """The deals of a match that is played to its end."""
    deals: list[PlayedDeal] = []
    moves: list[Move] = []
    for before, action, after in matches(match, number):
        assert before.deal is not None
        assert before.layout is not None
        moves.append(Move(before.deal.turn, action, False))
        if len(after.results) > len(before.results):
            rules = before.setup.rules
            record = DealRecord(rules, before.dealer, before.layout, tuple(moves), False)
            deals.append(PlayedDeal(record, before.totals, after.results[-1]))
            moves = []
    return deals


def exported(
    setup: MatchSetup,
    deals: list[PlayedDeal],
    nonces: tuple[bytes, ...],
    entry: tuple[str, ...] = (),
) -> str:
    """The blocks of a match ``m-1``, its players named by their seats.

    ``entry`` has the players in order of entry where seats were drawn.
    """
    rules = setup.rules
    common = {
        "Match": "m-1",
        "Commitment": commitment("m-1", rules, setup.seed.secret).hex(),
        "RulesHash": rules.content_hash.hex(),
        "Seed": setup.seed.secret.hex(),
        "Nonces": " ".join(nonce.hex() or NO_NONCE for nonce in nonces),
        "FirstDealer": BY_DRAW if entry else BY_SEED,
        "DealCount": str(len(deals)),
        "MatchEnd": "played",
        **dict(zip(SEAT_TAGS[: rules.players], SEAT_NAMES, strict=False)),
    }
    if entry:
        common["Entry"] = " ".join(entry)
    if setup.deals:
        common["DealLimit"] = str(setup.deals)
    blocks = [
        write_deal(
            deal.record,
            common | {"DealNumber": str(at), "Scores": write_points(deal.before, rules)},
        )
        for at, deal in enumerate(deals, 1)
    ]
    return "\n".join(blocks)
