"""Methods by name: which bank, booster and rule each is made of, and what its settings are.

The estimators and the command line both build ensembles here, from the same settings with the same
defaults; nothing here needs scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.ensemble import Ensemble
from shoal.errors import InputError, did_you_mean
from shoal.methods.parts import Learner
from shoal.registry import BATCH_METHODS, EVERY_METHOD, METHODS, REGRESSION_METHODS, find
from shoal.settings import check_settings

if TYPE_CHECKING:
    from shoal.model import Model
    from shoal.regression_model import RegressionModel
    from shoal.reservoir.sampled_model import SampledModel

__all__ = ["Learner", "build", "build_regressor", "make_model"]


def build(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The ensemble that a method makes of these settings; those left out keep their defaults."""
    made: Ensemble = _build(method, METHODS, settings)
    return made


def build_regressor(method: str, settings: Mapping[str, Any]) -> Ensemble:
    """The same of a method for regression."""
    made: Ensemble = _build(method, REGRESSION_METHODS, settings)
    return made


def make_model(
    method: str, settings: Mapping[str, Any], seed: int, classes: Sequence[Any] | None = None
) -> Model | RegressionModel | SampledModel:
    """A fresh model of a method, for classes or numbers as the method is; or one that needs all the data."""
    from shoal.model import Model
    from shoal.regression_model import RegressionModel

    if method in BATCH_METHODS:
        from shoal.reservoir.sampled_model import SampledModel

        booster = _build(method, BATCH_METHODS, settings)
        booster.check()
        return SampledModel(booster, seed=seed, classes=classes, params=settings)
    if method in REGRESSION_METHODS:
        return RegressionModel(build_regressor(method, settings), seed=seed, params=settings)
    if method not in METHODS:
        find("method", EVERY_METHOD, method)  # refuses it
    return Model(build(method, settings), seed=seed, classes=classes, params=settings)


def _build(method: str, methods: Mapping[str, str], settings: Mapping[str, Any]) -> Any:
    builder = find("method", methods, method)
    known = inspect.signature(builder).parameters
    for name in settings:
        if name not in known:
            raise InputError(
                f"method {method} has no setting {name!r}; it has {', '.join(known)}.{did_you_mean(name, known)}"
            )
    check_settings(settings)
    plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in settings.items()}
    return builder(**plain)
