"""The critical-difference diagram of Demsar (2006): mean ranks on an axis, bars over what cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from shoal.evaluation import svg
from shoal.evaluation.charts import colour_class
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.statistics import FriedmanTest, indistinguishable

MARGIN = 180.0  # room for names at either side
AXIS = 64.0
BAR_GAP = 9.0
ROW = 22.0


def critical_difference_diagram(names: Sequence[str], test: FriedmanTest) -> Markup:
    """Methods by mean rank, the best at the left; a bar joins those less than the critical difference apart."""
    order = np.argsort(test.ranks, kind="stable")
    ranks = test.ranks[order]
    x = svg.Scale(1.0, float(max(len(names), 2)), MARGIN, svg.WIDTH - MARGIN)
    bars = indistinguishable(ranks, test.critical) if isfinite(test.critical) else []
    top = AXIS + 12.0 + BAR_GAP * len(bars)
    half = -(-len(names) // 2)
    drawn = [
        _name(x, names[i], float(rank), k, half, top, len(names))
        for k, (i, rank) in enumerate(zip(order, ranks, strict=True))
    ]
    return svg.drawing(
        top + ROW * half + 14.0,
        "Mean ranks over data sets, and the critical difference",
        _axis(x, len(names)),
        _critical(x, test.critical),
        *[
            svg.line(x.at(ranks[first]) - 4.0, y, x.at(ranks[last]) + 4.0, y, "range c0")
            for y, (first, last) in zip((AXIS + 12.0 + BAR_GAP * k for k in range(len(bars))), bars, strict=True)
        ],
        *drawn,
    )


def _axis(x: svg.Scale, n: int) -> Markup:
    marks = [
        join(
            svg.line(x.at(k), AXIS - 6.0, x.at(k), AXIS, "base"),
            svg.text(x.at(k), AXIS - 11.0, str(k), "tick", "middle"),
        )
        for k in range(1, n + 1)
    ]
    return join(svg.line(x.start, AXIS, x.stop, AXIS, "base"), *marks)


def _critical(x: svg.Scale, critical: float) -> Markup | None:
    if not isfinite(critical) or 1.0 + critical > x.high:
        return None
    words = f"critical difference {critical:.2f}"
    return join(
        svg.line(x.at(1.0), 24.0, x.at(1.0 + critical), 24.0, "base"),
        svg.text((x.at(1.0) + x.at(1.0 + critical)) / 2.0, 16.0, words, "tick", "middle"),
    )


def _name(x: svg.Scale, name: str, rank: float, place: int, half: int, top: float, n: int) -> Markup:
    """The better half is named at the left, the others at the right, so that lines do not cross."""
    left = place < half
    y = top + ROW * (place if left else n - 1 - place) + 14.0
    edge = x.start - 12.0 if left else x.stop + 12.0
    told = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
    return tag(
        "g",
        svg.line(x.at(rank), AXIS, x.at(rank), y, "base"),
        svg.line(x.at(rank), y, edge, y, "base"),
        svg.text(edge + (-4.0 if left else 4.0), y + 4.5, told, "name", "end" if left else "start"),
        class_=f"row {colour_class(place)}",
    )
