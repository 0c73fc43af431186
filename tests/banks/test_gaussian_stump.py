"""One-feature learners against their twin, and what they are for: to be selected."""

import numpy as np
import pytest
from tests.banks.twin_helpers import N, driver_of, stream, teach_twin
from tests.reference.gaussian_stump import ReferenceGaussianStumps

from shoal.banks.gaussian_stump import NONE, GaussianStumps
from shoal.boosters.feature_boost import FeatureBoost
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.testing import check_bank, task_of
from shoal.types import Space, Task


@pytest.mark.parametrize("forgetting", [1.0, 0.9])
@pytest.mark.parametrize("decision", ["midpoint", "bayes"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_the_slow_twin(n_classes, decision, forgetting):
    """Votes and abstentions before every lesson are the twin's, to 1e-9; of zeros and missing values too."""
    X, y, weights = stream(n_classes)
    driver = driver_of(GaussianStumps(N, decision=decision, forgetting=forgetting), n_classes)
    twin = ReferenceGaussianStumps(list(range(N)), task_of(n_classes).n_outputs, decision, forgetting)
    for t in range(len(X)):
        votes, live = driver.predict(X[t])
        expected, present = twin.predict(X[t].tolist())
        assert live.tolist() == present
        np.testing.assert_allclose(votes, expected, rtol=0, atol=1e-9)
        driver.update(X[t], y[t], weights[t])
        teach_twin(twin, driver, X[t].tolist(), y[t], weights[t])


def test_of_two_classes_the_threshold_is_halfway_and_the_order_of_the_means_decides():
    """Means 1 and 4: below 2.5 the one, above the other, on the threshold neither."""
    driver = driver_of(GaussianStumps(1), 2)
    for value, k in ((1.0, 1), (3.0, 0), (5.0, 0)):
        driver.update(np.array([value, 0, 0, 0, 0, 0]), k, np.ones(1))
    votes = [driver.predict(np.array([x, 0, 0, 0, 0, 0]))[0][0, 0] for x in (2.4, 2.5, 2.6)]
    assert votes == [1.0, 0.0, -1.0]


def test_each_feature_has_its_learners_and_waits_for_it_where_features_appear():
    """Features are dealt out in turn; in an open space learner i has the i-th, and a replaced one keeps it."""
    bank, task = GaussianStumps(5), Task("classification", 1)
    closed = bank.init(Space.of_size(2), task, 0)
    assert closed.feature.tolist() == [0, 1, 0, 1, 0]
    opened = bank.init(Space.of_size(2, open=True), task, 0)
    assert opened.feature.tolist() == [0, 1, NONE, NONE, NONE]
    assert bank.grow(opened, Space.of_size(4, open=True)).feature.tolist() == [0, 1, 2, 3, NONE]


def test_selectors_find_the_features_that_matter():
    """Of eight features two tell the classes apart; the selectors of a pool find them."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 8))
    X[:, 2] += 2.0 * y
    X[:, 5] -= 2.0 * y
    ensemble = Ensemble(GaussianStumps(8), FeatureBoost(2, pool=True), Last())
    state = ensemble.init(Space.of_size(8), Task("classification", 1), 0)
    predicted, _ = ensemble.run(state, 8, to_rows(X), y.astype(float), np.ones(600), 2)
    assert set(state.booster.selected[0].tolist()) == {2, 5}
    assert np.mean(predicted[300:] != y[300:]) < 0.2  # either feature alone errs on 0.16


def test_bayes_rule_that_forgets_keeps_all_promises():
    """A bank with every option away from its default passes the conformance suite."""
    check_bank(GaussianStumps(3, decision="bayes", forgetting=0.95))


@pytest.mark.parametrize(
    "bank", [GaussianStumps(0), GaussianStumps(3, decision="any"), GaussianStumps(3, forgetting=0.0)]
)
def test_refuses_parameters_without_meaning(bank):
    """A parameter out of range is refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        driver_of(bank, 2)
