"""Reservoir boosting, which learns from a stream, and the batch boosters on samples it is compared with."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from shoal.errors import InputError
from shoal.estimators.common import Saved, dense
from shoal.estimators.online import LARGEST_SEED, OnlineClassifier
from shoal.model import checked_weights
from shoal.reservoir.baselines import SampledBoost, scores_on
from shoal.reservoir.merging import merge
from shoal.reservoir.sampled_model import SampledModel
from shoal.reservoir.strategies import RIDGE, Strategy
from shoal.reservoir.stumps import StumpTable
from shoal.types import Floats


class ReservoirBoostClassifier(OnlineClassifier):
    """Stumps boosted on a bounded reservoir of examples, chosen anew as the stream flows (Lefakis and Fleuret).

    Parameters
    ----------
    strategy: what to keep: "geem" (those that make up best for the discarded), "max" (the heaviest), "rand",
        "wsam" (drawn by weight), or a strategy of your own.
    size: examples kept, for each class unless `shared`.
    batch: new examples from one stump to the next; None for as many as are kept.
    n_learners: stumps of each class; once they are all there, new ones take the place of old ones.
    shared: all classes share one reservoir, which is faster by about their number.
    shrinkage: factor in (0, 1] on each stump's step.
    forgetting: factor in (0, 1] on an example's weight for each that came after it.
    replace: which stump goes: the "oldest", or the "weakest" with regard to age.
    step: "newton", which minimises the loss of what is kept, or "edge", AdaBoost's of the weights in the search.
    warm_up: learn something before `size` + `batch` examples have come; the paper does not.
    ridge, ties, covariance_features, edges, n_draws, swaps: of "geem", see `shoal.reservoir.strategies.GEEM`.
    wsam_uniform: of "wsam": search stumps with equal weights.
    class_weight, threshold, allow_missing, max_pending, random_state: as in `EnsembleClassifier`.

    Stumps take features as they are, so there is no scaling. A missing value is below every number.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(800, 4))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = ReservoirBoostClassifier(size=30, n_learners=40, random_state=0).fit(X[:600], y[:600])
    >>> model.score(X[600:], y[600:]) > 0.75
    True
    """

    method: ClassVar[str] = "geem"

    def __init__(
        self,
        strategy: str | Strategy = "geem",
        size: int = 250,
        batch: int | None = None,
        n_learners: int = 250,
        *,
        shared: bool = False,
        shrinkage: float = 0.1,
        forgetting: float = 1.0,
        replace: str = "oldest",
        warm_up: bool = True,
        step: str = "newton",
        ridge: float = RIDGE,
        ties: str = "dense",
        covariance_features: int | None = None,
        edges: str = "ones",
        n_draws: int = 100,
        swaps: int = 0,
        wsam_uniform: bool = False,
        class_weight: Any = None,
        threshold: float | str = 0.0,
        allow_missing: bool = False,
        max_pending: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.strategy = strategy
        self.size = size
        self.batch = batch
        self.n_learners = n_learners
        self.shared = shared
        self.shrinkage = shrinkage
        self.forgetting = forgetting
        self.replace = replace
        self.warm_up = warm_up
        self.step = step
        self.ridge = ridge
        self.ties = ties
        self.covariance_features = covariance_features
        self.edges = edges
        self.n_draws = n_draws
        self.swaps = swaps
        self.wsam_uniform = wsam_uniform
        self.class_weight = class_weight
        self.threshold = threshold
        self.allow_missing = allow_missing
        self.max_pending = max_pending
        self.random_state = random_state

    def merge(self, other: ReservoirBoostClassifier) -> Self:
        """Take in what another one learned from another part of the data: scores are averaged, and the examples
        that both hold cut to size by the strategy. Not exactly what one would have learned from all of it.
        """
        check_is_fitted(self, "model_")
        check_is_fitted(other, "model_")
        one, two = self.model_, other.model_
        keys = [np.zeros(0) if model.space is None else model.space.keys for model in (one, two)]
        if one.classes != two.classes or not np.array_equal(keys[0], keys[1]):
            raise InputError(
                f"one classifier knows the classes {one.classes!r}, the other {two.classes!r}; expected the same, "
                "and the same features, in the same order: give all classes to the first partial_fit of each."
            )
        with two.lock.reading():
            given = copy.deepcopy(two.state)
        with one.lock.writing():
            merged = merge(cast(Any, one.ensemble), cast(Any, one.state), cast(Any, given))
            one.state = cast(Any, merged)  # a reservoir has the face of an ensemble, and is not a kind of it
        return self


class SampledBoostClassifier(Saved, ClassifierMixin, BaseEstimator):
    """What batch boosters on samples share: they need all the data, and have `fit` only."""

    classes_: NDArray[Any]
    stumps_: StumpTable
    random_state: Any

    def make_booster(self) -> SampledBoost:
        """What the parameters describe."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SampledBoostClassifier:
        """Boost on samples of these rows."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise InputError(
                f"y holds one class only ({classes[0]!r}); expected at least two classes to tell apart."
            )
        weights = checked_weights(sample_weight, len(y))
        if not weights.any():
            raise InputError("every sample_weight is zero: expected at least one row that counts.")
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        counted = weights > 0.0
        rows = dense(X)[counted]
        n_outputs = 1 if len(classes) == 2 else len(classes)
        self.stumps_ = self.make_booster().fit(rows, labels[counted], weights[counted], n_outputs, seed)
        self.classes_ = classes
        return self

    def evaluated_model(self) -> SampledModel:
        """What an evaluation that holds rows out teaches and tests: a model of these parameters."""
        booster = self.make_booster()
        booster.check()
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        return SampledModel(booster, seed=seed, params=self.get_params(deep=False))

    def decision_function(self, X: Any) -> Floats:
        """The score of the second of two classes, or of every class."""
        check_is_fitted(self, "stumps_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        scores = scores_on(self.stumps_, dense(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class, in the order of `classes_`."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return np.asarray(softmax(scores, axis=1))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row."""
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class WeightedSamplingBoostClassifier(SampledBoostClassifier):
    """WSS: each stump is trained on examples drawn in proportion to their boosting weights.

    Parameters
    ----------
    size: examples drawn for each stump. n_learners: stumps of each class.
    shrinkage: factor in (0, 1] on each stump's step. step: "edge", AdaBoost's of the weights in training, or
        "newton", LogitBoost's. random_state: seed.
    """

    def __init__(
        self,
        size: int = 250,
        n_learners: int = 250,
        *,
        shrinkage: float = 1.0,
        step: str = "edge",
        random_state: Any = None,
    ) -> None:
        self.size = size
        self.n_learners = n_learners
        self.shrinkage = shrinkage
        self.step = step
        self.random_state = random_state

    def make_booster(self) -> SampledBoost:
        """Draw by weight, train alike."""
        return SampledBoost("weighted", self.size, self.n_learners, shrinkage=self.shrinkage, step=self.step)


