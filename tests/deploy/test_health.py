"""The command that probes run."""

import argparse
import asyncio
from pathlib import Path

import pytest
import trustme

from burraco.sdk import health_command
from burraco.server.tls import read_tls
from tests.server.harness import serving


async def health(*options: str) -> int:
    """The exit status of `burraco health`."""
    parser = argparse.ArgumentParser()
    health_command.register(parser.add_subparsers())
    arguments = parser.parse_args(["health", *options])
    status: int = await asyncio.to_thread(arguments.run, arguments)
    return status


async def test_a_server_that_serves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path) as running:
        server = str(running.arena.listen)
        assert await health("--server", server) == 0
        assert await health("--alive", "--server", server) == 0
    assert capsys.readouterr().out == f"{server} serves\n" * 2


async def test_a_server_that_drains_is_alive_and_does_not_serve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path) as running:
        server = str(running.arena.listen)
        await running.arena.health.enter_graceful_shutdown()
        assert await health("--server", server) == 1
        assert await health("--alive", "--server", server) == 0
    said = capsys.readouterr()
    assert said.err == f"{server} is not serving\n"
    assert said.out == f"{server} is alive\n"


async def test_a_server_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    # Port 1 is for root's services alone, and nobody offers one there.
    assert await health("--server", "127.0.0.1:1", "--within", "0.5") == 1
    assert await health("--alive", "--server", "127.0.0.1:1", "--within", "0.5") == 1
    assert capsys.readouterr().err == "127.0.0.1:1 does not answer (DEADLINE_EXCEEDED)\n" * 2


async def test_roots_that_cannot_be_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "ca.crt"
    assert await health("--tls-ca", str(missing)) == 2
    assert capsys.readouterr().err == (
        f"burraco health: {missing}: cannot be read (No such file or directory)\n"
    )


async def test_a_server_with_a_certificate_is_asked_over_tls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    ca, cert, key = (tmp_path / name for name in ("ca.crt", "tls.crt", "tls.key"))
    authority.cert_pem.write_to_path(ca)
    certificate.private_key_pem.write_to_path(key)
    cert.write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    parsed = read_tls(cert, key, None)
    async with serving(tmp_path / "data", tls=parsed) as running:
        server = str(running.arena.listen)
        assert await health("--server", server, "--tls-ca", str(ca), "--tls-name", "localhost") == 0
        assert await health("--server", server, "--within", "0.5") == 1
    assert capsys.readouterr().out == f"{server} serves\n"
