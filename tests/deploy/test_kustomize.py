"""The Kubernetes manifests, built by kustomize and held against the schemas of Kubernetes."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from burraco.server.settings import FLUSH_SECONDS, STOP_SECONDS
from tests.deploy.tools import DEPLOY, installed, run

KUSTOMIZATIONS: Final = ("base", "postgres")
_SELECTOR: Final = {"app.kubernetes.io/name": "burraco"}


def built(name: str) -> str:
    """All manifests of a kustomization."""
    return run(installed("kubectl"), "kustomize", DEPLOY / "kustomize" / name)


def manifests(name: str) -> dict[tuple[str, str], Any]:
    """The same by kind and name."""
    found = yaml.safe_load_all(built(name))
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


@pytest.fixture(scope="module", params=KUSTOMIZATIONS)
def found(request: pytest.FixtureRequest) -> dict[tuple[str, str], Any]:
    """The manifests of each kustomization."""
    return manifests(request.param)


@pytest.fixture
def pod(found: dict[tuple[str, str], Any]) -> Any:  # noqa: ANN401 - a manifest
    """What the pod is made from."""
    return found["StatefulSet", "burraco"]["spec"]["template"]


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_every_manifest_keeps_to_its_schema(name: str, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(built(name))
    run(installed("kubernetes-validate"), "--strict", file)


def test_one_process_is_the_whole_service(found: dict[tuple[str, str], Any]) -> None:
    assert found["StatefulSet", "burraco"]["spec"]["replicas"] == 1
    assert found["PodDisruptionBudget", "burraco"]["spec"]["maxUnavailable"] == 1


def test_every_selector_finds_the_pod_and_nothing_else(found: dict[tuple[str, str], Any]) -> None:
    made = found["StatefulSet", "burraco"]["spec"]
    assert made["template"]["metadata"]["labels"] == _SELECTOR
    assert made["selector"]["matchLabels"] == _SELECTOR
    assert made["serviceName"] == "burraco-pods"
    assert found["PodDisruptionBudget", "burraco"]["spec"]["selector"]["matchLabels"] == _SELECTOR
    policy = found["NetworkPolicy", "burraco"]["spec"]
    assert policy["podSelector"]["matchLabels"] == _SELECTOR
    for name in ("burraco", "burraco-pods"):
        assert found["Service", name]["spec"]["selector"] == _SELECTOR


def test_only_prometheus_reads_the_metrics(found: dict[tuple[str, str], Any]) -> None:
    ingress = found["NetworkPolicy", "burraco"]["spec"]["ingress"]
    (rule,) = (rule for rule in ingress if rule["ports"] == [{"port": "metrics"}])
    assert rule["from"][0]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "prometheus"}


def test_the_server_connects_to_nothing_but_its_database() -> None:
    assert "egress" not in manifests("base")["NetworkPolicy", "burraco"]["spec"]
    egress = manifests("postgres")["NetworkPolicy", "burraco"]["spec"]["egress"]
    assert {port["port"] for rule in egress for port in rule["ports"]} == {53, 5432}


def test_ports_are_named_where_they_are_used(found: dict[tuple[str, str], Any], pod: Any) -> None:  # noqa: ANN401
    (container,) = pod["spec"]["containers"]
    named = {port["name"]: port["containerPort"] for port in container["ports"]}
    for name in ("burraco", "burraco-pods"):
        for port in found["Service", name]["spec"]["ports"]:
            assert port["port"] == named[port["targetPort"]]


def test_there_is_time_to_drain(pod: Any) -> None:  # noqa: ANN401 - a manifest
    (container,) = pod["spec"]["containers"]
    before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    whole = pod["spec"]["terminationGracePeriodSeconds"]
    assert whole > before + FLUSH_SECONDS + STOP_SECONDS
    assert whole > before + 20


def test_it_may_do_as_little_as_possible(pod: Any) -> None:  # noqa: ANN401 - a manifest
    (container,) = pod["spec"]["containers"]
    assert pod["spec"]["securityContext"]["runAsNonRoot"]
    assert pod["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert set(container["resources"]) == {"limits", "requests"}
    assert container["resources"]["limits"]["memory"]


def test_what_is_mounted_is_there(found: dict[tuple[str, str], Any], pod: Any) -> None:  # noqa: ANN401
    (container,) = pod["spec"]["containers"]
    claims = found["StatefulSet", "burraco"]["spec"]["volumeClaimTemplates"]
    volumes = {each["name"] for each in pod["spec"]["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in claims}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes


def test_every_variable_of_the_arguments_is_set(
    found: dict[tuple[str, str], Any],
    pod: Any,  # noqa: ANN401 - a manifest
) -> None:
    (container,) = pod["spec"]["containers"]
    name = container["envFrom"][0]["configMapRef"]["name"]
    settings = found["ConfigMap", name]["data"]
    used = {arg.split("$(")[1].rstrip(")") for arg in container["args"] if "$(" in arg}
    assert used == set(settings)


def test_a_server_that_drains_is_alive_and_not_ready(pod: Any) -> None:  # noqa: ANN401
    (container,) = pod["spec"]["containers"]
    assert "--alive" in container["livenessProbe"]["exec"]["command"]
    for probe in ("startupProbe", "readinessProbe"):
        assert "--alive" not in container[probe]["exec"]["command"]
