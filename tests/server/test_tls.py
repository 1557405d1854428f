"""TLS: who can connect with what, and what is said of files that do not fit."""

import io
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives import serialization as forms

from burraco.server.addresses import AddressRefused
from burraco.server.app import Arena
from burraco.server.folder import DataFolder
from burraco.server.logs import make_logger
from burraco.server.settings import ServeSettings
from burraco.server.tls import TlsFiles, TlsRefused, read_certificates, read_tls
from burraco.v1 import bot_service_pb2, bot_service_pb2_grpc
from tests.server.harness import ORGANISER, Running, bearer, serving
from tests.server.test_process import served


class Authority:
    """An authority with a certificate for 127.0.0.1, as files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._made = trustme.CA()
        self.ca = folder / "ca.pem"
        self.cert = folder / "cert.pem"
        self.key = folder / "key.pem"
        issued = self._made.issue_cert("127.0.0.1")
        self._made.cert_pem.write_to_path(str(self.ca))
        self.cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        self.key.write_bytes(issued.private_key_pem.bytes())

    def move_to(self, other: "Authority") -> None:
        """Take the place of another's files, in one step each as tools that renew them do."""
        for mine, theirs in ((self.key, other.key), (self.cert, other.cert)):
            mine.replace(theirs)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "theirs")


@asynccontextmanager
async def guarded(
    folder: Path, ours: Authority, client_ca: Path | None = None
) -> AsyncIterator[Running]:
    files = TlsFiles(ours.cert, ours.key, client_ca)
    async with serving(folder, tls=files, admin="127.0.0.1:0") as running:
        yield running


async def ask(address: object, credentials: grpc.ChannelCredentials | None) -> str:
    """Name of the caller, or the code of the failure."""
    if credentials is None:
        channel = grpc.aio.insecure_channel(str(address))
    else:
        channel = grpc.aio.secure_channel(str(address), credentials)
    async with channel:
        stub = bot_service_pb2_grpc.BotServiceStub(channel)
        try:
            request = bot_service_pb2.WhoAmIRequest()
            return (await stub.WhoAmI(request, metadata=bearer(ORGANISER), timeout=10)).name
        except grpc.aio.AioRpcError as failed:
            return failed.code().name


async def test_only_those_who_trust_the_authority_connect(
    tmp_path: Path, ours: Authority, theirs: Authority
) -> None:
    async with guarded(tmp_path, ours) as running:
        at = running.arena.listen
        assert await ask(at, grpc.ssl_channel_credentials(ours.ca.read_bytes())) == "organiser"
        assert await ask(at, grpc.ssl_channel_credentials(theirs.ca.read_bytes())) == "UNAVAILABLE"
        assert await ask(at, None) == "UNAVAILABLE"
        # The admin port is guarded in the same way; it has no BotService.
        admin = running.arena.admin_at
        trusting = grpc.ssl_channel_credentials(ours.ca.read_bytes())
        assert await ask(admin, trusting) == "UNIMPLEMENTED"
        assert await ask(admin, None) == "UNAVAILABLE"


async def test_mutual_tls_asks_clients_for_a_certificate(
    tmp_path: Path, ours: Authority, theirs: Authority
) -> None:
    async with guarded(tmp_path, ours, client_ca=ours.ca) as running:
        at, roots = running.arena.listen, ours.ca.read_bytes()

        def showing(one: Authority) -> grpc.ChannelCredentials:
            return grpc.ssl_channel_credentials(roots, one.key.read_bytes(), one.cert.read_bytes())

        assert await ask(at, showing(ours)) == "organiser"
        assert await ask(at, showing(theirs)) == "UNAVAILABLE"
        assert await ask(at, grpc.ssl_channel_credentials(roots)) == "UNAVAILABLE"


class Kept:
    """A connection that stays open."""

    def __init__(self, running: Running, authority: Authority) -> None:
        trusting = grpc.ssl_channel_credentials(authority.ca.read_bytes())
        # A pool of its own, so that no other channel is given this connection.
        alone = (("grpc.use_local_subchannel_pool", 1),)
        self.channel = grpc.aio.secure_channel(str(running.arena.listen), trusting, options=alone)

    async def name(self) -> str:
        """Whom the server takes the caller for."""
        stub = bot_service_pb2_grpc.BotServiceStub(self.channel)
        asked = bot_service_pb2.WhoAmIRequest()
        return (await stub.WhoAmI(asked, metadata=bearer(ORGANISER), timeout=10)).name


def told(running: Running) -> list[str]:
    """What the server's log says of certificates."""
    events = [json.loads(line)["event"] for line in running.log.getvalue().splitlines()]
    return [event for event in events if event.startswith("certificate")]


async def reached(at: object, authority: Authority) -> bool:
    """Whether those who trust an authority connect anew."""
    trusting = grpc.ssl_channel_credentials(authority.ca.read_bytes())
    return await ask(at, trusting) == "organiser"


