"""Tests of what Bayesian rules say of themselves: intervals, comparisons, merging."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from tests.reference.bayes_exponential import ReferenceBayesExponential
from tests.rules.playing import Step, learn, played, played_to_reference, votes_of

from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.bayes_gamma import BayesGamma
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.laws import RateLaw, TwoParameterLaw
from shoal.rules.posterior import Posterior
from shoal.types import Task

TWO = Task("classification", 1)
RULES: list[Any] = [BayesExponential(), BayesGammaShape(), BayesGamma()]


def posterior(rule: Any, steps: list[Step]) -> Posterior:
    answer: Posterior = rule.posterior(played(rule, steps)[0])
    return answer


def test_twin() -> None:
    """Under loss (8) mode, variance, both intervals and comparisons are those of the slow twin."""
    steps = votes_of(100, weighted=True, awake=0.8)
    twin = ReferenceBayesExponential(5)
    played_to_reference(twin, steps)
    mine = posterior(BayesExponential(), steps)
    low, high = mine.interval(0.9)
    below, above = mine.interval(0.9, "posterior")
    for i in range(5):
        assert (low[i], high[i]) == pytest.approx(twin.sandwich_interval(i, 0.9), rel=1e-9)
        assert (below[i], above[i]) == pytest.approx(twin.credible_interval(i, 0.9), rel=1e-9)
        assert mine.mode[i] == pytest.approx(twin.mode(i))
        assert mine.variance[i] == pytest.approx(twin.variance(i))
        assert mine.probability_greater(i, 0) == pytest.approx(twin.probability_above(i, 0))


@pytest.mark.parametrize("rule", RULES)
def test_shapes(rule: Any) -> None:
    """Every array ends in the members, with an axis more for the two parameters of loss (22)."""
    mine = posterior(rule, votes_of(30))
    shape = (5, 2) if isinstance(rule, BayesGamma) else (5,)
    ends = (*mine.interval(), *mine.interval(kind="posterior"))
    assert all(array.shape == shape for array in (mine.mean, mine.variance, mine.mode, *ends))
    assert mine.names == ("learner 0", "learner 1", "learner 2", "learner 3", "learner 4")
    assert mine.n_examples.tolist() == [30.0] * 5


def test_shapes_per_class() -> None:
    """With a posterior per class the arrays are (classes, members)."""
    mine = posterior(BayesExponential(per_class=True), votes_of(30, n_outputs=3))
    assert mine.mean.shape == mine.interval()[0].shape == (3, 5)
    assert np.shape(mine.probability_greater(0, 1)) == (3,)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["sandwich", "posterior"])
def test_intervals_hold_the_mean(rule: Any, kind: str) -> None:
    """Intervals hold the mean, and wider ones hold narrower ones."""
    mine = posterior(rule, votes_of(50))
    low, high = mine.interval(0.5, kind)
    lower, higher = mine.interval(0.99, kind)
    assert np.all((lower < low) & (low < mine.mean) & (mine.mean < high) & (high < higher))


@pytest.mark.parametrize("rule", RULES)
def test_before_two_examples(rule: Any) -> None:
    """Where there is no spread as yet, the sandwich interval is the posterior's."""
    mine = rule.posterior(rule.init(3, TWO, 0))
    for one, other in zip(mine.interval(), mine.interval(kind="posterior"), strict=True):
        assert np.array_equal(one, other)


def test_sandwich_covers() -> None:
    """Over 1000 streams the 90 % sandwich interval of loss (8) holds the limit 0.9 of the time."""
    rule = BayesExponential(alpha=0.01, beta=0.01, base_loss="exponential")
    assert coverage(rule, 1.0 / (0.1 * 0.5), 0) == pytest.approx(0.9, abs=0.04)


def test_sandwich_covers_the_shape() -> None:
    """Over 1000 streams the 90 % sandwich interval of loss (19) holds the limit 0.9 of the time."""
    limit = inverse_digamma(math.log(0.1) + special.digamma(2.0) - math.log(4.0))
    assert coverage(BayesGammaShape(base_loss="exponential", refresh_every=1000), limit, 0) == pytest.approx(
        0.9, abs=0.04
    )


@pytest.mark.parametrize(("parameter", "limit"), [(0, 2.0), (1, 4.0)])
def test_sandwich_covers_shape_and_rate(parameter: int, limit: float) -> None:
    """Over 1000 streams the 90 % sandwich intervals of loss (22) hold the truth 0.9 of the time."""
    rule = BayesGamma(base_loss="exponential", refresh_every=1000)
    assert coverage(rule, limit, parameter) == pytest.approx(0.9, abs=0.04)


def inverse_digamma(value: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda x: special.digamma(x) - value, 1e-3, 1e3))


def coverage(rule: Any, limit: float, parameter: int) -> float:
    """How often the interval from 800 Gamma(2, rate 4) losses holds the limit."""
    n_streams = 1000
    state = rule.init(n_streams, TWO, 0)
    rng = np.random.default_rng(6)
    present = np.ones(n_streams, dtype=bool)
    for _ in range(800):
        g = rng.gamma(2.0, 0.25, (n_streams, 1))
        learn(state, Step(-np.log(g), present, 1, 1.0, 0))
    low, high = (end.reshape(n_streams, -1)[:, parameter] for end in rule.posterior(state).interval(0.9))
    return float(np.mean((low < limit) & (limit < high)))


