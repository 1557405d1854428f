"""Points of a deal (R64 to R70)."""

from dataclasses import dataclass
from typing import Final

from burraco.engine.melds import Grade, Meld
from burraco.engine.rules import CloseNeeds, Ruleset
from burraco.engine.state import DealState, EndedBy


@dataclass(frozen=True, slots=True)
class SideScore:
    """Points of one side in one deal, by part; penalties are negative."""

    melds: int
    hands: int
    burrachi: int
    closing: int
    pozzetto: int

    def __reduce__(self) -> tuple[type["SideScore"], tuple[int, ...]]:
        return SideScore, (self.melds, self.hands, self.burrachi, self.closing, self.pozzetto)

    @property
    def total(self) -> int:
        """Points of the deal."""
        return self.melds + self.hands + self.burrachi + self.closing + self.pozzetto


_NOTHING: Final = SideScore(0, 0, 0, 0, 0)


def has_closing_burraco(rules: Ruleset, melds: tuple[Meld, ...]) -> bool:
    """Whether a side has melded the burraco it needs to close (R57)."""
    if rules.close_needs is CloseNeeds.ANY:
        return any(meld.is_burraco for meld in melds)
    return any(meld.grade(rules) is Grade.CLEAN for meld in melds)


def side_score(
    rules: Ruleset,
    melds: tuple[Meld, ...],
    *,
    held: int,
    closed: bool,
    took: bool,
    nobody_took: bool,
) -> SideScore:
    """Score a side from its melds, the value of the cards it ``held``, and what it did."""
    waived = nobody_took and rules.no_pozzetto_waived_if_none  # E60
    return SideScore(
        melds=sum(meld.points for meld in melds),
        hands=-held,
        burrachi=sum(meld.bonus(rules) for meld in melds),
        closing=rules.closing_bonus if closed else 0,
        pozzetto=0 if took or waived else -rules.no_pozzetto_penalty,
    )


def score(state: DealState) -> tuple[SideScore, ...]:
    """Score the sides as the cards lie now; the closing bonus only for a closing (E4).

    A number that fell free when two players became partners has no points (H6).
    """
    end = state.end
    closer = end.closer if end is not None and end.by is EndedBy.CLOSED else None
    return tuple(
        side_score(
            state.rules,
            melds,
            held=state.hand_points(side),
            closed=closer is not None and state.sides[closer] == side,
            took=state.taken[side],
            nobody_took=not any(state.taken),
        )
        if side in state.sides
        else _NOTHING
        for side, melds in enumerate(state.melds)
    )


def deal_points(state: DealState) -> tuple[int, ...]:
    """Points of the deal by side as dealt; each of a pair of three has half of the pair's (H13)."""
    points = [side.total for side in score(state)]
    if state.sides == state.rules.sides_as_dealt:
        return tuple(points)
    # Each was a side when the cards were dealt, so there is one number a seat.
    return tuple(
        points[side] if state.sides.count(side) == 1 else half(points[side]) for side in state.sides
    )


def half(points: int) -> int:
    """Half of a pair's points, rounded up to a multiple of 5 (H13)."""
    return -(-points // 10) * 5
