"""The dashboard and the alerts ask only for what a server really counts."""

from pathlib import Path

import pytest

from tests.deploy.expressions import all_expressions, metrics_in, panels
from tests.deploy.tools import DEPLOY, loaded, names_of, scrape
from tests.server.harness import serving, solo

# Made by Prometheus itself.
_ITS_OWN = {"up"}


@pytest.mark.parametrize("expression", sorted(set(all_expressions())))
def test_an_expression_is_promql(expression: str) -> None:
    assert metrics_in(expression)


async def test_every_metric_that_is_asked_for_is_scraped_from_a_server(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics="127.0.0.1:0") as running:
        client = await solo(running)
        await client.play_to_the_end()
        there = names_of(scrape(running.arena.metrics_at)) | _ITS_OWN
    asked = set().union(*map(metrics_in, all_expressions()))
    assert asked <= there
    ours = {name for name in there if name.startswith("burraco_")}
    shown = {name.removesuffix("_bucket").removesuffix("_count") for name in asked}
    families = {
        name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in ours
    }
    assert families <= shown, "counted and shown nowhere"


def test_panels_have_their_own_ids_and_the_data_source_that_is_provided() -> None:
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids))
    provided = loaded(DEPLOY / "grafana" / "provisioning" / "datasources" / "prometheus.yaml")
    uids = {source["uid"] for source in provided["datasources"]}
    assert {panel["datasource"]["uid"] for panel in panels()} <= uids


def test_panels_do_not_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {
            (place["x"] + right, place["y"] + down)
            for right in range(place["w"])
            for down in range(place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
