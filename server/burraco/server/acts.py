"""What a seat asks of its table, decoded, and how it is answered."""

from collections.abc import Callable
from typing import NamedTuple

from burraco.engine.actions import Action
from burraco.server.errors import ArenaError
from burraco.server.links import SeatLink
from burraco.v1 import play_pb2

# Called exactly once: with a frame that holds the verdict, or with why there can be none.
Reply = Callable[[play_pb2.ServerFrame | ArenaError], None]


class Act(NamedTuple):
    """An answer to a decision. ``arrived`` is on the clock of matches.

    ``content`` is a digest of decision and actions; ``link`` is where the act came from, None when
    it came by a call of its own.
    """

    seat: int
    decision: int
    action_id: str
    actions: tuple[Action, ...]
    content: bytes
    note: str
    arrived: float
    link: SeatLink | None
    reply: Reply
