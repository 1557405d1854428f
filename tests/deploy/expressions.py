"""Every expression that the alerts and the dashboard ask Prometheus."""

import json
from collections.abc import Iterator
from typing import Any, Final

import promql_parser

from tests.deploy.tools import DEPLOY, loaded

ALERTS: Final = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD: Final = DEPLOY / "grafana" / "dashboards" / "burraco.json"
# What Grafana puts in the place of its variables.
_FILLED: Final = {"$__rate_interval": "1m", "$instance": ".*"}


def alerts() -> list[Any]:
    """The alert rules."""
    return [rule for group in loaded(ALERTS)["groups"] for rule in group["rules"]]


def panels() -> list[Any]:
    """The panels of the dashboard that show something."""
    return [
        panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"
    ]


def asked_by_panels() -> Iterator[str]:
    """The expressions of the dashboard, as Prometheus gets them."""
    for panel in panels():
        for target in panel["targets"]:
            expression: str = target["expr"]
            for variable, value in _FILLED.items():
                expression = expression.replace(variable, value)
            yield expression


def all_expressions() -> list[str]:
    """Those of the alerts and those of the dashboard."""
    return [*(rule["expr"] for rule in alerts()), *asked_by_panels()]


def metrics_in(expression: str) -> set[str]:
    """The metrics that an expression names; it raises where the expression cannot be parsed."""
    found: set[str] = set()

    def note(part: promql_parser.Expr) -> bool:
        if isinstance(part, promql_parser.VectorSelector):
            found.add(part.name or "")
        return True

    promql_parser.walk(promql_parser.parse(expression), note)
    return found
