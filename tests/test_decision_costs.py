"""Class weights that count where answers are given."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.decision import Decision, decision_update
from shoal.decision import decide as decide_unweighed
from shoal.decision_costs import Costs, CostsState, decide
from shoal.types import Task


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weights", ["balanced", "given", "zero"])
def test_answers_are_those_of_weighed_probabilities(n_classes: int, weights: str) -> None:
    """Probabilities are w_k p_k over their sum, p_k those learned without weights; the largest is answered."""
    task = Task("classification", n_classes if n_classes > 2 else 1)
    rng = np.random.default_rng(n_classes)
    given = tuple(rng.exponential(3.0, n_classes))
    class_weight = {"balanced": "balanced", "given": given, "zero": (0.0, *given[1:])}[weights]
    weighed, plain = Costs(class_weight).init(task), Decision().init(task)
    seen = np.ones(n_classes)
    for _ in range(200):
        score = rng.normal(size=task.n_outputs)
        p, q = np.zeros(n_classes), np.zeros(n_classes)
        decide_unweighed(plain, score, p)
        answer = decide(weighed, score, q)
        w = np.minimum(20.0, seen.sum() / (n_classes * seen)) if weights == "balanced" else np.array(class_weight)
        np.testing.assert_allclose(q, w * p / (w @ p), rtol=1e-9, atol=1e-15)
        assert answer == int(np.argmax(q))
        y = int(rng.integers(n_classes))
        decision_update(weighed, score, y, 1.0, 1.0)
        decision_update(plain, score, y, 1.0, 1.0)
        seen[y] += 1.0


def test_a_weight_without_bounds_decides() -> None:
    """Class 0 weighed ten million times as much is answered whatever the score, with finite probabilities."""
    state, proba = Costs((1000.0, 1e-4)).init(Task("classification", 1)), np.zeros(2)
    assert decide(state, np.array([1.0]), proba) == 0
    assert math.isclose(proba.sum(), 1.0)


def rare(n: int = 3000) -> tuple[Any, Any]:
    """Two clouds that overlap; one row in twelve is of the second."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 1.0 / 12.0).astype(int)
    return rng.normal(size=(n, 3)) + 0.8 * y[:, None], y


@pytest.mark.parametrize("name", ["OzaBoostClassifier", "OnlineFeatureBoostClassifier"])
def test_boosters_that_even_weights_out_heed_them(name: str, tmp_path: Path) -> None:
    """Balanced, they find more of the rare class than without weights; kept in a file they answer the same."""
    X, y = rare()
    found = {}
    for class_weight in (None, "balanced"):
        model = getattr(shoal, name)(n_learners=9, class_weight=class_weight, random_state=0)
        model.fit(X[:2000], y[:2000])
        found[class_weight] = float(np.mean(model.predict(X[2000:])[y[2000:] == 1]))
    assert isinstance(model.model_.state.decision, CostsState)
    assert found["balanced"] > found[None] + 0.2
    model.save(tmp_path / "model.shoal")
    assert np.array_equal(shoal.load(tmp_path / "model.shoal").predict_proba(X), model.predict_proba(X))


def test_weights_in_an_ensemble_of_parts() -> None:
    """The booster, not the name of the method, says where class weights count."""
    from shoal.banks.perceptron import Perceptrons
    from shoal.boosters.osboost import OSBoost
    from shoal.boosters.ozaboost import OzaBoost

    X, y = rare(60)
    for booster, kind in ((OzaBoost(), Costs), (OSBoost(), Decision)):
        model = shoal.EnsembleClassifier(Perceptrons(3), booster, class_weight="balanced", random_state=0)
        assert type(model.fit(X, y).model_.ensemble.decision) is kind
