"""Tests of the rules with Gamma likelihoods, losses (19) and (22), against their slow twins."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special
from tests.reference.bayes_gamma import ReferenceBayesGamma
from tests.reference.bayes_gamma_shape import ReferenceBayesGammaShape
from tests.rules.playing import Step, learn, played, played_to_reference, same_answers, score, started, votes_of

from shoal.errors import InputError
from shoal.kernels.posterior_means import gamma_mean, gamma_shape_mean
from shoal.rules.bayes_gamma import BayesGamma
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.gamma_laws import CAPS
from shoal.types import Task

TWO = Task("classification", 1)
BOTH: list[Any] = [BayesGammaShape(), BayesGamma()]
WILD = {"awake": 0.7, "weighted": True, "late": True}


def shape_twin(n_outputs: int, **options: Any) -> ReferenceBayesGammaShape:
    return ReferenceBayesGammaShape(5, lambda n, k: gamma_shape_mean(n, k, 0.0)[0], n_outputs, **options)


def gamma_twin(n_outputs: int, **options: Any) -> ReferenceBayesGamma:
    return ReferenceBayesGamma(5, lambda P, Q, R, s: gamma_mean(P, Q, R, s, 0.0)[0], n_outputs, **options)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("base_loss", ["logistic", "exponential"])
@pytest.mark.parametrize("forgetting", [1.0, 0.95])
def test_shape_twin(n_outputs: int, base_loss: str, forgetting: float) -> None:
    """Loss (19) weighs and answers as its slow twin, abstaining, weights and late labels included."""
    steps = votes_of(60, n_outputs=n_outputs, **WILD)
    options = {"a": 2.0, "b": 1.5, "c": 0.5, "theta": 0.3, "forgetting": forgetting}
    twin = shape_twin(n_outputs, loss=base_loss, **options)
    state, scores = played(BayesGammaShape(base_loss=base_loss, **options), steps)
    same_answers(scores, played_to_reference(twin, steps))
    assert state.means == pytest.approx([twin.mean(i) for i in range(5)], rel=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("base_loss", ["logistic", "exponential"])
@pytest.mark.parametrize("forgetting", [1.0, 0.95])
def test_gamma_twin(n_outputs: int, base_loss: str, forgetting: float) -> None:
    """Loss (22) weighs and answers as its slow twin, abstaining, weights and late labels included."""
    steps = votes_of(60, n_outputs=n_outputs, **WILD)
    options = {"p": 0.5, "q": 2.0, "r": 2.0, "s": 1.5, "forgetting": forgetting}
    twin = gamma_twin(n_outputs, loss=base_loss, **options)
    state, scores = played(BayesGamma(base_loss=base_loss, **options), steps)
    same_answers(scores, played_to_reference(twin, steps))
    expected = np.array([twin.means(i) for i in range(5)])
    assert state.shapes == pytest.approx(expected[:, 0], rel=1e-9)
    assert state.rates == pytest.approx(expected[:, 1], rel=1e-9)


@pytest.mark.parametrize("cap", CAPS)
def test_caps(cap: str) -> None:
    """Past the paper's caps the means are those of the twin with the same treatment of the sums."""
    steps = [step._replace(weight=30.0) for step in votes_of(60)]
    shape, both = shape_twin(1, cap=cap), gamma_twin(1, cap=cap)
    shapes, gammas = played(BayesGammaShape(cap=cap), steps)[0], played(BayesGamma(cap=cap), steps)[0]
    for twin in (shape, both):
        played_to_reference(twin, steps)
    assert shapes.means == pytest.approx([shape.mean(i) for i in range(5)], rel=1e-9)
    assert gammas.shapes == pytest.approx([both.means(i)[0] for i in range(5)], rel=1e-9)


def one_loss(g: float) -> Step:
    return Step(np.array([[-math.log(g)]]), np.ones(1, dtype=bool), 1, 1.0, 0)


def test_golden() -> None:
    """Losses 0.4, 0.9 and 1.2 give the means of the golden vectors 2 and 3."""
    steps = [one_loss(g) for g in (0.4, 0.9, 1.2)]
    shape = played(BayesGammaShape(base_loss="exponential"), steps)[0]
    both = played(BayesGamma(base_loss="exponential"), steps)[0]
    assert shape.means == pytest.approx([0.482413643185731], rel=1e-12)
    assert both.shapes == pytest.approx([3.80300072010296], rel=1e-12)
    assert both.rates == pytest.approx([4.63200082297482], rel=1e-12)


