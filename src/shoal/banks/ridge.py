"""Ridge regressors, exact at every step, over the inputs and random units of them.

    x = (tanh(<U_h, z> / sqrt(n)) for every unit h, then the bias and the inputs z),    answer = <w, x>, cut
    P <- P - P x (P x)' c / (1 + c <x, P x>),    w <- w - slope * P x,    P = prior * identity at first

With the squared loss, of curvature c in the answer, this is recursive least squares: w is what ridge regression
over all examples so far would give (penalty 1 / prior). For other losses c is the squared slope, as in online
Newton steps (Hazan, Agarwal and Kale 2007). The n inputs of a row are as scaled, before they were brought to
length one. U is random, made from the learner's key and the feature's, of standard deviation `noise`; 0 leaves
a linear learner. Only the bias and the first `direct` features stand beside the units, and the others are seen
through these. An example costs (units + inputs)**2 a learner. A missing value counts as nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.banks.checks import Turns, check_size
from shoal.banks.linear import BIAS_KEY
from shoal.banks.regression_lessons import cut, length_divided_by, longer, slope_of
from shoal.boosters.regression_losses import P_NORM, slope_at
from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.random import learner_keys, mix, normal
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Keys, Lesson, Row, Scores, Space, Task

UNITS = np.uint64(0x52696467650001)  # keeps these random numbers apart from others made with the same seed


class RidgeState(NamedTuple):
    """Column i * C + c belongs to output c of learner i. D: units, the bias, the inputs that stand beside."""

    noise: Floats  # (N,)
    prior: float
    n_units: int
    keys: Keys  # (N,)
    features: Keys  # (known + 1,) the bias' key, then those of the features
    units: Floats  # (capacity + 1, N * H) U
    means: Floats  # (N * C, D) w
    spreads: Floats  # (N * C, D, D) P


@dataclass(frozen=True)
class Ridge:
    """A bank of ridge regressors.

    noise: standard deviation of the units' random weights; one number or several that learners take in turn.
    n_units: random units of each learner.
    prior: variance of a weight before any example, in units of the noise of targets; 1 / the penalty.
    direct: how many features stand beside the units.
    """

    n_learners: int = 20
    noise: Turns = (0.5, 0.0, 1.5)
    n_units: int = 50
    prior: float = 10.0
    direct: int = 100

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        check_size(self.n_learners, 1.0)
        noise = np.atleast_1d(np.asarray(self.noise, dtype=np.float64))
        if noise.ndim > 1 or not len(noise) or not (np.isfinite(noise) & (noise >= 0.0)).all():
            raise InputError(f"noise is {self.noise!r}; expected a number from 0 on, or several.")
        if not 0.0 < self.prior < math.inf:
            raise InputError(f"prior is {self.prior!r}; expected a finite number above 0.")
        for name in ("n_units", "direct"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected a whole number from 0 on.")

    def init(self, space: Space, task: Task, seed: int) -> RidgeState:
        """Learners that have seen nothing."""
        self.check()
        width, size = self.n_learners * task.n_outputs, self.n_units + 1
        units, none = np.zeros((0, self.n_learners * self.n_units)), np.zeros(0, dtype=np.uint64)
        noise = np.resize(np.atleast_1d(np.asarray(self.noise, dtype=np.float64)), self.n_learners)
        means, spreads = np.zeros((width, size)), np.zeros((width, size, size))
        spreads[:] = self.prior * np.eye(size)
        keys = learner_keys(seed, self.n_learners)
        state = RidgeState(noise, float(self.prior), int(self.n_units), keys, none, units, means, spreads)
        return self.grow(state, space)

    def grow(self, state: RidgeState, space: Space) -> RidgeState:
        """Room for the features of a larger space."""
        units = longer(state.units, space.capacity)
        features = np.concatenate([np.array([BIAS_KEY]), space.keys])
        begin(units, state.keys, features, len(state.features), 0, len(state.keys), state.noise)
        before = state.means.shape[1]
        size = state.n_units + 1 + min(space.capacity, self.direct)
        means, spreads = state.means, state.spreads
        if size > before:
            means = np.zeros((len(state.means), size))
            means[:, :before] = state.means
            spreads = np.zeros((len(means), size, size))
            spreads[:] = self.prior * np.eye(size)
            spreads[:, :before, :before] = state.spreads
        return state._replace(features=features, units=units, means=means, spreads=spreads)

    def widen(self, state: RidgeState, task: Task) -> RidgeState:
        """Targets do not grow in number."""
        return state


@compiled
def begin(units: Floats, keys: Keys, features: Keys, known: int, first: int, last: int, noise: Floats) -> None:
    """Random weights of the learners in [first, last), for the inputs from `known` on."""
    width = units.shape[1] // len(keys)
    for j in range(known, len(features)):
        for i in range(first, last):
            for u in range(width):
                key = mix(mix(mix(keys[i], UNITS), features[j]), np.uint64(u))
                units[j, i * width + u] = noise[i] * normal(key)


@inlined
def look(bank: RidgeState, row: Row, i: int, x: Floats) -> int:
    """What learner i sees of the row, into x; where it begins, behind the units of a linear learner."""
    x[:] = 0.0
    h, length = bank.n_units, length_divided_by(row)
    for p in range(len(row.inputs)):
        j, z = row.input_indices[p], row.inputs[p] * length
        if h + j < len(x):
            x[h + j] = z
        if bank.noise[i] > 0.0:
            weight = bank.units[j]
            for u in range(h):
                x[u] += weight[i * h + u] * z
    if bank.noise[i] == 0.0:
        return h
    size = math.sqrt(max(len(row.inputs), 1))
    for u in range(h):
        x[u] = math.tanh(x[u] / size)
    return 0


@inlined
def inner(weights: Floats, x: Floats, first: int) -> float:
    """<weights, x> from `first` on, summed in order."""
    total = 0.0
    for a in range(first, len(x)):
        total += weights[a] * x[a]
    return total


@inlined
def answer(bank: RidgeState, row: Row, votes: Scores, first: int, last: int) -> None:
    """The answers of the learners in [first, last), cut."""
    x, n_outputs = np.empty(bank.means.shape[1]), votes.shape[1]
    for i in range(first, last):
        start = look(bank, row, i, x)
        for c in range(n_outputs):
            votes[i, c] = cut(inner(bank.means[i * n_outputs + c], x, start))


@inlined
def bend(lesson: Lesson, i: int, c: int, said: float) -> tuple[float, float]:
    """(slope, curvature) of the loss of learner i's answer to output c, before it is cut."""
    if lesson.loss[0] == P_NORM and lesson.loss[1] == 2.0:
        step, weight = lesson.step[i, c], lesson.weight[i, c]
        slope = slope_at(P_NORM, 2.0, lesson.target[i, c], lesson.offset[i, c] + step * said)
        return weight * step * slope, 2.0 * weight * step * step
    slope = slope_of(lesson, i, c, said)
    return slope, slope * slope


