"""Prometheus itself reads our files, and scrapes a real server."""

import asyncio
import json
import subprocess
import urllib.parse
import urllib.request
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from tests.deploy.expressions import ALERTS, alerts, all_expressions
from tests.deploy.tools import DEPLOY, ROOT, from_debian, loaded, run, scrape
from tests.server.harness import serving, solo

CONFIG: Final = DEPLOY / "prometheus" / "prometheus.yml"
ALERT_TESTS: Final = ROOT / "tests" / "deploy" / "alerts_test.yml"
_PATIENCE: Final = 60
# process_open_fds and its like are named by convention of all client libraries.
_NOT_OURS: Final = "process_"


def test_promtool_reads_the_configuration_and_the_rules() -> None:
    said = run(from_debian("promtool"), "check", "config", CONFIG)
    assert f"{len(alerts())} rules found" in said


def test_the_alerts_fire_when_they_should_and_only_then() -> None:
    assert "SUCCESS" in run(from_debian("promtool"), "test", "rules", ALERT_TESTS)


def test_every_alert_is_shown_firing_and_quiet() -> None:
    names = {case["name"] for case in loaded(ALERT_TESTS)["tests"]}
    assert names == {
        f"{rule['alert']} {what}" for rule in alerts() for what in ("fires", "is quiet")
    }


async def test_the_metrics_keep_to_the_conventions(tmp_path: Path) -> None:
    promtool = from_debian("promtool")
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        client = await solo(running)
        await client.play_to_the_end()
        text = scrape(running.arena.metrics_at)
    done = subprocess.run(
        [promtool, "check", "metrics"],
        input=text,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if not line.startswith(_NOT_OURS)]
    assert complaints == []


class Prometheus:
    """A Prometheus that runs, and what it answers."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def ask(self, path: str, **query: str) -> Any:  # noqa: ANN401 - JSON of any shape
        """The data of an answer of its API."""
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=5).read())
        answer = json.loads(text)
        assert answer["status"] == "success", answer
        return answer["data"]

    async def until(self, expression: str) -> None:
        """Wait until an expression has a sample; the API has no call that waits for it."""
        async with asyncio.timeout(_PATIENCE):
            while not (await self.ask("query", query=expression))["result"]:
                await asyncio.sleep(0.1)

    async def evaluated(self) -> list[Any]:
        """Its rules, once each has been evaluated."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                groups = (await self.ask("rules"))["groups"]
                rules = [rule for group in groups for rule in group["rules"]]
                if all(rule["health"] != "unknown" for rule in rules):
                    return rules
                await asyncio.sleep(0.1)


@asynccontextmanager
async def prometheus(folder: Path, target: str) -> AsyncIterator[Prometheus]:
    """A Prometheus on our configuration, with this server for a target and no patience."""
    config = loaded(CONFIG)
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(ALERTS)]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    process = await asyncio.create_subprocess_exec(
        from_debian("prometheus"),
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'samples'}",
        "--web.listen-address=127.0.0.1:0",
        stderr=PIPE,
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(_PATIENCE):
            yield Prometheus(await _listening(process.stderr))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _listening(log: asyncio.StreamReader) -> str:
    """Where it listens, once it is ready."""
    said = []
    address = ""
    while line := (await log.readline()).decode():
        said.append(line)
        if 'msg="Listening on"' in line:
            address = line.split("address=")[1].split()[0]
        if "ready to receive" in line:
            return address
    raise AssertionError("".join(said))


async def test_a_real_prometheus_scrapes_a_real_server(tmp_path: Path) -> None:
    from_debian("prometheus")
    async with serving(tmp_path / "server", metrics="127.0.0.1:0") as running:
        client = await solo(running)
        await client.play_to_the_end()
        async with prometheus(tmp_path, str(running.arena.metrics_at)) as prom:
            await prom.until('up{job="burraco"} == 1')
            await prom.until('burraco_matches_ended_total{reason="played"} == 1')
            for expression in all_expressions():
                await prom.ask("query", query=expression)
            rules = await prom.evaluated()
            assert {rule["name"] for rule in rules} == {rule["alert"] for rule in alerts()}
            assert {rule["health"] for rule in rules} == {"ok"}
            firing = (await prom.ask("query", query='ALERTS{alertstate="firing"}'))["result"]
            assert firing == []
