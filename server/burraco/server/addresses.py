"""Where to listen, and whether that is safe."""

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Final

_ADDRESS: Final = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:]+)]|(?P<host>[^\s:\[\]]+)):(?P<port>[0-9]{1,5})"
)
_LAST_PORT: Final = 65_535


class AddressRefused(ValueError):
    """An address the server does not listen on; the text says why and what to use."""


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port; port 0 lets the system choose."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def with_port(self, port: int) -> "Address":
        """The same host with the port that was given."""
        return Address(self.host, port)


def read_loopback(text: str, option: str) -> Address:
    """An address of this machine alone: tokens must not travel in the clear."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _LAST_PORT:
        raise AddressRefused(f"{option} {text!r}: write HOST:PORT, such as 127.0.0.1:7070")
    host = found["six"] or found["host"]
    if not _is_loopback(host):
        raise AddressRefused(
            f"{option} {text}: TLS is not built in yet and nothing travels unencrypted, so only"
            " this machine (127.0.0.1, ::1, localhost) may connect: listen there and put a TLS"
            " proxy in front"
        )
    return Address(host, int(found["port"]))


def require_free(address: Address) -> None:
    """Raise ``OSError`` when nobody can listen there."""
    family, kind, protocol, _, place = socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(place)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
