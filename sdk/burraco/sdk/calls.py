"""Channels to a server, the token that goes with every call, and what a failed call says."""

import ipaddress
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import grpc
import grpc.aio
from google.rpc import error_details_pb2
from grpc_status import rpc_status

TOKEN_VARIABLE: Final = "BURRACO_TOKEN"
# Every call that is no stream ends after so long, whatever happens.
CALL_SECONDS: Final = 10.0

_READS: Final = (
    ("burraco.v1.MatchService", "GetMatch"),
    ("burraco.v1.MatchService", "ListMatches"),
    ("burraco.v1.MatchService", "ExportMatch"),
    ("burraco.v1.BotService", "WhoAmI"),
    ("burraco.v1.TournamentService", "GetTournament"),
    ("burraco.v1.TournamentService", "ListTournaments"),
    ("burraco.v1.TournamentService", "GetStandings"),
    ("burraco.v1.TournamentService", "GetPairings"),
)
_SERVICE_CONFIG: Final = {
    "methodConfig": [
        {
            "name": [{"service": service, "method": method} for service, method in _READS],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.1s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}
_OPTIONS: Final[list[tuple[str, Any]]] = [
    ("grpc.service_config", json.dumps(_SERVICE_CONFIG)),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # Reconnecting is timed by the caller, who knows what it is worth.
    ("grpc.initial_reconnect_backoff_ms", 100),
    # In truth how long a connection may take to be made; a busy server needs its time.
    ("grpc.min_reconnect_backoff_ms", round(CALL_SECONDS * 1000)),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # Each channel its own connection, so that closing one frees what belongs to it.
    ("grpc.use_local_subchannel_pool", 1),
]
_UNTRUSTED: Final = (
    "the server's certificate is not of an authority we trust, or for another name: check the"
    " address, and give the right authorities with --tls-ca"
)


class WrongUsage(ValueError):
    """An address, a token or an option that cannot be used; the text says what fits."""


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files for TLS: the authorities a server is checked against, and what we show it.

    ``ca`` None means the authorities of the system; ``cert`` and ``key`` are for servers that ask
    for a certificate.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        if (self.cert is None) is not (self.key is None):
            raise WrongUsage("--tls-cert and --tls-key go together: give both")

    def credentials(self) -> grpc.ChannelCredentials:
        """The files as gRPC takes them; ``WrongUsage`` when they cannot be used."""
        ca, key, cert = _read(self.ca), _read(self.key), _read(self.cert)
        self._check()
        return grpc.ssl_channel_credentials(ca, key, cert)

    def _check(self) -> None:
        """Say what is wrong with a file; gRPC would only fail to connect."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca is not None:
            try:
                context.load_verify_locations(self.ca)
            except ssl.SSLError:
                raise WrongUsage(
                    f"--tls-ca {self.ca}: certificates of authorities are needed, as PEM"
                ) from None
        if self.cert is not None and self.key is not None:
            try:
                context.load_cert_chain(self.cert, self.key, password="")
            except ssl.SSLError:
                raise WrongUsage(
                    f"--tls-cert {self.cert}, --tls-key {self.key}: a certificate and its own key"
                    " without a password are needed, both as PEM"
                ) from None


def _read(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as fault:
        raise WrongUsage(f"{path}: cannot be read ({fault.strerror})") from None


def credentials_for(address: str, tls: Tls | None) -> grpc.ChannelCredentials | None:
    """What a channel needs, None for one in the clear; ``WrongUsage`` for what cannot be used."""
    _check_address(address)
    return None if tls is None and _is_local(address) else (tls or Tls()).credentials()


def _check_address(address: str) -> None:
    _, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        raise WrongUsage(f"server {address!r}: write HOST:PORT, such as 127.0.0.1:7070")


def _is_local(address: str) -> bool:
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is, who asks, and how it is known.

    A server on this machine is spoken to in the clear unless ``tls`` is given, any other one over
    TLS always: a token never travels unencrypted.
    """

    address: str
    token: str
    tls: Tls | None = None

    def __post_init__(self) -> None:
        _check_address(self.address)
        if not self.token:
            raise WrongUsage(f"no token: give --token or set {TOKEN_VARIABLE}")
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise WrongUsage("the token has characters that no token has: copy it again")

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return _is_local(self.address)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with every call."""
        return (("authorization", f"Bearer {self.token}"),)

    def channel(self) -> grpc.aio.Channel:
        """A new channel; nothing is sent before the first call."""
        credentials = credentials_for(self.address, self.tls)
        if credentials is None:
            return grpc.aio.insecure_channel(self.address, options=_OPTIONS)
        return grpc.aio.secure_channel(self.address, credentials, options=_OPTIONS)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server said when a call failed; ``reason`` is empty when it was not the server.

    ``retry_seconds`` is how long to wait before the same is tried again, 0 where it does not say.
    """

    code: grpc.StatusCode
    reason: str
    message: str
    facts: Mapping[str, str] = field(default_factory=dict)
    retry_seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


def complaint_of(error: grpc.aio.AioRpcError) -> Complaint:
    """Code, stable reason, words and facts of a failed call."""
    found, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    try:
        # Made for finished calls of the blocking kind; the error has the same three methods.
        status = rpc_status.from_call(cast("grpc.Call", error))
    except ValueError:
        status = None
    for detail in () if status is None else status.details:
        if not detail.Unpack(found):
            detail.Unpack(retry)
    message = error.details() or ""
    if "CERTIFICATE_VERIFY_FAILED" in message:
        # No waiting helps, so it is no lack of a server.
        return Complaint(grpc.StatusCode.UNAUTHENTICATED, "", _UNTRUSTED)
    if error.code() is grpc.StatusCode.UNAVAILABLE and not found.reason:
        message = f"no server can be reached there: check the address, and that it runs ({message})"
    wait = retry.retry_delay.ToTimedelta().total_seconds()
    return Complaint(error.code(), found.reason, message, dict(found.metadata), max(0.0, wait))
