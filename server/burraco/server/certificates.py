"""Certificates that may be replaced while the server runs: the next handshake has the new ones."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

import grpc

from burraco.server.tls import TlsFiles, TlsRefused, read_certificates

_Mark = tuple[int, int, int] | None


class Certificates:
    """What the files hold; those that are broken change nothing.

    gRPC asks at every handshake, in threads of its own. ``told`` is called, there too, each time
    that the files were read again, with the reason where they are refused.
    """

    def __init__(self, files: TlsFiles, told: Callable[[TlsRefused | None], None]) -> None:
        self._files = files
        self._told = told
        self._lock = Lock()
        self._seen = self._marks()
        self._held = read_certificates(files)

    def credentials(self) -> grpc.ServerCredentials:
        """For one port: each is given what is new to it."""
        given = self._held

        def what_is_new() -> grpc.ServerCertificateConfiguration | None:
            nonlocal given
            before, given = given, self._current()
            return None if given is before else given

        return grpc.dynamic_ssl_server_credentials(
            self._held,
            what_is_new,  # type: ignore[arg-type]  # the stubs miss None, for nothing new
            require_client_authentication=self._files.client_ca is not None,
        )

    def read_again(self) -> None:
        """Read the files now, whether they have changed or not."""
        with self._lock:
            self._read_again()

    def _current(self) -> grpc.ServerCertificateConfiguration:
        with self._lock:
            if self._marks() != self._seen:
                self._read_again()
            return self._held

    def _read_again(self) -> None:
        self._seen = self._marks()
        try:
            held = read_certificates(self._files)
        except TlsRefused as refused:
            self._told(refused)
            return
        # Files that changed meanwhile may not be those that were checked: the next one looks again.
        if self._marks() == self._seen:
            self._held = held
            self._told(None)

    def _marks(self) -> tuple[_Mark, ...]:
        """What tells that a file is another one than before."""
        files = self._files
        return tuple(map(_mark, filter(None, (files.cert, files.key, files.client_ca))))


def _mark(path: Path) -> _Mark:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