@pytest.mark.parametrize("rule", RULES)
def test_comparisons_add_up(rule: Any) -> None:
    """That one is greater and that the other is have probabilities that add up to 1."""
    mine = posterior(rule, votes_of(20))
    for name in mine.parameters:
        one, other = mine.probability_greater(0, 4, name), mine.probability_greater(4, 0, name)
        assert one + other == pytest.approx(1.0, abs=1e-9)
        assert mine.probability_greater(2, 2, name) == pytest.approx(0.5, abs=1e-9)


def test_comparison_of_shapes_by_simulation() -> None:
    """The comparison under (19) is what draws by inverse quantiles say."""
    mine = posterior(BayesGammaShape(), votes_of(20))
    law = mine.laws[0]
    p = (np.arange(200) + 0.5) / 200
    draws = np.array([law.quantile(x) for x in p])
    expected = np.mean(draws[:, None, 0] > draws[None, :, 4])
    assert mine.probability_greater(0, 4) == pytest.approx(expected, abs=5e-3)


def test_law_of_the_rate() -> None:
    """The rate's law under (24), a mixture of Gamma laws, has the exact mean, and quantiles that agree with it."""
    law = RateLaw(TwoParameterLaw(np.array([-3.5]), np.array([4.0]), np.array([6.5]), np.array([6.0])))
    p = (np.arange(2000) + 0.5) / 2000
    quantiles = np.array([law.quantile(x)[0] for x in p[::20]])
    shapes, masses = law._mixtures[0]
    assert masses @ (shapes / 4.0) == pytest.approx(law.mean[0], rel=1e-6)
    cdf = [masses @ stats.gamma.cdf(q, shapes, scale=0.25) for q in quantiles]
    assert cdf == pytest.approx(p[::20], abs=1e-9)
    assert law.quantile(0.01)[0] < law.mode[0] < law.mean[0]


@pytest.mark.parametrize("t", [1e3, 1e6, 1e9])
def test_laws_of_long_streams(t: float) -> None:
    """After any number of examples, quantiles of shape and rate lie where mean and variance say."""
    shape = TwoParameterLaw(
        np.array([-0.7 * t]), np.array([1.0 + 0.6 * t]), np.array([1.5 + t]), np.array([1.0 + t])
    )
    for law in (shape, RateLaw(shape)):
        half = special.ndtri(0.975) * np.sqrt(law.variance)
        low, high = law.quantile(0.025), law.quantile(0.975)
        assert high - low == pytest.approx(2.0 * half, rel=0.01)
        assert 0.5 * (low + high) == pytest.approx(law.mean, rel=0.01 * float(half[0] / law.mean[0]) + 3.0 / t)
        assert law.mode == pytest.approx(law.mean, rel=0.1 * float(half[0] / law.mean[0]) + 3.0 / t)


@pytest.mark.parametrize("n_shards", [2, 5])
def test_merging_whole_losses_is_exact(n_shards: int) -> None:
    """With zero-one losses the shards merge into the posterior of the whole, bit for bit."""
    rule = BayesExponential(base_loss="zero-one")
    steps = votes_of(203, awake=0.9)
    whole, merged = posterior(rule, steps), in_shards(rule, steps, n_shards)
    assert np.array_equal(whole.mean, merged.mean)
    assert all(np.array_equal(a, b) for a, b in zip(whole.interval(), merged.interval(), strict=True))


@pytest.mark.parametrize("rule", RULES)
def test_merging_is_the_whole(rule: Any) -> None:
    """The shards merge into the posterior of the whole, to 1e-12."""
    steps = votes_of(200, weighted=True)
    whole, merged = posterior(rule, steps), in_shards(rule, steps, 4)
    assert merged.mean == pytest.approx(whole.mean, rel=1e-12)
    assert np.array_equal(merged.n_examples, whole.n_examples)


def in_shards(rule: Any, steps: list[Step], n_shards: int) -> Posterior:
    shards = [posterior(rule, steps[k::n_shards]) for k in range(n_shards)]
    merged = shards[0]
    for shard in shards[1:]:
        merged = merged.merge(shard)
    return merged


def test_merging_leaves_the_parts() -> None:
    """Merging changes neither of the posteriors merged."""
    steps = votes_of(40)
    one, other = posterior(BayesGamma(), steps[:20]), posterior(BayesGamma(), steps[20:])
    before = one.mean.copy(), other.mean.copy()
    one.merge(other)
    assert np.array_equal(one.mean, before[0])
    assert np.array_equal(other.mean, before[1])


def test_merging_strangers() -> None:
    """Posteriors of other parameters or other members are refused."""
    steps = votes_of(10)
    mine = posterior(BayesExponential(), steps)
    with pytest.raises(InputError, match="same parameters"):
        mine.merge(posterior(BayesExponential(theta=0.2), steps))
    with pytest.raises(InputError, match="same learners"):
        mine.merge(posterior(BayesExponential(), votes_of(10, n_members=4)))


def test_bad_questions() -> None:
    """Levels, kinds, members and parameters that do not exist are refused."""
    mine = posterior(BayesExponential(), votes_of(10))
    with pytest.raises(InputError, match="level"):
        mine.interval(95)
    with pytest.raises(InputError, match="kind"):
        mine.interval(kind="credible")
    with pytest.raises(InputError, match="member 9"):
        mine.probability_greater(0, 9)
    with pytest.raises(InputError, match="parameter"):
        mine.probability_greater(0, 1, "shape")


def test_forgetting_never_claims_more() -> None:
    """With forgetting, the posterior rests on no more examples than its memory holds."""
    mine = posterior(replace(BayesExponential(), forgetting=0.9), votes_of(300))
    assert np.all(mine.n_examples <= 10.0)
