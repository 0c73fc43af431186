"""The error along a stream of unknown length, in a bounded number of points.

Points lie at whole multiples of a spacing. When there are too many, every other one is dropped and the
spacing doubles. The points depend on the losses alone, not on how the stream was cut into chunks.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.evaluation.memory import Remembering
from shoal.types import Floats, Ints

MOST_POINTS = 512
WINDOWS_PER_STREAM = 20  # the window chosen when none is given: a twentieth of the stream


class Curve(NamedTuple):
    """Errors along a stream.

    examples: (n_points,) labelled examples seen. error: the share of them answered wrongly.
    window_error: the same over the last `window` examples.
    """

    examples: Ints
    error: Floats
    window_error: Floats
    window: int


class CurveRecorder(Remembering):
    """Takes losses, 0 or 1 each, and remembers at most `MOST_POINTS` points of their running sums.

    every: first spacing of the points. window: examples in the window; None chooses by the length.
    """

    kind: ClassVar[type] = np.int64  # of the losses' sums

    def __init__(self, every: int | None = None, window: int | None = None) -> None:
        self.spacing = every or 1
        self.n = 0
        self.errors: Any = self.kind(0).item()
        self.points: NDArray[Any] = np.zeros((0, 3), dtype=self.kind)  # examples, errors, errors within the window
        self.latest: NDArray[Any] = np.zeros(window or 0, dtype=self.kind)  # the last losses, oldest first

    def update(self, losses: NDArray[Any]) -> None:
        """Take in the losses of the next examples."""
        examples = self.n + 1 + np.arange(len(losses))
        errors = self.errors + np.cumsum(losses)
        table = np.column_stack([examples, errors, self._window_sums(losses)])
        self.n, self.errors = (
            int(self.n + len(losses)),
            self.kind(errors[-1] if len(losses) else self.errors).item(),
        )
        while True:
            last = self.points[-1, 0] if len(self.points) else 0
            due = table[(table[:, 0] > last) & (table[:, 0] % self.spacing == 0)]
            self.points = np.concatenate([self.points, due[: MOST_POINTS - len(self.points)]])
            if len(self.points) < MOST_POINTS:
                break
            self.spacing *= 2
            self.points = self.points[self.points[:, 0] % self.spacing == 0]

    def _window_sums(self, losses: NDArray[Any]) -> NDArray[Any]:
        window = len(self.latest)
        sums = np.concatenate([[0], np.cumsum(np.concatenate([self.latest, losses]))])
        if window:
            self.latest = np.concatenate([self.latest, losses])[-window:].astype(self.kind)
        return np.asarray(sums[window + 1 :] - sums[1 : len(losses) + 1])

    def curve(self) -> Curve:
        """The points so far, and the present one."""
        points = self.points
        if self.n and (len(points) == 0 or points[-1, 0] < self.n):
            points = np.concatenate([points, [[self.n, self.errors, self.latest.sum()]]])
        examples, errors, recent = points.T
        if len(self.latest):
            window = len(self.latest)
            seen = np.minimum(examples, window)
        else:
            lag = max(1, -(-len(points) // WINDOWS_PER_STREAM))
            window = lag * self.spacing
            recent, seen = _last(errors, lag), _last(examples, lag)
        return Curve(examples.astype(np.int64), errors / examples, recent / seen, window)


def _last(totals: NDArray[Any], lag: int) -> NDArray[Any]:
    """What was added to running totals over the last `lag` points."""
    return totals - np.pad(totals, (lag, 0))[: len(totals)]
