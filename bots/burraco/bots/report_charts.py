"""The charts of a report as SVG that stands in a page: no link, and the colours of its text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import vl_convert

Datum = Mapping[str, str | int | float]

# Told apart by colour-blind eyes, and legible on white and on black.
PALETTE: Final = (
    "#3b82c4",
    "#d97706",
    "#2e9e6b",
    "#d0494e",
    "#9a6bd0",
    "#a8861b",
    "#1f9aa8",
    "#c85c97",
)
_REST: Final = "#8a8a8a"
_CROWD: Final = "all others"
_MOST_TICKS: Final = 16
_TEXT: Final = "currentColor"
# Alike in width, so that what was measured for one fits the others.
_FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
_WIDTH: Final = 620
_ROW: Final = 20
_ROWS: Final = alt.NamedData(name="rows")
_XMLNS: Final = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
_SIZE: Final = re.compile(r'<svg([^>]*?)\swidth="[^"]*"\sheight="[^"]*"')
_IDS: Final = re.compile(r'(\bid="|url\(#)')


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, what it shows in words for those who do not see it, and what its colours mean.

    The page tells the colours, and not the picture: only it knows how wide its letters are.
    """

    svg: str
    words: str
    colours: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Whisker:
    """A figure with its interval; None where that is not known."""

    name: str
    points: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Line:
    """How one entry did, round by round; rounds count from 1."""

    name: str
    points: Sequence[tuple[int, float]]


def whiskers(title: str, rows: Sequence[Whisker]) -> Chart:
    """A dot for each row with its interval, in the order of the rows."""
    values: list[Datum] = [
        {
            "name": row.name,
            "points": row.points,
            "low": row.points if row.interval is None else row.interval[0],
            "high": row.points if row.interval is None else row.interval[1],
        }
        for row in rows
    ]
    names = [row.name for row in rows]
    base = alt.Chart(_ROWS).encode(y=_names(names))
    span = base.mark_rule(color=PALETTE[0], strokeWidth=2).encode(
        x=alt.X("low:Q", title=title), x2="high:Q"
    )
    dot = base.mark_circle(color=PALETTE[0], size=64, opacity=1).encode(x="points:Q")
    zero = (
        alt.Chart(alt.InlineData(values=[{"zero": 0}]))
        .mark_rule(color=_TEXT, opacity=0.6, strokeDash=[4, 3])
        .encode(x="zero:Q")
    )
    words = f"{title}: " + "; ".join(f"{row.name} {row.points:+.1f}" for row in rows)
    return Chart(_svg(zero + span + dot, values, "w", height=_ROW * len(rows)), words)


def lines(title: str, rows: Sequence[Line]) -> Chart:
    """A line for each row, the first ones in colour and named; the others are one grey crowd."""
    names = [row.name for row in rows[: len(PALETTE)]] + [_CROWD] * (len(rows) > len(PALETTE))
    colours = [*PALETTE, _REST] if len(rows) > len(PALETTE) else [*PALETTE[: len(names)]]
    last = max((number for row in rows for number, _ in row.points), default=1)
    in_crowd = alt.datum.name == _CROWD
    picture = (
        alt.Chart(_ROWS)
        # Drawn from the last to the first, so that the leaders lie on top.
        .transform_calculate(depth="-datum.line")
        .mark_line(point={"size": 26, "opacity": 1} if last <= _MOST_TICKS else False)
        .encode(
            x=_rounds(last),
            y=alt.Y("points:Q", title=title),
            color=alt.Color("name:N", scale=alt.Scale(domain=names, range=colours), legend=None),
            detail="depth:Q",
            opacity=alt.condition(in_crowd, alt.value(0.5), alt.value(1)),
            strokeWidth=alt.condition(in_crowd, alt.value(1), alt.value(2)),
        )
    )
    svg = _svg(picture, _points(rows), "l", height=340)
    words = f"{title}, a line for each entry by round"
    return Chart(svg, words, tuple(zip(names, colours, strict=True)))


