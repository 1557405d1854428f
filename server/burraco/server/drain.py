"""Stopping in order: everybody who has a stream open is told, then the streams end."""

from burraco.server.errors import ArenaError, draining
from burraco.server.metrics import Metrics
from burraco.server.outbox import Outbox
from burraco.server.settings import PROMPT_FRAMES, WRITES_A_TURN
from burraco.server.turns import Turns
from burraco.v1 import play_pb2


class OpenStreams:
    """The outboxes of all open streams; ``is_draining`` once the server stops."""

    def __init__(self, metrics: Metrics) -> None:
        self._outboxes: dict[Outbox, bool] = {}
        self._turns = Turns(WRITES_A_TURN)
        self.is_draining = False
        metrics.draining.set_function(lambda: self.is_draining)
        metrics.outbox_frames.set_function(lambda: sum(map(len, self._outboxes)))

    def enter(self, outbox: Outbox, player: str, *, takes_frames: bool) -> None:
        """A stream of a player was opened; ``takes_frames`` when it carries ServerFrames.

        Those are answers, which wait for nobody unless there are many.
        """
        if self.is_draining:
            raise draining()
        outbox.share(self._turns, player, PROMPT_FRAMES if takes_frames else 0)
        self._outboxes[outbox] = takes_frames

    def leave(self, outbox: Outbox) -> None:
        """A stream has ended."""
        self._outboxes.pop(outbox, None)

    def announce(self, milliseconds: int) -> None:
        """Tell every bot that the server is about to stop, and let nobody new in."""
        self.is_draining = True
        told = play_pb2.ServerFrame(draining=play_pb2.Draining(deadline_ms=milliseconds))
        raw = told.SerializeToString()
        for outbox, takes_frames in self._outboxes.items():
            if takes_frames:
                outbox.put(raw)

    def end(self, ending: ArenaError) -> None:
        """End every stream after what is queued for it."""
        for outbox in self._outboxes:
            outbox.close(ending)
