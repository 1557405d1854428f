"""What docs/operations.md says is what there is."""

import argparse
import re
from typing import Final

import pytest

from burraco.sdk import health_command
from burraco.server.commands import add_options
from tests.deploy.expressions import alerts
from tests.deploy.test_image import instructions
from tests.deploy.test_kustomize import KUSTOMIZATIONS, manifests
from tests.deploy.tools import DEPLOY, ROOT, loaded

DOCUMENT: Final = (ROOT / "docs" / "operations.md").read_text()


def flags_in(text: object) -> set[str]:
    """The long options that a text names."""
    return set(re.findall(r"(?<![\w-])--[a-z-]+", str(text))) - {"--help"}


def serve_flags() -> set[str]:
    """The options of `burraco serve`."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    return flags_in(parser.format_help())


def health_flags() -> set[str]:
    """The options of `burraco health`."""
    commands = argparse.ArgumentParser().add_subparsers()
    health_command.register(commands)
    return flags_in(commands.choices["health"].format_help())


def test_every_alert_has_its_entry_and_every_entry_its_alert() -> None:
    entries = re.findall(r"^### (\S+)$", DOCUMENT, re.MULTILINE)
    assert entries == [rule["alert"] for rule in alerts()]
    for rule in alerts():
        anchor = rule["annotations"]["runbook"]
        assert anchor == f"docs/operations.md#{rule['alert'].lower()}"


def test_every_alert_says_what_is_wrong_and_how_bad_it_is() -> None:
    for rule in alerts():
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_every_flag_of_the_server_is_explained() -> None:
    rows = [line.split("|")[1] for line in DOCUMENT.splitlines() if line.startswith("| `--")]
    assert flags_in(" ".join(rows)) == serve_flags()


def test_the_image_starts_the_server_with_flags_that_it_has() -> None:
    (command,) = instructions("CMD")
    assert flags_in(command) <= serve_flags()
    (check,) = instructions("HEALTHCHECK")
    assert flags_in(check.partition("CMD")[2]) <= health_flags()


def test_compose_starts_the_server_with_flags_that_it_has() -> None:
    server = loaded(DEPLOY / "compose.yaml")["services"]["burraco"]
    assert flags_in(str(server["command"])) <= serve_flags()
    assert flags_in(str(server["healthcheck"]["test"])) <= health_flags()


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_kubernetes_starts_the_server_with_flags_that_it_has(name: str) -> None:
    (container,) = manifests(name)["StatefulSet", "burraco"]["spec"]["template"]["spec"][
        "containers"
    ]
    assert flags_in(str(container["args"])) <= serve_flags()
    probes = [container[f"{kind}Probe"] for kind in ("startup", "readiness", "liveness")]
    assert flags_in(str(probes)) <= health_flags()


def test_every_file_that_is_linked_is_there() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", DOCUMENT):
        assert (ROOT / "docs" / link).exists(), link
