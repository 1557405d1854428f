"""The server as a process: how it starts, what it refuses, what it counts, how it stops."""

import errno
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from burraco.server.addresses import (
    Address,
    AddressRefused,
    not_listening,
    read_address,
    read_safe_address,
)
from burraco.server.folder import DataFolder
from burraco.server.store import StoreUnusable
from burraco.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
    matches_pb2,
    play_pb2,
    play_service_pb2_grpc,
)
from tests.server.harness import bearer, reason_of, serving, solo

_PATIENCE = 60


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    address: str
    first_lines: list[str]


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    """A server in a process of its own; it is ready when it has said what to do next."""
    ready = folder / "ready.json"
    command = [sys.executable, "-m", "burraco.server", "--listen", "127.0.0.1:0"]
    command += ["--data", str(folder / "data"), "--ready-file", str(ready), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            # The first record of the log comes after the ready file.
            if '"serving"' in line:
                break
        try:
            told = json.loads(ready.read_text())
            assert told["pid"] == process.pid
            yield Served(process, told["address"], lines)
        finally:
            process.kill()


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "burraco.server", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)


async def test_sigterm_tells_every_bot_and_exits_with_status_0(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        token_file = tmp_path / "data" / "organiser.token"
        assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
        organiser = bearer(token_file.read_text().strip())
        assert any(str(token_file) in line for line in server.first_lines)
        async with grpc.aio.insecure_channel(server.address) as channel:
            bots = bot_service_pb2_grpc.BotServiceStub(channel)
            made = await bots.RegisterBot(
                bot_service_pb2.RegisterBotRequest(name="solo"), metadata=organiser
            )
            matches = match_service_pb2_grpc.MatchServiceStub(channel)
            request = match_service_pb2.CreateMatchRequest(players=["solo"] * 4)
            await matches.CreateMatch(request, metadata=organiser)
            play = play_service_pb2_grpc.PlayServiceStub(channel)
            stream: Any = play.Play(metadata=bearer(made.token))  # type: ignore[call-arg]  # by hand
            await stream.write(play_pb2.ClientFrame(hello=play_pb2.Hello()))
            while not (await stream.read()).HasField("decision"):
                pass
            server.process.send_signal(signal.SIGTERM)
            assert (await stream.read()).HasField("draining")
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await stream.read()
            assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
            assert reason_of(ended.value) == "DRAINING"
        assert server.process.wait(_PATIENCE) == 0
        assert server.process.stderr is not None
        rest = server.process.stderr.read()
    for line in rest.splitlines():
        assert json.loads(line)["event"]
    assert made.token not in rest


def test_a_killed_server_leaves_a_folder_that_the_next_one_takes(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        first.process.kill()
        first.process.wait(_PATIENCE)
    with served(tmp_path) as second:
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(_PATIENCE) == 0


def test_a_second_server_on_one_folder_or_port_is_refused_in_words(tmp_path: Path) -> None:
    with served(tmp_path, "--metrics", "off") as server:
        same_folder = run("--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
        assert same_folder.returncode == 2
        assert "another server uses this folder" in same_folder.stderr
        same_port = run("--listen", server.address, "--data", str(tmp_path / "other"))
        assert same_port.returncode == 2
        assert "the port is in use" in same_port.stderr
        for refused in (same_folder, same_port):
            assert "Traceback" not in refused.stderr
            assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", ["--listen", "--admin", "--metrics"])
def test_each_address_that_nobody_can_listen_at_says_what_is_wrong_and_what_to_do(
    tmp_path: Path, option: str
) -> None:
    certificate = trustme.CA().issue_cert("localhost")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert.write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    key.write_bytes(certificate.private_key_pem.bytes())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = f"127.0.0.1:{taken.getsockname()[1]}"
        for address, why in {
            "no-such-host.invalid:7070": "there is no host of that name; 127.0.0.1 for",
            "192.0.2.1:7070": "no address of this machine; 127.0.0.1 for",
            busy: "the port is in use; choose another, or port 0",
        }.items():
            addresses = {"--listen": "127.0.0.1:0", option: address}
            options = [word for pair in addresses.items() for word in pair]
            options += ["--tls-cert", str(cert), "--tls-key", str(key)]
            refused = run("--data", str(tmp_path / "data"), *options)
            assert refused.returncode == 2
            (line,) = refused.stderr.splitlines()
            assert line.startswith(f"burraco serve: {option} {address}: {why}")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (PermissionError(errno.EACCES, ""), "not for this user to open; choose another"),
        (OSError(errno.EAFNOSUPPORT, ""), "no addresses of that kind; 127.0.0.1"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files; choose another"),
        (RuntimeError("of gRPC"), "gRPC cannot listen there; choose another"),
    ],
)
def test_what_the_system_refuses_is_said_in_words(fault: Exception, words: str) -> None:
    refused = not_listening(Address("127.0.0.1", 80), "--listen", fault)
    assert str(refused).startswith("--listen 127.0.0.1:80: ")
    assert words in str(refused)


@pytest.mark.parametrize("text", ["0.0.0.0:7070", "[::]:7070", "192.0.2.1:7070", "example.org:1"])
def test_tokens_do_not_leave_the_machine_unencrypted(text: str) -> None:
    with pytest.raises(AddressRefused, match="TLS"):
        read_safe_address(text, "--listen", has_tls=False)
    assert str(read_safe_address(text, "--listen", has_tls=True)) == text


@pytest.mark.parametrize("text", ["7070", "127.0.0.1", "127.0.0.1:", ":1", "127.0.0.1:x", "::1"])
def test_an_address_is_host_and_port(text: str) -> None:
    with pytest.raises(AddressRefused, match="HOST:PORT"):
        read_address(text, "--listen")


def test_loopback_addresses_are_read() -> None:
    assert str(read_safe_address("[::1]:80", "--listen", has_tls=False)) == "[::1]:80"
    assert str(read_safe_address("localhost:0", "--listen", has_tls=False)) == "localhost:0"


async def test_metrics_are_scraped_with_closed_labels(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        client = await solo(running)
        await client.play_to_the_end(4)
        text = urllib.request.urlopen(f"http://{running.arena.metrics_at}/metrics").read().decode()
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if line[0] != "#"}
    assert {
        "burraco_matches_live",
        "burraco_decisions_total",
        "burraco_decision_seconds_bucket",
        "burraco_matches_ended_total",
        "burraco_event_loop_lag_seconds_bucket",
        "burraco_log_commit_seconds_bucket",
        "burraco_sessions_live",
        "burraco_outbox_frames",
        "grpc_server_started_total",
        "grpc_server_handled_total",
        "grpc_server_handling_seconds_bucket",
    } <= names
    assert 'burraco_matches_ended_total{reason="played"} 1.0' in text
    assert 'burraco_decisions_total{phase="draw",verdict="applied"}' in text
    assert "burraco_sessions_live 1.0" in text
    assert "solo" not in text
    assert '"m"' not in text


async def test_seats_of_a_stopped_match_are_counted_as_its_players_are_told(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        await solo(running)
        request = match_service_pb2.AdjudicateMatchRequest(match_id="m", reason="enough")
        stopped = await running.matches.AdjudicateMatch(request, metadata=running.organiser)
        text = urllib.request.urlopen(f"http://{running.arena.metrics_at}/metrics").read().decode()
    assert [seat.end for seat in stopped.match.result.seats] == [matches_pb2.SEAT_END_STOPPED] * 4
    assert 'burraco_seats_ended_total{end="stopped"} 4.0' in text
    assert 'burraco_seats_ended_total{end="clean"}' not in text


def test_the_organiser_token_of_the_environment_is_written_nowhere(tmp_path: Path) -> None:
    environment = {**os.environ, "BURRACO_ORGANISER_TOKEN": "chosen-by-the-host" * 2}
    command = [sys.executable, "-m", "burraco.server", "--listen", "127.0.0.1:99999"]
    command += ["--data", str(tmp_path / "data")]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "HOST:PORT" in done.stderr
    assert not (tmp_path / "data" / "organiser.token").exists()


def test_an_organiser_token_that_could_be_guessed_is_refused(tmp_path: Path) -> None:
    environment = {**os.environ, "BURRACO_ORGANISER_TOKEN": "secret"}
    command = [sys.executable, "-m", "burraco.server", "--listen", "127.0.0.1:0"]
    command += ["--data", str(tmp_path / "data")]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "BURRACO_ORGANISER_TOKEN has 6 characters: at least 32" in done.stderr
    assert "secret" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_ready_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "ready.json"
    command = [sys.executable, "-m", "burraco.server", "--listen", "127.0.0.1:0"]
    command += ["--data", str(tmp_path / "data"), "--ready-file", str(nowhere)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    assert done.returncode == 2
    assert f"--ready-file {nowhere}: cannot be written (No such file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_data_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreUnusable, match=r"cannot be used for data \(File exists\); choose"):
        DataFolder(tmp_path / "file")
