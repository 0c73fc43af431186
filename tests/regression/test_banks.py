"""Banks of regressors: what each learns, and what wrappers make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference import regression_losses as twins
from tests.reference.regressors import (
    ReferenceLinear,
    ReferenceNetwork,
    ReferencePair,
    ReferenceRegressor,
    ReferenceStumpRegressor,
)
from tests.reference.ridge import ReferenceRidge

from shoal.banks.linearised import Linearised
from shoal.banks.mlp import MLP
from shoal.banks.ogd import OGD
from shoal.banks.regression_stump import RegressionStumps
from shoal.banks.regression_tree import RegressionTrees
from shoal.banks.ridge import Ridge
from shoal.banks.scripted import ScriptedBank
from shoal.banks.sgd import SGD
from shoal.banks.stack import Stack
from shoal.banks.symmetric import Symmetric
from shoal.boosters.gradient_hull import GradientHull
from shoal.boosters.regressing import Regressing
from shoal.boosters.regression_losses import RegressionLoss
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.regression import Targets
from shoal.rules.squared_posterior import SquaredPosterior
from shoal.rules.uniform import Uniform
from shoal.scaling import Scaling
from shoal.streams.rows import to_rows
from shoal.testing.equality import states_equal
from shoal.types import Floats, Lesson, Row, Space, Task

ONE = Task("regression", 1)
TREES = RegressionTrees(3, grace_period=15.0)
BANKS = [SGD(3, rate=(0.1, 0.5)), RegressionStumps(3, rate=0.5), MLP(3, n_hidden=4), Ridge(3, n_units=4), TREES]


def rows_of(X: Floats) -> list[Row]:
    """Rows as learners see them, unscaled, the bias in front."""
    made = []
    for x in X:
        rows = to_rows(x[None, :])
        places = np.concatenate([[0], rows.indices + 1]).astype(np.int32)
        made.append(Row(rows.indices, rows.values, places, np.concatenate([[1.0], rows.values])))
    return made


def squared(target: float, n: int = 3) -> Lesson:
    """The squared loss of every learner's own answer."""
    return Lesson(
        np.full((n, 1), target), np.ones((n, 1)), np.zeros((n, 1)), np.ones((n, 1)), np.array([1.0, 2.0])
    )


def linear(k: float, n: int = 3) -> Lesson:
    """The linear loss k * answer of every learner."""
    target, weight = np.full((n, 1), -np.sign(k)), np.full((n, 1), abs(k))
    return Lesson(target, weight, np.zeros((n, 1)), np.ones((n, 1)), np.zeros(2))


def said(state: Any, row: Row, n: int = 3) -> Floats:
    """Every learner's answer."""
    votes, live = np.zeros((n, 1)), np.ones(n, dtype=bool)
    bank_predict(state, row, votes, live)
    assert live.all()
    return votes


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: type(bank).__name__)
def test_one_by_one_is_all_at_once(bank: Any) -> None:
    """Asking learners one by one, and teaching those that share nothing, is as all together, to the bit."""
    rng = np.random.default_rng(0)
    together, alone = bank.init(Space.of_size(4), ONE, 5), bank.init(Space.of_size(4), ONE, 5)
    for row in rows_of(rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.7)):
        votes, one = said(together, row), np.zeros((3, 1))
        for i in range(3):
            bank_predict_at(alone, i, row, one)
        assert (votes == one).all()
        lesson = squared(float(rng.uniform(-1, 1)))
        bank_update(together, row, votes, lesson)
        if isinstance(bank, MLP | Ridge):  # the others share what they know of inputs, and are taught together
            for i in range(3):
                bank_update_at(alone, i, row, votes, lesson)
        else:
            bank_update(alone, row, votes, lesson)
    assert states_equal(together, alone)


LOSSES = [
    (RegressionLoss("linear"), twins.Linear()),
    (RegressionLoss("squared"), twins.PNorm(2.0)),
    (RegressionLoss("huber", 0.3), twins.Huber(0.3)),
]


def twin_of(bank: Any, state: Any, i: int, loss: twins.RegressionLoss) -> ReferenceRegressor:
    """The twin of learner i, of five inputs."""
    rate = float(np.resize(bank.rate, 3)[i])
    if isinstance(bank, MLP):
        return ReferenceNetwork(5, loss, rate, state.hidden[:, 4 * i : 4 * i + 4].tolist())
    return (ReferenceLinear if isinstance(bank, SGD) else ReferenceStumpRegressor)(5, loss, rate)


