"""Regression trees: their twin, what they find, and their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference.regression_tree import ReferenceRegressionTree
from tests.regression.test_banks import ONE, rows_of, said, squared

import shoal
from shoal.banks.regression_tree import RegressionTrees
from shoal.banks.regression_tree_leaf import FEATURE, LEAF
from shoal.banks.sgd import SGD
from shoal.errors import InputError
from shoal.kernels.verbs import bank_update
from shoal.methods.regressing import make_regressors
from shoal.types import Floats, Space


def leaf_features(state: Any, k: int) -> list[int]:
    """What the branches of tree k ask for, in the order in which they came to be."""
    nodes = state.links[k, : 2 * int(state.n_leaves[k]) - 1, FEATURE]
    return [int(j) for j in nodes if j != LEAF]


def steps(n: int, seed: int = 0) -> tuple[Floats, Floats]:
    """A sparse table and a target that a tree of four leaves, one of them linear, tells."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 2) * (rng.random((n, 4)) < 0.8)
    y = np.where(X[:, 0] > 0.3, 0.6, np.where(X[:, 2] > 0.0, -0.5, 0.3 * X[:, 1]))
    return X, np.clip(y + 0.05 * rng.normal(size=n), -1.0, 1.0)


def test_trees_are_their_twins() -> None:
    """On sparse rows with missing values, weights and offsets, trees answer and split as their twins do."""
    rng = np.random.default_rng(1)
    X, y = steps(900)
    X[rng.random(X.shape) < 0.05] = np.nan
    bank = RegressionTrees(3, grace_period=(30.0, 75.0), delta=0.01, max_leaves=7)
    state = bank.init(Space.of_size(4), ONE, 5)
    twins = [ReferenceRegressionTree(4, grace, 0.01, bank.tau, bank.rate, 7) for grace in (30.0, 75.0, 30.0)]
    lesson = squared(0.0)
    for t, row in enumerate(rows_of(X)):
        known = ~np.isnan(row.inputs)
        row = row._replace(inputs=row.inputs[known], input_indices=row.input_indices[known])
        votes = said(state, row)
        np.testing.assert_allclose(
            votes[:, 0], [twin.answer(X[t].tolist()) for twin in twins], rtol=1e-7, atol=1e-9
        )
        lesson.target[:] = y[t]
        lesson.weight[:], lesson.offset[:] = rng.uniform(0.2, 2.0, (3, 1)), rng.uniform(-0.1, 0.1, (3, 1))
        lesson.step[:] = rng.uniform(0.5, 1.0, (3, 1))
        bank_update(state, row, votes, lesson)
        for i, twin in enumerate(twins):
            target, weight, offset, step = (float(part[i, 0]) for part in lesson[:4])
            twin.update(X[t].tolist(), (target - offset) / step, weight)
    assert state.n_leaves.tolist() == [twin.n_leaves for twin in twins]
    assert min(state.n_leaves) >= 3


def test_a_tree_asks_for_what_tells_the_target() -> None:
    """The first splits are on the features of the target, and the error comes near that of the noise."""
    X, y = steps(6000, 2)
    state = RegressionTrees(1).init(Space.of_size(4), ONE, 0)
    errors = []
    for row, target in zip(rows_of(X), y, strict=True):
        votes = said(state, row, 1)
        errors.append((votes[0, 0] - target) ** 2)
        bank_update(state, row, votes, squared(float(target), 1))
    assert leaf_features(state, 0)[:2] == [0, 2]
    assert np.mean(errors[3000:]) < 0.12 * np.var(y)


def test_noise_is_not_split_on() -> None:
    """A target that no feature tells leaves the tree one leaf."""
    rng = np.random.default_rng(3)
    state = RegressionTrees(1).init(Space.of_size(5), ONE, 0)
    for row, target in zip(rows_of(rng.normal(size=(3000, 5))), rng.uniform(-1.0, 1.0, 3000), strict=True):
        bank_update(state, row, said(state, row, 1), squared(float(target), 1))
    assert state.n_leaves[0] == 1


def test_a_full_tree_learns_on() -> None:
    """A tree that may not grow any more still learns the means of its leaves."""
    X, y = steps(2000, 4)
    state = RegressionTrees(1, max_leaves=2).init(Space.of_size(4), ONE, 0)
    for row, target in zip(rows_of(X), y, strict=True):
        bank_update(state, row, said(state, row, 1), squared(float(target), 1))
    assert state.n_leaves[0] == 2
    before = state.leaves[:, :2].copy()
    for row in rows_of(X[:50]):
        bank_update(state, row, said(state, row, 1), squared(-1.0, 1))
    assert (before != state.leaves[:, :2]).any()


def test_a_name_brings_settings_of_regressors() -> None:
    """Settings behind a learner's name are its own, and go before the method's rate."""
    assert make_regressors("hoeffding_tree:grace_period=75,max_leaves=9", 3) == RegressionTrees(
        3, 75, max_leaves=9
    )
    assert make_regressors("sgd:rate=0.7", 2, 0.1) == SGD(2, 0.7)
    assert make_regressors("sgd", 2, 0.1) == SGD(2, 0.1)
    for wrong in ("hoeffding_tree:depth=3", "hoeffding_tree:grace_period=long"):
        with pytest.raises(InputError, match="hoeffding_tree"):
            make_regressors(wrong, 1)


def test_trees_are_boosted_by_name() -> None:
    """As learners of gradient boosting trees lower the error of one tree, with several targets too."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1.0, 1.0, (1500, 4))
    Y = np.column_stack([np.sign(X[:, 0]) + 3.0 * np.abs(X[:, 1]) + X[:, 2], 100.0 * X[:, 3]])
    settings: dict[str, Any] = {"learner": "hoeffding_tree", "random_state": 0}
    one = shoal.OnlineGradientBoostingRegressor(n_learners=1, over="hull", **settings).fit(X, Y)
    many = shoal.OnlineGradientBoostingRegressor(n_learners=8, **settings).fit(X, Y)
    assert many.score(X, Y) > one.score(X, Y)
    assert many.score(X, Y) > 0.8


@pytest.mark.parametrize(
    "settings",
    [{"grace_period": 0.0}, {"delta": 1.0}, {"tau": -1.0}, {"rate": 0.0}, {"max_leaves": 0}, {"n_learners": 0}],
)
def test_trees_refuse_what_has_no_meaning(settings: dict[str, Any]) -> None:
    """Parameters without a meaning raise an error that names them."""
    with pytest.raises(InputError, match=next(iter(settings))):
        RegressionTrees(**settings).init(Space.of_size(2), ONE, 0)
