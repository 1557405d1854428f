"""The load command: five matches are enough to see that it counts and judges."""

import pytest

from tests.e2e.commands import burraco


@pytest.mark.parametrize("bots", ["random", "default"])
async def test_five_matches(bots: str) -> None:
    loaded = await burraco("load", "--matches", 5, "--streams", 2, "--bots", bots)

    assert loaded.status == 0, loaded.out + loaded.err
    assert loaded.out.startswith(f"5 matches over 2 streams, bots {bots}\n")
    assert "20 of 20 seats to their end" in loaded.out
    assert "0 errors" in loaded.out
    assert "p99" in loaded.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(
            ["--server", "192.0.2.1:443", "--token", "t"], "not on the loopback", id="elsewhere"
        ),
        pytest.param(["--server", "127.0.0.1:1"], "go together", id="no-token"),
        pytest.param(["--matches", "0"], "--matches: '0'", id="no-matches"),
    ],
)
async def test_a_wrong_command(arguments: list[str], complaint: str) -> None:
    refused = await burraco("load", *arguments)

    assert refused.status == 2
    assert complaint in refused.err


async def test_a_server_that_is_not_there() -> None:
    # Port 1 of the loopback: nobody listens there.
    refused = await burraco("load", "--server", "127.0.0.1:1", "--token", "t", "--seconds", 20)

    assert refused.status == 1
    assert "Traceback" not in refused.err
