"""An estimator of shoal's behind the methods of a River model.

What a dict leaves out is a feature that the example lacks: 0 to linear learners, the value 0 to those that look at
values. None and NaN mean the same, as empty cells do in a frame; with `allow_missing=True` they are missing values
instead, which each learner treats by its rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from river import base

from shoal.estimators.common import OnlineEstimator
from shoal.estimators.online import OnlineClassifier
from shoal.estimators.regression import OnlineRegressor
from shoal.river.frames import examples_of, labels_of, series_like, table_like
from shoal.streams.rows import is_missing

Example = Mapping[Any, Any]


class RiverModel:
    """What classifiers and regressors have in common.

    A subclass has `_begin`, which makes the estimator that its parameters describe, and calls `_start` once they
    are stored.
    """

    _inner: OnlineEstimator

    def _begin(self) -> OnlineEstimator:
        raise NotImplementedError

    def _start(self) -> None:
        self._inner = self._begin()

    @property
    def estimator_(self) -> Any:
        """The estimator that learns: its weights, its posterior, `save`."""
        return self._inner

    def _given(self, x: Example) -> Example:
        """The example without what it lacks."""
        if self._inner.allow_missing or not any(map(is_missing, x.values())):
            return x
        return {name: value for name, value in x.items() if not is_missing(value)}

    def _all_given(self, X: Any) -> list[Example]:
        return [self._given(x) for x in examples_of(X)]


class RiverClassifier(RiverModel, base.MiniBatchClassifier):
    """A classifier of shoal's as a River model. Classes are taken as they come."""

    _inner: OnlineClassifier
    _multiclass: ClassVar[bool] = True

    def learn_one(self, x: Example, y: Any, w: float = 1.0) -> None:
        """Learn one example, which counts as w."""
        self._inner.learn_one(self._given(x), y, w)

    def predict_one(self, x: Example, **kwargs: Any) -> Any:
        """The class of an example; None before anything was learned."""
        return self._inner.predict_one(self._given(x))

    def predict_proba_one(self, x: Example, **kwargs: Any) -> dict[Any, float]:
        """The probability of every class that is known."""
        return self._inner.predict_proba_one(self._given(x))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of a frame, as `learn_one` would one after the other. w: a weight, or one for each."""
        self._inner.learn_many(self._all_given(X), labels_of(y), w)

    def predict_many(self, X: Any) -> Any:
        """The class of every row of a frame, as a series."""
        return series_like(X, self._inner.predict_many(self._all_given(X)))

    def predict_proba_many(self, X: Any) -> Any:
        """The probability of every class that is known, a column each, for every row of a frame."""
        shares = self._inner.predict_proba_many(self._all_given(X))
        classes = self._inner.model_.classes if hasattr(self._inner, "model_") else []
        return table_like(X, shares, classes)


class RiverRegressor(RiverModel, base.MiniBatchRegressor):
    """A regressor of shoal's as a River model, for one target."""

    _inner: OnlineRegressor

    def learn_one(self, x: Example, y: float, w: float = 1.0) -> None:
        """Learn one example, which counts as w."""
        self._inner.learn_one(self._given(x), y, w)

    def predict_one(self, x: Example) -> float:
        """The number answered for an example; 0 before anything was learned."""
        answer = self._inner.predict_one(self._given(x))
        return 0.0 if answer is None else float(answer)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of a frame, as `learn_one` would one after the other. w: a weight, or one for each."""
        self._inner.learn_many(self._all_given(X), labels_of(y), w)

    def predict_many(self, X: Any) -> Any:
        """The number answered for every row of a frame, as a series."""
        answers = self._inner.predict_many(self._all_given(X))
        return series_like(X, [0.0 if answer is None else float(answer) for answer in answers])
