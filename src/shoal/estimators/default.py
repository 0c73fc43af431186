"""The classifier to begin with: learners of different kinds, mixed by their posterior."""

from __future__ import annotations

from typing import Any, ClassVar

from shoal.estimators.online import OnlineClassifier


class OnlineEnsembleClassifier(OnlineClassifier):
    """The default: no parameter needs to be chosen, for two classes or many, a stream that changes or not.

    Linear, additive and probabilistic learners answer each example, and the odds that they give are mixed
    with the weights that their predictions so far have earned them (`shoal.methods.default`).

    Parameters
    ----------
    scaling: "standard", "minmax", "unit" or None, for linear learners.
    bias: whether linear learners get a constant input.
    class_weight: None, "balanced", or one number per class in the order of the classes.
    threshold: log-odds that the second class must reach, or "tuned" to learn it online.
    drift: None, "adwin" to put a fresh learner in place of the worst when the error rises, or a
        `DriftDetector`.
    allow_missing: whether NaN is taken as missing, by each learner's rule, or refused.
    max_pending: how many rows may wait for late labels.
    random_state: seed; the same seed gives the same result.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = np.where(X[:, 0] > X[:, 1] ** 2, "in", "out")
    >>> model = OnlineEnsembleClassifier(random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.85
    True
    """

    method: ClassVar[str] = "shoal"

    def __init__(
        self,
        *,
        scaling: str | None = "standard",
        bias: bool = True,
        class_weight: Any = None,
        threshold: float | str = 0.0,
        drift: Any = None,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.scaling = scaling
        self.bias = bias
        self.class_weight = class_weight
        self.threshold = threshold
        self.drift = drift
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state
