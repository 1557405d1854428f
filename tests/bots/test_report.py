"""The page of an event needs nothing beside it, and its tables hold what was counted by hand."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from burraco.bots.report_event import Unusable, read_event
from burraco.bots.report_files import write_report
from burraco.bots.report_parts import OTHERS, OWN
from burraco.tournament.field import Entry, Format, Stage
from burraco.tournament.plan import Plan
from burraco.tournament.progress import Progress, Wanted
from burraco.tournament.rows import Withdrawn
from tests.bots.reported import CLEAN, Event, dealt, event
from tests.tournament.events import POINTS, field_of, plan_of

SWISS = replace(plan_of(Stage(Format.SWISS, 3)), name="Sunday <evening> & more")
DUEL = replace(plan_of(Stage(Format.DUEL, 4)), scoring=POINTS)

Row = list[str]


class Page(HTMLParser):
    """What a page shows: links, ids, and the rows of the tables of each section."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.unnamed_columns = 0
        self.tables: dict[str, list[list[Row]]] = {}
        self._section = ""
        self._cell: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "data", "action")]
        if found.get("id"):
            self.ids.append(found["id"] or "")
        if tag == "br" and self._cell is not None:
            self._cell.append("\n")
        elif tag == "a":
            self.links.append(found["href"] or "")
        elif tag == "section":
            self._section = found["id"] or ""
        elif tag == "table":
            self.tables.setdefault(self._section, []).append([])
        elif tag == "tr":
            self.tables[self._section][-1].append([])
        elif tag in ("td", "th"):
            self.unnamed_columns += tag == "th" and "scope" not in found
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[self._section][-1][-1].append("".join(self._cell).strip())
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def rows(self, section: str, table: int = 0) -> dict[str, dict[str, str]]:
        """A table by the name in the column ``entry``, each row by its headers."""
        head, *body = self.tables[section][table]
        at = head.index("entry")
        return {row[at].split("\n")[0]: dict(zip(head, row, strict=True)) for row in body}


def at_fault(_round: int, wanted: Wanted, half: int) -> tuple[tuple[bool, bool], tuple[str, ...]]:
    """The first side of the first table is at fault once: its North in the first half."""
    if wanted.table == 0 and wanted.ref.board == 0 and half == 0:
        return (True, False), ("time_outs", "clean", "clean", "clean")
    return (False, False), CLEAN


def reported(
    folder: Path,
    plan: Plan,
    entries: Sequence[Entry],
    **how: bool,
) -> tuple[Event, Page, str]:
    """Play an event, report it, and read the page."""
    played = event(plan, entries)
    text = page_of(played, folder, **how)
    return played, Page(text), text


def page_of(played: Event, folder: Path, **how: bool) -> str:
    write_report(read_event(played.write(folder, **how)), folder, None)
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [2, 9, 40])
def test_a_page_has_no_link_to_the_outside_and_needs_no_script(tmp_path: Path, size: int) -> None:
    _, page, text = reported(tmp_path, SWISS, field_of(size))
    assert "http" not in text
    assert "//" not in text
    assert not {"script", "link", "iframe", "img", "object", "base"} & set(page.tags)
    assert page.sources == []
    assert "@import" not in text
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {f"#{name}" for name in page.ids}


def test_every_link_leads_to_what_is_there(tmp_path: Path) -> None:
    played, page, _ = reported(tmp_path, SWISS, field_of(9))
    notation = [link for link in page.links if not link.startswith("#")]
    assert sorted(notation) == sorted(f"bgn/{match_id}.bgn" for match_id in played.matches)
    assert all((tmp_path / link).is_file() for link in notation)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_ids_are_unique_and_columns_are_named_for_those_who_hear_the_page(tmp_path: Path) -> None:
    _, page, text = reported(tmp_path, SWISS, field_of(9))
    assert len(set(page.ids)) == len(page.ids)
    assert page.unnamed_columns == 0
    assert text.count('role="img"') == len(re.findall(r'role="img" aria-label="[^"]+"', text)) > 0
    assert '<html lang="en">' in text


def test_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    names = ["<b>bold</b>", "a&b", '"quoted"']
    entries = [replace(entry, name=name) for entry, name in zip(field_of(3), names, strict=True)]
    _, page, text = reported(tmp_path, SWISS, entries)
    assert "<b>bold</b>" not in text
    assert "<h1>Sunday &lt;evening&gt; &amp; more</h1>" in text
    assert set(page.rows("ratings")) == set(names)


def test_without_notation_and_times_a_page_says_so(tmp_path: Path) -> None:
    _, page, text = reported(tmp_path, SWISS, field_of(4), notation=False, times=False)
    assert not [link for link in page.links if not link.startswith("#")]
    assert "not beside the log" in text
    assert "times" not in page.ids
    assert page.rows("ends")["e0"]["not known"] == "12"


