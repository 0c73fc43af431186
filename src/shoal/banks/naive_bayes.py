"""Naive Bayes with example weights, lossless (specification B.7).

A learner keeps, per feature and class, the weighted moments of the values it was given; the state does
not depend on their order beyond rounding, and weight 2 is the same as twice. It adds up

    log prior + sum over features of log likelihood,    prior (n_c + 1) / (n + K)

Gaussian likelihoods have the variance M2 / n + 1e-9 * (largest variance of a feature) + 1e-12, Bernoulli
likelihoods the share (ones + 1) / (n + 2). What one feature says against a class is cut at `clip`. A
class in which a feature has not been seen takes the moments of all classes. Votes are 2 P(class | x) - 1,
the tanh of half the log-odds for two classes; 0 before any example.

Values are taken as they come, not scaled. A missing value is skipped. Moments are kept of the *stored*
values; the zeros, which are not stored, are put back by merging moments when they are asked for, so an
update costs the row's non-zeros times the learners. An answer needs every declared feature, times
classes and learners: zeros are evidence too, and the largest variance may be any feature's. With zeros
"missing" and kind "bernoulli" it costs the row's non-zeros, like the update. A feature that a learner has
never been given says nothing, so answers do not depend on how many features are declared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.banks.arrays import longer
from shoal.banks.naive_bayes_moments import BERNOULLI, GAUSSIAN, NaiveBayesState, log_posteriors
from shoal.banks.subsets import seen_by
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.random import learner_keys
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task

AUTO = 0
FIRST_TOLD = {"auto": AUTO, "gaussian": GAUSSIAN, "bernoulli": BERNOULLI}
ZEROS = ("value", "missing")


@dataclass(frozen=True)
class NaiveBayes:
    """A bank of naive Bayes learners; they differ by the weights they are given and the columns they see.

    n_learners: how many.
    feature_fraction: share of the columns that each learner sees, in (0, 1].
    kind: "gaussian", "bernoulli" (1 for values above 0), or "auto": a feature is Bernoulli where its
        first 100 values other than 0 are all 1, or all -1 or 1 without a zero among them, and where it is
        an indicator of a nominal column. Until then it is taken for Bernoulli while this holds; nothing
        is lost, since the moments of such values determine the Bernoulli counts.
    clip: largest evidence, in log-odds, of one feature; None for no limit.
    zeros: "value" where an absent feature is the value 0, "missing" where it is unknown.
    """

    knows_classes: ClassVar[bool] = True  # one lesson teaches all classes

    n_learners: int = 100
    feature_fraction: float = 1.0
    kind: str = "auto"
    clip: float | None = 50.0
    zeros: str = "value"

    def check(self) -> None:
        """Refuse parameters that have no meaning."""
        if not self.n_learners >= 1:
            raise InputError(f"n_learners is {self.n_learners!r}; expected a whole number from 1 on.")
        if not 0.0 < self.feature_fraction <= 1.0:
            raise InputError(f"feature_fraction is {self.feature_fraction!r}; expected a share in (0, 1].")
        if self.kind not in FIRST_TOLD:
            raise InputError(f"kind is {self.kind!r}; expected one of {', '.join(map(repr, FIRST_TOLD))}.")
        if self.clip is not None and not self.clip > 0.0:
            raise InputError(f"clip is {self.clip!r}; expected a number above 0, or None for no limit.")
        if self.zeros not in ZEROS:
            raise InputError(f"zeros is {self.zeros!r}; expected 'value' or 'missing'.")

    def init(self, space: Space, task: Task, seed: int) -> NaiveBayesState:
        """Learners that have seen nothing."""
        self.check()
        n, n_classes = self.n_learners, task.n_classes
        empty = np.zeros((0, n_classes, n))
        state = NaiveBayesState(
            clip=math.inf if self.clip is None else float(self.clip),
            zeros=self.zeros == "value",
            first_told=FIRST_TOLD[self.kind],
            known=0,
            keys=learner_keys(seed, n),
            seen=np.zeros((0, n), dtype=np.bool_),
            nominal=np.zeros(0, dtype=np.bool_),
            told=np.zeros((0, n), dtype=np.int8),
            counts=np.zeros((n_classes, n)),
            entries=empty,
            stored=empty,
            mean=empty,
            spread=empty,
        )
        return self.grow(state, space)

    def grow(self, state: NaiveBayesState, space: Space) -> NaiveBayesState:
        """Room for the features of a larger space."""
        new = slice(state.known, space.n_features)
        seen = state.seen
        if self.feature_fraction < 1.0:
            seen = longer(seen, space.capacity)
            seen[new] = seen_by(space, self.feature_fraction, state.keys, first=state.known)
        nominal = longer(state.nominal, space.capacity)
        nominal[new] = space.nominal[new]
        told = longer(state.told, space.capacity)
        told[new] = state.first_told
        if state.first_told == AUTO:
            told[new][space.nominal[new]] = BERNOULLI
        return state._replace(
            known=space.n_features,
            seen=seen,
            nominal=nominal,
            told=told,
            entries=longer(state.entries, space.capacity) if state.zeros else state.entries,
            stored=longer(state.stored, space.capacity),
            mean=longer(state.mean, space.capacity),
            spread=longer(state.spread, space.capacity),
        )

    def widen(self, state: NaiveBayesState, task: Task) -> NaiveBayesState:
        """Room for more classes: as if they had been there from the start."""
        more = task.n_classes - len(state.counts)

        def wider(table: Floats) -> Floats:
            return np.concatenate([table, np.zeros((len(table), more, table.shape[2]))], axis=1)

        return state._replace(
            counts=longer(state.counts, task.n_classes),
            entries=wider(state.entries),
            stored=wider(state.stored),
            mean=wider(state.mean),
            spread=wider(state.spread),
        )

    def merge(self, one: NaiveBayesState, other: NaiveBayesState) -> NaiveBayesState:
        """What one learner of both streams would know. Both must know the same features and classes."""
        stored = one.stored + other.stored
        share = np.divide(other.stored, stored, out=np.zeros_like(stored), where=stored > 0.0)
        step = other.mean - one.mean
        gaussian = np.minimum(one.told, other.told) == GAUSSIAN
        told = np.minimum(one.told.astype(np.int64) + other.told, BERNOULLI)
        return one._replace(
            told=np.where(gaussian, GAUSSIAN, told).astype(np.int8),
            counts=one.counts + other.counts,
            entries=one.entries + other.entries,
            stored=stored,
            mean=one.mean + step * share,
            spread=one.spread + other.spread + step * step * share * one.stored,
        )


@inlined
def vote(bank: NaiveBayesState, row: Row, votes: Scores, first: int, last: int) -> None:
    """Learners first to last vote."""
    logs = log_posteriors(bank, row, first, last)
    n_classes = logs.shape[0]
    for i in range(first, last):
        largest, known = -math.inf, False
        for k in range(n_classes):
            largest = max(largest, logs[k, i])
            known = known or bank.counts[k, i] > 0.0
        if not known:
            votes[i, :] = 0.0
        elif n_classes == 2:
            votes[i, 0] = math.tanh(0.5 * (logs[1, i] - logs[0, i]))
        else:
            total = 0.0
            for k in range(n_classes):
                votes[i, k] = math.exp(logs[k, i] - largest)
                total += votes[i, k]
            for k in range(n_classes):
                votes[i, k] = 2.0 * votes[i, k] / total - 1.0


@body(bank_predict, NaiveBayesState)
def predict(bank: NaiveBayesState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes."""
    live[:] = True
    vote(bank, row, votes, 0, votes.shape[0])