def _points(rows: Sequence[Line]) -> Iterator[Datum]:
    for at, row in enumerate(rows):
        name = row.name if at < len(PALETTE) else _CROWD
        for number, points in row.points:
            yield {"line": at, "name": name, "round": number, "points": points}


def _rounds(last: int) -> alt.X:
    ticks = list(range(1, last + 1, max(1, last // _MOST_TICKS)))
    return alt.X(
        "round:Q",
        title="round",
        axis=alt.Axis(values=ticks, format="d", grid=False),
        scale=alt.Scale(domain=[1, max(2, last)], nice=False),
    )


def shares(title: str, names: Sequence[str], kinds: Sequence[str], rows: Iterable[Datum]) -> Chart:
    """A bar for each name, cut by kind; rows have ``name``, ``kind`` and ``count``."""
    ordered = [{**row, "order": kinds.index(str(row["kind"]))} for row in rows]
    colours = [*PALETTE[: len(kinds)]]
    picture = (
        alt.Chart(_ROWS)
        .mark_bar(height={"band": 0.78})
        .encode(
            y=_names(names),
            x=alt.X(
                "count:Q", stack="normalize", title=title, axis=alt.Axis(format="%", tickCount=5)
            ),
            color=alt.Color(
                "kind:N", scale=alt.Scale(domain=list(kinds), range=colours), legend=None
            ),
            order="order:Q",
        )
    )
    words = f"{title}, a bar for each entry"
    svg = _svg(picture, ordered, "s", height=_ROW * len(names))
    return Chart(svg, words, tuple(zip(kinds, colours, strict=True)))


def boxes(title: str, names: Sequence[str], rows: Iterable[Datum]) -> Chart:
    """A box for each name with the middle half of its figures; rows have ``name`` and ``ms``."""
    picture = (
        alt.Chart(_ROWS)
        .mark_boxplot(
            extent=1.5,
            size=11,
            color=PALETTE[0],
            median={"color": _TEXT},
            outliers={"size": 14, "color": PALETTE[0], "opacity": 0.6},
        )
        .encode(
            y=_names(names),
            x=alt.X(
                "ms:Q",
                title=title,
                scale=alt.Scale(type="log"),
                axis=alt.Axis(labelOverlap="greedy", format="~r"),
            ),
        )
    )
    return Chart(
        _svg(picture, rows, "b", height=_ROW * len(names)), f"{title}, a box for each entry"
    )


def _names(names: Sequence[str]) -> alt.Y:
    axis = alt.Axis(labelLimit=220, ticks=False, domain=False)
    return alt.Y("name:N", sort=list(names), title=None, axis=axis)


def _svg(
    chart: alt.Chart | alt.LayerChart, rows: Iterable[Datum], prefix: str, *, height: int
) -> str:
    """The chart as a piece of a page: its ids are its own, and its size is at most the page's."""
    sized = chart.properties(width=_WIDTH, height=height, background="transparent").configure(
        font=_FONT,
        padding={"left": 16, "right": 16, "top": 5, "bottom": 5},
        axis=alt.AxisConfig(
            labelColor=_TEXT,
            titleColor=_TEXT,
            domainColor="#888",
            tickColor="#888",
            gridColor="#888",
            gridOpacity=0.25,
            labelFontSize=12,
            labelFlush=False,
            titleFontSize=12,
            titleFontWeight="normal",
        ),
        view=alt.ViewConfig(stroke=None),
    )
    # Rows come in last: checked one by one against the schema they would take seconds.
    drawn = sized.to_dict()
    drawn.setdefault("datasets", {})[_ROWS.name] = [dict(row) for row in rows]
    svg = vl_convert.vegalite_to_svg(drawn)
    return _IDS.sub(rf"\g<1>{prefix}-", _SIZE.sub(r"<svg\1", _XMLNS.sub("", svg)))
