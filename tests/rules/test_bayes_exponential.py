"""Tests of the posterior under loss (8): its slow twin, its exact consequences, its theorems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.bayes_exponential import ReferenceBayesExponential
from tests.rules.playing import Step, learn, played, played_to_reference, same_answers, score, votes_of

from shoal.errors import InputError
from shoal.losses import BY_NAME
from shoal.rules.bayes_exponential import BayesExponential
from shoal.types import Task

TWO = Task("classification", 1)


def lambdas(rule: BayesExponential, steps: list[Step]) -> Any:
    return rule.posterior(played(rule, steps)[0]).mean


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("base_loss", sorted(BY_NAME))
def test_twin(n_outputs: int, base_loss: str) -> None:
    """The rule weighs and answers as its slow twin, for every base loss, two classes and three."""
    steps = votes_of(80, n_outputs=n_outputs, weighted=True)
    rule = BayesExponential(alpha=2.0, beta=0.5, theta=0.3, base_loss=base_loss)
    twin = ReferenceBayesExponential(5, n_outputs, alpha=2.0, beta=0.5, theta=0.3, loss=base_loss)
    state, scores = played(rule, steps)
    same_answers(scores, played_to_reference(twin, steps))
    assert rule.posterior(state).mean == pytest.approx([twin.mean(i) for i in range(5)], rel=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize("per_class", [False, True])
def test_twin_of_extensions(n_outputs: int, predictive: bool, per_class: bool) -> None:
    """With forgetting, abstaining, weights and late labels it is its twin, in every form of the rule."""
    steps = votes_of(120, n_outputs=n_outputs, awake=0.7, weighted=True, late=True)
    rule = BayesExponential(forgetting=0.95, predictive=predictive, per_class=per_class)
    decision = "predictive" if predictive else "plug-in"
    twin = ReferenceBayesExponential(5, n_outputs, forgetting=0.95, decision=decision, per_class=per_class)
    state, scores = played(rule, steps)
    expected = played_to_reference(twin, steps)
    laws = range(len(twin.labels) if per_class else 1)
    order = [twin.law_of(1.0 if k else -1.0) for k in laws] if n_outputs == 1 and per_class else list(laws)
    means = [[twin.mean(i, law) for i in range(5)] for law in order]
    assert np.atleast_2d(rule.posterior(state).mean) == pytest.approx(np.array(means), rel=1e-9)
    same_answers(scores, expected)


def test_golden() -> None:
    """Losses 0.4, 0.9 and 1.2 give the weight 3.2 (golden vector 1)."""
    steps = [Step(np.array([[1.0 - g]]), np.ones(1, dtype=bool), 1, 1.0, 0) for g in (0.4, 0.9, 1.2)]
    assert lambdas(BayesExponential(base_loss="hinge"), steps) == pytest.approx([3.2], rel=1e-15)


@pytest.mark.parametrize("scale", [0.01, 7.0])
def test_only_the_ratio_of_beta_to_theta_matters(scale: float) -> None:
    """Multiplying theta and beta by one number changes no answer."""
    steps = votes_of(200)
    one = played(BayesExponential(), steps)[1]
    other = played(BayesExponential(beta=scale, theta=0.1 * scale), steps)[1]
    assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


def test_alpha_does_not_matter() -> None:
    """The prior's shape changes no answer where all members vote."""
    steps = votes_of(200)
    assert played(BayesExponential(), steps)[1] == pytest.approx(
        played(BayesExponential(alpha=50.0), steps)[1], rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("base_loss", ["ramp", "zero-one", "logistic"])
def test_hard_votes_are_a_weighted_majority(base_loss: str) -> None:
    """With hard votes the answer is the majority weighted by 1 / (beta/theta + mistakes)."""
    steps = votes_of(300, hard=True)
    scores = played(BayesExponential(base_loss=base_loss), steps)[1]
    mistakes = np.zeros(5)
    per_example = math.log1p(math.exp(-1.0)) if base_loss == "logistic" else 0.0
    for t, (step, said) in enumerate(zip(steps, scores, strict=True)):
        majority = np.sum(step.votes[:, 0] / (10.0 + per_example * t + mistakes))
        assert abs(majority) < 1e-9 or (majority >= 0.0) == (said[0] >= 0.0)
        mistakes += step.votes[:, 0] != (1.0 if step.y else -1.0)


def test_uniform_at_first() -> None:
    """Before any example all weights are equal."""
    assert np.ptp(BayesExponential().posterior(BayesExponential().init(4, TWO, 0)).mean) == 0.0


@given(st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_order_does_not_matter(random: Any) -> None:
    """The weights do not depend on the order of the examples."""
    steps = votes_of(50)
    shuffled = random.sample(steps, len(steps))
    assert lambdas(BayesExponential(), shuffled) == pytest.approx(lambdas(BayesExponential(), steps), rel=1e-13)


def test_weight_is_repetition() -> None:
    """An example of weight 3 counts as three examples."""
    steps = votes_of(40)
    tripled = [step._replace(weight=3.0) for step in steps]
    repeated = [step._replace(weight=1.0) for step in steps for _ in range(3)]
    rule = BayesExponential()
    assert lambdas(rule, tripled) == pytest.approx(lambdas(rule, repeated), rel=1e-13)


def test_more_losses_mean_less_weight() -> None:
    """The weight falls strictly as the losses rise."""
    rng = np.random.default_rng(3)
    votes = np.sort(rng.uniform(-1.0, 0.9, 30))[:, None]
    means = lambdas(BayesExponential(base_loss="hinge"), [Step(votes, np.ones(30, dtype=bool), 1, 1.0, 0)])
    assert np.all(np.diff(means) > 0.0)


def test_predicting_changes_nothing() -> None:
    """Asking for scores leaves the state as it was."""
    steps = votes_of(20)
    state = played(BayesExponential(), steps)[0]
    before = [np.copy(part) for part in (*state.rounds, *state.losses, *state.squares, state.examples)]
    score(state, steps[0])
    after = (*state.rounds, *state.losses, *state.squares, state.examples)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("bad", [{"beta": 0.0}, {"theta": -1.0}, {"alpha": float("nan")}, {"forgetting": 0.0}])
def test_bad_parameters(bad: dict[str, float]) -> None:
    """Parameters without meaning are refused by name."""
    with pytest.raises(InputError, match=next(iter(bad))):
        replace(BayesExponential(), **bad).init(3, TWO, 0)


@pytest.mark.parametrize("n_examples", [10, 100, 1000])
def test_mean_and_mode_meet(n_examples: int) -> None:
    """Mean and mode are 1 / (beta + theta G) apart, and 1 / sqrt(alpha + t - 1) in standard deviations (T1)."""
    rule = BayesExponential()
    state = played(rule, votes_of(n_examples))[0]
    posterior = rule.posterior(state)
    gap = posterior.mean - posterior.mode
    assert gap == pytest.approx(1.0 / (1.0 + 0.1 * state.losses.value()[0]), rel=1e-9)
    spread = posterior.mode / math.sqrt(n_examples)
    assert gap / spread == pytest.approx(np.full(5, 1.0 / math.sqrt(n_examples)), rel=1e-9)


@pytest.mark.parametrize("p", [1.1, 2.0, 5.0])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_error_bound(p: float, n_outputs: int) -> None:
    """Weights 1 / (theta mean g) err no more often than bound (13) of Theorem 3 allows, whatever the data."""
    rng = np.random.default_rng(int(10 * p) + n_outputs)
    classes = max(2, n_outputs)
    for _ in range(100):
        m, n = int(rng.integers(1, 8)), int(rng.integers(5, 60))
        g = rng.gamma(rng.uniform(0.3, 2.0), 1.0, (n, m, classes))
        g[..., 0] *= rng.uniform(0.2, 1.0)  # class 0 is the truth
        costs = np.sum(g / np.mean(g[..., 0], axis=0)[None, :, None], axis=1)
        errors = np.mean(np.min(costs[:, 1:], axis=1) <= costs[:, 0])
        moment = np.mean(np.min(costs[:, 1:], axis=1) ** (-1.0 / (p - 1.0)))
        assert errors <= m ** (1.0 / p) * moment ** ((p - 1.0) / p) + 1e-12


def test_sampling_variance() -> None:
    """Over 2000 streams the weights vary as (15) says: t Var = Var g / (theta**2 (E g)**4)."""
    n_streams, length, theta = 2000, 2000, 0.1
    rng = np.random.default_rng(5)
    rule = BayesExponential(base_loss="hinge", theta=theta)
    state = rule.init(n_streams, TWO, 0)
    present = np.ones(n_streams, dtype=bool)
    for _ in range(length):
        g = rng.uniform(0.0, 1.0, (n_streams, 1))
        learn(state, Step(1.0 - g, present, 1, 1.0, 0))
    theory = (1.0 / 12.0) / (theta**2 * 0.5**4)
    means = rule.posterior(state).mean
    assert length * np.var(means) == pytest.approx(theory, rel=0.1)
    assert np.mean(means) == pytest.approx(1.0 / (theta * 0.5), rel=0.02)
