"""Scales, ticks and axes of charts drawn as SVG, styled by the page they stand in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from shoal.evaluation.markup import Markup, join, tag
from shoal.types import Floats

WIDTH = 800.0
CHARACTER = 7.9  # room for a letter at the chart's font size of 13, in the widest of the usual fonts
COLOURS = 6  # what the style sheet has; further series are drawn in grey


@dataclass(frozen=True)
class Scale:
    """From values low..high to pixels start..stop."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, values: Floats | float) -> Floats:
        value = np.asarray(values, dtype=np.float64)
        low, high = self.low, self.high
        if self.log:
            value, low, high = np.log10(value), log10(low), log10(high)
        return np.asarray(self.start + (value - low) / (high - low) * (self.stop - self.start))

    def at(self, value: float) -> float:
        """The pixel of one value."""
        return float(self(value))

    def ticks(self, about: int = 5) -> list[float]:
        """Round values within the scale: powers of ten, or steps of 1, 2 or 5 times one."""
        if self.log:
            exponents = range(ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9) + 1)
            return [10.0**e for e in exponents]
        rough = (self.high - self.low) / about
        size = 10.0 ** floor(log10(rough))
        step = size * next(m for m in (1.0, 2.0, 5.0, 10.0) if m * size >= rough * (1.0 - 1e-9))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]


def padded(low: float, high: float, floor_at: float = 0.0) -> tuple[float, float]:
    """Limits with a little room around the values, not below `floor_at` and never of width zero."""
    room = 0.06 * (high - low) or 0.05 * abs(high) or 0.01
    return max(floor_at, low - room), high + room


def drawing(height: float, label: str, *children: object) -> Markup:
    """The whole picture; `label` tells those who cannot see it what it shows."""
    return tag(
        "svg", *children, class_="chart", viewBox=f"0 0 {WIDTH:g} {height:g}", role="img", aria_label=label
    )  # fmt: skip


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> Markup:
    """Words at a place; `kind` is their style class."""
    return tag("text", words, x=x, y=y, class_=kind or None, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def path(x: Floats, y: Floats) -> str:
    """The path through points, to a tenth of a pixel."""
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))


def horizontal_axis(scale: Scale, top: float, bottom: float, name: str, form: Callable[[float], str]) -> Markup:
    """Ticks below the picture, fine lines up through it, and what is measured."""
    marks = [
        join(
            line(scale.at(t), top, scale.at(t), bottom, "grid"),
            text(scale.at(t), bottom + 18.0, form(t), "tick", "middle"),
        )
        for t in scale.ticks(6)
    ]
    return join(*marks, text((scale.start + scale.stop) / 2.0, bottom + 38.0, name, "axis", "middle"))


def vertical_axis(scale: Scale, left: float, right: float, name: str, form: Callable[[float], str]) -> Markup:
    """Ticks at the left, fine lines through the picture, and what is measured above it."""
    marks = [
        join(
            line(left, scale.at(t), right, scale.at(t), "grid"),
            text(left - 8.0, scale.at(t) + 4.0, form(t), "tick", "end"),
        )
        for t in scale.ticks(5)
    ]
    return join(*marks, text(4.0, 14.0, name, "axis"))


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in the same order, at least `gap` apart, within low..high if they fit."""
    places = np.array(wanted, dtype=np.float64)
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    # the closest places under "at least gap apart" are an isotonic fit of the wanted ones less the steps
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(places[order] - steps).x if len(places) else places
    fitted = np.clip(fitted, low, max(low, high - (steps[-1] if len(steps) else 0.0)))
    places[order] = fitted + steps
    return [float(place) for place in places]