@inlined
def step(
    mean: Floats, spread: Floats, x: Floats, across: Floats, start: int, slope: float, curvature: float
) -> None:
    """One Newton step of a column; across: scratch for P x."""
    variance = 0.0
    for a in range(start, len(x)):
        across[a] = inner(spread[a], x, start)
        variance += x[a] * across[a]
    share = 1.0 / (1.0 + curvature * max(variance, 0.0))
    for a in range(start, len(x)):
        mean[a] -= slope * share * across[a]
        shrink = curvature * share * across[a]
        for b in range(start, len(x)):
            spread[a, b] -= shrink * across[b]


@inlined
def learn(bank: RidgeState, row: Row, votes: Scores, lesson: Lesson, first: int, last: int) -> None:
    """The learners in [first, last) learn."""
    x, across, n_outputs = np.empty(bank.means.shape[1]), np.empty(bank.means.shape[1]), votes.shape[1]
    for i in range(first, last):
        start = look(bank, row, i, x)
        for c in range(n_outputs):
            k = i * n_outputs + c
            slope, curvature = bend(lesson, i, c, inner(bank.means[k], x, start))
            if curvature > 0.0:
                step(bank.means[k], bank.spreads[k], x, across, start, slope, curvature)


@body(bank_predict, RidgeState)
def predict(bank: RidgeState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    live[:] = True
    answer(bank, row, votes, 0, votes.shape[0])


@body(bank_predict_at, RidgeState)
def predict_at(bank: RidgeState, i: int, row: Row, votes: Scores) -> None:
    """Learner i answers."""
    answer(bank, row, votes, i, i + 1)


@body(bank_update, RidgeState)
def update(bank: RidgeState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn(bank, row, votes, lesson, 0, votes.shape[0])


@body(bank_update_at, RidgeState)
def update_at(bank: RidgeState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn(bank, row, votes, lesson, i, i + 1)


@body(bank_replace, RidgeState)
def replace(bank: RidgeState, i: int, seed: int) -> None:
    """A fresh learner in place of i, of another seed."""
    bank.keys[i] = mix(mix(np.uint64(seed), UNITS), bank.keys[i])
    begin(bank.units, bank.keys, bank.features, 0, i, i + 1, bank.noise)
    n_outputs = len(bank.means) // len(bank.keys)
    for k in range(i * n_outputs, (i + 1) * n_outputs):
        bank.means[k] = 0.0
        bank.spreads[k] = 0.0
        for a in range(bank.spreads.shape[1]):
            bank.spreads[k, a, a] = bank.prior
