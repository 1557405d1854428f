"""What is said of a bot of an arena that failed: its faults, its forfeits, its process."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from burraco.bots.arena_processes import exit_text
from burraco.bots.arena_schedule import side_of
from burraco.sdk import MatchResult, SeatEnd, SeatResult
from burraco.tournament.accounts import PlayedHalf

# Ends in which somebody else finished the deal for the bot. Strikes alone leave the deal its own.
_LOST_TO: Final[Mapping[SeatEnd, str]] = {
    SeatEnd.ILLEGAL_ACTS: "illegal acts",
    SeatEnd.TIME_OUTS: "time-outs",
    SeatEnd.DISCONNECTED: "going away",
    SeatEnd.NO_SHOW: "not coming",
}
_OTHERWISE: Final = "other faults"


@dataclass(frozen=True, slots=True)
class Part:
    """What one side has of one deal; ``side`` is that of the pairing.

    ``result`` tells how its seats ended, and is None where that is not known.
    """

    half: PlayedHalf
    side: int
    result: MatchResult | None

    @property
    def seats(self) -> tuple[SeatResult, ...]:
        """Its seats: sides are swapped in the second half."""
        if self.result is None:
            return ()
        at = (self.side + self.half.half) % 2
        return tuple(seat for seat in self.result.seats if side_of(seat.seat) == at)

    @property
    def is_forfeited(self) -> bool:
        """Whether one of its seats was at fault."""
        return self.half.result.at_fault[self.side]

    @property
    def is_won(self) -> bool:
        """Whether it gained more than the other side."""
        return self.half.gains[self.side] > self.half.gains[1 - self.side]

    @property
    def is_clean(self) -> bool:
        """Whether it did no wrong, not even an illegal act that its terms allow."""
        return not self.is_forfeited and all(
            seat.end is SeatEnd.CLEAN and not seat.illegal_acts for seat in self.seats
        )


def note(parts: Sequence[Part], unplayed: Sequence[int], exits: Sequence[int]) -> str:
    """What went wrong with an entry, empty where nothing did.

    ``unplayed`` are the deals that were not played at each pairing it forfeited, ``exits`` the
    statuses with which its process ended by itself.
    """
    told: list[str] = []
    if exits:
        again = f"{len(exits)} times" if len(exits) > 1 else "started again"
        told.append(f"crashed: {exit_text(exits[-1])}, {again}")
    causes = Counter(cause for part in parts for cause in _cause(part))
    told += [f"{count} deal{'s' * (count > 1)} {cause}" for cause, count in causes.items()]
    if unplayed:
        count = len(unplayed)
        told.append(f"{count} pairing{'s' * (count > 1)} forfeited")
    return "; ".join(told)


def _cause(part: Part) -> Iterator[str]:
    """How a deal was lost, or played with faults that the terms allow."""
    if part.is_forfeited:
        causes = dict.fromkeys(_LOST_TO[seat.end] for seat in part.seats if seat.end in _LOST_TO)
        yield f"lost to {' and '.join(causes) or _OTHERWISE}"
    elif any(seat.end is not SeatEnd.CLEAN for seat in part.seats):
        yield "with strikes"
    elif not part.is_clean:
        yield "with illegal acts"
