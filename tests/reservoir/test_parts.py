"""Strategies, stumps and steps, each against its definition."""

import numpy as np
import pytest
from tests.reference import geem

from shoal.errors import InputError
from shoal.reservoir.boost import STEP_MAX, boosting_weights, closed_step, step_of
from shoal.reservoir.orders import sorted_order
from shoal.reservoir.strategies import GEEM, Candidates, Max, Rand, WSam, strategy_named
from shoal.reservoir.stumps import ALWAYS, answers_of, best_stump, keep_stump, no_stumps, score_row, scores_of
from shoal.types import Floats

DRAWS = 4000


def candidates(weights: Floats, seed: int = 0) -> Candidates:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, len(weights)))
    signs = rng.choice([-1.0, 1.0], (1, len(weights)))
    return Candidates(values, sorted_order(values), signs, signs * weights)


def shares(strategy: Rand | WSam | Max, weights: Floats, n_kept: int) -> Floats:
    """How often each example is kept."""
    rng = np.random.default_rng(1)
    kept = np.zeros(len(weights))
    for _ in range(DRAWS):
        kept[strategy.select(candidates(weights), n_kept, rng).kept] += 1.0
    return kept / DRAWS


def successive(weights: Floats, n_kept: int) -> Floats:
    """The chance of each to be among the first so many drawn without replacement in proportion to weight."""
    if n_kept == 0:
        return np.zeros(len(weights))
    chance = weights / weights.sum()
    total = np.zeros(len(weights))
    for i, p in enumerate(chance):
        if p > 0.0:
            rest = weights.copy()
            rest[i] = 0.0
            total += p * (np.eye(len(weights))[i] + successive(rest, n_kept - 1))
    return total


def test_wsam_draws_in_proportion_without_replacement() -> None:
    """Every example is kept as often as successive weighted draws would keep it."""
    weights = np.array([0.1, 0.2, 0.4, 0.8, 1.5])
    np.testing.assert_allclose(shares(WSam(), weights, 2), successive(weights, 2), atol=0.03)


def test_rand_keeps_all_alike() -> None:
    """Weights do not matter to Rand."""
    np.testing.assert_allclose(shares(Rand(), np.array([0.1, 5.0, 1.0, 1.0]), 2), 0.5, atol=0.03)


def test_max_breaks_ties_at_random() -> None:
    """The heaviest always stays, and each of those tied for the last place equally often."""
    np.testing.assert_allclose(shares(Max(), np.array([1.0, 1.0, 2.0, 0.5]), 2), [0.5, 0.5, 1.0, 0.0], atol=0.03)


def test_wsam_may_train_with_equal_weights() -> None:
    """With `uniform`, what is left of the weights is their sign."""
    chosen = WSam(uniform=True).select(candidates(np.array([0.1, 0.2, 0.9])), 2, np.random.default_rng(0))
    assert set(np.abs(chosen.signed[0])) == {1.0}


@pytest.mark.parametrize("strategy", [GEEM(features=12), GEEM(edges="stump", n_draws=5), GEEM(swaps=1)])
def test_options_of_geem_choose_as_many(strategy: GEEM) -> None:
    """Every option keeps the number asked for, with finite weights."""
    weights = np.random.default_rng(0).uniform(0.1, 1.0, 16)
    chosen = strategy.select(candidates(weights), 9, np.random.default_rng(0))
    assert len(set(chosen.kept)) == 9 == chosen.signed.shape[1]
    assert np.isfinite(chosen.signed).all()


@pytest.mark.parametrize("wrong", [GEEM(ridge=0.0), GEEM(ties="loose"), GEEM(edges="twos"), GEEM(features=0)])
def test_nonsense_is_refused(wrong: GEEM) -> None:
    """Settings without a meaning are refused with what was expected."""
    with pytest.raises(InputError, match="expected"):
        wrong.check()
    with pytest.raises(InputError, match="strategy is 'best'"):
        strategy_named("best")


@pytest.mark.parametrize("seed", range(5))
def test_best_stump_is_brute_force(seed: int) -> None:
    """No stump of any feature and threshold has a larger edge, whatever the signs of the weights."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (7, 15)).astype(float)
    signed = rng.normal(size=15)
    feature, threshold, edge = best_stump(values, sorted_order(values), signed)
    largest = max(abs(float(np.array(answers) @ signed)) for answers in geem.stumps(values.T.tolist()))
    assert abs(edge) == pytest.approx(largest, rel=1e-12)
    assert answers_of(values, feature, threshold) @ signed == pytest.approx(edge, rel=1e-12)


def test_stump_tells_missing_values_apart() -> None:
    """A missing value, below all others, can be what a stump splits off."""
    values = np.array([[-np.inf, 1.0, 2.0, -np.inf]])
    feature, threshold, _ = best_stump(values, sorted_order(values), np.array([-1.0, 1.0, 1.0, -1.0]))
    assert answers_of(values, feature, threshold).tolist() == [-1.0, 1.0, 1.0, -1.0]


def test_stump_where_nothing_varies() -> None:
    """Where no feature tells examples apart, the stump answers the same to all."""
    values = np.ones((2, 3))
    assert best_stump(values, sorted_order(values), np.array([1.0, 1.0, -3.0])) == (ALWAYS, 0.0, -1.0)


def test_step_minimises_the_loss() -> None:
    """Three Newton steps come close to the least weighted logistic loss on a line."""
    rng = np.random.default_rng(0)
    agreement, margins = np.where(rng.random(200) < 0.7, 1.0, -1.0), rng.normal(size=200)
    weights = boosting_weights(margins)
    steps = np.linspace(0.0, STEP_MAX, 4001)
    losses = np.logaddexp(0.0, -(margins + steps[:, None] * agreement)).sum(axis=1)
    assert step_of(agreement, weights, margins) == pytest.approx(steps[losses.argmin()], abs=2e-3)


def test_steps_stay_finite() -> None:
    """A perfect stump, huge margins and weights below 0 give steps within bounds."""
    ones = np.ones(5)
    assert step_of(ones, boosting_weights(ones), ones) <= STEP_MAX
    assert 0.0 < step_of(ones, np.full(5, 1e-300), np.full(5, 700.0)) <= STEP_MAX
    assert np.isfinite(step_of(ones, -ones, ones))
    assert closed_step(ones, np.zeros(5)) == 0.0


def test_score_of_a_row_is_that_of_the_table() -> None:
    """One row or many, the stumps give the same sum to the bit."""
    rng = np.random.default_rng(0)
    table, values = no_stumps(2, 6), rng.normal(size=(4, 9))
    for t in range(8):
        keep_stump(table, t % 2, t % 5 - 1, rng.normal(), rng.normal())
    for i in range(9):
        scores = np.zeros(2)
        score_row(table, values[:, i].copy(), scores)
        assert scores.tolist() == [scores_of(table, k, values)[i] for k in range(2)]


def test_full_table_gives_up_the_oldest_or_the_weakest() -> None:
    """The new stump takes the place of the oldest; or of the one with the least step for its age."""
    oldest, weakest = no_stumps(1, 3), no_stumps(1, 3)
    for step in (3.0, 0.1, 2.0, 1.0):
        keep_stump(oldest, 0, 0, 0.0, step)
        keep_stump(weakest, 0, 0, 0.0, step, weakest=True)
    assert sorted(oldest.step[0]) == [0.1, 1.0, 2.0]
    assert sorted(weakest.step[0]) == [1.0, 2.0, 3.0]