def test_standings_hold_what_is_counted_by_hand(tmp_path: Path) -> None:
    played, page, _ = reported(tmp_path, DUEL, field_of(2))
    gained = 0
    for row in Progress.of(played.rows).played:
        ((first, _),) = (table.sides for table in row.round.tables)
        gained += row.scores[0].gains[0 if first == (0,) else 1]
    by_name = page.rows("standings")
    shown = f"{gained / 16:+.1f}".replace("-", "−") if gained else "0.0"
    assert by_name["e0"]["points a deal"] == shown
    assert by_name["e0"]["deals"] == "16"
    assert by_name["e0"]["boards"] == "8"
    payoffs = page.rows("payoffs")
    assert payoffs["e0"]["e1"] == f"{gained / 16:+.0f}".replace("-", "−")


def test_a_dashed_line_shows_the_anchor_among_the_whiskers(tmp_path: Path) -> None:
    _, _, text = reported(tmp_path, DUEL, field_of(2))
    ratings = text.split('<section id="ratings">')[1].split("</section>")[0]
    assert ratings.count("stroke-dasharray") == 1


def test_victory_points_by_round_add_up_to_those_of_the_standings(tmp_path: Path) -> None:
    _, page, _ = reported(tmp_path, SWISS, field_of(5))
    rows = page.rows("history")
    assert set(rows) == {f"e{number}" for number in range(5)}
    for cells in rows.values():
        rounds = [int(cells[str(number)].removesuffix(" bye")) for number in (1, 2, 3)]
        assert sum(rounds) == int(cells["all"])
    byes = [text for cells in rows.values() for text in cells.values() if text.endswith("bye")]
    assert byes == ["14 bye"] * 3


def test_deals_are_counted_by_how_they_ended(tmp_path: Path) -> None:
    played, page, _ = reported(tmp_path, DUEL, field_of(2))
    closed = sum(
        dealt(number).termination.startswith("closed") for number in played.matches.values()
    )
    rows = page.rows("ends")
    own, others = (
        [int(rows[name].get(kind, "0")) for name in ("e0", "e1")] for kind in (OWN, OTHERS)
    )
    assert own[0] + own[1] == closed
    assert own == others[::-1]


def test_who_closed_is_told_by_the_side_the_entry_had(tmp_path: Path) -> None:
    played = event(DUEL, field_of(2))
    read = read_event(played.write(tmp_path))
    own = 0
    for half in read.halves:
        (deal,) = read.notation[half.result.match_id]
        if deal.end is not None and deal.end.closer is not None:
            own += half.at.entry_at(deal.end.closer, half.half) == 0
    page = Page(page_of(played, tmp_path))
    assert page.rows("ends")["e0"][OWN] == str(own)


def test_faults_are_told_with_their_reasons(tmp_path: Path) -> None:
    played = event(SWISS, field_of(4), at_fault)
    page = Page(page_of(played, tmp_path))
    firsts = [round_.round.tables[0].sides[0][0] for round_ in Progress.of(played.rows).played]
    told = {name: cells["deals"] for name, cells in page.rows("faults").items()}
    assert told == {f"e{entry}": str(firsts.count(entry)) for entry in set(firsts)}
    assert all(cells["reasons"].startswith("time outs") for cells in page.rows("faults").values())


def test_who_left_and_why_is_told(tmp_path: Path) -> None:
    def leave(progress: Progress) -> Withdrawn | None:
        gone = progress.number == 1 and not progress.left
        return Withdrawn(2, "its process ended", "director") if gone else None

    page = Page(page_of(event(SWISS, field_of(4), leave=leave), tmp_path))
    assert page.tables["faults"][0][1:] == [
        ["2", "–", "e2 leaves", "its process ended", "director"]
    ]


def test_think_times_are_means_a_decision(tmp_path: Path) -> None:
    played = event(DUEL, field_of(2))
    log = played.write(tmp_path, times=False)
    seats = [{"decisions": 10, "think_ms": 200}, {"decisions": 30, "think_ms": 300}] * 2
    told = dict.fromkeys(played.matches, seats)
    (tmp_path / "times.json").write_text(json.dumps(told), encoding="utf-8")
    write_report(read_event(log), tmp_path, None)
    rows = Page((tmp_path / "report.html").read_text(encoding="utf-8")).rows("times")
    # Each entry has each side equally often: two seats of 10 or of 30 decisions, sixteen times.
    assert {cells["decisions"] for cells in rows.values()} == {"640"}
    assert {cells["ms a decision"] for cells in rows.values()} == {"12.5"}
    assert {cells["slowest seat of a match"] for cells in rows.values()} == {"20.0"}


def test_a_page_says_that_the_secret_was_committed_to(tmp_path: Path) -> None:
    played = event(DUEL, field_of(2))
    assert "which is the one that was committed to" in page_of(played, tmp_path)
    running = Event(played.rows[:-1], played.matches)
    text = page_of(running, tmp_path)
    assert "shown when the event is over" in text
    assert "Not over (running)" in text


def test_an_event_without_a_round_has_a_page_all_the_same(tmp_path: Path) -> None:
    played = event(SWISS, field_of(3))
    for length in (1, 2, 4, 5, 6):
        assert "No round is over" in page_of(Event(played.rows[:length], {}), tmp_path)


