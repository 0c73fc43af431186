"""The batch boosters on samples, stumps as fixed learners, and the classifiers that users meet."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from shoal.boosters.ozaboost import OzaBoost
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.estimators.reservoir import (
    FixedSampleBoostClassifier,
    MadaBoostClassifier,
    ReservoirBoostClassifier,
    SampledBoostClassifier,
    WeightedSamplingBoostClassifier,
)
from shoal.model import Model
from shoal.reservoir.baselines import SampledBoost, bank_of, scores_on
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Floats, Ints, Space

BATCH = [WeightedSamplingBoostClassifier, MadaBoostClassifier, FixedSampleBoostClassifier]


def examples(n: int = 600, n_classes: int = 3, seed: int = 0) -> tuple[Floats, Ints]:
    X = np.random.default_rng(seed).normal(size=(n, 5))
    return X, np.digitize(X[:, 0], np.linspace(-0.5, 0.5, n_classes - 1))


@pytest.mark.parametrize("kind", BATCH)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_batch_boosters_learn(kind: type[SampledBoostClassifier], n_classes: int) -> None:
    """Each learns two classes and three; probabilities sum to one and agree with the answer."""
    X, y = examples(n_classes=n_classes)
    names = np.array(["a", "b", "c"])[y]
    model = kind(size=60, n_learners=40, random_state=0).fit(X, names)  # type: ignore[call-arg]
    test, truth = examples(seed=1, n_classes=n_classes)
    proba = model.predict_proba(test)
    assert np.mean(model.predict(test) == np.array(["a", "b", "c"])[truth]) > 0.85
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(test))
    assert np.array_equal(model.predict(csr_array(test)), model.predict(test))


@pytest.mark.parametrize("kind", BATCH)
def test_same_seed_same_result(kind: type[SampledBoostClassifier]) -> None:
    """The seed decides everything; rows of weight 0 decide nothing."""
    X, y = examples(200)
    one = kind(size=40, n_learners=10, random_state=3).fit(X, y).decision_function(X)  # type: ignore[call-arg]
    padded, labels = np.vstack([X, X[:50]]), np.concatenate([y, (y[:50] + 1) % 3])
    weights = np.concatenate([np.ones(200), np.zeros(50)])
    other = kind(size=40, n_learners=10, random_state=3).fit(padded, labels, weights)  # type: ignore[call-arg]
    np.testing.assert_array_equal(one, other.decision_function(X))


@pytest.mark.parametrize("kind", [WeightedSamplingBoostClassifier, MadaBoostClassifier])
def test_samples_may_be_boosted_with_logitboosts_steps(kind: type[SampledBoostClassifier]) -> None:
    """With step "newton" a sample that one stump answers rightly gets a step that the logistic loss bounds."""
    X, y = examples(300, 2)
    steps = [kind(50, 1, step=step, random_state=0).fit(X, y).stumps_.step[0, 0] for step in ("edge", "newton")]  # type: ignore
    assert abs(steps[0]) > 5.0  # atanh of an edge of 1, held off by a little
    assert 0.0 < abs(steps[1]) <= 4.0
    assert kind(50, 40, step="newton", random_state=0).fit(X, y).score(*examples(300, 2, 1)) > 0.85  # type: ignore
    with pytest.raises(InputError, match="step is 'long'"):
        kind(step="long").fit(X, y)  # type: ignore[call-arg]


def test_adaboost_on_all_examples_is_adaboost() -> None:
    """A fixed sample of everything, with the exponential loss, boosts as AdaBoost does."""
    X, y = examples(80, 2)
    y[::5] = 1 - y[::5]
    signs = 2.0 * y - 1.0
    table = SampledBoost("fixed", 80, 4, loss="exponential").fit(X, y, np.ones(80), 1, 0)
    weights = np.ones(80) / 80
    for t in range(4):
        answers = np.where(X[:, table.feature[0, t]] >= table.threshold[0, t], 1.0, -1.0)
        edge = float(weights @ (signs * answers))
        assert table.step[0, t] == pytest.approx(0.5 * np.log((1 + edge) / (1 - edge)), rel=1e-9)
        weights *= np.exp(-signs * table.step[0, t] * answers)
        weights /= weights.sum()


def test_nonsense_is_refused() -> None:
    """Settings without a meaning, and data of one class, are refused."""
    X, y = examples(20)
    with pytest.raises(InputError, match="size is 0"):
        WeightedSamplingBoostClassifier(size=0).fit(X, y)
    with pytest.raises(InputError, match="loss is 'l2'"):
        FixedSampleBoostClassifier(loss="l2").fit(X, y)
    with pytest.raises(InputError, match="one class only"):
        MadaBoostClassifier().fit(X, np.zeros(20))


def test_fixed_stumps_are_combined_online() -> None:
    """Stumps found on a few examples, their combination learned by OzaBoost from the others."""
    X, y = examples(800)
    table = SampledBoost("fixed", 60, 20).fit(X[:60], y[:60], np.ones(60), 3, 0)
    model = Model(Ensemble(bank_of(table), OzaBoost("weighted"), Last()), classes=[0, 1, 2])
    model.answer_and_learn(Chunk(to_rows(X[60:]), y[60:].astype(float), None, Space.of_size(5)))
    votes = np.sign(scores_on(table, X))
    assert votes.shape == (800, 3)
    test, truth = examples(300, seed=2)
    assert np.mean(model.predict(to_rows(test), Space.of_size(5))[0] == truth) > 0.75


def test_classifier_learns_in_any_way() -> None:
    """`partial_fit` in pieces and `learn_one` give the same answers; a late label is learned."""
    X, y = examples(400)
    settings = {"size": 30, "n_learners": 40, "shrinkage": 0.5, "random_state": 0}
    whole = ReservoirBoostClassifier(**settings).fit(X, y)  # type: ignore[arg-type]
    parts = ReservoirBoostClassifier(**settings)  # type: ignore[arg-type]
    for start in range(0, 400, 57):
        parts.partial_fit(X[start : start + 57], y[start : start + 57], classes=[0, 1, 2])
    single = ReservoirBoostClassifier(**settings).partial_fit(X[:1], y[:1], classes=[0, 1, 2])  # type: ignore
    for row, label in zip(X[1:], y[1:], strict=True):
        single.learn_one(row, label)
    for other in (parts, single):
        np.testing.assert_array_equal(whole.predict_proba(X), other.predict_proba(X))
    (held,) = whole.predict_hold(X[:1])
    assert whole.learn_label(held, y[0]).model_.n_seen == 401
    assert whole.learner_weights_.sum() == pytest.approx(1.0)
    assert whole.score(*examples(300, seed=4)) > 0.8


def test_classifier_refuses_nonsense() -> None:
    """Parameters are checked at the first fit."""
    X, y = examples(30)
    for wrong in ({"strategy": "best"}, {"size": 0}, {"ridge": 0.0}, {"shrinkage": 2.0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            ReservoirBoostClassifier(**wrong).fit(X, y)  # type: ignore[arg-type]


def test_classifiers_merge() -> None:
    """Two that learned from two parts become one that has seen both; unlike ones are refused and stay."""
    X, y = examples(800)
    settings = {"size": 40, "n_learners": 60, "shrinkage": 0.5, "random_state": 0}
    one, other = (ReservoirBoostClassifier(**settings).fit(X[k::2], y[k::2]) for k in range(2))  # type: ignore
    test, truth = examples(300, seed=4)
    worse = min(one.score(test, truth), other.score(test, truth))
    assert one.merge(other) is one
    assert one.model_.n_seen == 800
    assert one.score(test, truth) > worse - 0.05
    two_classes = ReservoirBoostClassifier(**settings).fit(X[y < 2], y[y < 2])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="knows the classes"):
        one.merge(two_classes)
    assert one.model_.n_seen == 800
