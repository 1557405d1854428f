"""Which seats are away, since when, and how much of their time for that is left."""


class Presence:
    """Away times of the seats in seconds; each may be away ``allowed`` seconds in all.

    Nobody is away before ``grace``. ``calling`` are seats whose bot answers by calls of its own and
    needs no stream to be there; ``struck`` are seats that were lost by strikes and whose bot has
    not connected anew since.
    """

    __slots__ = ("_allowed", "_since", "_used", "calling", "grace", "struck")

    def __init__(self, allowed: float, seats: int) -> None:
        self._allowed = allowed
        self._since: list[float | None] = [None] * seats
        self._used = [0.0] * seats
        self.grace = 0.0
        self.calling: set[int] = set()
        self.struck: set[int] = set()

    def leave(self, seat: int, now: float) -> None:
        """A seat has nobody connected."""
        if self._since[seat] is None:
            self._since[seat] = max(now, self.grace)

    def come(self, seat: int, now: float) -> None:
        """A seat has somebody connected, or is no longer watched over."""
        since = self._since[seat]
        if since is not None:
            self._used[seat] += max(0.0, now - since)
            self._since[seat] = None

    def call(self, seat: int) -> None:
        """A bot shows by a call of its own that it is there, as it was before."""
        self.calling.add(seat)
        self.struck.discard(seat)
        self._since[seat], self._used[seat] = None, 0.0

    def due(self) -> float | None:
        """When the first seat that is away now has used up its time."""
        return min(self._ends().values(), default=None)

    def over(self, now: float) -> list[int]:
        """Seats that have used up their time."""
        return [seat for seat, end in self._ends().items() if end <= now]

    def _ends(self) -> dict[int, float]:
        """When each seat that is away now has used up its time."""
        return {
            seat: since + max(0.0, self._allowed - self._used[seat])
            for seat, since in enumerate(self._since)
            if since is not None
        }
