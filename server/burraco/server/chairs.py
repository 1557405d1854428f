"""What the log says of one seat of a match."""

import hashlib

from burraco.engine.actions import Action
from burraco.server.terms import SeatEnd

_DIGEST = 8


class Answers:
    """Which action ids a seat has used, and for what, in sixteen bytes an answer."""

    __slots__ = ("_ids",)

    def __init__(self) -> None:
        self._ids = bytearray()

    def note(self, action_id: str, content: bytes) -> None:
        """Remember an answer that was played."""
        self._ids += digest(action_id.encode()) + content

    def content_of(self, action_id: str) -> bytes | None:
        """Digest of what an action id was used for, None when it was not."""
        sought, width = digest(action_id.encode()), 2 * _DIGEST
        at = self._ids.find(sought)
        while at >= 0 and at % width:
            at = self._ids.find(sought, at + 1)
        return None if at < 0 else bytes(self._ids[at + _DIGEST : at + width])


def digest(content: bytes) -> bytes:
    """Eight bytes that tell two contents of one client apart."""
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


class Chair:
    """One seat: who holds it, what it has done wrong, and what it has left.

    ``lost`` is the last decision that the seat lost, with what was played instead. ``end`` is set
    once a stand-in has played for the seat and stays when the owner comes back.
    """

    __slots__ = (
        "answers",
        "bank_ms",
        "decisions",
        "end",
        "illegal_acts",
        "lost",
        "nonce",
        "player",
        "stood_in",
        "strikes",
        "think_ms",
        "time_outs",
    )

    def __init__(self, player: str, bank_ms: int) -> None:
        self.player = player
        self.nonce = b""
        self.bank_ms = bank_ms
        self.stood_in = False
        self.end: SeatEnd | None = None
        self.strikes = 0
        self.illegal_acts = 0
        self.time_outs = 0
        self.decisions = 0
        self.think_ms = 0
        self.lost: tuple[int, tuple[Action, ...]] | None = None
        self.answers = Answers()

    @property
    def outcome(self) -> SeatEnd:
        """How the seat's part has gone so far."""
        if self.end is not None:
            return self.end
        return SeatEnd.STRIKES if self.strikes else SeatEnd.CLEAN
