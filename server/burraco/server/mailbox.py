"""Mail of a table: handled one piece at a time, and not while the log has the last one."""

from collections import deque
from collections.abc import Callable
from weakref import WeakMethod

from burraco.server.errors import ArenaError, draining

Mail = Callable[[], None]
# Told why a piece of mail will not be handled; None where nobody waits for an answer.
Refuse = Callable[[ArenaError], None]


class Mailbox:
    """Pieces of mail in the order they came; ``is_busy`` while the log is to take what one led to.

    ``broken``, a method of the table that has the mailbox, is told of what a piece raised. Once it
    is frozen nothing is handled any more: what waits, and what comes, is refused.
    """

    __slots__ = ("_broken", "_is_working", "_waiting", "is_busy", "is_frozen")

    def __init__(self, broken: Callable[[Exception], object]) -> None:
        # Weak, so that a table which is over is gone with whoever used it last.
        self._broken = WeakMethod(broken)
        self._waiting: deque[tuple[Mail, Refuse | None]] = deque()
        self._is_working = False
        self.is_busy = False
        self.is_frozen = False

    def __len__(self) -> int:
        return len(self._waiting)

    def post(self, mail: Mail, refuse: Refuse | None = None) -> None:
        """Handle something as soon as what came before it is in the log."""
        self.put(mail, refuse)
        self.work()

    def put(self, mail: Mail, refuse: Refuse | None = None) -> None:
        """Let something wait until the next piece of work."""
        if not self.is_frozen:
            self._waiting.append((mail, refuse))
        elif refuse is not None:
            refuse(draining())

    def work(self) -> None:
        """Handle what waits, as far as the log is not waited for."""
        if self._is_working:
            return
        while self._waiting and not self.is_busy:
            self.run(self._waiting.popleft()[0])

    def run(self, mail: Mail) -> bool:
        """Handle one piece, whole or not; whatever it posts itself waits until it is done."""
        self._is_working = True
        try:
            mail()
        except Exception as error:
            broken = self._broken()
            assert broken is not None
            broken(error)
            return False
        finally:
            self._is_working = False
        return True

    def freeze(self) -> None:
        """Handle nothing more, and say so to whoever waits."""
        self.is_frozen = True
        waiting, self._waiting = self._waiting, deque()
        for _, refuse in waiting:
            if refuse is not None:
                refuse(draining())
