"""River models around estimators that there are already."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from sklearn.base import clone

import shoal
from shoal.errors import InputError
from shoal.estimators.common import OnlineEstimator
from shoal.estimators.online import OnlineClassifier
from shoal.estimators.regression import OnlineRegressor
from shoal.river.models import RiverClassifier, RiverModel, RiverRegressor

FEW = 5  # learners, where River's checks make a model


class Wrapped(RiverModel):
    """A model around an estimator, which stays as it is: the model learns on a clone."""

    def __init__(self, estimator: Any, seed: int | None = None) -> None:
        self.estimator = estimator
        self.seed = seed
        self._start()

    def _begin(self) -> OnlineEstimator:
        fresh: OnlineEstimator = clone(self.estimator)
        return fresh if self.seed is None else fresh.set_params(random_state=self.seed)


class WrappedClassifier(Wrapped, RiverClassifier):
    """Any of shoal's classifiers as a River model; `wrap` makes it.

    Parameters
    ----------
    estimator: the classifier, whose parameters count; what it has learned does not.
    seed: takes the place of the estimator's `random_state`; None leaves that as it is.
    """

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": shoal.BayesianEnsembleClassifier(n_learners=FEW)}


class WrappedRegressor(Wrapped, RiverRegressor):
    """Any of shoal's regressors as a River model; `wrap` makes it.

    Parameters
    ----------
    estimator: the regressor, whose parameters count; what it has learned does not.
    seed: takes the place of the estimator's `random_state`; None leaves that as it is.
    """

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": shoal.OnlineGradientBoostingRegressor(n_learners=FEW)}


def wrap(estimator: Any, seed: int | None = None) -> WrappedClassifier | WrappedRegressor:
    """A River model that learns as the estimator would.

    estimator: any of shoal's that learn from a stream; it stays as it is. One that was taught with dicts, or was
        loaded from a file, is gone on from, on a copy; a clone of the model begins anew, as all of River's do.
    seed: takes the place of the estimator's `random_state` in what begins anew; None leaves that as it is.

    >>> import shoal
    >>> model = wrap(shoal.OSBoostClassifier(n_learners=10, random_state=0))
    >>> model.learn_one({"colour": "red", "size": 3}, "stop")
    >>> model.predict_one({"size": 2})
    'stop'
    """
    kinds = ((OnlineClassifier, WrappedClassifier), (OnlineRegressor, WrappedRegressor))
    kind = next((model for base, model in kinds if isinstance(estimator, base)), None)
    if kind is None:
        name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise InputError(
            f"cannot wrap {name}; expected an estimator of shoal's that has learn_one, as in "
            "wrap(shoal.OSBoostClassifier())."
        )
    begun = hasattr(estimator, "model_")
    if begun and not hasattr(estimator, "encoder_"):
        raise InputError(
            f"this {type(estimator).__name__} was taught with arrays, and River speaks in dicts; wrap one that "
            "was taught with dicts, or a new one."
        )
    model = kind(clone(estimator), seed)
    if begun:
        model._inner = copy.deepcopy(estimator)
    return model
