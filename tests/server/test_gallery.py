"""What viewers of a match are shown, however many they are."""

from burraco.server.presets import CLOCKS
from burraco.server.terms import FaultTerms
from burraco.v1 import match_service_pb2, matches_pb2
from tests.server.tableside import Tableside

_CROWD = 100


class _Viewer:
    def __init__(self) -> None:
        self.shown: list[match_service_pb2.WatchMatchResponse] = []
        self.is_finished = False

    def send(self, message: bytes) -> None:
        assert not self.is_finished
        self.shown.append(match_service_pb2.WatchMatchResponse.FromString(message))

    def finish(self) -> None:
        self.is_finished = True

    @property
    def numbers(self) -> list[int]:
        return [event.number for shown in self.shown for event in shown.events]


def _watched(viewers: int) -> tuple[Tableside, list[_Viewer]]:
    side = Tableside(CLOCKS["blitz"], FaultTerms(0, 9))
    side.sit()
    watching = [_Viewer() for _ in range(viewers)]
    for viewer in watching:
        side.table.watch(viewer)
    return side, watching


def _play(side: Tableside, acts: int) -> None:
    for _ in range(acts):
        if side.table.asked is not None:
            side.act(*side.table.asked.default)


def _require_no_gap(viewers: list[_Viewer], last: int) -> None:
    for viewer in viewers:
        first = viewer.numbers[0]
        assert viewer.numbers == list(range(first, last + 1))


def test_a_few_are_shown_what_happens_as_it_happens() -> None:
    side, viewers = _watched(3)
    _play(side, 4)
    assert [len(viewer.shown) for viewer in viewers] == [5, 5, 5]


def test_a_crowd_is_shown_all_of_it_in_fewer_messages() -> None:
    side, viewers = _watched(_CROWD)
    _play(side, 20)
    side.move(1)
    _require_no_gap(viewers, side.table.publisher.tape.last)
    assert max(len(viewer.shown) for viewer in viewers) < 5
    assert not side.faults


def test_nobody_is_shown_again_what_was_there_when_he_came() -> None:
    side, viewers = _watched(_CROWD)
    _play(side, 2)
    late, before = _Viewer(), side.table.publisher.tape.last
    side.table.watch(late)
    _play(side, 2)
    side.move(1)
    assert late.numbers[0] == before + 1
    _require_no_gap([*viewers, late], side.table.publisher.tape.last)


def test_a_crowd_is_told_the_end_once_each_even_in_the_middle_of_a_round() -> None:
    side, viewers = _watched(_CROWD)
    leaving = viewers.pop()
    while side.record.turn is not None:
        _play(side, 1)
        if leaving is not None and side.record.decision == 5:
            side.table.unwatch(leaving)
    side.move(1)
    _require_no_gap(viewers, side.table.publisher.tape.last)
    ends = [viewer.shown[-1].result.end for viewer in viewers]
    assert ends == [matches_pb2.MATCH_END_PLAYED] * len(viewers)
    assert all(viewer.is_finished for viewer in viewers)
    assert not leaving.is_finished
    assert len(side.table.publisher.viewers) == 0
