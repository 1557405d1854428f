"""What the log says of one seat of a match."""

import hashlib

from burraco.engine.actions import Action
from burraco.server.terms import Fault, SeatEnd

_DIGEST = 8
_WIDTH = 2 * _DIGEST
_FEWEST = 8
_FREE = bytes(_DIGEST)


class Answers:
    """Which action ids a seat has used, and for what: a hash table in 32 to 64 bytes an answer.

    A dictionary would be as fast and take ten times the memory of every live match.
    """

    __slots__ = ("_slots", "_used")

    def __init__(self) -> None:
        self._slots = bytearray(_WIDTH * _FEWEST)
        self._used = 0

    def note(self, action_id: str, content: bytes) -> None:
        """Remember an answer that was played."""
        if 2 * (self._used + 1) > len(self._slots) // _WIDTH:
            self._grow()
        self._put(digest(action_id.encode()) + content)
        self._used += 1

    def content_of(self, action_id: str) -> bytes | None:
        """Digest of what an action id was used for, None when it was not."""
        key = digest(action_id.encode())
        at = self._place(key)
        found = self._slots[at : at + _WIDTH]
        return bytes(found[_DIGEST:]) if found[:_DIGEST] == key else None

    def _place(self, key: bytes) -> int:
        """Where a key is, or the free slot where it belongs."""
        slots = self._slots
        at = int.from_bytes(key, "big") % (len(slots) // _WIDTH) * _WIDTH
        while slots[at : at + _DIGEST] not in (key, _FREE):
            at = (at + _WIDTH) % len(slots)
        return at

    def _put(self, entry: bytes) -> None:
        at = self._place(entry[:_DIGEST])
        self._slots[at : at + _WIDTH] = entry

    def _grow(self) -> None:
        before = bytes(self._slots)
        self._slots = bytearray(2 * len(before))
        for at in range(0, len(before), _WIDTH):
            if before[at : at + _DIGEST] != _FREE:
                self._put(before[at : at + _WIDTH])


def digest(content: bytes) -> bytes:
    """Eight bytes that tell two contents of one client apart."""
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


class Chair:
    """One seat: who holds it, what it has done wrong, and what it has left.

    ``lost`` is the last decision that the seat lost, with what was played instead. ``end`` is set
    once a stand-in has played for the seat and stays when the owner comes back, as strikes do.
    ``away_strikes`` are those for time that ran out while nobody was connected.
    """

    __slots__ = (
        "answers",
        "away_strikes",
        "bank_ms",
        "decisions",
        "end",
        "illegal_acts",
        "lost",
        "network_ms",
        "nonce",
        "player",
        "stood_in",
        "strikes",
        "take_overs",
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
        self.away_strikes = 0
        self.take_overs = 0
        self.illegal_acts = 0
        self.time_outs = 0
        self.decisions = 0
        self.think_ms = 0
        self.network_ms = 0
        self.lost: tuple[int, tuple[Action, ...]] | None = None
        self.answers = Answers()

    @property
    def outcome(self) -> SeatEnd:
        """How the seat's part has gone so far."""
        if self.end is not None:
            return self.end
        return SeatEnd.STRIKES if self.strikes else SeatEnd.CLEAN

    @property
    def fault(self) -> Fault:
        """Whose fault that is; time that ran out only in gaps of the line is the network's."""
        match self.outcome:
            case SeatEnd.CLEAN:
                return Fault.NOBODY
            case SeatEnd.DISCONNECTED:
                return Fault.NETWORK
            case SeatEnd.STRIKES if self.strikes == self.away_strikes:
                return Fault.NETWORK
            case _:
                return Fault.BOT
