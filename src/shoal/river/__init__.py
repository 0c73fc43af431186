"""shoal's estimators as River models: for River's pipelines, its evaluation and its model selection.

`wrap(estimator)` takes any of shoal's estimators that learn from a stream. Each also has a class of its own here,
of the same name and parameters: `shoal.river.OSBoostClassifier(n_learners=20)`. Needs River, the extra `[river]`.

>>> from river import datasets, evaluate, metrics, preprocessing
>>> import shoal.river
>>> crowd = shoal.river.BayesianEnsembleClassifier(learner="logistic", n_learners=20, seed=0)
>>> model = preprocessing.StandardScaler() | crowd
>>> accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
>>> accuracy.get() > 0.85
True
"""

from __future__ import annotations

from typing import Any

try:
    import river as _river  # noqa: F401, its absence is to be told at once
except ImportError as error:
    raise ImportError(
        "shoal.river needs River, which is not installed: python -m pip install 'shoal[river]'", name="river"
    ) from error

from shoal.river.naming import named_model, names_of_models
from shoal.river.wrapping import WrappedClassifier, WrappedRegressor, wrap

__all__ = ["WrappedClassifier", "WrappedRegressor", "wrap", *names_of_models()]


def __getattr__(name: str) -> Any:
    if name in names_of_models():
        return named_model(name)
    raise AttributeError(f"module 'shoal.river' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
