"""What a user's program looks like: it passes mypy in strict mode. Checked, not run."""

from __future__ import annotations

import numpy as np

import shoal


def weigh(seed: int) -> float:
    """Fit, ask, and look inside."""
    X = np.random.default_rng(seed).normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(int)
    model = shoal.BayesianEnsembleClassifier(n_learners=5, random_state=seed)
    model.partial_fit(X, y, classes=[0, 1])
    low, high = model.posterior_.interval(0.95)
    answers: dict[object, float] = model.predict_proba_one(X[0])
    result = shoal.evaluate(model, shoal.open_stream((X, y)))
    return result.error + float(low[0] + high[0]) + sum(answers.values())
