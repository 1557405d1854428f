"""compose.yaml: valid by the Compose specification, and complete."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
from compose_spec import PyCompose

from tests.deploy.tools import DEPLOY, ROOT, loaded

FILE: Final = DEPLOY / "compose.yaml"
SERVICES: Final[dict[str, Any]] = loaded(FILE)["services"]


def test_it_is_a_compose_file() -> None:
    compose = PyCompose.from_yaml(FILE.read_text())
    compose.validate()
    assert sorted(compose.service_names()) == ["burraco", "grafana", "postgres", "prometheus"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_says_how_it_is_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"][0] == "CMD"
    assert service["restart"] == "unless-stopped"
    assert "build" in service or ":" in service["image"], "an image without its version"


@pytest.mark.parametrize("name", SERVICES)
def test_no_secret_stands_in_the_file(name: str) -> None:
    for variable, value in SERVICES[name].get("environment", {}).items():
        if re.search(r"PASSWORD|TOKEN|SECRET|KEY", variable):
            assert value.startswith("/run/secrets/"), variable


def test_what_is_mounted_is_there() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).is_dir(), source


def test_secrets_are_never_committed() -> None:
    folder = DEPLOY / "secrets"
    assert (folder / ".gitignore").read_text().splitlines() == ["*", "!.gitignore"]
    for secret in loaded(FILE)["secrets"].values():
        assert (DEPLOY / secret["file"]).parent == folder


def test_prometheus_scrapes_the_port_that_the_server_opens() -> None:
    config = loaded(DEPLOY / "prometheus" / "prometheus.yml")
    (target,) = config["scrape_configs"][0]["static_configs"][0]["targets"]
    name, port = target.split(":")
    assert f"--metrics 0.0.0.0:{port}" in str(SERVICES[name]["command"])
    assert set(SERVICES["prometheus"]["networks"]) & set(SERVICES[name]["networks"])


def test_the_server_has_longer_to_stop_than_it_takes() -> None:
    assert int(SERVICES["burraco"]["stop_grace_period"].removesuffix("s")) > 20
    assert (ROOT / Path(SERVICES["burraco"]["build"]["dockerfile"])).exists()
