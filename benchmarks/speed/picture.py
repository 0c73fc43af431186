"""The picture: examples a second along each question, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.speed.cases import SWEPT

from shoal.evaluation import svg
from shoal.evaluation.markup import Markup, tag

SWEEPS = ("learners", "features", "non-zeros", "declared features", "classes", "rows")
PANEL, GAP, LEFT = 250.0, 74.0, 62.0
COLOURS = ("#2563a8", "#1b8a5a", "#b3541e", "#8a3ea8", "#a88a00", "#6b6b6b")
STYLE = (
    "text{font:13px sans-serif;fill:#444}.axis{font-weight:600}.grid{stroke:#ddd}.base{stroke:#888}"
    ".line{fill:none;stroke-width:2}"
)


def power(value: float) -> str:
    """1k, 10k, 1M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def curve(results: Sequence[dict[str, Any]], x: svg.Scale, y: svg.Scale, colour: str) -> Markup:
    """One contestant's line through its points."""
    sizes = np.array([r["size"] for r in results], dtype=np.float64)
    speeds = np.array([r["per_second"] for r in results])
    dots = [tag("circle", cx=a, cy=b, r=3.0, fill=colour) for a, b in zip(x(sizes), y(speeds), strict=True)]
    return tag("g", tag("path", d=svg.path(x(sizes), y(speeds)), class_="line", stroke=colour), *dots)


def panel(found: dict[str, Any], sweep: str, top: float) -> Markup:
    """One question."""
    own = [r for r in found["results"] if r["sweep"] == sweep]
    sizes, speeds = [r["size"] for r in own], [r["per_second"] for r in own]
    x = svg.Scale(min(sizes) / 1.2, max(sizes) * 1.2, LEFT, svg.WIDTH - 300.0, log=True)
    y = svg.Scale(
        10.0 ** np.floor(np.log10(min(speeds))), 10.0 ** np.ceil(np.log10(max(speeds))), PANEL, 30.0, True
    )
    lines = [(name, COLOURS[i], [r for r in own if r["contestant"] == name]) for i, name in enumerate(SWEPT)]
    lines = [line for line in lines if line[2]]
    ends = [y.at(results[-1]["per_second"]) for _, _, results in lines]
    names = [
        tag("text", name, x=x.stop + 12.0, y=place + 4.0, fill=colour, style=f"fill:{colour}")
        for (name, colour, _), place in zip(lines, svg.spread_out(ends, 17.0, 34.0, PANEL), strict=True)
    ]
    return tag(
        "g",
        svg.vertical_axis(y, x.start, x.stop, f"examples a second, by {sweep}", power),
        svg.horizontal_axis(x, PANEL, PANEL, "", power),
        svg.line(x.start, PANEL, x.stop, PANEL, "base"),
        *[curve(results, x, y, colour) for _, colour, results in lines],
        *names,
        transform=f"translate(0 {top:g})",
    )


def picture(found: dict[str, Any]) -> str:
    """All questions, one below the other, as a file of its own."""
    asked = [sweep for sweep in SWEEPS if any(r["sweep"] == sweep for r in found["results"])]
    height = (PANEL + GAP) * len(asked)
    panels = [panel(found, sweep, i * (PANEL + GAP)) for i, sweep in enumerate(asked)]
    drawn = tag(
        "svg",
        tag("style", STYLE),
        tag("rect", width=svg.WIDTH, height=height, fill="white"),
        *panels,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {svg.WIDTH:g} {height:g}",
        role="img",
        aria_label="Examples a second of shoal and its peers",
    )
    return str(drawn) + "\n"
