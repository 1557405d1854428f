"""The order of a session's frames and of verdicts, and what a server does against it."""

import hashlib
from collections import OrderedDict
from enum import StrEnum
from typing import Final

from burraco.sdk.calls import Complaint
from burraco.v1 import play_pb2

# Of so many frames, the latest, it is known in strict mode what was in them.
DIGESTS: Final = 256
# So many acts are remembered in strict mode, with the verdicts they got.
_ACTS: Final = 4096


class StreamLost(Exception):
    """The stream has ended; ``complaint`` is what the server said, None when it just ended."""

    def __init__(self, message: str, complaint: Complaint | None = None) -> None:
        super().__init__(message)
        self.complaint = complaint


class Breach(StrEnum):
    """What a server did that the contract rules out."""

    FRAME_GAP = "frame gap"
    FRAME_CHANGED = "frame changed"
    FENCE_BACK = "fence back"
    ACT_UNSENT = "act unsent"
    VERDICT_TWICE = "verdict twice"
    QUESTION_UNASKED = "question unasked"


class ContractBroken(Exception):
    """The server broke the contract, in strict mode; ``breach`` says in which way."""

    def __init__(self, breach: Breach, message: str) -> None:
        super().__init__(f"{breach}: {message}: report it, or play without strict")
        self.breach = breach


class FrameOrder:
    """Which frames of a session have arrived; it outlives the connections.

    A frame that is missing ends the connection with ``StreamLost``, so that the next one brings it;
    ``gaps`` counts how often. With ``strict`` it raises ``ContractBroken``, as it does for a number
    that comes again with other content, and for a fence that does not grow.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.session_id = ""
        self.last_seq = 0
        self.gaps = 0
        self._strict = strict
        self._fence = 0
        self._digests: OrderedDict[int, bytes] = OrderedDict()

    def greet(self, welcome: play_pb2.Welcome) -> None:
        """Take the Welcome of a new connection."""
        is_same = welcome.session_id == self.session_id
        if self._strict and is_same and welcome.fence <= self._fence:
            raise ContractBroken(
                Breach.FENCE_BACK, f"a Welcome has fence {welcome.fence} after {self._fence}"
            )
        self.session_id, self._fence = welcome.session_id, welcome.fence
        if not welcome.resumed:
            self.last_seq = 0
            self._digests.clear()

    def take(self, frame: play_pb2.ServerFrame) -> bool:
        """Whether a frame is to be looked at; one that has arrived before is not."""
        if not frame.seq:
            # What was sent before a Pong arrives before it.
            self._require(frame.pong.last_seq)
            return True
        self._require(frame.seq - 1)
        if self._strict:
            self._compare(frame)
        if frame.seq <= self.last_seq:
            return False
        self.last_seq = frame.seq
        return True

    def _require(self, seq: int) -> None:
        """Every frame up to a number must have arrived."""
        if seq <= self.last_seq:
            return
        self.gaps += 1
        missing = f"frame {self.last_seq + 1} is missing"
        if self._strict:
            raise ContractBroken(Breach.FRAME_GAP, missing)
        raise StreamLost(missing)

    def _compare(self, frame: play_pb2.ServerFrame) -> None:
        digest = hashlib.sha256(frame.SerializeToString(deterministic=True)).digest()
        if self._digests.setdefault(frame.seq, digest) != digest:
            raise ContractBroken(Breach.FRAME_CHANGED, f"frame {frame.seq} came in two ways")
        if len(self._digests) > DIGESTS:
            self._digests.popitem(last=False)


class _Sent:
    """An act: how often it was sent, and what it was told."""

    __slots__ = ("applied", "key", "times", "verdicts")

    def __init__(self, key: tuple[str, int, int]) -> None:
        self.key = key
        self.times = 0
        self.verdicts = 0
        self.applied = 0


class ActLedger:
    """The acts that were sent, for strict mode: a verdict for each sending, one APPLIED at most."""

    def __init__(self) -> None:
        self._acts: OrderedDict[str, _Sent] = OrderedDict()

    def send(self, act: play_pb2.Act) -> None:
        """An act is sent, or sent again."""
        self._acts.setdefault(act.action_id, _Sent(_question(act))).times += 1
        if len(self._acts) > _ACTS:
            self._acts.popitem(last=False)

    def judge(self, verdict: play_pb2.Verdict) -> None:
        """A verdict has come; ``ContractBroken`` when it cannot be one of ours."""
        act = self._act(verdict.action_id, "verdict")
        if _question(verdict) != act.key:
            raise ContractBroken(
                Breach.QUESTION_UNASKED,
                f"the verdict on act {verdict.action_id} names decision {verdict.decision_id} of"
                f" match {verdict.seat.match_id}",
            )
        act.verdicts += 1
        act.applied += verdict.kind == play_pb2.VERDICT_KIND_APPLIED
        if act.verdicts > act.times or act.applied > 1:
            raise ContractBroken(
                Breach.VERDICT_TWICE, f"act {verdict.action_id} got {act.verdicts} verdicts"
            )

    def complain(self, error: play_pb2.StreamError) -> None:
        """An act was answered with an error in place of a verdict."""
        if error.action_id:
            self._act(error.action_id, "error")

    def _act(self, action_id: str, what: str) -> _Sent:
        if action_id not in self._acts:
            raise ContractBroken(
                Breach.ACT_UNSENT, f"a {what} names act {action_id}, which was not sent"
            )
        return self._acts[action_id]


def _question(message: play_pb2.Act | play_pb2.Verdict) -> tuple[str, int, int]:
    return message.seat.match_id, message.seat.seat, message.decision_id
