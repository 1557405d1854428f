"""Where to listen, and whether that is safe."""

import errno
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Final

_ADDRESS: Final = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:]+)]|(?P<host>[^\s:\[\]]+)):(?P<port>[0-9]{1,5})"
)
_LAST_PORT: Final = 65_535
_ANOTHER: Final = "choose another, or port 0 for any free one"
_ELSEWHERE: Final = "127.0.0.1 for this machine alone, 0.0.0.0 to let others in"
# What the system says, and what the person at the terminal can do about it.
_ADVICE: Final = {
    errno.EADDRINUSE: f"the port is in use; {_ANOTHER}",
    errno.EACCES: f"the port is not for this user to open; {_ANOTHER} (from 1024 on)",
    errno.EADDRNOTAVAIL: f"no address of this machine; {_ELSEWHERE}",
    errno.EAFNOSUPPORT: f"this machine has no addresses of that kind; {_ELSEWHERE}",
}


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

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def with_port(self, port: int) -> "Address":
        """The same host with the port that was given."""
        return Address(self.host, port)


def read_address(text: str, option: str) -> Address:
    """An address of any kind."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _LAST_PORT:
        raise AddressRefused(f"{option} {text!r}: write HOST:PORT, such as 127.0.0.1:7070")
    return Address(found["six"] or found["host"], int(found["port"]))


def read_safe_address(text: str, option: str, *, has_tls: bool) -> Address:
    """An address to take tokens at: they must not travel in the clear beyond this machine."""
    address = read_address(text, option)
    if not (has_tls or address.is_loopback):
        raise AddressRefused(
            f"{option} {text}: without TLS only this machine (127.0.0.1, ::1, localhost) may"
            " connect, since tokens would travel in the clear: give --tls-cert and --tls-key"
        )
    return address


def not_listening(address: Address, option: str, fault: Exception) -> AddressRefused:
    """Why nobody can listen at an address, and what to do about it."""
    if isinstance(fault, socket.gaierror):
        why = f"there is no host of that name; {_ELSEWHERE}"
    elif isinstance(fault, OSError) and fault.errno is not None:
        why = _ADVICE.get(fault.errno) or f"{fault.strerror}; {_ANOTHER}"
    else:
        why = f"gRPC cannot listen there; {_ANOTHER}"
    return AddressRefused(f"{option} {address}: {why}")


def require_free(address: Address) -> None:
    """Raise ``OSError`` when nobody can listen there."""
    family, kind, protocol, _, place = socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(place)
