"""Who sits North and South, and which tables play the same cards."""

from collections.abc import Mapping, Sequence

from burraco.tournament.chance import lot
from burraco.tournament.field import Entry, Round, Side, Situation, Table
from burraco.tournament.past import Past


def seated(
    situation: Situation, past: Past, couples: Sequence[tuple[Side, Side]], byes: Sequence[int]
) -> Round:
    """A round of couples: whoever sat East and West oftener sits North and South now."""
    number = len(situation.played)
    sides = []
    for one, other in couples:
        lean = sum(map(past.leaning, one)) - sum(map(past.leaning, other))
        turned = lean > 0 or (lean == 0 and lot(situation.lot, "seats", number, one, other) & 1)
        sides.append((other, one) if turned else (one, other))
    return fixed(situation, sides, byes)


def fixed(situation: Situation, sides: Sequence[tuple[Side, Side]], byes: Sequence[int]) -> Round:
    """A round whose sides are settled: every table gets a deck that no owner meets twice."""
    owners = {entry.number: entry for entry in situation.entries}
    met: list[set[str]] = []
    tables = []
    for couple in sides:
        names = _owners(owners, (*couple[0], *couple[1]))
        deck = next((at for at, seen in enumerate(met) if not names & seen), len(met))
        if deck == len(met):
            met.append(set())
        met[deck] |= names
        tables.append(Table(couple, deck))
    return Round(tuple(tables), tuple(sorted(byes)))


def _owners(entries: Mapping[int, Entry], numbers: Sequence[int]) -> set[str]:
    return {entries[number].owner for number in numbers}
