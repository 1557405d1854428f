"""The folder of a server's data: one server at a time, and the organiser's token."""

import os
import sqlite3
from pathlib import Path
from typing import Final

from burraco.server.store import StoreUnusable

DATABASE: Final = "burraco.db"
ORGANISER_TOKEN: Final = "organiser.token"
_LOCK: Final = "lock"


def _words(error: OSError | sqlite3.Error) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


class DataFolder:
    """A folder that this process has for itself until it lets go of it or dies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            # An exclusive transaction is a lock on every system, and ends with the process.
            self._lock = sqlite3.connect(path / _LOCK, timeout=0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise StoreUnusable(
                f"{path}: cannot be used for data ({_words(error)}); choose another --data"
            ) from error
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._lock.close()
            raise StoreUnusable(
                f"{path}: another server uses this folder; stop it or choose another --data"
            ) from error

    def close(self) -> None:
        """Let go of it."""
        self._lock.close()

    @property
    def database(self) -> Path:
        """The file of matches and tokens."""
        return self.path / DATABASE

    @property
    def token_file(self) -> Path:
        """Where the organiser's token is written when the server makes one."""
        return self.path / ORGANISER_TOKEN

    def write_token(self, token: str) -> None:
        """Write the organiser's token for its owner's eyes only."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(self.token_file, flags, 0o600), "w") as file:
            file.write(f"{token}\n")
