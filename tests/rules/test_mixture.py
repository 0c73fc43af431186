"""Tests of the forgetting factor chosen online."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.reference.bayes_exponential import ReferenceBayesExponential
from tests.reference.forgetting_grid import ReferenceForgettingGrid
from tests.rules.playing import Step, played, played_to_reference, votes_of

from shoal.banks.perceptron import Perceptrons
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.bayes_gamma import BayesGamma
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.mixture import FACTORS, ForgettingGrid
from shoal.rules.uniform import Uniform
from shoal.types import Rows, Space, Task

TWO = Task("classification", 1)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_charges_as_the_twin(n_outputs: int) -> None:
    """Every copy is charged for the mistakes that the twin's copy makes."""
    steps = votes_of(150, n_outputs=n_outputs, awake=0.8, weighted=True)
    rule = ForgettingGrid(factors=(0.6, 0.9, 1.0))
    twin = ReferenceForgettingGrid(
        lambda rho: ReferenceBayesExponential(5, n_outputs, forgetting=rho), (0.6, 0.9, 1.0)
    )
    state = played(rule, steps)[0]
    played_to_reference(twin, steps)
    assert state.mistakes.tolist() == twin.hedge.mistakes


@pytest.mark.parametrize("inner", [BayesExponential(), BayesGammaShape(), BayesGamma()])
def test_weighted_mean_of_the_copies(inner: Any) -> None:
    """The score is the mean of the copies' scores, weighed by exp(-eta * mistakes)."""
    steps = votes_of(60)
    rule = ForgettingGrid(inner, (0.8, 1.0))
    scores = played(rule, steps)[1][:, 0]
    copies = np.array([played(copy, steps)[1][:, 0] for copy in rule.copies()])
    truth = np.array([step.y for step in steps], dtype=bool)
    wrong = np.cumsum((copies >= 0.0) != truth, axis=1)
    before = np.hstack([np.zeros((2, 1)), wrong[:, :-1]])
    eta = np.sqrt(8.0 * math.log(2) / np.arange(1, 61))
    weights = np.exp(-eta * before)
    assert scores == pytest.approx(np.sum(weights * copies, axis=0) / np.sum(weights, axis=0), rel=1e-9, abs=1e-12)


def test_in_the_loop() -> None:
    """Compiled into the loop, the grid learns and answers what it does call by call."""
    rng = np.random.default_rng(0)
    n, d = 200, 4
    x = rng.normal(size=(n, d))
    labels = (x[:, 0] > 0.0).astype(np.float64)
    rows = Rows(np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), x.ravel())
    ensemble = Ensemble(Perceptrons(8), rule=ForgettingGrid())
    state = ensemble.init(Space.of_size(d), TWO, 0)
    predicted = ensemble.run(state, d, rows, labels, np.ones(n), 2)[0]
    assert np.mean(predicted[100:] == labels[100:]) > 0.8
    assert state.rule.rounds[0] == n
    assert state.rule.mistakes.max() <= n


def test_drift_favours_forgetting() -> None:
    """After the best learner has become the worst, the copy that forgets has erred least."""
    rng = np.random.default_rng(4)
    steps = []
    for t in range(1500):
        right = np.array([0.9, 0.55, 0.55] if t < 1000 else [0.1, 0.9, 0.55])
        y = int(rng.integers(2))
        votes = np.where(rng.random(3) < right, 2.0 * y - 1.0, 1.0 - 2.0 * y)[:, None]
        steps.append(Step(votes, np.ones(3, dtype=bool), y, 1.0, 0))
    rule = ForgettingGrid(BayesExponential(theta=1.0), (0.99, 1.0))
    assert rule.leader(played(rule, steps)[0]) == 0


def test_merging_adds() -> None:
    """The grid of two streams has the mistakes of both."""
    steps = votes_of(40)
    rule = ForgettingGrid()
    one, other = played(rule, steps[:20])[0], played(rule, steps[20:])[0]
    both = rule.merge(one, other)
    assert both.mistakes.tolist() == (one.mistakes + other.mistakes).tolist()
    assert len(both.experts) == len(FACTORS)
    assert len(rule.posterior(both).mean) == 5


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (ForgettingGrid(Uniform()), "Uniform forgets nothing"),
        (ForgettingGrid(factors=()), "factors"),
        (ForgettingGrid(factors=(0.9, 2.0)), "forgetting is 2.0"),
    ],
)
def test_bad_parameters(rule: ForgettingGrid, named: str) -> None:
    """What is no grid of forgetting factors is refused."""
    with pytest.raises(InputError, match=named):
        rule.init(3, TWO, 0)
