"""What the operating system knows about a process; None where it does not say (no Linux)."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KIB_PER_MIB: Final = 1024
# Places of user and system ticks in /proc/PID/stat after the name, which may itself hold spaces.
_USER_TICKS: Final = 11
_SYSTEM_TICKS: Final = 12


@dataclass(frozen=True, slots=True)
class Usage:
    """Memory now and at its peak in MiB, and processor time so far in seconds."""

    rss: float
    peak: float
    cpu: float


def usage(pid: int) -> Usage | None:
    """What a process uses."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        ticks = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    used = int(ticks[_USER_TICKS]) + int(ticks[_SYSTEM_TICKS])
    cpu = used / os.sysconf("SC_CLK_TCK")
    return Usage(_mib(status, "VmRSS"), _mib(status, "VmHWM"), cpu)


def _mib(status: str, field: str) -> float:
    line = next(line for line in status.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / _KIB_PER_MIB
