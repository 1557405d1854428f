"""The journal of a bot: gaps, repeats and frames told in two ways."""

from burraco.v1 import cards_pb2, events_pb2, play_pb2
from tests.faults.player import Player

SEAT = play_pb2.SeatRef(match_id="m", seat=cards_pb2.SEAT_N)


def _welcome(session: str, *, resumed: bool) -> play_pb2.ServerFrame:
    return play_pb2.ServerFrame(welcome=play_pb2.Welcome(session_id=session, resumed=resumed))


def _live(seq: int, *numbers: int, drawer: int = 1) -> play_pb2.ServerFrame:
    seat = cards_pb2.Seat.ValueType(drawer)
    events = [
        events_pb2.Event(number=number, card_drawn=events_pb2.CardDrawn(seat=seat))
        for number in numbers
    ]
    return play_pb2.ServerFrame(seq=seq, live_events=play_pb2.LiveEvents(seat=SEAT, events=events))


def _told(*frames: play_pb2.ServerFrame) -> Player:
    player = Player("n", "token", 1)
    for frame in frames:
        player.take(frame)
    return player


def test_frames_in_order_are_well() -> None:
    journal = _told(_welcome("s", resumed=False), _live(1, 1, 2), _live(2, 3)).journal
    assert (journal.faults, len(journal.events["m", 0])) == ([], 3)


def test_a_missing_frame_is_a_gap() -> None:
    told = _told(_welcome("s", resumed=False), _live(1, 1), _live(3, 2))
    assert told.journal.faults == ["frame 3 after 1: a gap"]


def test_a_missing_event_is_a_gap() -> None:
    told = _told(_welcome("s", resumed=False), _live(1, 1), _live(2, 3))
    assert told.journal.faults == ["m: event 3 after 1: a gap"]


def test_a_frame_again_after_resuming_is_well_and_another_is_not() -> None:
    begun = (_welcome("s", resumed=False), _live(1, 1), _welcome("s", resumed=True))
    assert _told(*begun, _live(1, 1)).journal.faults == []
    assert _told(*begun, _live(1, 2)).journal.faults == ["frame 1 was told in two ways"]


def test_an_event_that_is_told_otherwise_later_was_undone() -> None:
    told = _told(
        _welcome("s", resumed=False),
        _live(1, 1),
        _welcome("t", resumed=False),
        _live(1, 1, drawer=2),
    )
    assert told.journal.faults == ["m: event 1 was undone"]


def test_a_new_session_may_begin_with_a_snapshot() -> None:
    told = _told(
        _welcome("s", resumed=False), _live(1, 1), _welcome("t", resumed=False), _live(1, 9)
    )
    assert (told.journal.faults, told.journal.snapshots) == ([], 1)


def test_what_waiting_does_not_help_is_a_fault_and_not_sent_again() -> None:
    player = _told(_welcome("s", resumed=False))
    act = player._pending["m", 0] = play_pb2.Act(seat=SEAT, action_id="a")
    error = play_pb2.StreamError(code="RESOURCE_EXHAUSTED", action_id="a")
    assert player.take(play_pb2.ServerFrame(stream_error=error)) == []
    assert player.journal.faults == ["RESOURCE_EXHAUSTED "]
    error.retry_ms = 5
    assert player.take(play_pb2.ServerFrame(stream_error=error)) == [act]
    assert len(player.journal.faults) == 1
