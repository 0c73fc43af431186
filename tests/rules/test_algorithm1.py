"""Tests of Algorithm 1 for losses of a user's own: against closed forms, in every representation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special
from tests.rules.playing import Step, learn, played, same_answers, score, votes_of

from shoal.banks.perceptron import Perceptrons
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.algorithm1 import Algorithm1
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.mixture import ForgettingGrid
from shoal.rules.own_losses import ExponentialFamilyLoss, SeparableLoss, SmoothLoss
from shoal.types import Rows, Space, Task

TWO = Task("classification", 1)
THETA = 0.1
WILD = {"awake": 0.7, "weighted": True, "late": True}


def loss_8(weight: Any, g: Any) -> Any:
    return THETA * weight * g - np.log(weight)


def slope_8(weight: Any, g: Any) -> Any:
    return THETA * g - 1.0 / weight


def log_norm(weight: Any) -> Any:
    return special.gammaln(weight) - weight * np.log(THETA)


FAMILY_8 = ExponentialFamilyLoss((lambda g: g,), (lambda weight: -THETA * weight,), lambda weight: -np.log(weight))
FAMILY_19 = ExponentialFamilyLoss(
    (np.log,), (lambda weight: weight,), log_norm, carrier=lambda g: -np.log(g) - THETA * g, prior=log_norm
)
SMOOTH_8 = SmoothLoss(
    lambda weights, g: np.sum(loss_8(weights, g)), slope_8, lambda weights, g: np.diag(1.0 / weights**2)
)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("forgetting", [1.0, 0.95])
@pytest.mark.parametrize("own", [Algorithm1(loss_8), Algorithm1(FAMILY_8), Algorithm1(FAMILY_8, "grid")])
def test_closed_form(own: Algorithm1, n_outputs: int, forgetting: float) -> None:
    """Given loss (8), Algorithm 1 weighs and answers as the closed form, to 1e-8."""
    steps = votes_of(200, n_outputs=n_outputs, **WILD)
    exact = BayesExponential(base_loss="logistic", forgetting=forgetting)
    state, scores = played(Algorithm1(own.loss, own.representation, forgetting=forgetting), steps)
    expected, twins = played(exact, steps)
    assert state.means == pytest.approx(exact.posterior(expected).mean, rel=1e-8)
    same_answers(scores, twins)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_exponential_family(n_outputs: int) -> None:
    """Given loss (19) in exponential-family form, Algorithm 1 weighs and answers as the rule for (19)."""
    steps = votes_of(200, n_outputs=n_outputs, **WILD)
    state, scores = played(Algorithm1(FAMILY_19), steps)
    expected, twins = played(BayesGammaShape(), steps)
    assert state.means == pytest.approx(expected.means, rel=1e-10)
    same_answers(scores, twins)


def one_loss(g: float) -> Step:
    return Step(np.array([[-np.log(g)]]), np.ones(1, dtype=bool), 1, 1.0, 0)


@pytest.mark.parametrize(("before", "after"), [(0.01, 5.0), (5.0, 0.01), (1e-3, 1e-3)])
def test_grid_follows(before: float, after: float) -> None:
    """The grid is moved, and refined, as the posterior wanders and shrinks."""
    steps = [one_loss(before)] * 150 + [one_loss(after)] * 250
    exact = BayesExponential(base_loss="exponential")
    state = played(Algorithm1(loss_8, base_loss="exponential"), steps)[0]
    assert state.means == pytest.approx(exact.posterior(played(exact, steps)[0]).mean, rel=1e-5)


@pytest.mark.parametrize("g", [1e-2, 0.5, 700.0])
def test_grid_after_a_heavy_example(g: float) -> None:
    """One example that counts a million times leaves a posterior far narrower than the first grid."""
    rule = Algorithm1(loss_8, base_loss="exponential")
    state = played(rule, [one_loss(g)._replace(weight=1e6)])[0]
    assert state.means == pytest.approx([(1.0 + 1e6) / (1.0 + THETA * 1e6 * g)], rel=1e-4)


def test_long_streams_turn_normal() -> None:
    """A posterior narrower than 0.02 goes on as a normal law, within a thousandth of its width."""
    steps = votes_of(4000)
    exact = BayesExponential(base_loss="logistic")
    state = played(Algorithm1(loss_8), steps)[0]
    assert np.all(state.normal)
    assert state.means == pytest.approx(exact.posterior(played(exact, steps)[0]).mean, rel=2e-5)


def test_recursion_is_efficient() -> None:
    """Over 1000 streams the recursion varies as (15) says, without bias, even from a start 18 times too low."""
    length, n_streams, best = 4000, 1000, 18.0
    state = Algorithm1(SeparableLoss(loss_8, derivative=slope_8), "laplace", base_loss="hinge").init(
        n_streams, TWO, 0
    )
    rng = np.random.default_rng(0)
    present = np.ones(n_streams, dtype=bool)
    top = 2.0 / (THETA * best)
    for _ in range(length):
        learn(state, Step(1.0 - rng.uniform(0.0, top, (n_streams, 1)), present, 1, 1.0, 0))
    theory = best**2 / 3.0  # Var g / (theta**2 (E g)**4) of uniform losses
    assert length * np.var(state.means) == pytest.approx(theory, rel=0.1)
    assert np.mean(state.means) == pytest.approx(best, rel=0.015)


@pytest.mark.parametrize("own", [SeparableLoss(loss_8, derivative=slope_8), SMOOTH_8])
def test_recursions_agree(own: Any) -> None:
    """Derivatives given, or taken by differences, diagonal or as a matrix, make the same recursion."""
    steps = votes_of(200, awake=0.8)
    one = played(Algorithm1(loss_8, "laplace"), steps)
    other = played(Algorithm1(own, "laplace"), steps)
    assert one[0].means == pytest.approx(other[0].means, rel=1e-5)
    assert one[1] == pytest.approx(other[1], rel=1e-4, abs=1e-6)


def test_weights_that_depend_on_each_other() -> None:
    """A loss of all weights together is followed to the minimum of the summed losses."""

    def value(weights: Any, g: Any) -> Any:
        return np.sum(weights * g - np.log(weights)) + 0.5 * np.sum(weights) ** 2

    def gradient(weights: Any, g: Any) -> Any:
        return g - 1.0 / weights + np.sum(weights)

    def curvature(weights: Any, g: Any) -> Any:
        return np.diag(1.0 / weights**2) + 1.0

    steps = votes_of(3000, n_members=3)
    state = played(Algorithm1(SmoothLoss(value, gradient, curvature)), steps)[0]
    mean_g = np.mean([np.log1p(np.exp(-(2 * s.y - 1) * s.votes[:, 0])) for s in steps], axis=0)
    found = optimize.minimize(lambda u: value(np.exp(u), mean_g), np.zeros(3), tol=1e-12)
    assert state.means == pytest.approx(np.exp(found.x), rel=5e-3)


@pytest.mark.parametrize(
    ("rule", "tolerance"),
    [(Algorithm1(FAMILY_19), 1e-12), (Algorithm1(loss_8), 1e-6), (Algorithm1(loss_8, "laplace"), 0.1)],
)
def test_merging(rule: Algorithm1, tolerance: float) -> None:
    """Two shards merge into the posterior of the whole: exactly, nearly, or about."""
    steps = votes_of(300)
    whole = played(rule, steps)[0]
    one, other = played(rule, steps[::2])[0], played(rule, steps[1::2])[0]
    merged = rule.merge(one, other)
    assert merged.means == pytest.approx(whole.means, rel=tolerance)
    assert merged.rounds == pytest.approx(whole.rounds)


def test_merging_unlike_streams() -> None:
    """Grids far apart merge into the posterior of both streams."""
    rule = Algorithm1(loss_8, base_loss="exponential")
    low, high = [one_loss(0.05)] * 40, [one_loss(3.0)] * 60
    merged = rule.merge(played(rule, low)[0], played(rule, high)[0])
    assert merged.means == pytest.approx(played(rule, low + high)[0].means, rel=1e-4)


@pytest.mark.parametrize("own", [loss_8, FAMILY_8, SMOOTH_8])
def test_in_the_loop(own: Any) -> None:
    """An ensemble with a loss of the user's own runs as any other, its loop in Python."""
    rng = np.random.default_rng(0)
    n, d = 60, 3
    x = rng.normal(size=(n, d))
    rows = Rows(np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), x.ravel())
    ensemble = Ensemble(Perceptrons(6), rule=Algorithm1(own))
    state = ensemble.init(Space.of_size(d), TWO, 0)
    predicted = ensemble.run(state, d, rows, (x[:, 0] > 0.0).astype(np.float64), np.ones(n), 2)[0]
    assert np.mean(predicted[20:] == (x[20:, 0] > 0.0)) > 0.75
    assert state.rule.rounds.tolist() == [float(n)] * 6