class MadaBoostClassifier(SampledBoostClassifier):
    """MadaBoost: examples are drawn by weights that are at most 1, and weighed for that in training.

    Parameters
    ----------
    size: examples drawn for each stump. n_learners: stumps of each class.
    adjust: weigh an example by its boosting weight over its chance of being drawn, or all alike.
    shrinkage: factor in (0, 1] on each stump's step. step: "edge", AdaBoost's of the weights in training, or
        "newton", LogitBoost's. random_state: seed.
    """

    def __init__(
        self,
        size: int = 250,
        n_learners: int = 250,
        *,
        adjust: bool = True,
        shrinkage: float = 1.0,
        step: str = "edge",
        random_state: Any = None,
    ) -> None:
        self.size = size
        self.n_learners = n_learners
        self.adjust = adjust
        self.shrinkage = shrinkage
        self.step = step
        self.random_state = random_state

    def make_booster(self) -> SampledBoost:
        """Draw by MadaBoost's weights."""
        return SampledBoost(
            "mada", self.size, self.n_learners, self.adjust, shrinkage=self.shrinkage, step=self.step
        )


class FixedSampleBoostClassifier(SampledBoostClassifier):
    """Boosting on one random subset.

    Parameters
    ----------
    size: examples in it. n_learners: stumps of each class.
    loss: "exponential" (AdaBoost, as in the paper) or "logistic" (LogitBoost).
    shrinkage: factor in (0, 1] on each stump's step. random_state: seed.
    """

    def __init__(
        self,
        size: int = 2500,
        n_learners: int = 250,
        *,
        loss: str = "exponential",
        shrinkage: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.size = size
        self.n_learners = n_learners
        self.loss = loss
        self.shrinkage = shrinkage
        self.random_state = random_state

    def make_booster(self) -> SampledBoost:
        """Draw once."""
        return SampledBoost("fixed", self.size, self.n_learners, loss=self.loss, shrinkage=self.shrinkage)
