"""The next round of an event: a pure function of its plan, its entries and what was played."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from burraco.tournament.field import Entry, Format, PlayedRound, Round, Situation, Stage
from burraco.tournament.formats.all_play_all import round_robin
from burraco.tournament.formats.by_standing import danish, ladder, modified_danish, swiss
from burraco.tournament.formats.changing_partners import individual
from burraco.tournament.formats.duel import duel
from burraco.tournament.formats.knock_out import knock_out
from burraco.tournament.formats.movements import gauntlet, mitchell
from burraco.tournament.ranking import Scoring, ranking

_FORMATS: Final[Mapping[Format, Callable[[Situation], Round | None]]] = {
    Format.ROUND_ROBIN: round_robin,
    Format.MITCHELL: mitchell,
    Format.DANISH: danish,
    Format.MODIFIED_DANISH: modified_danish,
    Format.SWISS: swiss,
    Format.KNOCK_OUT: knock_out,
    Format.GAUNTLET: gauntlet,
    Format.INDIVIDUAL: individual,
    Format.LADDER: ladder,
    Format.DUEL: duel,
}
assert set(_FORMATS) == set(Format), "a format without pairings"


def next_round(
    stages: Sequence[Stage],
    scoring: Scoring,
    entries: Sequence[Entry],
    active: frozenset[int],
    played: Sequence[PlayedRound],
    lots: bytes,
) -> tuple[int, Round] | None:
    """The stage that goes on and its next pairings; None when the event is over."""
    begun = played[-1].stage if played else 0
    standing = _order(scoring, entries, active, played, lots)
    for index in range(begun, len(stages)):
        before = [round_ for round_ in played if round_.stage < index]
        if before:
            seeding = _order(scoring, entries, active, before, lots)
        else:
            seeding = tuple(entry.number for entry in entries)
        situation = Situation(
            entries=tuple(entries),
            active=active,
            standing=standing,
            seeding=seeding,
            played=tuple(played),
            stage=stages[index],
            index=index,
            lot=lots,
        )
        paired = _FORMATS[stages[index].format](situation)
        if paired is not None:
            return index, paired
    return None


def _order(
    scoring: Scoring,
    entries: Sequence[Entry],
    active: frozenset[int],
    played: Sequence[PlayedRound],
    lots: bytes,
) -> tuple[int, ...]:
    return tuple(place.entry for place in ranking(scoring, entries, active, played, lots))
