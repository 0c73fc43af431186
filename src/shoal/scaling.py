"""Scale a row for linear learners, with what earlier rows have shown.

    standard   a feature stored in most rows: less its mean, over its standard deviation; a rarer one: over
               the root mean square of its stored values, so that its zeros stay zeros; then as `unit`
    minmax     every feature to [-1, 1] by the range seen so far (clipped), then as `unit`
    unit       the row, its bias in front, divided by its own length
    none       the row as it is, its bias in front

Scaling row t uses rows before t only. A feature that a row leaves out is 0 there. `unit`, `none` and
`standard` cost the row's non-zeros (those features that `standard` moves away from 0 are at most 1 / `often`
times as many as an average row has); `minmax` moves zeros and costs the declared features. A missing value takes
no part: it is left out of the scaled row and out of what is learned. What is learned are sums over the
*stored* values; the zeros, which are not stored, are put back when a feature is scaled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.kernels.compiler import in_place, inlined
from shoal.types import Floats, Ints, Row, Rows


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
    often: float  # share of the rows from which a feature is common
    rows: Floats  # (1,) rows seen
    n_common: Ints  # (1,) how many features are stored in most rows
    common: NDArray[np.int32]  # (d,) which they are, rising; for `standard`
    stored: Floats  # (d,) rows in which the feature was stored
    missing: Floats  # (d,) rows in which it was missing
    low: Floats  # (d,) least stored value
    high: Floats
    mean: Floats  # (d,) of the stored values
    spread: Floats  # (d,) sum of their squared distances from the mean


@dataclass(frozen=True)
class Scaling:
    """How rows are scaled.

    method: "standard", "minmax", "unit" or None.
    bias: whether a 1 is put in front.
    often: share of the rows that a feature is stored in from which `standard` takes it for common, in (0, 1).
    """

    method: str | None = "standard"
    bias: bool = True
    often: float = 0.5

    def check(self) -> None:
        """Refuse an unknown method."""
        if self.method not in BY_NAME:
            raise InputError(f"scaling is {self.method!r}; expected 'standard', 'minmax', 'unit' or None.")
        if not 0.0 < self.often < 1.0:
            raise InputError(f"often is {self.often!r}; expected a share in (0, 1), such as 0.5.")

    def init(self, capacity: int) -> ScalingState:
        """Before any row, with room for that many features."""
        self.check()
        kind = BY_NAME[self.method]
        d = capacity if kind in (Kind.MINMAX, Kind.STANDARD) else 0
        common = np.zeros(d, dtype=np.int32)
        tables = [np.zeros(d) for _ in range(6)]
        n_common = np.zeros(1, dtype=np.int64)
        return ScalingState(int(kind), float(self.bias), float(self.often), np.zeros(1), n_common, common, *tables)

    def grow(self, state: ScalingState, capacity: int) -> ScalingState:
        """With room for more features."""
        more = capacity - len(state.stored)
        if state.kind not in (MINMAX, STANDARD) or more <= 0:
            return state
        common = np.concatenate([state.common, np.zeros(more, dtype=np.int32)])
        grown = [np.concatenate([table, np.zeros(more)]) for table in state[6:]]
        return ScalingState(state.kind, state.bias, state.often, state.rows, state.n_common, common, *grown)

    def most_inputs(self, state: ScalingState, n_features: int, rows: Rows) -> int:
        """A bound of the inputs that any of the rows has, scaled: only what rows hold can become common."""
        if state.kind == MINMAX:
            return 1 + n_features
        return 1 + min(n_features, len(rows.indices) + int(state.n_common[0]))


@inlined
def in_range(state: ScalingState, j: int, value: float) -> float:
    """One value of feature j in [-1, 1] by the range of the rows before."""
    if state.stored[j] == 0.0:
        return 0.0
    low, high = state.low[j], state.high[j]
    if state.stored[j] < state.rows[0] - state.missing[j]:
        low, high = min(low, 0.0), max(high, 0.0)
    width = high - low
    if width <= FLAT * max(abs(low), abs(high)):
        return 0.0
    return min(1.0, max(-1.0, (2.0 * value - low - high) / width))


@inlined
def standardised(state: ScalingState, j: int, value: float) -> float:
    """One value of a common feature, by the mean and the deviation of the rows before, zeros included."""
    n = state.rows[0] - state.missing[j]
    share = state.stored[j] / n
    mean = state.mean[j] * share
    variance = (state.spread[j] + state.mean[j] ** 2 * state.stored[j] * (1.0 - share)) / n
    sd = math.sqrt(max(variance, 0.0))
    if sd <= FLAT * abs(state.mean[j]):
        return 0.0
    return min(FAR, max(-FAR, (value - mean) / sd))


@inlined
def by_its_size(state: ScalingState, j: int, value: float) -> float:
    """One stored value of a rare feature, over the typical size of its stored values; at first its own."""
    if state.stored[j] == 0.0:
        return 1.0 if value > 0.0 else -1.0
    size = math.sqrt(state.spread[j] / state.stored[j] + state.mean[j] ** 2)
    return min(FAR, max(-FAR, value / size))


@inlined
def put_in_range(
    state: ScalingState,
    n_features: int,
    indices: NDArray[np.int32],
    values: Floats,
    input_indices: NDArray[np.int32],
    inputs: Floats,
    n: int,
) -> int:
    """Every feature by its range, after the n inputs there are already."""
    p = 0
    for j in range(n_features):
        value = 0.0
        if p < len(indices) and indices[p] == j:
            value = values[p]
            p += 1
        scaled = 0.0 if math.isnan(value) else in_range(state, j, value)
        if scaled != 0.0:
            input_indices[n] = j + 1
            inputs[n] = scaled
            n += 1
    return n


@inlined
def is_whole(state: ScalingState, indices: NDArray[np.int32]) -> bool:
    """Whether the row stores the first features, all of them common, and these are all common ones: a dense
    row, for which plain loops do.
    """
    n = len(indices)
    return n > 0 and n == state.n_common[0] and indices[n - 1] == n - 1 and state.common[n - 1] == n - 1


@inlined
def standardise_whole(state: ScalingState, values: Floats, inputs: Floats) -> bool:
    """A dense row in one plain loop; False where a feature is missing or 0, and would leave a gap."""
    n_gaps = 0
    for j in range(len(values)):
        scaled = standardised(state, j, values[j])
        inputs[j] = scaled
        n_gaps += scaled == 0.0 or math.isnan(values[j])
    return n_gaps == 0


@inlined
def standardise(
    state: ScalingState,
    indices: NDArray[np.int32],
    values: Floats,
    input_indices: NDArray[np.int32],
    inputs: Floats,
    n: int,
) -> int:
    """The common features, stored or not, and the rare ones that are stored, in rising order."""
    if is_whole(state, indices) and standardise_whole(state, values, inputs[n : n + len(values)]):
        for j in range(len(indices)):
            input_indices[n + j] = j + 1
        return n + len(indices)
    p, q = 0, 0
    end, n_common = len(indices), state.n_common[0]
    while p < end or q < n_common:
        if q < n_common and (p == end or state.common[q] < indices[p]):
            j, scaled = state.common[q], standardised(state, state.common[q], 0.0)
            q += 1
        else:
            j, value = indices[p], values[p]
            p += 1
            is_common = q < n_common and state.common[q] == j
            if is_common:
                q += 1
            if math.isnan(value):
                continue
            scaled = standardised(state, j, value) if is_common else by_its_size(state, j, value)
        if scaled != 0.0:
            input_indices[n] = j + 1
            inputs[n] = scaled
            n += 1
    return n


@in_place
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
    if state.kind == MINMAX:
        n = put_in_range(state, n_features, indices, values, input_indices, inputs, n)
    elif state.kind == STANDARD:
        n = standardise(state, indices, values, input_indices, inputs, n)
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
        inputs[p] /= largest
    for p in range(n):
        total += inputs[p] ** 2
    length = math.sqrt(total)
    for p in range(n):
        inputs[p] /= length


@inlined
def learn_whole(state: ScalingState, values: Floats) -> None:
    """Learn from a dense row whose features were all seen before, in plain loops; they stay common."""
    n = len(values)
    low, high, mean, spread = state.low[:n], state.high[:n], state.mean[:n], state.spread[:n]
    stored = state.stored[:n]
    for j in range(n):
        low[j], high[j] = min(low[j], values[j]), max(high[j], values[j])
    for j in range(n):
        count = stored[j] + 1.0
        step = values[j] - mean[j]
        middle = mean[j] + step / count
        spread[j] += step * (values[j] - middle)
        mean[j] = middle
        stored[j] = count


@in_place
def scaling_update(state: ScalingState, row: Row) -> None:
    """Learn from one row."""
    if state.kind != MINMAX and state.kind != STANDARD:
        return
    state.rows[0] += 1.0
    if is_whole(state, row.indices):
        n_missing = 0
        for p in range(len(row.values)):
            n_missing += math.isnan(row.values[p])
        if n_missing == 0:
            learn_whole(state, row.values)
            return
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
    if state.kind == STANDARD:
        renew_common(state, row)


@inlined
def is_common(state: ScalingState, j: int) -> bool:
    """Whether feature j is stored often among the rows in which it is not missing."""
    return state.stored[j] > state.often * (state.rows[0] - state.missing[j])


@inlined
def renew_common(state: ScalingState, row: Row) -> None:
    """Only features of the row can have become common; any other may have ceased to be."""
    kept = 0
    for q in range(state.n_common[0]):
        if is_common(state, state.common[q]):
            state.common[kept] = state.common[q]
            kept += 1
    q = 0
    for p in range(len(row.indices)):
        j = row.indices[p]
        while q < kept and state.common[q] < j:
            q += 1
        if (q == kept or state.common[q] != j) and is_common(state, j):
            for k in range(kept, q, -1):
                state.common[k] = state.common[k - 1]
            state.common[q] = j
            kept += 1
    state.n_common[0] = kept
