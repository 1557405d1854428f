"""Files of certificates, checked before they are used."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grpc


class TlsRefused(ValueError):
    """Files that cannot be used for TLS; the text says which, why, and what fits."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files; with ``client_ca`` every client has to show a certificate that it signed."""

    cert: Path
    key: Path
    client_ca: Path | None


def read_tls(cert: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    """The files of the command line, None where TLS is not asked for."""
    if cert is not None and key is not None:
        return TlsFiles(cert, key, client_ca)
    if cert is key is client_ca is None:
        return None
    raise TlsRefused("--tls-cert and --tls-key are needed both; --tls-client-ca goes with them")


def read_certificates(files: TlsFiles) -> grpc.ServerCertificateConfiguration:
    """What gRPC needs of the files, or ``TlsRefused``: gRPC itself would only fail handshakes."""
    cert = _read(files.cert, "--tls-cert")
    key = _read(files.key, "--tls-key")
    roots = None if files.client_ca is None else _read(files.client_ca, "--tls-client-ca")
    _require_pair(files)
    if files.client_ca is not None:
        _require_roots(files.client_ca)
    return grpc.ssl_server_certificate_configuration([(key, cert)], root_certificates=roots)


def _read(path: Path, option: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise TlsRefused(f"{option} {path}: cannot be read ({fault.strerror})") from fault


def _require_pair(files: TlsFiles) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(files.cert, files.key, password=_no_password(files.key))
    except OSError as fault:
        # An ssl.SSLError, or a file that has just gone.
        if isinstance(fault, ssl.SSLError) and fault.reason == "KEY_VALUES_MISMATCH":
            raise TlsRefused(
                f"--tls-key {files.key}: not the key of the certificate in {files.cert}"
            ) from fault
        raise TlsRefused(
            f"--tls-cert {files.cert}, --tls-key {files.key}: a certificate and its key are"
            " needed, both as PEM"
        ) from fault


def _no_password(key: Path) -> Callable[[], str]:
    def refuse() -> str:
        """Answer for the terminal, at which OpenSSL would ask."""
        raise TlsRefused(f"--tls-key {key}: it has a password; give the key without one")

    return refuse


def _require_roots(path: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(path)
    except OSError as fault:
        raise TlsRefused(
            f"--tls-client-ca {path}: certificates of authorities are needed, as PEM"
        ) from fault