@pytest.mark.parametrize("bank", BANKS[:3], ids=lambda bank: type(bank).__name__)
@pytest.mark.parametrize(("loss", "twin"), LOSSES, ids=lambda x: getattr(x, "name", ""))
def test_learners_are_their_twins(bank: Any, loss: RegressionLoss, twin: twins.RegressionLoss) -> None:
    """On random rows and lessons every learner answers as its twin does."""
    rng = np.random.default_rng(7)
    state = bank.init(Space.of_size(4), ONE, 5)
    others = [twin_of(bank, state, i, twin) for i in range(3)]
    lesson = squared(0.0)
    lesson.loss[:] = int(loss.kind), loss.value_of_parameter
    for x in rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.7):
        row, inputs = rows_of(x[None, :])[0], [1.0, *x.tolist()]
        votes = said(state, row)
        np.testing.assert_allclose(votes[:, 0], [other.answer(inputs) for other in others], rtol=1e-9, atol=1e-12)
        lesson.target[:], lesson.weight[:] = rng.uniform(-1.0, 1.0, (3, 1)), rng.uniform(0.0, 2.0, (3, 1))
        lesson.offset[:], lesson.step[:] = rng.uniform(-0.4, 0.4, (3, 1)), rng.uniform(0.3, 1.0, (3, 1))
        bank_update(state, row, votes, lesson)
        for i, other in enumerate(others):
            other.update(inputs, tuple(float(part[i, 0]) for part in lesson[:4]))


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: type(bank).__name__)
def test_a_fresh_learner_answers_nothing(bank: Any) -> None:
    """Before learning, and after being replaced, a learner answers 0; the others stay as they were."""
    state = bank.init(Space.of_size(4), ONE, 5)
    row = rows_of(np.ones((1, 4)))[0]
    assert (said(state, row) == 0.0).all()
    for _ in range(5):
        bank_update(state, row, said(state, row), squared(0.7))
    before = said(state, row)
    bank_replace(state, 1, 77)
    after = said(state, row)
    assert after[1, 0] == 0.0
    assert (after[[0, 2]] == before[[0, 2]]).all()
    assert (before[[0, 2]] > 0.0).all()


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: type(bank).__name__)
def test_room_for_features_does_not_matter(bank: Any) -> None:
    """A bank that grew knows the same as one that had room from the start."""
    rng = np.random.default_rng(1)
    grown, roomy = bank.init(Space.of_size(2), ONE, 5), bank.init(Space.of_size(5), ONE, 5)
    X = np.hstack([rng.normal(size=(20, 2)), np.zeros((20, 3))])
    for row in rows_of(X):
        for state in (grown, roomy):
            bank_update(state, row, said(state, row), squared(float(row.inputs[1] > 0)))
    grown = bank.grow(grown, Space.of_size(5))
    assert states_equal(grown, roomy)


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: type(bank).__name__)
def test_linear_losses_push_to_the_end(bank: Any) -> None:
    """Under the same linear loss for ever answers go to the end of [-1, 1] and stay there."""
    state = bank.init(Space.of_size(1), ONE, 5)
    row = rows_of(np.ones((1, 1)))[0]
    for _ in range(2000):
        bank_update(state, row, said(state, row), linear(0.5))
    np.testing.assert_allclose(said(state, row), -1.0, atol=0.2)


def test_ridge_is_ridge_regression() -> None:
    """After every example a ridge regressor answers as ridge regression over all examples so far would."""
    rng = np.random.default_rng(6)
    bank = Ridge(3, n_units=4, direct=2, prior=5.0)
    state = bank.init(Space.of_size(3), ONE, 5)
    twins = [ReferenceRidge(4 + 1 + 2, 5.0) for _ in range(3)]
    X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.8)
    for row in rows_of(X):
        seen = []
        for i in range(3):
            z = np.zeros(4)
            z[row.input_indices] = row.inputs
            units = np.tanh(z @ state.units[:, 4 * i : 4 * i + 4] / np.sqrt(len(row.inputs)))
            seen.append([*units.tolist(), *z[:3].tolist()])
        lesson = squared(0.0)
        for part in (lesson.target, lesson.offset):
            part[:] = rng.uniform(-0.4, 0.4, (3, 1))
        lesson.weight[:], lesson.step[:] = rng.uniform(0.0, 2.0, (3, 1)), rng.uniform(0.3, 1.0, (3, 1))
        expected = [[min(1.0, max(-1.0, twin.answer(x)))] for twin, x in zip(twins, seen, strict=True)]
        np.testing.assert_allclose(said(state, row), expected, rtol=1e-9, atol=1e-9)
        bank_update(state, row, said(state, row), lesson)
        for i, twin in enumerate(twins):
            told = (float(part[i, 0]) for part in (lesson.target, lesson.weight, lesson.offset, lesson.step))
            twin.update(seen[i], *told)


@pytest.mark.parametrize("bank", [Ridge(noise=-1.0), Ridge(prior=0.0), Ridge(n_units=-1), Ridge(n_learners=0)])
def test_ridge_refuses_what_has_no_meaning(bank: Ridge) -> None:
    """Parameters without a meaning raise an error that says what is expected."""
    with pytest.raises(InputError, match="expected"):
        bank.init(Space.of_size(2), ONE, 0)


