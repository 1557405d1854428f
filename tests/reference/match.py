"""Around a deal: the draw for seats, the deal itself, and when a match is over (rules §2, §8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.reference.cards import JOKER, Cards, in_order
from tests.reference.knobs import Knobs
from tests.reference.play import Event
from tests.reference.table import Table


def seats(drawn: Sequence[Sequence[str]], suit_order: str) -> tuple[int, ...]:
    """The player at each place clockwise from the dealer (R12 to R16).

    ``drawn`` has the cards of each player: the first, then one for each time of drawing again.
    """
    a, b, c, d = _from_the_top(range(4), drawn, 0, suit_order)
    return d, a, c, b


def _from_the_top(
    players: Sequence[int], drawn: Sequence[Sequence[str]], time: int, suit_order: str
) -> list[int]:
    """The players from the highest card to the lowest; equal cards draw again (E62)."""
    order: list[int] = []
    faces = {drawn[player][time] for player in players}
    for face in sorted(faces, key=lambda face: _place_in_draw(face, suit_order)):
        equal = [player for player in players if drawn[player][time] == face]
        order += equal if len(equal) == 1 else _from_the_top(equal, drawn, time + 1, suit_order)
    return order


def _place_in_draw(face: str, suit_order: str) -> tuple[int, int]:
    """R4, R5: joker, two, ace, king, queen … three, and the suits in their order."""
    if face == JOKER:
        return -1, 0
    return "2AKQJT9876543".index(face[0]), suit_order.index(face[1])


def deal_out(knobs: Knobs, pack: Sequence[str], cut: int, dealer: int) -> Table:
    """R18 to R25; ``cut`` cards are lifted off the shuffled pack, 0 where there is no cut."""
    left = [(dealer + at) % 4 for at in range(1, 5)]
    hands: list[list[str]] = [[], [], [], []]
    for at in range(44):
        hands[left[at % 4]].append(pack[(cut + at) % 108])
    pozzetti: list[list[str]] = [[], []]
    for at in range(22):
        pozzetti[at % 2].append(pack[(cut - 1 - at) % 108])
    stock = [pack[(cut + 45 + at) % 108] for at in range(41)]
    return Table(
        knobs=knobs,
        dealer=dealer,
        turn=left[0],
        hands=[in_order(hand) for hand in hands],
        melds=[[], []],
        pile=[pack[(cut + 44) % 108]],
        stock=stock,
        pozzetti=[in_order(pozzetto) for pozzetto in pozzetti],
        taken=[False, False],
    )


@dataclass(frozen=True)
class Match:
    """What is known between two deals; ``deals`` overrides the rules' own number unless 0."""

    knobs: Knobs
    deals: int
    dealer: int
    played: tuple[tuple[int, int], ...] = ()

    @property
    def totals(self) -> tuple[int, int]:
        """R71: all deals added up, below zero too."""
        return sum(first for first, _ in self.played), sum(second for _, second in self.played)

    @property
    def is_over(self) -> bool:
        """R71, R72, E64; or after so many deals."""
        number = self.deals or self.knobs.deals
        if number:
            return len(self.played) >= number
        first, second = self.totals
        return max(first, second) >= self.knobs.target and first != second

    def after_deal(self, points: tuple[int, int]) -> "Match":
        """R17: counted, and the deal passes to the left."""
        return replace(self, played=(*self.played, points), dealer=(self.dealer + 1) % 4)

    def ended(self) -> Event:
        """What everybody learns at the end."""
        first, second = self.totals
        winner = None if first == second else 0 if first > second else 1
        return ("MatchEnded", self.totals, winner), ()

    def begun(self, table: Table) -> Event:
        """What everybody learns when cards are dealt; each seat its own hand."""
        own: tuple[tuple[int, Cards], ...] = tuple(enumerate(table.hands))
        return ("DealStarted", len(self.played) + 1, table.dealer, table.pile[0]), own
