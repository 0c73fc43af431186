"""What a bank, a booster and a rule promise together."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

from shoal.ensemble import Ensemble, EnsembleState
from shoal.streams.rows import to_rows
from shoal.testing.driver import N_FEATURES, sample, task_of
from shoal.testing.equality import states_equal
from shoal.types import Floats, Ints, Rows, Space

CLASSES = (2, 3)


def require(condition: bool, name: str, promise: str) -> None:
    """Fail with the name of the part and what it promised."""
    if not condition:
        raise AssertionError(f"{name}: {promise}")


def check_ensemble(ensemble: Ensemble, *, n_classes: int = 2, name: str = "Ensemble") -> None:
    """Hold a bank, booster and rule together to what any model promises."""
    X, y = sample(n_classes)
    run = _Run(ensemble, n_classes)
    whole, proba = run.learned(to_rows(X), y)
    require(bool(np.isfinite(proba).all()), name, "probabilities must be numbers, before learning too")
    require(bool(np.allclose(proba.sum(axis=1), 1.0)), name, "probabilities must sum to one")
    _check_same(run.learned(to_rows(X), y), (whole, proba), name, "the same seed must give the same result")
    _check_same(run.one_by_one(X, y), (whole, proba), name, "rows one by one must do what a chunk does")
    _check_same(run.learned(_sparse(X), y), (whole, proba), name, "sparse rows must do what dense rows do")
    _check_same(
        run.reloaded(X, y), (whole, proba), name, "a pickled and reloaded state must continue as if never stopped"
    )
    before = copy.deepcopy(whole)
    run.ask(whole, to_rows(X), np.full(len(y), np.nan), np.ones(len(y)))
    require(states_equal(before, whole), name, "answering must change nothing")
    run.ask(whole, to_rows(X), y.astype(float), np.zeros(len(y)))
    require(states_equal(before, whole), name, "rows of weight 0 must change nothing")


def _check_same(one: tuple[Any, Floats], other: tuple[Any, Floats], name: str, promise: str) -> None:
    require(np.array_equal(one[1], other[1]), name, f"{promise}, to the last bit; the answers differ")
    require(states_equal(one[0], other[0]), name, f"{promise}, to the last bit; the states differ")


def _sparse(X: Floats) -> Rows:
    from scipy.sparse import csr_array

    return to_rows(csr_array(X))


class _Run:
    """Several ways of giving the same rows to an ensemble."""

    def __init__(self, ensemble: Ensemble, n_classes: int) -> None:
        self.ensemble, self.n_classes = ensemble, n_classes

    def fresh(self) -> EnsembleState:
        return self.ensemble.init(Space.of_size(N_FEATURES), task_of(self.n_classes), 13)

    def ask(self, state: EnsembleState, rows: Rows, y: Floats, weights: Floats) -> Floats:
        return self.ensemble.run(state, N_FEATURES, rows, y, weights, self.n_classes)[1]

    def give(self, state: EnsembleState, X: Floats, y: Ints, weights: Floats) -> tuple[EnsembleState, Floats]:
        return self.taught(state, to_rows(X), y, weights)

    def learned(self, rows: Rows, y: Ints) -> tuple[EnsembleState, Floats]:
        return self.taught(self.fresh(), rows, y, self.weights(len(y)))

    def taught(self, state: EnsembleState, rows: Rows, y: Ints, weights: Floats) -> tuple[EnsembleState, Floats]:
        state = self.ensemble.reserve(state, len(y))
        answers = self.ask(state, rows, y.astype(float), weights)
        return self.ensemble.settle(state), answers

    def one_by_one(self, X: Floats, y: Ints) -> tuple[EnsembleState, Floats]:
        state, weights, answers = self.fresh(), self.weights(len(y)), []
        for t in range(len(y)):
            state, proba = self.give(state, X[t : t + 1], y[t : t + 1], weights[t : t + 1])
            answers.append(proba)
        return state, np.concatenate(answers)

    def reloaded(self, X: Floats, y: Ints) -> tuple[EnsembleState, Floats]:
        weights, half = self.weights(len(y)), len(y) // 2
        state, first = self.give(self.fresh(), X[:half], y[:half], weights[:half])
        state, second = self.give(pickle.loads(pickle.dumps(state)), X[half:], y[half:], weights[half:])
        return state, np.concatenate([first, second])

    def weights(self, n: int) -> Floats:
        return np.random.default_rng(14).uniform(0.5, 2.0, n)
