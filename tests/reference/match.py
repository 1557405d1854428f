"""Around a deal: the draw for seats, the deal itself, and when a match is over (rules §2, §8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.reference.cards import JOKER, Cards, in_order
from tests.reference.knobs import Knobs
from tests.reference.play import Event
from tests.reference.table import SIDES, Table


def seats(drawn: Sequence[Sequence[str]], suit_order: str) -> tuple[int, ...]:
    """The player at each place clockwise from the dealer (R12 to R16, H2).

    ``drawn`` has the cards of each player: the first, then one for each time of drawing again.
    """
    order = _from_the_top(range(len(drawn)), drawn, 0, suit_order)
    if len(order) == 4:
        a, b, c, d = order
        return d, a, c, b
    return order[-1], *order[:-1]  # H2


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


def deal_out(
    knobs: Knobs, pack: Sequence[str], cut: int, dealer: int, sizes: Sequence[int]
) -> Table:
    """R18 to R25, H3 to H5; ``cut`` cards are lifted off the shuffled pack, 0 where none is cut.

    ``sizes`` are how many cards each pozzetto has.
    """
    players = knobs.players
    left = [(dealer + at) % players for at in range(1, players + 1)]
    hands: list[list[str]] = [[] for _ in left]
    for at in range(11 * players):
        hands[left[at % players]].append(pack[(cut + at) % 108])
    upcard = cut + 11 * players
    in_stock = 108 - 11 * players - 1 - sum(sizes)
    sides = SIDES[players]
    return Table(
        knobs=knobs,
        dealer=dealer,
        turn=left[0],
        sides=list(sides),
        hands=[in_order(hand) for hand in hands],
        melds=[[] for _ in set(sides)],
        pile=[pack[upcard % 108]],
        stock=[pack[(upcard + 1 + at) % 108] for at in range(in_stock)],
        pozzetti=_pozzetti([pack[(cut - 1 - at) % 108] for at in range(sum(sizes))], sizes),
        taken=[False for _ in set(sides)],
        unopened=[() for _ in left],
    )


def _pozzetti(cards: list[str], sizes: Sequence[int]) -> list[Cards]:
    """H3: one card to each in turn; one that is full is passed over."""
    pozzetti: list[list[str]] = [[] for _ in sizes]
    while cards:
        for pozzetto, size in zip(pozzetti, sizes, strict=True):
            if len(pozzetto) < size:
                pozzetto.append(cards.pop(0))
    return [in_order(pozzetto) for pozzetto in pozzetti]


@dataclass(frozen=True)
class Match:
    """What is known between two deals; ``deals`` overrides the rules' own number unless 0."""

    knobs: Knobs
    deals: int
    dealer: int
    played: tuple[tuple[int, ...], ...] = ()

    @property
    def totals(self) -> tuple[int, ...]:
        """R71, H12: all deals added up, below zero too."""
        return self._totals_after(len(self.played))

    def _totals_after(self, deals: int) -> tuple[int, ...]:
        sides = range(len(set(SIDES[self.knobs.players])))
        return tuple(sum(points[side] for points in self.played[:deals]) for side in sides)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cards the pozzetti of the next deal have (H10)."""
        if self.knobs.players != 3:
            return 11, 11
        passed = any(max(self._totals_after(at)) > 1000 for at in range(len(self.played) + 1))
        return (11, 11, 11) if passed else (18, 11)

    @property
    def is_over(self) -> bool:
        """R71, R72, E64, H15; or after so many deals."""
        number = self.deals or self.knobs.deals
        if number:
            return len(self.played) >= number
        return max(self.totals) >= self.knobs.target and self._leader is not None

    @property
    def _leader(self) -> int | None:
        """The side with the highest total, unless another has as much."""
        highest = [side for side, total in enumerate(self.totals) if total == max(self.totals)]
        return highest[0] if len(highest) == 1 else None

    def after_deal(self, points: tuple[int, ...]) -> "Match":
        """R17: counted, and the deal passes to the left."""
        dealer = (self.dealer + 1) % self.knobs.players
        return replace(self, played=(*self.played, points), dealer=dealer)

    def ended(self) -> Event:
        """What everybody learns at the end."""
        return ("MatchEnded", self.totals, self._leader), ()

    def begun(self, table: Table) -> Event:
        """What everybody learns when cards are dealt; each seat its own hand."""
        own: tuple[tuple[int, Cards], ...] = tuple(enumerate(table.hands))
        return ("DealStarted", len(self.played) + 1, table.dealer, table.pile[0]), own
