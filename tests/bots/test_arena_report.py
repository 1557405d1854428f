"""The standings as they are printed."""

import io

from rich.console import Console

from burraco.bots.arena_report import Pace, print_standings
from burraco.bots.standings import Standing

ROW = Standing(
    "a-name-of-thirty-two-characters--", -500.0, (-512.5, -487.5), 48, 0.0, 0, 24, 48, "retired"
)


def printed(columns: int) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=columns, force_terminal=True, color_system=None)
    print_standings(console, "classic", [ROW], {ROW.name: Pace(4, 10)})
    return out.getvalue().splitlines()


def test_a_narrow_terminal_loses_nothing() -> None:
    title, header, row = (line.strip() for line in printed(80))
    assert title.endswith("classic")
    assert header.split("  ")[0] == "place"
    assert header.endswith("ms/decision")
    assert ROW.name in row
    assert "-512.5 to -487.5" in row
    assert row.endswith("2.5")
