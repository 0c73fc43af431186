"""What users' programs look like: they pass mypy in strict mode. Checked, not run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import shoal
from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack
from shoal.boosters.osboost import OSBoost
from shoal.evaluation.regression import RegressionResult
from shoal.rules.bayes_exponential import BayesExponential


def weigh(seed: int) -> float:
    """Fit, ask, and look inside."""
    X = np.random.default_rng(seed).normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(int)
    model = shoal.BayesianEnsembleClassifier(n_learners=5, random_state=seed)
    model.partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, sample_weight=np.ones(100))
    low, high = model.posterior_.interval(0.95)
    answers: dict[object, float] = model.predict_proba_one(X[0])
    proba: NDArray[np.float64] = model.predict_proba(X)
    result = shoal.evaluate(model, shoal.open_stream((X, y)))
    return result.error + float(low[0] + high[0]) + sum(answers.values()) + float(proba[0, 0])


def row_by_row(rows: Iterator[tuple[dict[str, float | str], str]]) -> shoal.OnlineEnsembleClassifier:
    """Dicts, labels that come late, a file."""
    model = shoal.OnlineEnsembleClassifier(class_weight={"yes": 2.0}, random_state=0)
    for x, y in rows:
        model.learn_one(x, y)
    (held,) = model.predict_hold({"age": 41.0, "colour": "red"})
    model.learn_label(held, "yes", sample_weight=2.0)
    model.save("model.shoal")
    again = shoal.load(Path("model.shoal"))
    assert isinstance(again, shoal.OnlineEnsembleClassifier)
    return again


def compose(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Parts put together, and classifiers of every family by name."""
    both = Stack((Perceptrons(10), NaiveBayes(10, feature_fraction=0.5)))
    models = [
        shoal.EnsembleClassifier(both, OSBoost(gamma=0.1), BayesExponential(base_loss="logistic"), random_state=0),
        shoal.OSBoostClassifier(learner=["naive_bayes", "stump"], combine="ocp"),
        shoal.ReservoirBoostClassifier("geem", size=100),
    ]
    sampled = shoal.WeightedSamplingBoostClassifier(size=50).fit(X, y)
    return [sampled.decision_function(X), *(model.fit(X, y).learner_weights_ for model in models)]


def regress(X: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Numbers, from a stream of chunks and in a batch."""
    stream = shoal.datasets.synthetic("sea", n=1000, seed=1)
    print(stream, shoal.__version__)
    model = shoal.OnlineGradientBoostingRegressor(over="hull", fit="linear", random_state=0)
    result = shoal.evaluate(model, shoal.open_stream((X, y)))
    assert isinstance(result, RegressionResult)
    batch = shoal.GradientBoostingRegressor(line_search=True).fit(X, y)
    numbers: NDArray[np.float64] = batch.predict(X)
    return result.r2, numbers


def refuse() -> str:
    """What is wrong is said."""
    try:
        shoal.VotingEnsembleClassifier(n_learners=-1).learn_one({"a": 1.0}, 0)
    except shoal.InputError as error:
        return str(error)
    found = shoal.compare({"one": "single", "other": shoal.VotingEnsembleClassifier()}, ["digits"], trials=1)
    found.plot("found.html")
    return ""
