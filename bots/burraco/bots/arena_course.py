"""How far a round robin is, and how its entries stand, while it is played."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from burraco.sdk import TournamentRound, Tournaments, TournamentTable, WatchedTournament

_HALVES: Final = 2
_ADJUSTED: Final = 500


class Course:
    """The rounds of a tournament as they were last shown, by their numbers."""

    def __init__(self, names: Sequence[str], boards: int) -> None:
        self.names = tuple(names)
        self.boards = boards
        self._rounds: dict[int, TournamentRound] = {}

    async def follow(self, shown: WatchedTournament, tournaments: Tournaments) -> None:
        """Look at the rounds that may have changed."""
        over = sum(round_.is_over for round_ in self._rounds.values())
        for number in range(over + 1, shown.tournament.rounds_played + 2):
            found = await tournaments.pairings(shown.tournament.tournament_id, number)
            if found is not None:
                self._rounds[number] = found

    @property
    def all_boards(self) -> int:
        """Board pairs of all pairings."""
        return self.boards * sum(1 for _ in combinations(self.names, 2))

    @property
    def done(self) -> int:
        """Board pairs that are over, or will not be played."""
        return sum(done for _, done in self.pairings())

    @property
    def played(self) -> int:
        """Board pairs that were played to their end."""
        return sum(len(table.halves) for table in self._tables()) // _HALVES

    def pairings(self) -> Iterator[tuple[tuple[int, int], int]]:
        """Every pairing with how many of its boards are done, in the order of the entries."""
        tables = {pair_of(table): table for table in self._tables()}
        for pair in combinations(range(len(self.names)), 2):
            table = tables.get(pair)
            if table is None:
                yield pair, 0
            elif table.gains is not None:
                yield pair, self.boards
            else:
                yield pair, len(table.halves) // _HALVES

    def means(self) -> Iterator[tuple[str, float]]:
        """Points a deal of everybody that has played, the best first."""
        gained: dict[int, list[int]] = {}
        for table in self._tables():
            for half in table.halves:
                for side, entry in enumerate(pair_at(table)):
                    difference = half.points[side] - half.points[1 - side]
                    if half.at_fault[side]:
                        difference = -_ADJUSTED
                    elif half.at_fault[1 - side]:
                        difference = max(0, difference)
                    gained.setdefault(entry, []).append(difference)
        means = [(self.names[entry], sum(all_) / len(all_)) for entry, all_ in gained.items()]
        return iter(sorted(means, key=lambda mean: (-mean[1], mean[0])))

    def _tables(self) -> Iterator[TournamentTable]:
        for round_ in self._rounds.values():
            yield from round_.tables


def pair_at(table: TournamentTable) -> tuple[int, int]:
    """The entries at a table, the first side first."""
    return table.first[0], table.second[0]


def pair_of(table: TournamentTable) -> tuple[int, int]:
    """The entries at a table, in the order of their numbers."""
    one, other = pair_at(table)
    return min(one, other), max(one, other)
