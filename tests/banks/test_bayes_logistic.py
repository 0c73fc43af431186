"""Bayesian logistic regression against its twin in terms of the precision, and what its options promise."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm
from tests.banks.twin_helpers import D, N, agree, driver_of, linear_start, stream
from tests.reference.bayes_logistic import ReferenceBayesLogistic

from shoal.banks.bayes_logistic import BayesLogistic
from shoal.errors import InputError
from shoal.testing import check_bank, states_equal, task_of
from shoal.types import Space

PRIOR = (0.5, 20.0)


@pytest.mark.parametrize("forgetting", [1.0, 0.95])
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("update", ["logistic", "arow"])
@pytest.mark.parametrize(("n_classes", "fraction"), [(2, 1.0), (2, 0.5), (3, 0.5)])
def test_agrees_with_the_slow_twin(n_classes, fraction, update, covariance, forgetting):
    """On weighted rows votes and means agree with adding up precisions, to 1e-9."""
    bank = BayesLogistic(
        N, fraction, PRIOR, covariance, update=update, forgetting=forgetting, arow_noise=0.7, noise=0.1
    )
    driver = driver_of(bank, n_classes)
    subsets, initial = linear_start(driver, fraction, n_classes)
    n_outputs = task_of(n_classes).n_outputs
    prior = [PRIOR[i % 2] for i in range(N)]
    twin = ReferenceBayesLogistic(
        N, D + 1, n_outputs, prior, update, covariance == "diagonal", forgetting, 0.7, subsets, initial
    )
    agree(driver, twin, *stream(n_classes), driver.dense)
    for i in range(N):
        for c in range(n_outputs):
            k = i * n_outputs + c
            belief = twin.beliefs[i][c]
            np.testing.assert_allclose(driver.state.weights.table[belief.seen, k], belief.mean, rtol=0, atol=1e-9)
            full = driver.state.covariance[k] if covariance == "full" else np.diag(driver.state.variances[:, k])
            kept = full[np.ix_(belief.seen, belief.seen)]
            np.testing.assert_allclose(kept, belief.sigma, rtol=0, atol=1e-9)
            assert full.sum() == pytest.approx(kept.sum(), abs=1e-12)


def test_vote_is_nearly_the_mean_over_the_belief():
    """The vote is within 0.04 of 2 E[P] - 1, integrated over the belief about the margin."""
    driver = driver_of(BayesLogistic(N, prior_variance=(0.1, 5.0, 200.0), covariance="full"), 2)
    X, y, weights = stream(2)
    for t in range(50):
        driver.update(X[t], y[t], weights[t])
    for x in X[50:60]:
        row = np.array(driver.dense(x))
        for i, vote in enumerate(driver.predict(x)[0][:, 0]):
            mean, variance = driver.state.weights.table[:, i] @ row, row @ driver.state.covariance[i] @ row
            belief = norm(mean, np.sqrt(variance))
            expected = quad(lambda a, belief=belief: expit(a) * belief.pdf(a), *belief.ppf([1e-12, 1 - 1e-12]))[0]
            assert vote == pytest.approx(2.0 * expected - 1.0, abs=0.04)


def test_huge_weights_are_survived():
    """Lessons of enormous and of tiny weight leave finite votes and variances that are not negative."""
    driver = driver_of(BayesLogistic(N, covariance="full", forgetting=0.9), 2)
    X, y, _ = stream(2)
    rng = np.random.default_rng(3)
    for t in range(len(X)):
        driver.update(X[t], y[t], 10.0 ** rng.uniform(-8.0, 3.0, N))
        assert np.isfinite(driver.predict(X[t])[0]).all()
        assert (np.diagonal(driver.state.covariance, axis1=1, axis2=2) >= -1e-9).all()


def test_forgetting_does_not_wind_up():
    """However long a learner forgets, no direction is less known than before any example."""
    driver = driver_of(BayesLogistic(N, covariance="full", forgetting=0.99, prior_variance=2.0), 2)
    rng = np.random.default_rng(6)
    spread = np.logspace(0.0, -2.0, D)
    for _ in range(2000):
        driver.update(rng.normal(size=D) * spread, int(rng.random() < 0.7), np.ones(N))
    assert (np.linalg.eigvalsh(driver.state.covariance) <= 2.0 + 1e-9).all()


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_forgetting_follows_a_change(covariance):
    """After the classes have changed places the learner that forgets errs less than the one that does not."""
    driver = driver_of(BayesLogistic(2, covariance=covariance, forgetting=(1.0, 0.98)), 2)
    rng = np.random.default_rng(7)
    wrong = np.zeros(2)
    for t in range(1000):
        x = rng.normal(size=D)
        y = int((x[0] + x[1] > 0.0) == (t < 500))
        if t >= 500:
            wrong += (driver.predict(x)[0][:, 0] >= 0.0) != y
        driver.update(x, y, np.ones(2))
    assert wrong[1] < 0.5 * wrong[0]


def test_outgrowing_the_full_covariance_keeps_its_diagonal():
    """A bank that grows beyond `full_up_to` features keeps means and variances, and learns on."""
    driver = driver_of(BayesLogistic(N, full_up_to=D), 2)
    X, y, weights = stream(2)
    for t in range(50):
        driver.update(X[t], y[t], weights[t])
    before = driver.state
    driver.grow(Space.of_size(D + 2))
    assert driver.state.covariance.size == 0
    diagonal = np.diagonal(before.covariance, axis1=1, axis2=2).T
    assert np.array_equal(driver.state.variances[: D + 1], diagonal)
    assert np.array_equal(driver.state.variances[D + 1 :], np.full((2, N), BayesLogistic().prior_variance))
    wide = driver.twin()
    wide.widen(task_of(3))
    assert states_equal(wide.state.variances[:, 0], driver.state.variances[:, 0])
    driver.update(np.ones(D + 2), 1, np.ones(N))
    assert np.isfinite(driver.predict(np.ones(D + 2))[0]).all()


@pytest.mark.parametrize("update", ["logistic", "arow"])
def test_diagonal_subsets_that_forget_keep_all_promises(update):
    """A bank with every option away from its default passes the conformance suite."""
    check_bank(BayesLogistic(N, 0.5, (1.0, 10.0), "diagonal", update=update, forgetting=(0.99, 1.0)))


@pytest.mark.parametrize(
    "bank",
    [
        BayesLogistic(0),
        BayesLogistic(prior_variance=-1.0),
        BayesLogistic(forgetting=1.1),
        BayesLogistic(covariance="half"),
        BayesLogistic(update="newton"),
        BayesLogistic(arow_noise=0.0),
        BayesLogistic(full_up_to=-1),
    ],
)
def test_refuses_parameters_without_meaning(bank):
    """A parameter out of range is refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        driver_of(bank, 2)