@body(bank_predict_at, NaiveBayesState)
def predict_at(bank: NaiveBayesState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    vote(bank, row, votes, i, i + 1)


@inlined
def class_taught(lesson: Lesson, i: int) -> tuple[int, float]:
    """(class, weight) that learner i is taught."""
    if lesson.target.shape[1] == 1:
        return (1 if lesson.target[i, 0] > 0.0 else 0), float(lesson.weight[i, 0])
    best = 0
    for c in range(1, lesson.target.shape[1]):
        if lesson.target[i, c] > lesson.target[i, best]:
            best = c
    return best, float(lesson.weight[i, best])


@inlined
def is_binary(bank: NaiveBayesState, j: int, i: int, x: float) -> bool:
    """Whether x and all values before are 0 or 1, or all are -1 or 1 (told they have been so before x)."""
    if x != 1.0 and x != -1.0:
        return False
    minus, zeros = x == -1.0, False
    for k in range(bank.counts.shape[0]):
        minus = minus or (bank.stored[j, k, i] > 0.0 and bank.mean[j, k, i] < 1.0)
        zeros = zeros or (bank.zeros and bank.counts[k, i] > bank.entries[j, k, i])
    return not (minus and zeros)


@inlined
def settle(bank: NaiveBayesState, j: int, i: int, x: float) -> None:
    """Count x towards feature j being Bernoulli, or see that it is not."""
    bank.told[j, i] = bank.told[j, i] + 1 if is_binary(bank, j, i, x) else GAUSSIAN


@inlined
def learn_value(
    bank: NaiveBayesState, j: int, value: float, classes: Ints, weights: Floats, first: int, last: int
) -> None:
    """Learners first to last see a value of feature j."""
    masked = bank.seen.shape[0] > 0
    missing = math.isnan(value)
    for i in range(first, last):
        weight, k = float(weights[i]), classes[i]
        if weight <= 0.0 or (masked and not bank.seen[j, i]):
            continue
        if bank.zeros:
            bank.entries[j, k, i] += weight
        if missing:
            continue
        if bank.told[j, i] >= 0 and bank.told[j, i] < BERNOULLI:
            settle(bank, j, i, value)
        x = value
        if bank.told[j, i] != GAUSSIAN:
            x = 1.0 if value > 0.0 else -1.0
        n = float(bank.stored[j, k, i]) + weight
        before = x - float(bank.mean[j, k, i])
        bank.stored[j, k, i] = n
        bank.mean[j, k, i] += before * (weight / n)
        bank.spread[j, k, i] += weight * before * (x - float(bank.mean[j, k, i]))


@inlined
def learn(bank: NaiveBayesState, row: Row, lesson: Lesson, first: int, last: int) -> None:
    """Learners first to last learn."""
    classes, weights = np.zeros(last, dtype=np.int64), np.zeros(last)
    for i in range(first, last):
        classes[i], weights[i] = class_taught(lesson, i)
        if weights[i] > 0.0:
            bank.counts[classes[i], i] += weights[i]
    for p in range(len(row.indices)):
        learn_value(bank, row.indices[p], float(row.values[p]), classes, weights, first, last)


@body(bank_update, NaiveBayesState)
def update(bank: NaiveBayesState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    learn(bank, row, lesson, 0, votes.shape[0])


@body(bank_update_at, NaiveBayesState)
def update_at(bank: NaiveBayesState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    learn(bank, row, lesson, i, i + 1)


@body(bank_replace, NaiveBayesState)
def replace(bank: NaiveBayesState, i: int, seed: int) -> None:
    """A learner that has seen nothing in place of i; nothing about it is random."""
    bank.counts[:, i] = 0.0
    bank.stored[:, :, i] = 0.0
    bank.mean[:, :, i] = 0.0
    bank.spread[:, :, i] = 0.0
    if bank.zeros:
        bank.entries[:, :, i] = 0.0
    for j in range(bank.known):
        nominal = bank.first_told == AUTO and bank.nominal[j]
        bank.told[j, i] = BERNOULLI if nominal else bank.first_told
