"""Additive learners."""

import numpy as np
import pytest

from shoal.banks.additive import Additive
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.streams.rows import to_rows
from shoal.testing import check_bank
from shoal.types import Space, Task


def errors_of(bank, X, y, n_classes=2):
    """What a bank answers wrongly, row by row."""
    ensemble = Ensemble(bank)
    n_outputs = 1 if n_classes == 2 else n_classes
    state = ensemble.init(Space.of_size(X.shape[1]), Task("classification", n_outputs), 0)
    predicted, _ = ensemble.run(state, X.shape[1], to_rows(X), y.astype(float), np.ones(len(y)), n_classes)
    return predicted != y


def test_learns_a_curve_per_feature():
    """A class that depends on the size of a feature, whatever its sign, is learned."""
    X = np.random.default_rng(0).normal(size=(1500, 2))
    assert errors_of(Additive(1), X, (np.abs(X[:, 0]) > 0.7).astype(int))[500:].mean() < 0.1


def test_learns_a_number_per_value():
    """Codes without an order are told apart."""
    X = np.random.default_rng(1).integers(1, 7, size=(800, 3)).astype(float)
    y = np.isin(X[:, 1], (1, 4, 6)).astype(int)
    assert errors_of(Additive(1), X, y)[200:].mean() < 0.02


def test_learns_several_classes():
    """Three classes in bands of one feature are told apart."""
    X = np.random.default_rng(2).uniform(size=(1500, 2))
    assert errors_of(Additive(1, bins=16), X, (X[:, 0] * 3).astype(int), 3)[500:].mean() < 0.15


def test_keeps_its_promises():
    """The bank passes the conformance suite, with a full covariance and features left out."""
    check_bank(Additive(3, feature_fraction=0.5))


def test_memory_is_bounded():
    """Histograms are kept of the first `max_features` features only."""
    state = Additive(2, max_features=50).init(Space.of_size(10_000), Task("classification", 1), 0)
    assert state.centres.shape[1] == 50
    assert state.regressions.weights.table.shape[0] == 51


@pytest.mark.parametrize("setting", [{"bins": 1}, {"prior": 0.0}, {"max_features": 0}, {"first_weight": -1.0}])
def test_refuses_parameters_without_meaning(setting):
    """A parameter out of range is named."""
    with pytest.raises(InputError, match=next(iter(setting))):
        Additive(2, **setting).init(Space.of_size(3), Task("classification", 1), 0)
