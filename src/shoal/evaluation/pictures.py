"""Charts as SVG files of their own, to be put into a page, a paper or a talk."""

from __future__ import annotations

import re
from importlib.resources import files

from shoal.evaluation.markup import Markup, tag
from shoal.evaluation.svg import WIDTH

MARGIN = 8.0


def picture(*charts: Markup) -> str:
    """One chart below the other, on white, with their style within."""
    style = files("shoal.evaluation").joinpath("templates", "report.css").read_text(encoding="utf-8")
    top, placed = MARGIN, []
    for chart in charts:
        height = height_of(chart)
        placed.append(tag("g", chart_at_its_size(chart, height), transform=f"translate({MARGIN:g} {top:g})"))
        top += height + MARGIN
    width = WIDTH + 2.0 * MARGIN
    return tag(
        "svg", tag("style", Markup(style)), tag("rect", width=width, height=top, fill="#ffffff"), *placed,
        xmlns="http://www.w3.org/2000/svg", class_="shoal-report", viewBox=f"0 0 {width:g} {top:g}",
        width=width, height=top,
    )  # fmt: skip


def height_of(chart: Markup) -> float:
    """The height that a drawing says it has."""
    found = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', chart)
    assert found is not None, "every drawing begins with its view box"
    return float(found.group(1))


def chart_at_its_size(chart: Markup, height: float) -> Markup:
    """The drawing with a size in pixels: within another picture nothing else gives it one."""
    size = f'style="width:{WIDTH:g}px;min-width:0;height:{height:g}px" '
    return Markup(chart.replace("<svg ", f"<svg {size}", 1))
