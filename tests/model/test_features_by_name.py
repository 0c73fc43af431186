"""Features by name: their order means nothing, and those that an example lacks cost nothing."""

from __future__ import annotations

import pickle
import tracemalloc
from functools import partial

import numpy as np
import pytest

import shoal
from shoal.errors import InputError
from shoal.testing import states_equal

MANY = 100_000
FEW = {f"f{j}": 1.0 + j for j in range(5)}


def examples(n=60, seed=0):
    rng = np.random.default_rng(seed)
    for t in range(n):
        x = {name: float(rng.normal()) for name in "edcba"[: 5 if t % 3 else 3]}
        x["colour"] = ("red", "green", "blue")[rng.integers(3)]
        yield x, "up" if x["e"] + x["c"] > 0 else "down"


def shuffled(x, rng):
    return {name: x[name] for name in rng.permutation(list(x))}


@pytest.mark.parametrize("learner", ["perceptron", "naive_bayes", "stump", "hoeffding_tree"])
def test_order_of_keys(learner):
    """The order of a dict's keys changes nothing, to the last bit, with subsets of features and categories."""
    rng = np.random.default_rng(1)
    settings = {"learner": learner, "n_learners": 6, "feature_fraction": 0.6, "random_state": 0}
    one, other = (shoal.BayesianEnsembleClassifier(**settings) for _ in range(2))
    for x, y in examples():
        again = shuffled(x, rng)
        assert one.predict_proba_one(x) == other.predict_proba_one(again)
        one.learn_one(x, y)
        other.learn_one(again, y)
    assert states_equal(one.model_.state, other.model_.state)


def weights_by_name(model):
    weights, space = model.model_.state.bank.weights, model.model_.space
    return {name: weights.table[j + 1] for j, name in enumerate(space.names)}


@pytest.mark.parametrize("scaling", ["standard", "unit"])
def test_order_of_arrival(scaling):
    """Features that appear in another order get the same first weights and learners to the last bit; the answers
    then agree but for the order in which a row's terms are added up.
    """
    settings = {"n_learners": 6, "feature_fraction": 0.6, "scaling": scaling, "random_state": 0}
    one, other = (shoal.BayesianEnsembleClassifier(**settings) for _ in range(2))
    for name in "abcde":
        one.learn_one({name: 0.0}, "up", 0.0)
    for name in "dbeac":
        other.learn_one({name: 0.0}, "up", 0.0)
    first, again = weights_by_name(one), weights_by_name(other)
    assert list(first) == ["a", "b", "c", "d", "e"]
    assert list(again) == ["d", "b", "e", "a", "c"]
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any((weights == 0.0).any() for weights in first.values())  # not everyone sees every feature
    for x, y in examples(200):
        chances, others = one.predict_proba_one(x), other.predict_proba_one(x)
        assert all(abs(chances[k] - others[k]) < 1e-9 for k in chances)
        one.learn_one(x, y)
        other.learn_one(x, y)


def allocated(action):
    """The most memory that an action takes beyond what there was."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def knowing(estimator, n_features, *labels):
    """The estimator, having met so many features."""
    estimator.learn_one(FEW, labels[0])
    estimator.learn_one({f"f{j}": 0.0 for j in range(n_features)}, labels[1])
    for label in labels:  # what is made once, such as the room for the first row
        estimator.learn_one(FEW, label)
        estimator.predict_one(FEW)
    return estimator


ESTIMATORS = {
    "bayes": (lambda: shoal.BayesianEnsembleClassifier(n_learners=3, random_state=0), "no", "yes"),
    "osboost": (lambda: shoal.OSBoostClassifier(n_learners=3, random_state=0), "no", "yes"),
    "unit": (lambda: shoal.VotingEnsembleClassifier(n_learners=3, scaling="unit", random_state=0), "no", "yes"),
    "logistic": (lambda: shoal.BayesianEnsembleClassifier("logistic", 3, random_state=0), "no", "yes"),
    "boosting": (lambda: shoal.OnlineGradientBoostingRegressor(n_learners=3, random_state=0), 0.0, 1.0),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_absent_features_cost_nothing(name):
    """With 5 of 100,000 known features set, learning, answering and holding take the room that 5 of 5 take."""
    made, *labels = ESTIMATORS[name]
    few, many = (knowing(made(), n, *labels) for n in (len(FEW), MANY))
    for method, *given in (("learn_one", FEW, labels[1]), ("predict_one", FEW), ("predict_hold", FEW)):
        taken = [allocated(partial(getattr(model, method), *given)) for model in (few, many)]
        assert taken[1] <= taken[0] + 4096


@pytest.mark.parametrize("name", ["bayes", "osboost", "unit", "logistic"])
def test_another_feature_costs_nothing_more(name):
    """A feature that appears beside 100,000 known ones takes no room in proportion to them."""
    made, *labels = ESTIMATORS[name]
    model = knowing(made(), MANY, *labels)
    model.learn_one({**FEW, "new": 1.0}, labels[1])
    assert allocated(lambda: model.learn_one({**FEW, "newer": 1.0}, labels[1])) < 40_000


def test_many_dicts_at_once():
    """Several dicts are learned as one after the other, to the last bit; where one is refused, none is."""
    one, other = (shoal.BayesianEnsembleClassifier(n_learners=6, random_state=0) for _ in range(2))
    rows = list(examples())
    for x, y in rows:
        one.learn_one(x, y)
    other.learn_many([x for x, _ in rows[:7]], [y for _, y in rows[:7]])
    before = pickle.dumps(other)
    for wrong in ([{"z": 1.0}, {"a": "text"}], [{"q": "red"}, {"q": 1.0}], [{"a": None}, {}], [[1.0], {}], [{}]):
        with pytest.raises(InputError):
            other.learn_many(wrong, ["up", "down"])
    assert pickle.dumps(other) == before
    other.learn_many([x for x, _ in rows[7:]], [y for _, y in rows[7:]])
    assert states_equal(one.model_.state, other.model_.state)
    asked = [x for x, _ in examples(20, seed=3)]
    assert other.predict_many(asked) == [one.predict_one(x) for x in asked]
    shares = other.predict_proba_many(asked)
    assert [dict(zip(other.classes_, row, strict=True)) for row in shares] == [
        one.predict_proba_one(x) for x in asked
    ]


def test_names_that_are_the_same_as_text():
    """Two keys that read alike are refused, since one would take the other's place."""
    model = shoal.VotingEnsembleClassifier(n_learners=2)
    with pytest.raises(InputError, match="'1' and 1 have the same name"):
        model.learn_one({"1": 2.0, 1: 3.0}, "a")
