"""The server's own log on a full disk: what cannot be written is lost, and nothing else."""

import errno
import io

from burraco.server.logs import Faults, make_logger


class FullDisk(io.StringIO):
    """Takes nothing."""

    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, "no space")

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "no space")


def test_a_fault_that_cannot_be_logged_still_has_an_id() -> None:
    counted: list[None] = []
    faults = Faults(make_logger(FullDisk()), lambda: counted.append(None))
    assert faults.report(ValueError())
    assert counted == [None]
