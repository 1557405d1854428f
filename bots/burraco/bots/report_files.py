"""The files of a report, all in one folder."""

from pathlib import Path
from typing import Final

from burraco.bots.report_event import ReportedEvent
from burraco.bots.report_page import page
from burraco.bots.report_tables import write_tables
from burraco.tournament.figures import written
from burraco.tournament.placing import standings_document

PAGE: Final = "report.html"
STANDINGS: Final = "standings.json"


def write_report(event: ReportedEvent, root: Path, anchor: str | None) -> tuple[Path, ...]:
    """Write everything and say where; raises ``UnknownAnchor`` before the first file."""
    html, standings = root / PAGE, root / STANDINGS
    html.write_text(page(event, anchor), encoding="utf-8")
    document = standings_document(event.progress, event.log.lots)
    standings.write_text(written(document), encoding="utf-8")
    return (html, standings, *write_tables(event, root))
