"""Every public estimator, as it is and small, and scikit-learn's checks of them as cases of a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import shoal
from shoal.banks.perceptron import Perceptrons

PUBLIC = [name for name in shoal.__all__ if name.endswith(("Classifier", "Regressor"))]
SETTINGS: dict[str, dict[str, Any]] = {  # of quick ones
    "EnsembleClassifier": {"bank": Perceptrons(5)},
    "FixedSampleBoostClassifier": {"size": 50, "n_learners": 5},
    "MadaBoostClassifier": {"size": 50, "n_learners": 5},
    "OnlineEnsembleClassifier": {},
    "OnlineEnsembleRegressor": {"rates": (0.3,)},
    "ReservoirBoostClassifier": {"size": 20, "n_learners": 5},
    "WeightedSamplingBoostClassifier": {"size": 50, "n_learners": 5},
}
ORDER_MATTERS = "shuffles rows; what these learn depends on their order, or on which of them are drawn"
SHUFFLED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER_MATTERS,
    "check_sample_weight_equivalence_on_sparse_data": ORDER_MATTERS,
}
IN_NO_ORDER = ("GradientBoostingRegressor", "WeightedSamplingBoostClassifier")  # pass even these


def small(name: str) -> Any:
    """A quick one, its seed fixed."""
    settings = SETTINGS.get(name, {"n_learners": 5})
    seed = {} if name == "GradientBoostingRegressor" else {"random_state": 0}
    return getattr(shoal, name)(**settings, **seed)


def checks(names: Iterable[str]) -> Iterator[Any]:
    """scikit-learn's checks of these with their defaults; those that shuffle rows are expected to fail."""
    for name in names:
        expected = {} if name in IN_NO_ORDER else SHUFFLED
        for case in estimator_checks_generator(
            getattr(shoal, name)(), expected_failed_checks=expected, mark="xfail"
        ):
            case = case if hasattr(case, "marks") else pytest.param(*case)
            check = case.values[1]
            label = getattr(check, "func", check).__name__.removeprefix("check_")
            yield pytest.param(*case.values, marks=case.marks, id=f"{name}-{label}")
