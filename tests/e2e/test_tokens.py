"""`burraco token`, and the options for TLS, against a server in a process of its own."""

import json
import os
import signal
import sys
from asyncio import create_subprocess_exec, sleep
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
import trustme

from burraco.sdk.command import main
from tests.e2e.commands import MAIN, burraco

ORGANISER: Final = "an-organiser-token-of-the-host-itself"


@asynccontextmanager
async def server(folder: Path, *options: object) -> AsyncIterator[str]:
    """The address of a server that is ended with the test."""
    ready = folder / "ready.json"
    command = ["serve", "--listen", "127.0.0.1:0", "--metrics", "off", "--data", folder / "data"]
    command += ["--ready-file", ready, *options]
    child = await create_subprocess_exec(
        sys.executable,
        "-c",
        MAIN,
        *map(str, command),
        stdin=DEVNULL,
        stderr=DEVNULL,
        env={**os.environ, "BURRACO_ORGANISER_TOKEN": ORGANISER},
    )
    try:
        while not ready.exists():
            assert child.returncode is None, "the server did not start"
            await sleep(0.02)
        yield json.loads(ready.read_text())["address"]
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGTERM)
        await child.wait()


async def test_a_token_is_made_replaced_and_ended(tmp_path: Path) -> None:
    async with server(tmp_path) as address:
        at = ["--server", address]
        as_organiser = [*at, "--token", ORGANISER]
        made = await burraco(
            "token", "create", "alice", "--scope", "play", "--expires", "30d", *as_organiser
        )
        assert made.status == 0, made.err
        (secret,) = made.out.split()
        token_id, name, scopes, *_ = made.err.split()
        assert (name, scopes) == ("alice", "play")

        own = await burraco("token", "rotate", "--overlap", "1h", *at, "--token", secret)
        assert own.status == 0, own.err
        listed = await burraco("token", "list", *as_organiser)
        assert [line.split()[0] for line in listed.out.splitlines()] == sorted(
            [token_id, own.err.split()[0]], key=lambda one: listed.out.index(one)
        )

        ended = await burraco("token", "revoke", token_id, *as_organiser)
        assert "revoked" in ended.out
        refused = await burraco("token", "list", *at, "--token", secret)
        assert refused.status == 1
        assert refused.err.startswith("burraco token list: tokens: this token was revoked")
        assert "Traceback" not in refused.err


async def test_a_server_with_tls_is_reached_by_those_who_trust_it(tmp_path: Path) -> None:
    ours, theirs = trustme.CA(), trustme.CA()
    issued = ours.issue_cert("127.0.0.1")
    files = {name: tmp_path / f"{name}.pem" for name in ("ca", "other", "cert", "key")}
    ours.cert_pem.write_to_path(str(files["ca"]))
    theirs.cert_pem.write_to_path(str(files["other"]))
    issued.cert_chain_pems[0].write_to_path(str(files["cert"]))
    issued.private_key_pem.write_to_path(str(files["key"]))
    pair = ["--tls-cert", files["cert"], "--tls-key", files["key"]]
    async with server(tmp_path, *pair, "--tls-client-ca", files["ca"]) as address:
        asked = ["token", "list", "--server", address, "--token", ORGANISER]
        trusted = await burraco(*asked, "--tls-ca", files["ca"], *pair)
        assert trusted.status == 0, trusted.err
        mistrusted = await burraco(*asked, "--tls-ca", files["other"], *pair)
        assert mistrusted.status == 1
        assert "--tls-ca" in mistrusted.err
        bare = await burraco(*asked, "--tls-ca", files["ca"])
        assert bare.status == 1
        wrong = await burraco(*asked, "--tls-ca", files["key"])
        assert wrong.status == 2
        assert "certificates of authorities are needed" in wrong.err
        half = await burraco(*asked, "--tls-cert", files["cert"])
        assert half.status == 2
        assert "give both" in half.err
    for told in (mistrusted, bare, wrong, half):
        assert "Traceback" not in told.err
        assert ORGANISER not in told.err


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (["serve", "--nope"], "usage: burraco serve "),
        (["token", "list", "--nope"], "usage: burraco token list "),
        (["--nope"], "usage: burraco "),
    ],
)
def test_a_wrong_option_shows_the_usage_of_its_own_command(
    words: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith(usage)
