"""Scale a row for linear learners, with what earlier rows have shown.

    unit       the row, its bias in front, divided by its own length: costs its non-zeros
    minmax     every feature to [-1, 1] by the range seen so far (clipped), then as `unit`
    standard   every feature less its mean, over its standard deviation, then as `unit`
    none       the row as it is, its bias in front

Scaling row t uses rows before t only. A feature that a row leaves out is 0 there, and `minmax` and
`standard` move zeros, so their cost grows with the declared features. A missing value takes no part: it
is left out of the scaled row and out of what is learned. What is learned are sums over the *stored*
values; the zeros, which are not stored, are put back when a feature is scaled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.kernels.compiler import compiled, inlined
from shoal.types import Floats, Row


class Kind(IntEnum):
    """The ways to scale; compiled code compares members."""

    NONE = 0
    UNIT = 1
    MINMAX = 2
    STANDARD = 3


BY_NAME = {None: Kind.NONE, "unit": Kind.UNIT, "minmax": Kind.MINMAX, "standard": Kind.STANDARD}
NONE, UNIT, MINMAX, STANDARD = (int(k) for k in Kind)
FLAT = 1e-12  # a feature whose spread is below this share of its size carries nothing
FAR = 10.0  # standard deviations at which a standardised value is cut


class ScalingState(NamedTuple):
    """What rows have shown so far. Arrays over features are empty for `unit` and `none`."""

    kind: int
    bias: float
    rows: Floats  # (1,) rows seen
    stored: Floats  # (d,) rows in which the feature was stored
    missing: Floats  # (d,) rows in which it was missing
    low: Floats  # (d,) least stored value
    high: Floats
    mean: Floats  # (d,) of the stored values
    spread: Floats  # (d,) sum of their squared distances from the mean


@dataclass(frozen=True)
class Scaling:
    """How rows are scaled. method: "unit", "minmax", "standard" or None; bias: whether a 1 is put in front."""

    method: str | None = "unit"
    bias: bool = True

    def check(self) -> None:
        """Refuse an unknown method."""
        if self.method not in BY_NAME:
            raise InputError(f"scaling is {self.method!r}; expected 'unit', 'minmax', 'standard' or None.")

    def init(self, capacity: int) -> ScalingState:
        """Before any row, with room for that many features."""
        self.check()
        kind = BY_NAME[self.method]
        d = capacity if kind in (Kind.MINMAX, Kind.STANDARD) else 0
        zeros = [np.zeros(d) for _ in range(6)]
        return ScalingState(int(kind), float(self.bias), np.zeros(1), *zeros)

    def grow(self, state: ScalingState, capacity: int) -> ScalingState:
        """With room for more features."""
        if state.kind not in (MINMAX, STANDARD):
            return state
        more = capacity - len(state.stored)
        grown = [np.concatenate([a, np.zeros(more)]) for a in state[3:]]
        return ScalingState(state.kind, state.bias, state.rows, *grown)


@inlined
def scale_value(state: ScalingState, j: int, value: float) -> float:
    """One value of feature j by the range or by the moments of the rows before."""
    n = state.rows[0] - state.missing[j]
    stored = state.stored[j]
    if stored == 0.0:
        return 0.0
    if state.kind == MINMAX:
        low, high = state.low[j], state.high[j]
        if stored < n:
            low, high = min(low, 0.0), max(high, 0.0)
        width = high - low
        if width <= FLAT * max(abs(low), abs(high)):
            return 0.0
        return min(1.0, max(-1.0, (2.0 * value - low - high) / width))
    share = stored / n
    mean = state.mean[j] * share
    variance = (state.spread[j] + state.mean[j] ** 2 * stored * (1.0 - share)) / n
    sd = math.sqrt(max(variance, 0.0))
    if sd <= FLAT * (abs(state.mean[j]) + sd) or sd == 0.0:
        return 0.0
    return min(FAR, max(-FAR, (value - mean) / sd))


@compiled
def scale_row(
    state: ScalingState,
    n_features: int,
    indices: NDArray[np.int32],
    values: Floats,
    input_indices: NDArray[np.int32],
    inputs: Floats,
) -> int:
    """Write the scaled row, bias first; answers how many inputs it has."""
    n = 0
    if state.bias != 0.0:
        input_indices[0] = 0
        inputs[0] = state.bias
        n = 1
    if state.kind == MINMAX or state.kind == STANDARD:
        p = 0
        for j in range(n_features):
            value = 0.0
            if p < len(indices) and indices[p] == j:
                value = values[p]
                p += 1
            scaled = 0.0 if math.isnan(value) else scale_value(state, j, value)
            if scaled != 0.0:
                input_indices[n] = j + 1
                inputs[n] = scaled
                n += 1
    else:
        for p in range(len(indices)):
            if not math.isnan(values[p]):
                input_indices[n] = indices[p] + 1
                inputs[n] = values[p]
                n += 1
    if state.kind != NONE:
        to_unit_length(inputs, n)
    return n


@inlined
def to_unit_length(inputs: Floats, n: int) -> None:
    """Divide by the Euclidean length, guarding against overflow by the largest size first."""
    largest = 0.0
    for p in range(n):
        largest = max(largest, abs(inputs[p]))
    if largest == 0.0:
        return
    total = 0.0
    for p in range(n):
        total += (inputs[p] / largest) ** 2
    length = math.sqrt(total)
    for p in range(n):
        inputs[p] = inputs[p] / largest / length


@compiled
def scaling_update(state: ScalingState, row: Row) -> None:
    """Learn from one row."""
    if state.kind != MINMAX and state.kind != STANDARD:
        return
    state.rows[0] += 1.0
    for p in range(len(row.indices)):
        j, value = row.indices[p], row.values[p]
        if math.isnan(value):
            state.missing[j] += 1.0
            continue
        first = state.stored[j] == 0.0
        state.stored[j] += 1.0
        state.low[j] = value if first else min(state.low[j], value)
        state.high[j] = value if first else max(state.high[j], value)
        step = value - state.mean[j]
        state.mean[j] += step / state.stored[j]
        state.spread[j] += step * (value - state.mean[j])