@pytest.mark.parametrize("format_", [Format.INDIVIDUAL, Format.LADDER, Format.GAUNTLET])
def test_other_formats_have_a_page(tmp_path: Path, format_: Format) -> None:
    entries = field_of(8, anchors=2 if format_ is Format.GAUNTLET else 0)
    rounds = 0 if format_ is Format.GAUNTLET else 4
    plan = replace(plan_of(Stage(format_, rounds)), scoring=POINTS)
    _, page, _ = reported(tmp_path, plan, entries)
    assert len(page.rows("ratings")) == 8


def test_tables_have_a_row_for_each_board_deal_and_action(tmp_path: Path) -> None:
    played, _, _ = reported(tmp_path, SWISS, field_of(4))
    boards, deals, actions = (
        pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("boards", "deals", "actions")
    )
    assert (boards.height, deals.height) == (12, 24)
    assert set(deals["match_id"]) == set(actions["match_id"]) == set(played.matches)
    assert set(deals.group_by("round", "table", "board").len()["len"]) == {2}
    parts = [pl.col(f"{part}_ns") for part in ("melds", "hands", "burrachi", "closing", "pozzetto")]
    assert deals.select(pl.sum_horizontal(parts) == pl.col("points_ns")).to_series().all()
    assert set(actions["kind"]) <= {"draw", "take_pile", "lay", "add", "discard"}
    assert sum(deals["actions"].to_list()) == actions.height


def test_gains_of_deals_add_up_to_those_of_boards(tmp_path: Path) -> None:
    played = event(replace(SWISS, adjusted_allowed=2), field_of(4), at_fault)
    page_of(played, tmp_path)
    boards = pl.read_parquet(tmp_path / "boards.parquet")
    deals = pl.read_parquet(tmp_path / "deals.parquet")
    of_boards = boards.select(pl.col("gain_first") + pl.col("gain_second")).sum().item()
    assert of_boards == deals.select(pl.col("gain_ns") + pl.col("gain_ew")).sum().item()
    faulty = deals.filter(pl.col("fault_ns"))
    assert set(faulty["gain_ns"]) == {-500}
    assert faulty["reasons"].to_list() == [["time_outs", "clean", "clean", "clean"]] * 3
    assert sum(boards["clean_deals"].to_list()) == deals.height - 3


def test_tables_without_notation_have_their_columns_all_the_same(tmp_path: Path) -> None:
    reported(tmp_path, SWISS, field_of(4), notation=False)
    actions = pl.read_parquet(tmp_path / "actions.parquet")
    assert actions.height == 0
    assert actions.columns[:2] == ["match_id", "deal"]
    assert pl.read_parquet(tmp_path / "deals.parquet")["ended_by"].null_count() == 24


def test_a_report_is_the_same_again(tmp_path: Path) -> None:
    reported(tmp_path, SWISS, field_of(5))
    names = ("report.html", "standings.json")
    before = [(tmp_path / name).read_bytes() for name in names]
    reported(tmp_path, SWISS, field_of(5))
    assert [(tmp_path / name).read_bytes() for name in names] == before


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no notation", r"m-0-0-0-0\.bgn:1:\d+: "),
        (dealt(0).bgn.replace("+", "-", 1), r"m-0-0-0-0\.bgn: 1\w "),
    ],
)
def test_notation_that_is_not_sound_is_named(tmp_path: Path, text: str, problem: str) -> None:
    log = event(DUEL, field_of(2)).write(tmp_path)
    (tmp_path / "bgn" / "m-0-0-0-0.bgn").write_text(text, encoding="ascii")
    with pytest.raises(Unusable, match=problem):
        read_event(log)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"m": 1}', '{"m": [{}]}', '{"m": [{"decisions": -1, "think_ms": 0}]}']
)
def test_times_that_are_none_are_named(tmp_path: Path, text: str) -> None:
    log = event(DUEL, field_of(2)).write(tmp_path)
    (tmp_path / "times.json").write_text(text, encoding="utf-8")
    with pytest.raises(Unusable, match=r"times\.json: these are no times"):
        read_event(log)


@pytest.mark.parametrize("match_id", ["../secret", "/etc/passwd", "a/b", ".", "", "é"])
def test_an_id_that_is_no_name_of_a_file_is_never_looked_up(tmp_path: Path, match_id: str) -> None:
    played = event(DUEL, field_of(2))
    log = played.write(tmp_path)
    text = log.read_text(encoding="utf-8").replace("m-0-0-0-0", match_id)
    log.write_text(text, encoding="utf-8")
    read = read_event(log)
    assert len(read.notation) == len(played.matches) - 1


@pytest.mark.parametrize("name", ["boards", "deals", "actions"])
def test_every_column_is_told_in_the_order_it_has(tmp_path: Path, name: str) -> None:
    reported(tmp_path, DUEL, field_of(2))
    text = (Path(__file__).parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")
    part = text.split(f"### `{name}.parquet`")[1].split("### ")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    told = re.findall(r"`(\w+)`", " ".join(cells))
    assert told == pl.read_parquet(tmp_path / f"{name}.parquet").columns
