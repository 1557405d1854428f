"""A finished match in Burraco Game Notation, made from its log alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from burraco.engine.actions import Cut
from burraco.engine.bgn import DealRecord, Move, write_deal
from burraco.engine.bgn_tags import write_points
from burraco.engine.cards import SUITS
from burraco.engine.deal import SUITS_AS_THEY_ARE, commitment
from burraco.engine.match import Match
from burraco.engine.state import SEAT_NAMES
from burraco.engine.verify import BY_DRAW, BY_SEED, NO_NONCE
from burraco.server.journal import Acted
from burraco.server.record import MatchRecord, play_all
from burraco.server.recovery import fold, read_row
from burraco.server.store import LogRow
from burraco.server.terms import MatchEnd, MatchPlan, MatchState, PlayedBy

_SEAT_TAGS = ("North", "East", "South", "West")


def match_to_bgn(rows: Sequence[LogRow]) -> str:
    """One block a deal; empty when the match ended before its first deal."""
    record, _ = fold(rows)
    assert record.state is MatchState.ENDED
    deals = list(_deals(record, rows))
    common = _match_tags(record, len(deals))
    return "\n".join(write_deal(deal.record, common | deal.tags) for deal in deals)


@dataclass(frozen=True, slots=True)
class _PlayedDeal:
    """One deal, and the tags that it does not share with the others of its match."""

    record: DealRecord
    tags: dict[str, str]


def _deals(record: MatchRecord, rows: Sequence[LogRow]) -> Iterator[_PlayedDeal]:
    """Play the log through once more and cut it where deals end."""
    replayed = MatchRecord(record.plan)
    moves: list[Move] = []
    cut: int | None = None
    for stored in rows:
        row = read_row(stored)
        match = replayed.match
        if isinstance(row, Acted) and match is not None:
            for action in row.actions:
                if isinstance(action, Cut):
                    cut = action.size
                else:
                    moves.append(Move(row.seat, action, row.by is PlayedBy.TIME_OUT))
                after = play_all(match, row.seat, (action,)).match
                if len(after.results) > len(match.results):
                    yield _deal(match, moves, cut, is_adjudicated=False)
                    moves = []
                match = after
        replayed.apply(row, stored.chain)
    last = replayed.match
    if last is not None and last.deal is not None and _is_cut_short(last):
        yield _deal(last, moves, cut, is_adjudicated=True)


def _is_cut_short(match: Match) -> bool:
    return bool(match.results) and match.results[-1].end.by.value == "adjudicated"


def _deal(
    match: Match, moves: Sequence[Move], cut: int | None, *, is_adjudicated: bool
) -> _PlayedDeal:
    assert match.layout is not None
    rules, layout = match.setup.rules, match.layout
    before = [result.points for result in match.results[: match.number - 1]]
    totals = [sum(points[side] for points in before) for side in range(rules.side_count)]
    tags = {"DealNumber": str(match.number), "Scores": write_points(totals, rules)}
    if cut is not None:
        tags["Cut"] = str(cut)
    return _PlayedDeal(DealRecord(rules, match.dealer, layout, tuple(moves), is_adjudicated), tags)


def _match_tags(record: MatchRecord, deals: int) -> dict[str, str]:
    """What is the same in every block: names, and all that it takes to verify the match."""
    plan = record.plan
    assert record.end is not None
    created = datetime.fromtimestamp(plan.created_ms / 1000, UTC)
    tags = {
        "Match": plan.match_id,
        "Date": created.strftime("%Y.%m.%d"),
        "Commitment": commitment(plan.match_id, plan.rules, plan.secret).hex(),
        "RulesHash": plan.rules.content_hash.hex(),
        "Seed": plan.secret.hex(),
        "Nonces": " ".join(nonce.hex() or NO_NONCE for nonce in record.nonces),
        "FirstDealer": _first_dealer(plan),
        "DealCount": str(deals),
        # To replay it, it only matters whether the rules ended the match.
        "MatchEnd": "played" if record.end is MatchEnd.PLAYED else "adjudicated",
    }
    if plan.draws_seats:
        tags["Entry"] = " ".join(_in_order_of_entry(record))
    if plan.deals:
        tags["DealLimit"] = str(plan.deals)
    if plan.board_id:
        tags["Board"] = plan.board_id
    if plan.event:
        tags["Event"] = plan.event
    if plan.suits != SUITS_AS_THEY_ARE:
        tags["Suits"] = "".join(SUITS[suit] for suit in plan.suits).upper()
    return tags | dict(zip(_SEAT_TAGS, record.players, strict=False))


def _first_dealer(plan: MatchPlan) -> str:
    """How it was decided who deals first."""
    if plan.draws_seats:
        return BY_DRAW
    return BY_SEED if plan.dealer is None else SEAT_NAMES[plan.dealer]


def _in_order_of_entry(record: MatchRecord) -> list[str]:
    by_place = dict(zip(record.places, record.players, strict=True))
    return [by_place[place] for place in sorted(by_place)]
