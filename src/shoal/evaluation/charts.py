"""The two charts of a report: lines along a stream, and dots with their spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.evaluation import svg
from shoal.evaluation.formats import percent, short
from shoal.evaluation.markup import Markup, join, tag
from shoal.types import Floats

POINTS_DRAWN = 200  # more cannot be told apart at this width
POINTS_TOLD = 16  # places along a line that tell their value when pointed at
SETTLED = 0.15  # what comes before this share of the stream does not set the upper limit: it is mostly chance
LABEL_GAP = 16.0


@dataclass(frozen=True)
class Line:
    """One curve. colour: its number, None for grey. low, high: a band around it. faint: drawn thin."""

    name: str
    x: Floats
    y: Floats
    colour: int | None
    low: Floats | None = None
    high: Floats | None = None
    faint: bool = False

    @property
    def style(self) -> str:
        """The classes that the style sheet knows."""
        return colour_class(self.colour) + (" faint" if self.faint else "")

    def thinned(self) -> Line:
        """The same curve in few enough points, the last one kept."""
        stride = -(-len(self.x) // POINTS_DRAWN)
        keep = np.arange(len(self.x) - 1, -1, -stride)[::-1]
        low, high = (None if band is None else band[keep] for band in (self.low, self.high))
        return replace(self, x=self.x[keep], y=self.y[keep], low=low, high=high)


@dataclass(frozen=True)
class Dots:
    """One row: a mean, the range around it, and the single values it is the mean of."""

    name: str
    centre: float
    low: float
    high: float
    told: str
    colour: int | None
    values: Sequence[float] = field(default_factory=tuple)


def colour_class(colour: int | None) -> str:
    """The style of a series; past the last colour all are grey."""
    return "grey" if colour is None or colour >= svg.COLOURS else f"c{colour}"


def line_chart(lines: Sequence[Line], *, label: str, x_name: str, y_name: str, log_x: bool = False) -> Markup:
    """Shares in per cent along a stream, each line named at its end."""
    lines = [item.thinned() for item in lines]
    words = [f"{item.name}  {percent(item.y[-1])}" for item in lines]
    right = svg.WIDTH - 26.0 - svg.CHARACTER * max(len(word) for word in words)
    bottom = 30.0 + max(270.0, LABEL_GAP * len(lines))
    x = svg.Scale(*_x_limits(lines, log_x), 48.0, right, log_x)
    y = svg.Scale(*_y_limits(lines), bottom, 30.0)
    inside = tag(
        "svg",
        *[_band(item, x, y) for item in lines],
        *[_curve(item, x, y) for item in reversed(lines)],
        *[_told_points(item, x, y) for item in lines],
        x=x.start, y=y.stop, width=x.stop - x.start + 1.0, height=bottom - y.stop,
        viewBox=f"{x.start:g} {y.stop:g} {x.stop - x.start + 1.0:.1f} {bottom - y.stop:g}",
    )  # fmt: skip
    return svg.drawing(
        bottom + 46.0,
        label,
        svg.vertical_axis(y, x.start, right, y_name, lambda v: f"{100.0 * v:g}"),
        svg.horizontal_axis(x, bottom, bottom, x_name, short),
        svg.line(x.start, bottom, right, bottom, "base"),
        inside,
        _end_labels(lines, words, x, y),
    )


def dot_chart(
    rows: Sequence[Dots],
    *,
    label: str,
    x_name: str,
    form: Callable[[float], str],
    limits: tuple[float, float] | None = None,
) -> Markup:
    """One row of dots for each name: single values faint, the mean strong, its range as a bar."""
    left = 20.0 + svg.CHARACTER * max(len(row.name) for row in rows)
    right = svg.WIDTH - 16.0 - svg.CHARACTER * max(len(row.told) for row in rows)
    low = min(min(row.low, row.centre, *row.values) for row in rows)
    high = max(max(row.high, row.centre, *row.values) for row in rows)
    x = svg.Scale(*(limits or svg.padded(low, high)), left + 8.0, right - 8.0)
    bottom = 8.0 + 28.0 * len(rows)
    drawn = [_dot_row(row, x, 8.0 + 28.0 * i + 14.0, left, right) for i, row in enumerate(rows)]
    return svg.drawing(
        bottom + 46.0,
        label,
        svg.horizontal_axis(x, 8.0, bottom, x_name, form),
        svg.line(left, bottom, right, bottom, "base"),
        *drawn,
    )


def _dot_row(row: Dots, x: svg.Scale, y: float, left: float, right: float) -> Markup:
    return tag(
        "g",
        tag("title", f"{row.name}: {row.told}"),
        tag("rect", x=0.0, y=y - 14.0, width=svg.WIDTH, height=28.0, class_="hover"),
        svg.text(left - 10.0, y + 4.5, row.name, "name", "end"),
        *[tag("circle", cx=x.at(v), cy=y, r=3.0, class_="single") for v in row.values],
        svg.line(x.at(row.low), y, x.at(row.high), y, "range"),
        tag("circle", cx=x.at(row.centre), cy=y, r=5.5, class_="mean"),
        svg.text(right + 10.0, y + 4.5, row.told, "value"),
        class_=f"row {colour_class(row.colour)}",
    )


def _x_limits(lines: Sequence[Line], log_x: bool) -> tuple[float, float]:
    first, last = min(item.x[0] for item in lines), max(item.x[-1] for item in lines)
    return (float(max(first, 1.0)) if log_x else 0.0), float(max(last, first + 1.0))


def _y_limits(lines: Sequence[Line]) -> tuple[float, float]:
    settled = np.concatenate([item.y[item.x >= SETTLED * item.x[-1]] for item in lines])
    return svg.padded(float(settled.min()), float(settled.max()))


def _curve(item: Line, x: svg.Scale, y: svg.Scale) -> Markup:
    title = tag("title", f"{item.name}: {percent(item.y[-1])} % at the end")
    return tag("path", title, d=svg.path(x(item.x), y(item.y)), class_=f"line {item.style}")


def _band(item: Line, x: svg.Scale, y: svg.Scale) -> Markup | None:
    if item.low is None or item.high is None or item.colour is None:
        return None
    across = np.concatenate([x(item.x), x(item.x)[::-1]])
    edge = np.concatenate([y(item.low), y(item.high)[::-1]])
    return tag("path", d=svg.path(across, edge) + "Z", class_=f"band {item.style}")


def _told_points(item: Line, x: svg.Scale, y: svg.Scale) -> Markup | None:
    if item.colour is None:
        return None
    chosen = np.unique(np.linspace(0, len(item.x) - 1, POINTS_TOLD).astype(int))
    return join(
        *(
            tag(
                "circle",
                tag("title", f"{item.name}: {percent(item.y[i])} % after {item.x[i]:,.0f} examples"),
                cx=x.at(item.x[i]), cy=y.at(item.y[i]), r=5.0, class_=f"point {item.style}",
            )
            for i in chosen
        )
    )  # fmt: skip


def _end_labels(lines: Sequence[Line], words: Sequence[str], x: svg.Scale, y: svg.Scale) -> Markup:
    ends = [y.at(item.y[-1]) for item in lines]
    places = svg.spread_out(ends, LABEL_GAP, y.stop + 4.0, y.start - 4.0)
    labels = []
    for item, end, place in zip(lines, ends, places, strict=True):
        value = percent(item.y[-1])
        labels.append(svg.line(x.stop + 2.0, end, x.stop + 13.0, place, f"leader {item.style}"))
        labels.append(
            tag(
                "text", item.name, tag("tspan", value, class_="value", dx=7.0),
                x=x.stop + 17.0, y=place + 4.5, class_=f"end {item.style}",
            )
        )  # fmt: skip
    return join(*labels)
