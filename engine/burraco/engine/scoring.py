"""Points of a deal (R64 to R70)."""

from dataclasses import dataclass

from burraco.engine.melds import Grade, Meld
from burraco.engine.rules import SIDES, CloseNeeds, Ruleset
from burraco.engine.state import DealState, EndedBy, side_of


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


def score(state: DealState) -> tuple[SideScore, SideScore]:
    """Score both sides as the cards lie now; the closing bonus only for a closing (E4)."""
    end = state.end
    closer = end.closer if end is not None and end.by is EndedBy.CLOSED else None
    first, second = (
        side_score(
            state.rules,
            state.melds[side],
            held=state.hand_points(side),
            closed=closer is not None and side_of(closer) == side,
            took=state.taken[side],
            nobody_took=not any(state.taken),
        )
        for side in range(SIDES)
    )
    return first, second


def deal_points(state: DealState) -> tuple[int, int]:
    """Points of the deal by side."""
    first, second = score(state)
    return first.total, second.total