def test_golden_prior() -> None:
    """Before any example loss (22) has the means of golden vector 3."""
    state = BayesGamma().init(2, TWO, 0)
    assert state.shapes == pytest.approx([3.37492899098250] * 2, rel=1e-12)
    assert state.rates == pytest.approx([4.37492899098250] * 2, rel=1e-12)


@pytest.mark.parametrize("rule", BOTH)
def test_order_does_not_matter(rule: Any) -> None:
    """The means do not depend on the order of the examples."""
    steps = votes_of(80)
    one, other = played(rule, steps)[0], played(rule, steps[::-1])[0]
    assert rule.posterior(one).mean == pytest.approx(rule.posterior(other).mean, rel=1e-11)


@pytest.mark.parametrize("rule", BOTH)
def test_cached_means_are_the_posterior_means(rule: Any) -> None:
    """The means that answer, sought from the previous mode, are those computed from the sums alone."""
    state = played(rule, votes_of(200))[0]
    used = state.means if isinstance(rule, BayesGammaShape) else np.stack([state.shapes, state.rates], axis=-1)
    assert used == pytest.approx(rule.posterior(state).mean, rel=1e-11)


@pytest.mark.parametrize("rule", BOTH)
@pytest.mark.parametrize("refresh_every", [7, "10%"])
def test_refreshing_rarely(rule: Any, refresh_every: int | str) -> None:
    """Means computed rarely are those of the last refresh, and the sums are unaffected."""
    steps = votes_of(100)
    lazy, state = replace(rule, refresh_every=refresh_every), played(rule, steps)[0]
    late = played(lazy, steps)[0]
    assert lazy.posterior(late).mean == pytest.approx(rule.posterior(state).mean, rel=1e-11)
    refreshed = late.refresh.clock[1] - (7 if refresh_every == 7 else math.floor(0.1 * 93))
    at = 99 if refresh_every == 7 else int(refreshed)
    then = played(rule, steps[:at])[0]
    field = "means" if isinstance(rule, BayesGammaShape) else "shapes"
    assert getattr(late, field) == pytest.approx(getattr(then, field), rel=1e-9)


@pytest.mark.parametrize("rule", BOTH)
@pytest.mark.parametrize("base_loss", ["ramp", "hinge", "zero-one"])
def test_losses_that_reach_zero(rule: Any, base_loss: str) -> None:
    """Base losses that reach 0 are refused, with those to use instead."""
    with pytest.raises(InputError, match=r"logarithm.*'logistic' or 'exponential'"):
        replace(rule, base_loss=base_loss).init(3, TWO, 0)


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (BayesGammaShape(a=0.0), "a is 0.0"),
        (BayesGammaShape(cap="some"), "cap"),
        (BayesGammaShape(refresh_every=0), "refresh_every"),
        (BayesGammaShape(refresh_every="often"), "refresh_every"),
        (BayesGamma(r=1.0), "r > s"),
        (BayesGamma(q=-1.0), "q is -1.0"),
        (BayesGamma(forgetting=1.5), "forgetting"),
    ],
)
def test_bad_parameters(rule: Any, named: str) -> None:
    """Parameters without meaning are refused by name."""
    with pytest.raises(InputError, match=named):
        rule.init(3, TWO, 0)


@pytest.mark.parametrize("rule", BOTH)
def test_predicting_changes_nothing(rule: Any) -> None:
    """A score asked for twice is the same, and so is what is learned after."""
    steps = votes_of(10)
    state = started(rule, steps)
    first = score(state, steps[0])
    assert np.array_equal(first, score(state, steps[0]))
    learn(state, steps[0])
    plain = played(rule, steps[:1])[0]
    assert np.array_equal(rule.posterior(state).mean, rule.posterior(plain).mean)


def test_means_converge() -> None:
    """Loss (19) finds the shape whose digamma is log theta plus the mean log loss."""
    rng = np.random.default_rng(1)
    losses = rng.gamma(2.0, 1.0 / 0.5, 20_000)
    rule = BayesGammaShape(theta=0.5, base_loss="exponential", refresh_every="5%")
    state = played(rule, [one_loss(g) for g in losses])[0]
    mean = rule.posterior(state).mean[0]
    assert special.digamma(mean) == pytest.approx(math.log(0.5) + np.mean(np.log(losses)), abs=1e-3)


def test_shape_grows_with_the_losses() -> None:
    """Under loss (19) the member with the larger losses has the larger mean."""
    votes = -np.log(np.linspace(0.2, 2.0, 10))[:, None]
    step = Step(votes, np.ones(10, dtype=bool), 1, 1.0, 0)
    assert np.all(np.diff(played(BayesGammaShape(base_loss="exponential"), [step] * 3)[0].means) > 0.0)
