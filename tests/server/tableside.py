"""A table alone, with everything around it: no network, no disk, and time that a test moves."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from burraco.engine import Action, preset
from burraco.server.acts import Act
from burraco.server.boards import Boards
from burraco.server.chairs import digest
from burraco.server.errors import ArenaError
from burraco.server.house import House
from burraco.server.journal import row_from_json
from burraco.server.links import SeatLink
from burraco.server.metrics import Metrics
from burraco.server.record import MatchRecord
from burraco.server.store import LogRow, MatchRow, StoreFailed
from burraco.server.store.writer import Committed
from burraco.server.table import Table
from burraco.server.terms import ClockTerms, FaultTerms, MatchPlan
from burraco.v1 import play_pb2
from burraco.wire import action_from_wire
from tests.server.harness import SEED, FakeClock

PLAYERS = ("n", "e", "s", "w")


class FakeWriter:
    """A log that takes no time; ``is_broken`` refuses rows."""

    is_stalled = False

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.rows: list[LogRow] = []
        self.is_broken = False
        self._waiting: deque[tuple[Sequence[LogRow], Committed]] = deque()

    def append(self, rows: Sequence[LogRow], match: MatchRow | None, committed: Committed) -> None:
        self._waiting.append((rows, committed))
        self._clock.call_at(self._clock.now(), self.pump)

    def pump(self) -> None:
        while self._waiting:
            rows, committed = self._waiting.popleft()
            if self.is_broken:
                committed(StoreFailed("no disk"))
                continue
            self.rows += rows
            committed(None)


class FakeSink:
    """A session of one player; what it is sent is kept."""

    wants_live_events = False

    def __init__(self, player: str) -> None:
        self.player = player
        self.is_connected = False
        self.has_left = False
        self.round_trip_ms = 0
        self.frames: list[play_pb2.ServerFrame] = []
        self.links: dict[int, SeatLink] = {}

    def send(self, frame: play_pb2.ServerFrame) -> int:
        self.frames.append(frame)
        return len(self.frames)

    def link(self, link: SeatLink) -> None:
        self.links[link.seat] = link

    def forget(self, link: SeatLink) -> None:
        del self.links[link.seat]


class Tableside:
    """Four bots at a table, each with a seat of its own name."""

    def __init__(self, clocks: ClockTerms, faults: FaultTerms, **plan: Any) -> None:  # noqa: ANN401
        self.clock = FakeClock()
        self.writer = FakeWriter(self.clock)
        self.sinks = {name: FakeSink(name) for name in PLAYERS}
        self.faults: list[Exception] = []
        self.ended = 0
        usual = MatchPlan(
            "m", preset("classic"), PLAYERS, 1, SEED, 3, False, False, clocks, faults, "", 0, 0
        )
        self.house = House(
            clock=self.clock,
            writer=self.writer,  # type: ignore[arg-type]  # a fake port
            boards=Boards(),
            metrics=Metrics(),
            sink_of=self.sinks.get,
            ended=self._over,
            broken=self._broken,
        )
        self.table = Table(MatchRecord(replace(usual, **plan)), self.house, 0)
        self._acts = 0

    @property
    def record(self) -> MatchRecord:
        return self.table.record

    def sit(self, *names: str) -> None:
        """Open the table with those bots connected, and let the warm-up of others pass."""
        for name in names or PLAYERS:
            self.sinks[name].is_connected = True
        self.table.open()
        self.writer.pump()
        if self.record.turn is None:
            self.move(self.record.plan.clocks.warmup_ms / 1000)

    def move(self, seconds: float) -> None:
        self.clock.move(seconds)
        self.writer.pump()

    def drop(self, seat: int, *, has_left: bool = False) -> None:
        sink = self.sinks[PLAYERS[seat]]
        sink.is_connected, sink.has_left = False, has_left
        self._moved()

    def resume(self, seat: int) -> None:
        sink = self.sinks[PLAYERS[seat]]
        sink.is_connected, sink.has_left = True, False
        self._moved()

    def act(
        self, *actions: Action, seat: int | None = None, is_call: bool = False
    ) -> play_pb2.Verdict:
        """Answer the open decision; gives the verdict, an empty one where there is none."""
        asked = self.table.asked
        assert asked is not None
        seat = asked.seat if seat is None else seat
        self._acts += 1
        name = f"act-{self._acts}"
        replies: list[play_pb2.ServerFrame | ArenaError] = []
        link = None if is_call else self.sinks[PLAYERS[seat]].links.get(seat)
        now = self.clock.now()
        content = digest(name.encode())
        self.table.act(
            Act(seat, asked.number, name, actions, content, "", now, link, replies.append)
        )
        self.writer.pump()
        (reply,) = replies
        return play_pb2.Verdict() if isinstance(reply, ArenaError) else reply.verdict

    def default(self) -> tuple[Action, ...]:
        """What was declared to be played at zero."""
        asked = self.table.asked
        assert asked is not None
        frame = play_pb2.Decision()
        frame.default_actions.extend(asked.default_to_wire())
        return tuple(action_from_wire(action) for action in frame.default_actions)

    def result(self) -> play_pb2.MatchEnded:
        """What the bots were told at the end, all the same."""
        ends = [frame for sink in self.sinks.values() for frame in sink.frames][-4:]
        return ends[-1].match_ended

    def logged(self, kind: str) -> list[Any]:
        """Rows of one kind, as they are in the log."""
        return [row_from_json(row.payload) for row in self.writer.rows if row.kind == kind]

    def _moved(self) -> None:
        self.table.presence_changed()
        self.writer.pump()

    def _over(self, _table: Table) -> None:
        self.ended += 1

    def _broken(self, error: Exception, _match_id: str) -> str:
        self.faults.append(error)
        return f"fault-{len(self.faults)}"
