"""The last verdicts of a match, for acts that are sent again."""

from typing import NamedTuple

from burraco.server.acts import Act
from burraco.v1 import play_pb2


class _Kept(NamedTuple):
    action_id: str
    content: bytes
    verdict: bytes


class Replies:
    """By seat the verdict of the last act that was played, and of the last that the rules refused.

    They are kept here and not in the log: after a restart nobody knows them.
    """

    __slots__ = ("_played", "_refused")

    def __init__(self) -> None:
        self._played: dict[int, _Kept] = {}
        self._refused: dict[int, _Kept] = {}

    def note_played(self, act: Act, verdict: play_pb2.Verdict) -> None:
        """An act was played."""
        self._played[act.seat] = _kept(act, verdict)

    def note_refused(self, act: Act, verdict: play_pb2.Verdict) -> None:
        """The rules refused an act."""
        self._refused[act.seat] = _kept(act, verdict)

    def of_played(self, act: Act) -> play_pb2.Verdict | None:
        """What an act was told when it was played, None where that is not known any more."""
        return _told(self._played.get(act.seat), act)

    def of_refused(self, act: Act) -> play_pb2.Verdict | None:
        """What an act was told when it was refused, None where it is a new one."""
        return _told(self._refused.get(act.seat), act)


def _kept(act: Act, verdict: play_pb2.Verdict) -> _Kept:
    return _Kept(act.action_id, act.content, verdict.SerializeToString())


def _told(kept: _Kept | None, act: Act) -> play_pb2.Verdict | None:
    if kept is None or (kept.action_id, kept.content) != (act.action_id, act.content):
        return None
    return play_pb2.Verdict.FromString(kept.verdict)
