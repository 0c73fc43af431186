"""From scores to answers: probabilities, ties, thresholds, class weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.decision import (
    CLASS_WEIGHT_MAX,
    FIRST_CURVATURE,
    FIRST_SLOPE,
    THRESHOLDS,
    Decision,
    decide,
    decision_update,
    importance,
)
from shoal.errors import InputError
from shoal.testing import states_equal
from shoal.types import Task

TWO, FOUR = Task("classification", 1), Task("classification", 4)


def answer(state, score) -> tuple[int, np.ndarray]:
    proba = np.zeros(len(state.fixed))
    return decide(state, np.asarray(score, dtype=float), proba), proba


def learn(state, scores, labels, weights=None) -> None:
    weights = np.ones(len(labels)) if weights is None else weights
    for score, y, weight in zip(np.asarray(scores, dtype=float), labels, weights, strict=True):
        decision_update(state, score, int(y), float(weight), float(weight) * importance(state, int(y)))


def sample_of_two(n: int, slope: float, seed: int = 0, intercept: float = 0.0):
    """Scores, and labels of which class 1 has probability sigmoid(slope * score + intercept)."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-1.0, 1.0, (n, 1))
    labels = rng.random(n) < 1.0 / (1.0 + np.exp(-slope * scores[:, 0] - intercept))
    return scores, labels.astype(int)


