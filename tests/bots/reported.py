"""Events with their notation, as an organiser has them in a folder after an export."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

from burraco.engine import view
from burraco.engine.bgn import DealRecord, Move, write_deal
from burraco.engine.bgn_tags import write_end
from burraco.engine.deal import Seed, lay_out, open_deal, shuffled
from burraco.engine.rules import CLASSIC
from burraco.engine.scoring import deal_points
from burraco.engine.standin import greedy_action
from burraco.engine.state import Phase
from burraco.engine.transition import advance
from burraco.tournament.boards import commitment_to
from burraco.tournament.exported import LOG_NAME, write_log
from burraco.tournament.field import Entry
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress, Wanted
from burraco.tournament.rows import Finished, Half, Opened, Row, Withdrawn
from tests.tournament.events import play, started

EVENT = "e-test"
SECRET = bytes(range(32))
CLEAN = ("clean",) * 4
_DEALS = 4


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal that was really played: how it ended, its points, and its notation."""

    termination: str
    points: tuple[int, int]
    bgn: str


@cache
def dealt(number: int) -> Dealt:
    """One of a few deals; the same number is the same deal."""
    pack, cut = shuffled(Seed(bytes([number]) * 80, b""), 1)
    layout = lay_out(pack, cut, number % 4)
    state = open_deal(CLASSIC, number % 4, layout)
    moves: list[Move] = []
    while state.phase is not Phase.OVER:
        action = greedy_action(view(state, state.turn, 1, (0, 0)))
        moves.append(Move(state.turn, action, False))
        state = advance(state, action)
    record = DealRecord(CLASSIC, number % 4, layout, tuple(moves), False)
    ns, ew = deal_points(state)
    return Dealt(write_end(state.end), (ns, ew), write_deal(record, {}))


Fault = Callable[[int, Wanted, int], tuple[tuple[bool, bool], tuple[str, ...]]]


def nobody(_round: int, _wanted: Wanted, _half: int) -> tuple[tuple[bool, bool], tuple[str, ...]]:
    """A half without a fault."""
    return (False, False), CLEAN


@dataclass(frozen=True, slots=True)
class Event:
    """The rows of an event, and the number of the deal of each of its matches."""

    rows: tuple[Row, ...]
    matches: dict[str, int]

    def write(self, root: Path, *, notation: bool = True, times: bool = True) -> Path:
        """Write the folder of the export and say where its log is."""
        log = root / LOG_NAME
        log.write_text(write_log(self.rows), encoding="utf-8")
        if notation:
            (root / "bgn").mkdir(exist_ok=True)
            for match_id, number in self.matches.items():
                path = root / "bgn" / f"{match_id}.bgn"
                path.write_text(dealt(number).bgn, encoding="ascii")
        if times:
            chance = Random(1)
            told = {
                match_id: [
                    {"decisions": 40, "think_ms": chance.randrange(200, 9000)} for _ in range(4)
                ]
                for match_id in self.matches
            }
            (root / "times.json").write_text(json.dumps(told), encoding="utf-8")
        return log


def event(
    plan: Plan,
    entries: Sequence[Entry],
    fault: Fault = nobody,
    leave: Callable[[Progress], Withdrawn | None] = lambda _progress: None,
) -> Event:
    """Play an event of deals that were really played; who deserves what is left to chance."""
    matches: dict[str, int] = {}

    def boards(number: int, wanted: Wanted, _sides: tuple[int, int]) -> tuple[Half, ...]:
        found: list[Half] = []
        for half in range(plan.halves):
            match_id = f"m-{number}-{wanted.table}-{wanted.ref.board}-{half}"
            matches[match_id] = Random(match_id).randrange(_DEALS)
            ns, ew = dealt(matches[match_id]).points
            at_fault, reasons = fault(number, wanted, half)
            points = (ns, ew) if half == 0 else (ew, ns)
            found.append(Half(match_id, points, at_fault, "played", reasons))
        return tuple(found)

    rows = started(plan, tuple(entries))
    first = rows[0]
    assert isinstance(first, Opened)
    rows[0] = replace(first, event_id=EVENT, commitment=commitment_to(EVENT, SECRET))
    play(rows, boards, leave)
    last = rows[-1]
    assert isinstance(last, Finished)
    rows[-1] = replace(last, secret=SECRET.hex())
    return Event(tuple(rows), matches)