def test_predicting_changes_nothing() -> None:
    """Asking for scores leaves the state as it was."""
    steps = votes_of(30)
    state = played(Algorithm1(loss_8), steps)[0]
    before = [np.copy(part) for part in state[3:]]
    score(state, steps[0])
    assert all(np.array_equal(a, b) for a, b in zip(before, state[3:], strict=True))


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (Algorithm1(3.0), "expected a function"),
        (Algorithm1(loss_8, "table"), "representation"),
        (Algorithm1(SMOOTH_8, "grid"), "does not fit a SmoothLoss"),
        (Algorithm1(loss_8, "exponential-family"), "does not fit a SeparableLoss"),
        (Algorithm1(lambda weight, g: 1.0), "shape"),
        (Algorithm1(lambda weight, g: weight * g * np.nan), "finite"),
        (Algorithm1(ExponentialFamilyLoss((np.log,), (), np.log)), "as many"),
        (Algorithm1(loss_8, forgetting=2.0), "forgetting"),
    ],
)
def test_bad_losses(rule: Algorithm1, named: str) -> None:
    """Losses that cannot be used are refused with what was expected."""
    with pytest.raises(InputError, match=named):
        rule.init(3, TWO, 0)


@pytest.mark.parametrize("own", [Algorithm1(loss_8), Algorithm1(FAMILY_8)])
def test_posterior(own: Algorithm1) -> None:
    """Given loss (8), the posterior has the variance, mode and quantiles of the closed form."""
    steps = votes_of(200)
    exact = BayesExponential(base_loss="logistic")
    mine, true = own.posterior(played(own, steps)[0]), exact.posterior(played(exact, steps)[0])
    assert mine.variance == pytest.approx(true.variance, rel=1e-6)
    assert mine.mode == pytest.approx(true.mode, rel=1e-3)
    for one, other in zip(mine.interval(kind="posterior"), true.interval(kind="posterior"), strict=True):
        assert one == pytest.approx(other, rel=1e-5)
    assert mine.probability_greater(0, 4) == pytest.approx(true.probability_greater(0, 4), abs=1e-3)


