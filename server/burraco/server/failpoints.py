"""Named places where a server can be made to die or to fail, to see what is left of its promises.

Off unless ``BURRACO_FAIL_POINT`` is set when the server starts, to ``POINT:EFFECT:N``: at the N-th
time that the point is passed the process is killed (``kill``), or a fault is raised (``raise``).
"""

import os
import signal
from dataclasses import dataclass
from typing import Final

from burraco.server.addresses import AddressRefused, read_address

VARIABLE: Final = "BURRACO_FAIL_POINT"
KILL: Final = "kill"
RAISE: Final = "raise"
_EXAMPLE: Final = "writer.commit:kill:3"
# Points by name, with what can happen there: after a commit nothing of ours raises.
POINTS: Final = {
    "answering.judged": (KILL, RAISE),
    "answering.committed": (KILL, RAISE),
    "answering.answered": (KILL, RAISE),
    "writer.commit": (KILL, RAISE),
    "writer.committed": (KILL,),
    "worker.commit": (KILL,),
    "worker.committed": (KILL,),
    "publisher.publish": (KILL, RAISE),
    "publisher.end": (KILL,),
    "recovery.fold": (KILL,),
}


class FailPointHit(Exception):
    """The fault that a fail point was armed to raise."""


@dataclass(slots=True)
class _Armed:
    point: str
    effect: str
    left: int


# Of the whole process: the points are passed where nothing could be handed down for a test's sake.
_armed: _Armed | None = None


def arm(text: str, listen: str) -> None:
    """Arm a point, or none where the text is empty; refused where others could connect."""
    global _armed
    _armed = _read(text) if text else None
    if _armed is not None and not read_address(listen, "--listen").is_loopback:
        _armed = None
        raise AddressRefused(
            f"--listen {listen}: {VARIABLE} is for tests on this machine; listen on 127.0.0.1, or"
            " unset it"
        )


def passing(point: str) -> None:
    """Strike if this point is armed and it is its turn."""
    if _armed is not None and _armed.point == point:
        _strike(_armed)


def _read(text: str) -> _Armed:
    point, _, rest = text.partition(":")
    effect, _, turn = rest.partition(":")
    if effect not in POINTS.get(point, ()) or not turn.isdecimal():
        raise AddressRefused(f"{VARIABLE} {text!r}: write POINT:EFFECT:N, such as {_EXAMPLE}")
    return _Armed(point, effect, int(turn))


def _strike(armed: _Armed) -> None:
    armed.left -= 1
    if armed.left:
        return
    if armed.effect == KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    raise FailPointHit(armed.point)