async def test_new_connections_get_a_renewed_certificate_and_old_ones_go_on(
    tmp_path: Path,
) -> None:
    first, renewed = Authority(tmp_path / "first"), Authority(tmp_path / "renewed")
    async with guarded(tmp_path / "data", first) as running:
        at = running.arena.listen
        kept = Kept(running, first)
        async with kept.channel:
            assert await kept.name() == "organiser"
            renewed.move_to(first)
            assert await reached(at, renewed)
            assert not await reached(at, first)
            assert await kept.name() == "organiser"
        # The admin port has taken the same ones, without reading them again.
        admin = running.arena.admin_at
        trusting = grpc.ssl_channel_credentials(renewed.ca.read_bytes())
        assert await ask(admin, trusting) == "UNIMPLEMENTED"
        assert told(running) == ["certificate_read"]


async def test_broken_files_are_refused_and_the_old_certificate_stays(tmp_path: Path) -> None:
    first, other = Authority(tmp_path / "first"), Authority(tmp_path / "other")
    async with guarded(tmp_path / "data", first) as running:
        at, key = running.arena.listen, first.key.read_bytes()
        first.key.write_bytes(other.key.read_bytes())
        assert await reached(at, first)
        assert await reached(at, first)
        assert told(running) == ["certificate_refused"], "said once"
        assert "not the key of the certificate" in running.log.getvalue()
        first.key.unlink()
        assert await reached(at, first)
        first.key.write_bytes(key)
        assert await reached(at, first)
        assert told(running) == ["certificate_refused"] * 2 + ["certificate_read"]


async def test_renewed_authorities_of_clients_are_asked_for_at_once(tmp_path: Path) -> None:
    first, other = Authority(tmp_path / "first"), Authority(tmp_path / "other")
    asked_for = tmp_path / "clients.pem"
    asked_for.write_bytes(first.ca.read_bytes())
    async with guarded(tmp_path / "data", first, client_ca=asked_for) as running:
        at, roots = running.arena.listen, first.ca.read_bytes()

        def showing(one: Authority) -> grpc.ChannelCredentials:
            return grpc.ssl_channel_credentials(roots, one.key.read_bytes(), one.cert.read_bytes())

        assert await ask(at, showing(first)) == "organiser"
        asked_for.write_bytes(other.ca.read_bytes())
        assert await ask(at, showing(first)) == "UNAVAILABLE"
        assert await ask(at, showing(other)) == "organiser"


def test_sighup_reads_the_files_at_once_and_says_what_it_found(tmp_path: Path) -> None:
    first = Authority(tmp_path / "first")
    options = ("--tls-cert", str(first.cert), "--tls-key", str(first.key))
    with served(tmp_path, *options) as server:
        assert server.process.stderr is not None
        server.process.send_signal(signal.SIGHUP)
        assert json.loads(server.process.stderr.readline())["event"] == "certificate_read"
        first.cert.write_text("dear diary")
        server.process.send_signal(signal.SIGHUP)
        refused = json.loads(server.process.stderr.readline())
        assert (refused["event"], refused["level"]) == ("certificate_refused", "error")
        assert "both as PEM" in refused["why"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0


@pytest.mark.parametrize("option", ["listen", "admin"])
async def test_no_token_is_taken_in_the_clear_beyond_this_machine(
    tmp_path: Path, option: str
) -> None:
    addresses = {"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", option: "0.0.0.0:0"}
    settings = ServeSettings(
        addresses["listen"], tmp_path, None, None, None, addresses["admin"], None
    )
    data = DataFolder(tmp_path)
    try:
        with pytest.raises(AddressRefused, match=f"--{option}.*--tls-cert and --tls-key"):
            Arena(settings, data, make_logger(io.StringIO()))
    finally:
        data.close()


def test_certificate_and_key_go_together(ours: Authority) -> None:
    assert read_tls(None, None, None) is None
    for files in [(ours.cert, None, None), (None, ours.key, None), (None, None, ours.ca)]:
        with pytest.raises(TlsRefused, match="needed both"):
            read_tls(*files)


def test_files_that_do_not_fit_are_named(
    tmp_path: Path, ours: Authority, theirs: Authority
) -> None:
    def refusal(cert: Path, key: Path, client_ca: Path | None = None) -> str:
        with pytest.raises(TlsRefused) as refused:
            read_certificates(TlsFiles(cert, key, client_ca))
        return str(refused.value)

    diary = tmp_path / "diary"
    diary.write_text("dear diary")
    assert "not the key of the certificate" in refusal(ours.cert, theirs.key)
    assert "both as PEM" in refusal(diary, ours.key)
    assert "both as PEM" in refusal(ours.cert, diary)
    assert "cannot be read (No such file" in refusal(tmp_path / "none", ours.key)
    assert "--tls-client-ca" in refusal(ours.cert, ours.key, diary)
    locked = tmp_path / "locked.pem"
    locked.write_bytes(_with_password(ours.key.read_bytes()))
    assert "it has a password" in refusal(ours.cert, locked)


def _with_password(key: bytes) -> bytes:
    return forms.load_pem_private_key(key, None).private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.BestAvailableEncryption(b"secret")
    )
