"""Boards, deals and actions of an event as tables for other programs (docs/reports.md)."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import polars as pl

from burraco.bots.report_event import ReportedEvent
from burraco.bots.report_notation import NotedAction, NotedDeal
from burraco.engine.scoring import SideScore
from burraco.engine.state import SEAT_NAMES
from burraco.tournament.accounts import PlayedHalf, PlayedTable, played_tables
from burraco.tournament.rows import BoardPlayed
from burraco.tournament.scoring import half_gains

Cell = None | bool | int | str | list[str]
Columns = dict[str, pl.DataType | type[pl.DataType]]

_PLACE: Final[Columns] = {
    "round": pl.Int32,
    "table": pl.Int32,
    "board": pl.Int32,
    "attempt": pl.Int32,
    "deck": pl.Int32,
}
_BOARDS: Final[Columns] = {
    **_PLACE,
    "first": pl.String,
    "second": pl.String,
    "gain_first": pl.Int64,
    "gain_second": pl.Int64,
    "deals": pl.Int32,
    "clean_gain": pl.Int64,
    "clean_deals": pl.Int32,
}
_PARTS: Final = ("melds", "hands", "burrachi", "closing", "pozzetto")
_DEALS: Final[Columns] = {
    **_PLACE,
    "half": pl.Int32,
    "match_id": pl.String,
    "ns": pl.String,
    "ew": pl.String,
    "points_ns": pl.Int64,
    "points_ew": pl.Int64,
    "gain_ns": pl.Int64,
    "gain_ew": pl.Int64,
    "fault_ns": pl.Boolean,
    "fault_ew": pl.Boolean,
    "match_end": pl.String,
    "reasons": pl.List(pl.String),
    "ended_by": pl.String,
    "closer": pl.String,
    "dealer": pl.String,
    "turns": pl.Int32,
    "actions": pl.Int32,
    **{f"{part}_{side}": pl.Int32 for side in ("ns", "ew") for part in _PARTS},
}
_ACTIONS: Final[Columns] = {
    "match_id": pl.String,
    "deal": pl.Int32,
    "action": pl.Int32,
    "turn": pl.Int32,
    "seat": pl.String,
    "entry": pl.String,
    "kind": pl.String,
    "cards": pl.String,
    "meld": pl.Int32,
    "timed_out": pl.Boolean,
    "hand": pl.Int32,
    "pile": pl.Int32,
    "stock": pl.Int32,
}


def write_tables(event: ReportedEvent, out: Path) -> tuple[Path, ...]:
    """Write all three and say where; a table without rows has its columns all the same."""
    tables = (
        ("boards", _BOARDS, _boards(event)),
        ("deals", _DEALS, _deals(event)),
        ("actions", _ACTIONS, _actions(event)),
    )
    written: list[Path] = []
    for name, columns, rows in tables:
        path = out / f"{name}.parquet"
        _frame(columns, rows).write_parquet(path)
        written.append(path)
    return tuple(written)


def _frame(columns: Columns, rows: Iterable[Mapping[str, Cell]]) -> pl.DataFrame:
    cells: dict[str, list[Cell]] = {name: [] for name in columns}
    for row in rows:
        for name, column in cells.items():
            column.append(row.get(name))
    return pl.DataFrame(cells, schema=columns)


def _place(table: PlayedTable, board: BoardPlayed) -> dict[str, Cell]:
    """Everything counts from 1, as in the report, but attempts, of which the first is 0."""
    return {
        "round": table.round + 1,
        "table": table.number + 1,
        "board": board.board + 1,
        "attempt": board.attempt,
        "deck": table.table.deck + 1,
    }


def _boards(event: ReportedEvent) -> Iterator[dict[str, Cell]]:
    plan = event.progress.plan
    for table in played_tables(event.progress):
        first, second = map(event.side_name, table.table.sides)
        for board in table.boards:
            gains = [half_gains(plan, half) for half in board.halves]
            clean = [
                gain[0]
                for gain, half in zip(gains, board.halves, strict=True)
                if not any(half.at_fault)
            ]
            yield {
                **_place(table, board),
                "first": first,
                "second": second,
                "gain_first": sum(gain[0] for gain in gains),
                "gain_second": sum(gain[1] for gain in gains),
                "deals": len(gains),
                "clean_gain": sum(clean),
                "clean_deals": len(clean),
            }


def _deals(event: ReportedEvent) -> Iterator[dict[str, Cell]]:
    for half in event.halves:
        noted = event.notation.get(half.result.match_id, ())
        yield {**_half(event, half), **(_noted(noted[-1]) if noted else {})}


def _half(event: ReportedEvent, half: PlayedHalf) -> dict[str, Cell]:
    # By where they sat: in the second half the first side is East and West.
    ns, ew = (0, 1) if half.half % 2 == 0 else (1, 0)
    result, sides = half.result, half.at.table.sides
    return {
        **_place(half.at, half.board),
        "half": half.half + 1,
        "match_id": result.match_id,
        "ns": event.side_name(sides[ns]),
        "ew": event.side_name(sides[ew]),
        "points_ns": result.points[ns],
        "points_ew": result.points[ew],
        "gain_ns": half.gains[ns],
        "gain_ew": half.gains[ew],
        "fault_ns": result.at_fault[ns],
        "fault_ew": result.at_fault[ew],
        "match_end": result.end,
        "reasons": list(result.reasons),
    }


def _noted(deal: NotedDeal) -> dict[str, Cell]:
    closer = None if deal.end is None else deal.end.closer
    parts: dict[str, Cell] = {}
    for side, score in zip(("ns", "ew"), deal.scores, strict=True):
        parts |= _parts(side, score)
    return {
        "ended_by": None if deal.end is None else deal.end.by.value,
        "closer": None if closer is None else SEAT_NAMES[closer],
        "dealer": SEAT_NAMES[deal.dealer],
        "turns": deal.actions[-1].turn if deal.actions else 0,
        "actions": len(deal.actions),
        **parts,
    }


def _parts(side: str, score: SideScore) -> dict[str, Cell]:
    return {f"{part}_{side}": getattr(score, part) for part in _PARTS}


def _actions(event: ReportedEvent) -> Iterator[dict[str, Cell]]:
    names = [entry.name for entry in event.progress.entries]
    for half in event.halves:
        match_id = half.result.match_id
        for deal in event.notation.get(match_id, ()):
            for number, action in enumerate(deal.actions, start=1):
                entry = names[half.at.entry_at(action.seat, half.half)]
                where: dict[str, Cell] = {"match_id": match_id, "deal": deal.number}
                yield {**where, "action": number, "entry": entry, **_action(action)}


def _action(action: NotedAction) -> dict[str, Cell]:
    return {
        "turn": action.turn,
        "seat": SEAT_NAMES[action.seat],
        "kind": action.kind,
        "cards": action.cards,
        "meld": action.meld,
        "timed_out": action.timed_out,
        "hand": action.hand,
        "pile": action.pile,
        "stock": action.stock,
    }
