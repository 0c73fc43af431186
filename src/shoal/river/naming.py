"""A River class for every estimator of shoal's that learns from a stream, of its name and with its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import shoal
from shoal.banks.perceptron import Perceptrons
from shoal.estimators.common import OnlineEstimator
from shoal.estimators.online import OnlineClassifier
from shoal.river.models import RiverClassifier, RiverRegressor

FEW = {"n_learners": 5, "size": 20, "bank": Perceptrons(5)}  # for small models in checks
SEED = inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="int | None")
ABOUT = """
    seed: takes the place of `random_state`, under River's name for it.

    A model of River's: `learn_one`, `predict_one`, `learn_many`, ... What it learns with is `estimator_`.
"""


@cache
def names_of_models() -> tuple[str, ...]:
    """The public estimators that learn from a stream."""
    names = (name for name in shoal.__all__ if name.endswith(("Classifier", "Regressor")))
    return tuple(name for name in names if issubclass(getattr(shoal, name), OnlineEstimator))


@cache
def named_model(name: str) -> type[Any]:
    """The River class of that name."""
    kind = getattr(shoal, name)
    base = RiverClassifier if issubclass(kind, OnlineClassifier) else RiverRegressor
    own = {
        "__init__": _init_of(kind),
        "_begin": lambda self: kind(**_settings(self, kind)),
        "_unit_test_params": classmethod(lambda cls: _few(kind)),
        "__doc__": _doc_of(kind),
        "__module__": "shoal.river",
    }
    return type(name, (base,), own)


def _init_of(kind: type[OnlineEstimator]) -> Any:
    """An `__init__` that stores the estimator's parameters, and a seed; River reads them off its signature."""
    signature = inspect.signature(kind.__init__)
    signature = signature.replace(parameters=[*signature.parameters.values(), SEED])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        vars(self).update(list(given.arguments.items())[1:])
        self._start()

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _settings(model: Any, kind: type[OnlineEstimator]) -> dict[str, Any]:
    """The estimator's parameters, as the model has them."""
    settings = {name: getattr(model, name) for name in kind._get_param_names()}
    return settings if model.seed is None else settings | {"random_state": model.seed}


def _few(kind: type[OnlineEstimator]) -> Iterator[dict[str, Any]]:
    yield {name: value for name, value in FEW.items() if name in kind._get_param_names()}


def _doc_of(kind: type[OnlineEstimator]) -> str:
    """What the estimator says of itself and its parameters, less its examples, which are of another interface."""
    said = (kind.__doc__ or "").split("    Examples\n")[0].split("    >>>")[0]
    return said.rstrip() + "\n" + ABOUT.strip("\n")
