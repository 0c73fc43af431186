"""From a score to a number: targets are brought to [-1, 1] by their range, answers back to their own units.

The theory of gradient boosting is about labels in the unit ball. Each target's range is given, or learned
as the stream goes by: a target beyond the range so far is taught as the end of the range, and only then
widens it, for later examples, by its own width at most: one outlier cannot leave all other targets in a
corner of the range, and a stream that moves to another scale is followed in steps that double. With d
targets each is brought to [-1, 1] / sqrt(d), so that all of them together lie in the unit ball. An answer
never leaves the range; before there is one, there is no answer.

Learners speak in units of the range. When it widens, what they say is read in the new units, as if it had
been learned there: one that was right within the old range is off by at most the share by which the range
grew, and corrects itself from the next examples on. Of exchangeable targets the t-th widens a range with
probability 2 / t, so this happens some 2 log(T) times, and early; give the range where it is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import decision_answer, decision_count, decision_hear, decision_learn
from shoal.types import Floats, Lesson, Room, Task

Range = tuple[float, float] | Sequence[tuple[float, float]]


class TargetState(NamedTuple):
    """The range of every target so far; low > high where there was none yet."""

    low: Floats  # (d,)
    high: Floats


@dataclass(frozen=True)
class Targets:
    """How scores become numbers. known: the range of the target, (low, high), or one for each of several."""

    known: Range | None = None

    def init(self, task: Task) -> TargetState:
        """Before any example."""
        d = task.n_outputs
        if self.known is None:
            return TargetState(np.full(d, math.inf), np.full(d, -math.inf))
        known = np.asarray(self.known, dtype=np.float64)
        if known.shape not in ((2,), (d, 2)) or not np.isfinite(known).all():
            raise InputError(
                f"target_range is {self.known!r}; expected two finite numbers (low, high), or a pair for each of "
                f"the {d} targets."
            )
        low, high = np.broadcast_to(known, (d, 2)).T
        if not (low < high).all():
            raise InputError(f"target_range is {self.known!r}; expected the low end below the high one.")
        return TargetState(low.copy(), high.copy())

    def widen(self, state: TargetState, task: Task) -> TargetState:
        """Targets do not grow in number."""
        return state

    def n_outputs(self, state: TargetState) -> int:
        """How many targets there are."""
        return len(state.low)

    def blank_answers(self, n_rows: int, width: int) -> tuple[Floats, Floats]:
        """Room for a number per row and target; there are no probabilities."""
        return np.zeros((n_rows, width)), np.zeros((n_rows, 0))

    def blank_lesson(self, n_learners: int, n_outputs: int) -> Lesson:
        """Room for a lesson."""
        target, weight, offset, step = (np.zeros((n_learners, n_outputs)) for _ in range(4))
        return Lesson(target, weight, offset, step, np.zeros(2))


@body(decision_answer, TargetState)
def answer(decision: TargetState, score: Floats, predicted: Floats, proba: Floats, t: int) -> None:
    """The numbers answered for row t; NaN, no answer, before it is known where targets lie."""
    size = math.sqrt(float(len(score)))
    for c in range(len(score)):
        low, high = decision.low[c], decision.high[c]
        inner = min(max(size * score[c], -1.0), 1.0)
        predicted[t, c] = middle(low, high) + half(low, high) * inner if low <= high else math.nan


@inlined
def middle(low: float, high: float) -> float:
    """Of a range, also of one that is longer than the largest number."""
    return 0.5 * low + 0.5 * high


@inlined
def half(low: float, high: float) -> float:
    """Half its width."""
    return 0.5 * high - 0.5 * low


@inlined
def widened(low: float, high: float, y: float) -> tuple[float, float]:
    """The range with y in it or, where y is further off than the range is wide, at twice its width."""
    if not low < high:
        return min(low, y), max(high, y)
    width = high - low
    return min(low, max(y, low - width)), max(high, min(y, high + width))


@body(decision_hear, TargetState)
def hear(decision: TargetState, room: Room, labels: Floats, t: int) -> float:
    """Leave the targets of row t in the room, in units of the range so far; then let the range take them in."""
    d = labels.shape[1]
    size = math.sqrt(float(d))
    for c in range(d):
        y, low, high = labels[t, c], decision.low[c], decision.high[c]
        inner = 0.0
        if low < high:
            inner = (y - middle(low, high)) / half(low, high)
        elif low == high and y != low:
            inner = 1.0 if y > low else -1.0
        room.target[c] = min(max(inner, -1.0), 1.0) / size
        decision.low[c], decision.high[c] = widened(low, high, y)
    return room.target[0]


@body(decision_count, TargetState)
def count(decision: TargetState, y: float, weight: float) -> float:
    """The example's weight."""
    return weight


@body(decision_learn, TargetState)
def learn(decision: TargetState, room: Room, y: float, weight: float, counted: float) -> None:
    """The range has learned when it heard the label."""