@pytest.mark.parametrize("own", [Algorithm1(loss_8), Algorithm1(FAMILY_8), Algorithm1(loss_8, "laplace")])
def test_sandwich(own: Algorithm1) -> None:
    """On a long stream the sandwich interval is that of the closed form."""
    steps = votes_of(2000)
    exact = BayesExponential(base_loss="logistic")
    mine, true = own.posterior(played(own, steps)[0]), exact.posterior(played(exact, steps)[0])
    widths = [np.diff(posterior.interval(), axis=0)[0] for posterior in (mine, true)]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_merged_posteriors() -> None:
    """Posteriors under a loss of the user's own merge as others do."""
    steps = votes_of(100)
    rule = Algorithm1(FAMILY_19)
    one, other = rule.posterior(played(rule, steps[:50])[0]), rule.posterior(played(rule, steps[50:])[0])
    assert one.merge(other).mean == pytest.approx(played(rule, steps)[0].means, rel=1e-12)


def test_forgetting_grid() -> None:
    """The forgetting factor of a loss of the user's own may be chosen online."""
    steps = votes_of(60)
    mine = played(ForgettingGrid(Algorithm1(loss_8), (0.9, 1.0)), steps)
    true = played(ForgettingGrid(BayesExponential(base_loss="logistic"), (0.9, 1.0)), steps)
    assert mine[0].mistakes.tolist() == true[0].mistakes.tolist()