def sample_of_many(n: int, slope: float, seed: int = 0):
    """Scores, and labels drawn from softmax(slope * scores)."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-1.0, 1.0, (n, 4))
    odds = np.exp(slope * scores)
    shares = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    return scores, (rng.random((n, 1)) > shares[:, :3]).sum(axis=1)


@pytest.mark.parametrize("threshold", [0.0, 0.7, -2.0, "tuned"])
def test_two_classes(threshold):
    """Probabilities sum to one, and the class answered is the likelier one, whatever was learned."""
    state = Decision(threshold=threshold).init(TWO)
    scores, labels = sample_of_two(300, 5.0)
    for score, y in zip(scores, labels, strict=True):
        predicted, proba = answer(state, score)
        assert proba.sum() == pytest.approx(1.0, rel=1e-12)
        assert (proba >= 0.0).all()
        assert predicted == (1 if proba[1] >= proba[0] else 0)
        learn(state, [score], [y])


def test_many_classes():
    """Probabilities sum to one, and the class answered is the likeliest, the first of equals."""
    state = Decision().init(FOUR)
    scores, labels = sample_of_many(300, 3.0)
    for score, y in zip(scores, labels, strict=True):
        predicted, proba = answer(state, score)
        assert proba.sum() == pytest.approx(1.0, rel=1e-12)
        assert predicted == int(np.argmax(proba))
        learn(state, [score], [y])


def test_ties():
    """A tie goes to class 1 of two, and to the first of many."""
    assert answer(Decision().init(TWO), [0.0]) == (1, pytest.approx([0.5, 0.5]))
    predicted, proba = answer(Decision().init(FOUR), [0.2, 0.7, 0.7, 0.1])
    assert predicted == 1
    assert proba[1] == proba[2]
    assert answer(Decision().init(FOUR), [0.0] * 4) == (0, pytest.approx([0.25] * 4))


def test_the_answer_is_the_first_of_the_most_probable_classes():
    """Also in a tie, and where scores differ by less than their probabilities can show."""
    for task, score in ((TWO, [0.0]), (TWO, [1e-300]), (FOUR, [0.5, 0.3, np.nextafter(0.5, 1.0), 0.5])):
        predicted, proba = answer(Decision().init(task), score)
        assert predicted == int(np.argmax(proba))
        assert proba.sum() == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("size", [1e3, 1e100, 1e300])
def test_enormous_scores(size):
    """Scores of any size give finite probabilities that sum to one."""
    for task, score in ((TWO, [size]), (TWO, [-size]), (FOUR, [size, -size, 0.0, size])):
        predicted, proba = answer(Decision().init(task), score)
        assert np.isfinite(proba).all()
        assert proba.sum() == pytest.approx(1.0)
        assert proba[predicted] == proba.max()


def test_answering_changes_nothing():
    """However often it answers, a decision is as it was."""
    state, fresh = (Decision("balanced", "tuned").init(TWO) for _ in range(2))
    for score in np.linspace(-3.0, 3.0, 7):
        answer(state, [score])
        importance(state, 1)
    assert states_equal(state, fresh)


@pytest.mark.parametrize(("task", "sample"), [(TWO, sample_of_two), (FOUR, sample_of_many)])
@pytest.mark.parametrize("slope", [0.5, 6.0])
def test_slope_is_learned(task, sample, slope):
    """On calibrated data the slope comes near the true one, and the log-loss falls below that of the first."""
    state, untaught = Decision().init(task), Decision().init(task)
    scores, labels = sample(6000, slope)
    losses, first_losses = [], []
    for score, y in zip(scores, labels, strict=True):
        losses.append(-math.log(answer(state, score)[1][y]))
        first_losses.append(-math.log(answer(untaught, score)[1][y]))
        learn(state, [score], [y])
    assert state.slope[0] == pytest.approx(slope, rel=0.15)
    assert np.mean(losses) < np.mean(first_losses)
    assert np.mean(losses[-2000:]) < np.mean(first_losses[-2000:]) - 0.005


def test_one_newton_step():
    """The slope moves by the gradient of the log-loss over the second derivatives gathered so far."""
    state = Decision().init(TWO)
    learn(state, [[0.8]], [0], [3.0])
    p = 1.0 / (1.0 + math.exp(-FIRST_SLOPE * 0.8))
    curvature = FIRST_CURVATURE + 3.0 * p * (1.0 - p) * 0.8**2
    assert state.slope[1] == pytest.approx(curvature, rel=1e-12)
    assert state.slope[0] == pytest.approx(FIRST_SLOPE - 3.0 * p * 0.8 / curvature, rel=1e-12)


def test_slope_stays_positive():
    """Scores that are always wrong flatten the probabilities and never turn them round."""
    state = Decision().init(TWO)
    scores, labels = sample_of_two(500, 20.0)
    learn(state, scores, 1 - labels)
    assert state.slope[0] > 0.0
    assert answer(state, [1.0])[0] == 1


@pytest.mark.parametrize("task", [TWO, FOUR])
def test_balanced_weights(task):
    """Balanced, an example of class y counts 1 / (K * share of y so far), at most CLASS_WEIGHT_MAX times."""
    state = Decision("balanced").init(task)
    n_classes = task.n_classes
    rng = np.random.default_rng(0)
    seen = np.zeros(n_classes)
    for _ in range(400):
        shares = (seen + 1.0) / (seen.sum() + n_classes)
        for k in range(n_classes):
            expected = min(CLASS_WEIGHT_MAX, 1.0 / (n_classes * shares[k]))
            assert importance(state, k) == pytest.approx(expected, rel=1e-12)
        y = 0 if rng.random() < 0.98 else int(rng.integers(n_classes))
        weight = rng.uniform(0.1, 2.0)
        learn(state, np.zeros((1, task.n_outputs)), [y], [weight])
        seen[y] += weight


def test_balanced_weights_have_a_limit():
    """A class that hardly ever comes counts no more than CLASS_WEIGHT_MAX times."""
    state = Decision("balanced").init(TWO)
    learn(state, np.zeros((5000, 1)), np.zeros(5000))
    assert importance(state, 1) == CLASS_WEIGHT_MAX


def test_given_weights():
    """Weights that were given are those that count, for ever."""
    state = Decision((1.0, 2.5)).init(TWO)
    learn(state, np.zeros((50, 1)), np.zeros(50))
    assert [importance(state, k) for k in (0, 1)] == [1.0, 2.5]


def test_threshold():
    """Class 1 is answered when its log-odds reach the threshold."""
    state = Decision(threshold=1.0).init(TWO)
    assert [answer(state, [s])[0] for s in (0.49, 0.5, 0.51)] == [0, 1, 1]
    assert answer(state, [0.5])[1] == pytest.approx([0.5, 0.5])


def test_tuned_threshold():
    """Where scores lean to one class, the tuned threshold makes fewer weighted mistakes than none."""
    scores, labels = sample_of_two(4000, 8.0, intercept=-3.0)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 4000)
    mistakes = {}
    for threshold in ("tuned", 0.0):
        state = Decision("balanced", threshold).init(TWO)
        total = 0.0
        for score, y, weight in zip(scores, labels, weights, strict=True):
            wrong = answer(state, score)[0] != y
            total += weight * importance(state, y) * wrong
            learn(state, [score], [y], [weight])
        mistakes[threshold] = total
    assert mistakes["tuned"] < 0.9 * mistakes[0.0]


def test_tuned_threshold_charges():
    """Every threshold of the grid is charged for its own mistakes, with what the example counts."""
    state = Decision(threshold="tuned").init(TWO)
    scores, labels = sample_of_two(50, 4.0)
    charges = np.zeros(len(THRESHOLDS))
    for score, y in zip(scores, labels, strict=True):
        charges += 2.0 * ((state.slope[0] * score[0] >= THRESHOLDS) != (y == 1))
        learn(state, [score], [y], [2.0])
    np.testing.assert_allclose(state.charges, charges, rtol=1e-12)
    assert state.rounds[0] == 100.0


def test_more_classes():
    """A new class starts with nothing seen of it; what was learned stays."""
    decision = Decision("balanced")
    state = decision.init(TWO)
    learn(state, *sample_of_two(100, 4.0))
    wide = decision.widen(state, FOUR)
    assert wide.examples.tolist() == [*state.examples, 0.0, 0.0]
    assert wide.fixed.tolist() == [1.0] * 4
    assert np.array_equal(wide.slope, state.slope)
    assert len(state.examples) == 2


@pytest.mark.parametrize(
    ("decision", "task", "message"),
    [
        (Decision("fair"), TWO, "class_weight is 'fair'"),
        (Decision((1.0, 2.0, 3.0)), TWO, "class_weight has 3 numbers; expected 2"),
        (Decision((1.0, 2.0)), FOUR, "class_weight has 2 numbers; expected 4"),
        (Decision(threshold="high"), TWO, "threshold is 'high'"),
        (Decision(threshold=0.5), FOUR, "threshold applies to two classes"),
        (Decision(threshold="tuned"), FOUR, "threshold applies to two classes"),
    ],
)
def test_refusals(decision, task, message):
    """Settings that do not fit are refused, at the start and when a class is added."""
    with pytest.raises(InputError, match=message):
        decision.init(task)
    if task is FOUR:
        with pytest.raises(InputError, match=message):
            decision.widen(decision.init(TWO), task)
