"""What every table of a server shares."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from burraco.server.advice import Advice
from burraco.server.boards import Boards
from burraco.server.clock import Clock
from burraco.server.errors import ArenaError
from burraco.server.links import Sink
from burraco.server.metrics import Metrics
from burraco.server.store.writer import LogWriter

if TYPE_CHECKING:
    from burraco.server.table import Table


def _not_counted(_player: str) -> ArenaError | None:
    """A table alone holds nobody to a quota."""
    return None


@dataclass(frozen=True, slots=True)
class House:
    """Clock, log, boards and counters, who is connected, and whom to tell.

    ``ended`` is told of a match that is over; ``broken`` takes a fault of the server's own and the
    match that it concerns, logs it, and gives the id it was logged with. ``illegal_act`` counts one
    of a player, and gives the refusal where there were too many.
    """

    clock: Clock
    writer: LogWriter
    boards: Boards
    metrics: Metrics
    sink_of: Callable[[str], Sink | None]
    ended: Callable[["Table"], None]
    broken: Callable[[Exception, str], str]
    illegal_act: Callable[[str], ArenaError | None] = _not_counted
    advice: Advice = field(default_factory=Advice)