def test_a_squared_loss_is_never_overshot() -> None:
    """Whatever its rate and the example's weight, a linear learner ends between its answer and the target."""
    for rate in (0.1, 1.0):
        for weight in (1.0, 1e3, 1e6):
            state = SGD(1, rate).init(Space.of_size(3), ONE, 0)
            row = rows_of(np.array([[1.0, -2.0, 5.0]]))[0]
            lesson = squared(0.6, 1)
            lesson.weight[:] = weight
            bank_update(state, row, said(state, row, 1), lesson)
            assert 0.0 < said(state, row, 1)[0, 0] <= 0.6 + 1e-12


def test_scales_of_features_do_not_matter_to_linear_learners() -> None:
    """Multiplying a feature by any number changes no answer."""
    rng = np.random.default_rng(2)
    X, factor = rng.normal(size=(50, 3)), np.array([1e-6, 1.0, 1e6])
    answers = []
    for rows in (rows_of(X), rows_of(X * factor)):
        state = SGD(1).init(Space.of_size(3), ONE, 0)
        answers.append([])
        for t, row in enumerate(rows):
            answers[-1].append(said(state, row, 1)[0, 0])
            bank_update(state, row, said(state, row, 1), squared(np.tanh(X[t, 0]), 1))
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6, atol=1e-12)


def test_a_stump_finds_its_feature() -> None:
    """The feature that tells the target is the one that is used."""
    rng = np.random.default_rng(3)
    state = RegressionStumps(1).init(Space.of_size(6), ONE, 0)
    for row in rows_of(rng.uniform(-1.0, 1.0, (500, 6))):
        bank_update(state, row, said(state, row, 1), squared(0.8 * row.inputs[4], 1))
    x = np.zeros(6)
    x[3], others = 1.0, rng.uniform(0.1, 0.3, 6)
    low, high = rows_of(np.stack([np.where(x > 0, -1.0, others), np.where(x > 0, 1.0, others)]))
    assert said(state, high, 1)[0, 0] - said(state, low, 1)[0, 0] == pytest.approx(1.6, abs=0.15)


def evaluated(bank: Any, booster: Any, rule: Any, y: Floats, X: Floats) -> float:
    """The mean squared error of the second half."""
    ensemble = Ensemble(bank, booster, rule, Scaling("standard"), Targets((-1.0, 1.0)))
    state = ensemble.init(Space.of_size(X.shape[1]), ONE, 0)
    answers, _ = ensemble.run(state, X.shape[1], to_rows(X), y[:, None], np.ones(len(y)))
    return float(np.mean((answers[len(y) // 2 :, 0] - y[len(y) // 2 :]) ** 2))


def test_pairs_mend_a_class_that_is_not_symmetric() -> None:
    """Projected descent, in pairs and given the loss itself, learns a linear function."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 3))
    y = np.clip(0.3 * X[:, 0] - 0.2 * X[:, 1], -1.0, 1.0)
    bank = Symmetric(Linearised(OGD(4)))
    assert evaluated(bank, GradientHull(fit="actual"), Uniform(), y, X) < 0.5 * np.var(y)
    with pytest.raises(InputError, match="even number"):
        Symmetric(OGD(3)).init(Space.of_size(1), ONE, 0)


def test_pairs_are_their_twins_and_lose_little_to_either_side() -> None:
    """Pairs answer as Hedge over both sides does, and lose at most 2 sqrt(log(2) V) more than the better side."""
    rng = np.random.default_rng(8)
    script = rng.uniform(-1.0, 1.0, (200, 4))
    state, others = Symmetric(ScriptedBank(script)).init(Space.of_size(1), ONE, 0), [ReferencePair() for _ in "12"]
    suffered, sides = np.zeros(2), np.zeros((2, 2))
    for t, row in enumerate(rows_of(np.arange(200.0)[:, None])):
        votes, both = said(state, row, 2), list(zip(script[t, :2], -script[t, 2:], strict=True))
        answers = [other.answer(a, -turned) for other, (a, turned) in zip(others, both, strict=True)]
        np.testing.assert_allclose(votes[:, 0], answers, rtol=1e-9)
        k = rng.uniform(-1.0, 1.0) if t < 100 else float(np.sign(votes[0, 0]))
        bank_update(state, row, votes, linear(k, 2))
        suffered += k * votes[:, 0]
        for i, (other, pair) in enumerate(zip(others, both, strict=True)):
            other.update(k * pair[0], k * pair[1])
            sides[i] += [k * pair[0], k * pair[1]]
    spread = np.array([other.squares for other in others])
    assert (suffered - sides.min(axis=1) <= 2.0 * np.sqrt(np.log(2.0) * spread) + 1e-9).all()


def test_a_mix_trusts_the_kind_that_fits() -> None:
    """Of networks and linear learners the posterior finds the one that can bend."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 2))
    y = np.clip(np.abs(X[:, 0]) - 0.8, -1.0, 1.0)
    kinds = (SGD(1), MLP(1, 0.3))
    mixed = evaluated(Stack(kinds), Regressing(), SquaredPosterior(), y, X)
    assert mixed < 0.5 * np.var(y)
