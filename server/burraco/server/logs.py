"""The server's own log: one JSON object a line. No card of a live deal, no token, ever goes in."""

import contextlib
import secrets
import sys
import traceback
from collections.abc import Callable
from typing import Any, TextIO

import structlog


def make_logger(stream: TextIO) -> Any:  # noqa: ANN401 - structlog loggers take any event
    """A logger that writes JSON lines."""
    return structlog.wrap_logger(
        structlog.WriteLogger(_Forgiving(stream)),  # type: ignore[arg-type]  # it only writes
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.BoundLogger,
    )


class _Forgiving:
    """A stream where a line that cannot be written is lost: a full disk must stop no match."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


class Faults:
    """Faults of the server's own: logged with an id that the client is told."""

    def __init__(self, logger: Any, count: Callable[[], None]) -> None:  # noqa: ANN401 - structlog
        self._logger = logger
        self._count = count

    def report(self, error: Exception, match_id: str = "") -> str:
        """Log where a fault happened, without its values, and give its id.

        ``match_id`` names the match that it concerns, where there is one.
        """
        error_id = secrets.token_hex(4)
        self._count()
        # Only places in the code: an exception's own text may hold cards.
        places = [
            f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        concerned = {"match_id": match_id} if match_id else {}
        self._logger.error(
            "internal_error",
            error_id=error_id,
            kind=type(error).__name__,
            places=places,
            **concerned,
        )
        return error_id


def say(line: str) -> None:
    """Tell the person at the terminal."""
    print(line, file=sys.stderr, flush=True)
