"""Greedy removal and corrected weights, against the objective written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import geem

from shoal.reservoir.covariance import edge_covariance
from shoal.reservoir.geem import choose, corrected, removal, remove, with_ridge
from shoal.reservoir.lattice import LATTICES, choose_by_lattice, draws
from shoal.reservoir.orders import sorted_order
from shoal.reservoir.swaps import swap
from shoal.types import Floats


def problem(seed: int, n: int = 20, d: int = 30) -> tuple[Floats, Floats, Floats, Floats]:
    """(values, covariance of answers, labels, weights)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, with_ridge(edge_covariance(X)), rng.choice([-1.0, 1.0], n), rng.uniform(0.05, 1.0, n)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_removal_is_brute_force_at_every_step(seed: int) -> None:
    """However many are removed, they are those that brute force removes one after the other, for any e*."""
    _, sigma_h, y, w = problem(seed, n=14)
    for e in (np.ones(14), np.random.default_rng(seed).choice([-1.0, 1.0], 14)):
        removed = geem.greedy(sigma_h * np.outer(y, y), w, e, 4)
        for n_kept in range(13, 3, -1):
            kept, _ = choose(sigma_h, (y * e)[None], (y * w)[None], n_kept)
            assert set(range(14)) - set(kept) == set(removed[: 14 - n_kept])


def test_corrected_weights_give_the_expected_edge() -> None:
    """For any edges e of the kept examples, their product with the corrected weights is J."""
    _, sigma_h, y, w = problem(3)
    kept, signed = choose(sigma_h, y[None], (y * w)[None], 8)
    sigma = sigma_h * np.outer(y, y)
    for e in np.random.default_rng(0).normal(size=(5, 20)):
        expected = geem.objective(sigma, w, list(kept), e)
        assert e[kept] @ (y[kept] * signed[0]) == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(signed, corrected(sigma_h, (y * w)[None], kept), rtol=1e-9)


def test_golden_scores_and_weights() -> None:
    """Scores, choice and corrected weights of the specification's golden vector 10."""
    y = np.array([1.0, -1.0, 1.0, 1.0])
    w = np.array([0.2, 0.5, 0.1, 0.4])
    sigma = with_ridge(edge_covariance([[0, 3], [1, 1], [2, 2], [3, 0]]))
    p = removal(sigma, 0).inverse
    scores = (y @ p) * (y * w) / np.diag(p)
    np.testing.assert_allclose(scores, [0.3999998, 0.6666665, 0.1333333, 0.7999996], atol=1e-7)
    kept, signed = choose(sigma, y[None], (y * w)[None], 3)
    assert kept.tolist() == [0, 1, 3]
    np.testing.assert_allclose(signed[0] * y[kept], [0.2, 0.4666667, 0.4], atol=1e-6)


def test_nothing_removed_leaves_the_weights() -> None:
    """With room for all, all are kept with the weights they had."""
    _, sigma_h, y, w = problem(1)
    kept, signed = choose(sigma_h, y[None], (y * w)[None], 20)
    assert len(kept) == 20
    np.testing.assert_array_equal(signed[0], y * w)


def test_twin_takes_the_weight() -> None:
    """Without one of two identical examples the other has both weights; J and all other weights are the same."""
    X, _, y, w = problem(5)
    X[7], y[7] = X[3], y[3]
    sigma_h = with_ridge(edge_covariance(X))
    kept = np.delete(np.arange(20), 7)
    signed = corrected(sigma_h, (y * w)[None], kept)[0] * y[kept]
    expected = w[kept].copy()
    expected[3] += w[7]
    np.testing.assert_allclose(signed, expected, atol=1e-4)
    assert signed.sum() == pytest.approx(w.sum(), abs=1e-4)  # J, of e* = 1


def test_classes_share_one_inverse() -> None:
    """Removal for several classes is brute force on the sum of their objectives."""
    _, sigma_h, _, _ = problem(8, n=10)
    rng = np.random.default_rng(8)
    y, w = rng.choice([-1.0, 1.0], (3, 10)), rng.uniform(0.1, 1.0, (3, 10))
    left = list(range(10))
    while len(left) > 5:
        totals = {}
        for j in left:
            rest = [i for i in left if i != j]
            totals[j] = sum(
                geem.objective(sigma_h * np.outer(a, a), b, rest, np.ones(10)) for a, b in zip(y, w, strict=True)
            )
        left.remove(max(totals, key=lambda j: totals[j]))
    kept, signed = choose(sigma_h, y, y * w, 5)
    assert kept.tolist() == left
    for k in range(3):
        expected = geem.corrected_weights(sigma_h * np.outer(y[k], y[k]), w[k], left)
        np.testing.assert_allclose(signed[k] * y[k, kept], expected, rtol=1e-9)


def test_many_removals_stay_accurate() -> None:
    """After hundreds of removals the weights are those of the definition."""
    _, sigma_h, y, w = problem(2, n=200, d=220)
    kept, signed = choose(sigma_h, y[None], (y * w)[None], 100)
    np.testing.assert_allclose(signed, corrected(sigma_h, (y * w)[None], kept), rtol=1e-8, atol=1e-12)


def test_worn_out_inverse_is_computed_anew() -> None:
    """Where the inverse's diagonal is no longer positive, removal stops; the choice goes on from a fresh one."""
    _, sigma_h, y, w = problem(4, n=12)
    work = removal(sigma_h, 6)
    work.diagonal[:] = -1.0
    assert remove(work, np.concatenate([y[None] @ work.inverse, (y * w)[None]]), w) == 0
    same = np.tile(np.random.default_rng(0).normal(size=(6, 30)), (2, 1))
    kept, signed = choose(with_ridge(edge_covariance(same), 1e-15), y[None], (y * w)[None], 5)
    assert len(kept) == 5
    assert np.isfinite(signed).all()


@pytest.mark.parametrize("rule", LATTICES)
def test_lattice_rule_is_brute_force(rule: str) -> None:
    """Each removal leaves the largest objective of the draw that is best on what is kept."""
    X, sigma_h, y, w = problem(6, n=10)
    c = y * w
    values = np.ascontiguousarray(X.T)
    answers = draws(rule, 7, values, sorted_order(values), sigma_h, np.random.default_rng(1))
    assert set(np.unique(answers)) <= {-1.0, 1.0}
    left = list(range(10))
    while len(left) > 6:
        totals = {}
        for j in left:
            rest = [i for i in left if i != j]
            best = max(answers, key=lambda h: float(h[rest] @ c[rest]))
            totals[j] = geem.objective(sigma_h, c, rest, best)
        left.remove(max(totals, key=lambda j: totals[j]))
    kept, signed = choose_by_lattice(sigma_h, answers, c[None], 6)
    assert kept.tolist() == left
    np.testing.assert_allclose(signed[0], geem.corrected_weights(sigma_h, c, left), rtol=1e-9)


def test_swaps_only_raise_the_objective() -> None:
    """From a bad choice, exchanges lead upwards until none helps."""
    _, sigma_h, y, w = problem(9)
    sigma = sigma_h * np.outer(y, y)
    kept = np.arange(8)
    before = geem.objective(sigma, w, list(kept), np.ones(20))
    for n_swaps in range(1, 4):
        better, signed = swap(sigma_h, y[None], (y * w)[None], kept, n_swaps)
        now = geem.objective(sigma, w, list(better), np.ones(20))
        assert len(set(better)) == 8
        assert now > before
        np.testing.assert_allclose((signed[0] * y[better]).sum(), now, rtol=1e-9)
        before = now
