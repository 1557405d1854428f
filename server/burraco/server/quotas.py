"""What each player may take of the server, and how much of it is used up.

It is counted by player and not by token: all tokens of one name are one player, so nobody gets more
by making another token, and nobody's quota begins anew when a token is rotated.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from burraco.server import settings
from burraco.server.clock import Clock
from burraco.server.errors import ArenaError, Complaint
from burraco.server.settings import PlayerLimits
from burraco.v1 import play_pb2

# Time is a sum of fractions: what is missing by less than this is there.
_GRAIN: Final = 1e-6
# So many players are remembered before it is looked whom to forget.
_FEW: Final = 256


class Bucket:
    """A rate with a burst: ``most`` may come at once, and ``rate`` a second after that."""

    __slots__ = ("_at", "_left", "most", "rate")

    def __init__(self, rate: int, most: int, now: float) -> None:
        self.rate = rate
        self.most = most
        self._left = float(most)
        self._at = now

    def take(self, now: float) -> int:
        """Take one; gives 0, or the milliseconds until there is one."""
        left = self._fill(now)
        if left >= 1 - _GRAIN:
            self._left = max(0.0, left - 1)
            return 0
        return self._milliseconds(1 - left)

    def left(self, now: float) -> int:
        """How many could be taken at once."""
        return int(self._fill(now) + _GRAIN)

    def reset_ms(self, now: float) -> int:
        """Milliseconds until it is full."""
        return self._milliseconds(self.most - self._fill(now))

    def _fill(self, now: float) -> float:
        self._left = min(self.most, self._left + (now - self._at) * self.rate)
        self._at = now
        return self._left

    def _milliseconds(self, missing: float) -> int:
        return math.ceil((missing - _GRAIN) / self.rate * 1000) if missing > _GRAIN else 0


class Usage:
    """What one player has used up."""

    __slots__ = ("acts", "illegal_acts", "making", "streams")

    def __init__(self, limits: PlayerLimits, now: float) -> None:
        self.streams = 0
        # Matches that are being made for the player, and are not among its tables yet.
        self.making = 0
        self.acts = Bucket(limits.acts_per_second, limits.acts_at_once, now)
        self.illegal_acts = Bucket(limits.illegal_acts_per_second, limits.illegal_acts_at_once, now)

    def is_nothing(self, now: float) -> bool:
        """Whether there is no more to know of the player than of one who was never here."""
        buckets = (self.acts, self.illegal_acts)
        idle = not self.streams and not self.making
        return idle and all(bucket.reset_ms(now) == 0 for bucket in buckets)


class Quotas:
    """The quotas of all players; ``matches_of`` counts those that a player has."""

    def __init__(self, limits: PlayerLimits, clock: Clock) -> None:
        self.limits = limits
        self._clock = clock
        self._usage: dict[str, Usage] = {}
        self._look_at = _FEW
        self.matches_of: Callable[[str], int] = _no_matches

    def __len__(self) -> int:
        return len(self._usage)

    @contextmanager
    def stream(self, player: str) -> Iterator[None]:
        """Serve a stream of a player in the body, or refuse it."""
        usage = self._of(player)
        if usage.streams >= self.limits.streams:
            raise _too_many(
                Complaint.TOO_MANY_STREAMS,
                f"{self.limits.streams} streams of {player} are open: end one of them first",
                self.limits.streams,
            )
        usage.streams += 1
        try:
            yield
        finally:
            usage.streams -= 1
            if usage.is_nothing(self._clock.now()):
                self._usage.pop(player, None)

    def require_place(self, player: str) -> None:
        """Refuse one more match of a player who has all that it may have."""
        making = self._usage[player].making if player in self._usage else 0
        if self.matches_of(player) + making >= self.limits.matches:
            raise _too_many(
                Complaint.TOO_MANY_MATCHES,
                f"{player} has {self.limits.matches} matches that wait or are played: let one of"
                " them end first",
                self.limits.matches,
                player=player,
            )

    @contextmanager
    def making(self, players: Iterable[str]) -> Iterator[None]:
        """Make a match for players in the body; those who wait for one at once are counted too."""
        seated = sorted({player for player in players if player})
        for player in seated:
            self.require_place(player)
        usages = []
        for player in seated:
            usage = self._of(player)
            usage.making += 1
            usages.append(usage)
        try:
            yield
        finally:
            for usage in usages:
                usage.making -= 1

    def act(self, player: str) -> None:
        """Count an act, before anything is done for it; too many are refused."""
        wait_ms = self._of(player).acts.take(self._clock.now())
        if wait_ms:
            raise _too_many(
                Complaint.TOO_MANY_ACTS,
                f"more than {self.limits.acts_per_second} acts a second: nothing was changed, send"
                f" the same again in {wait_ms} ms",
                self.limits.acts_per_second,
                retry_ms=str(wait_ms),
            )

    def illegal_act(self, player: str) -> ArenaError | None:
        """Count an act that the rules refuse; gives the refusal where there were too many."""
        wait_ms = self._of(player).illegal_acts.take(self._clock.now())
        if not wait_ms:
            return None
        return _too_many(
            Complaint.TOO_MANY_ILLEGAL_ACTS,
            f"the act is illegal, and there were more than {self.limits.illegal_acts_per_second}"
            f" such a second: it was not counted, answer the open decision anew in {wait_ms} ms",
            self.limits.illegal_acts_per_second,
            retry_ms=str(wait_ms),
        )

    def told(self, player: str) -> list[play_pb2.Quota]:
        """What is left of each limit."""
        now, usage, limits = self._clock.now(), self._of(player), self.limits
        matches = self.matches_of(player) + usage.making
        return [
            _counted("streams", limits.streams, usage.streams),
            _counted("matches", limits.matches, matches),
            _rated("acts_per_second", usage.acts, now),
            _rated("illegal_acts_per_second", usage.illegal_acts, now),
        ]

    def _of(self, player: str) -> Usage:
        usage = self._usage.get(player)
        if usage is None:
            if len(self._usage) >= self._look_at:
                self._forget()
            usage = self._usage[player] = Usage(self.limits, self._clock.now())
        return usage

    def _forget(self) -> None:
        """Let go of players of whom there is nothing to know; seldom enough to cost nothing."""
        now = self._clock.now()
        self._usage = {
            player: usage for player, usage in self._usage.items() if not usage.is_nothing(now)
        }
        self._look_at = max(_FEW, 2 * len(self._usage))


def limits_to_wire(limits: PlayerLimits) -> play_pb2.Limits:
    """All that a client is held to."""
    return play_pb2.Limits(
        frame_bytes=settings.FRAME_BYTES,
        actions_per_act=settings.ACTIONS_PER_ACT,
        cards_per_action=settings.CARDS_PER_ACTION,
        outbox_frames=settings.OUTBOX_FRAMES,
        outbox_seconds=settings.OUTBOX_SECONDS,
        note_chars=settings.NOTE_CHARS,
        hello_matches=settings.HELLO_MATCHES,
        streams=limits.streams,
        matches=limits.matches,
        acts_per_second=limits.acts_per_second,
        illegal_acts_per_second=limits.illegal_acts_per_second,
        mailbox_acts=settings.MAILBOX,
        session_frames=settings.SESSION_FRAMES,
        action_id_chars=settings.ACTION_ID_CHARS,
        client_chars=settings.CLIENT_CHARS,
        name_chars=settings.NAME_CHARS,
        metadata_bytes=settings.METADATA_BYTES,
    )


def _no_matches(_player: str) -> int:
    """Before the tables are there nobody plays."""
    return 0


def _too_many(complaint: Complaint, message: str, limit: int, **facts: str) -> ArenaError:
    return ArenaError(complaint, message, limit=str(limit), **facts)


def _counted(name: str, limit: int, used: int) -> play_pb2.Quota:
    return play_pb2.Quota(name=name, limit=limit, remaining=max(0, limit - used))


def _rated(name: str, bucket: Bucket, now: float) -> play_pb2.Quota:
    return play_pb2.Quota(
        name=name, limit=bucket.most, remaining=bucket.left(now), reset_ms=bucket.reset_ms(now)
    )
