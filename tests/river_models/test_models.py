"""shoal's estimators as River models: pipelines, mini-batches, features and classes that come and go."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import datasets, ensemble, evaluate, linear_model, metrics, preprocessing

import shoal
import shoal.river
from shoal.errors import InputError
from shoal.estimators.common import OnlineEstimator

COLOURS = ("red", "green", "blue", None)


def examples(n=90, seed=0):
    """Numbers, a category and a feature that appears late; of three classes the third comes late."""
    rng = np.random.default_rng(seed)
    for t in range(n):
        x = {"b": float(rng.normal()), "a": float(rng.normal()), "colour": COLOURS[rng.integers(4)]}
        if t > n // 3:
            x["late"] = float(rng.normal())
        y = "up" if x["a"] > 0 else "down"
        yield x, "third" if t > n // 2 and x["b"] > 0.5 else y


def present(x):
    return {name: value for name, value in x.items() if value is not None}


def taught(model, n=90):
    for x, y in examples(n):
        model.learn_one(present(x), y)
    return model


def bayes(**settings):
    return shoal.river.BayesianEnsembleClassifier(n_learners=8, feature_fraction=0.6, seed=1, **settings)


def answers(model, n=30):
    return [model.predict_proba_one(present(x)) for x, _ in examples(n, seed=7)]


def test_every_streaming_estimator_has_its_class():
    """An estimator that learns from a stream has a River class of its name, with its parameters and a seed."""
    public = [getattr(shoal, name) for name in shoal.__all__ if name.endswith(("Classifier", "Regressor"))]
    for kind in public:
        name = kind.__name__
        assert (name in shoal.river.__all__) == issubclass(kind, OnlineEstimator)
        if name in shoal.river.__all__:
            model = getattr(shoal.river, name)
            parameters = dict(inspect.signature(kind).parameters)
            mine = dict(inspect.signature(model).parameters)
            assert mine.pop("seed").default is None
            assert {k: p.default for k, p in mine.items()} == {k: p.default for k, p in parameters.items()}
            assert "seed:" in model.__doc__


def test_in_a_pipeline_under_progressive_validation():
    """Behind a scaler, a named class and a wrapped estimator come close to River's own logistic regression."""

    def accuracy(model):
        pipeline = preprocessing.StandardScaler() | model
        return evaluate.progressive_val_score(datasets.Phishing().take(600), pipeline, metrics.Accuracy()).get()

    least = accuracy(linear_model.LogisticRegression()) - 0.02
    assert accuracy(shoal.river.BayesianEnsembleClassifier(learner="logistic", n_learners=20, seed=0)) > least
    bayes = shoal.BayesianEnsembleClassifier(learner="bayes_logistic", n_learners=20, random_state=0)
    assert accuracy(shoal.river.wrap(bayes)) > least


def test_many_classes_and_numbers_under_progressive_validation():
    """Seven classes and a number are learned far better than by answering the same always."""
    model = shoal.river.OSBoostClassifier(n_learners=10, seed=0)
    assert (
        evaluate.progressive_val_score(datasets.ImageSegments().take(700), model, metrics.Accuracy()).get() > 0.6
    )
    regressor = preprocessing.StandardScaler() | shoal.river.OnlineGradientBoostingRegressor(n_learners=10, seed=0)
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), regressor, metrics.MAE())
    assert error.get() < 1.5  # the mean so far errs by 2.2 (standard deviation 2.2)


def test_mini_batches_are_rows_one_by_one():
    """A frame with empty cells is learned as its rows' dicts without them, to the last bit, and answered so."""
    one, many = taught(bayes()), bayes()
    rows = list(examples())
    for start in range(0, len(rows), 20):
        frame = pd.DataFrame([x for x, _ in rows[start : start + 20]])
        many.learn_many(frame, pd.Series([y for _, y in rows[start : start + 20]]))
    assert answers(many) == answers(one)
    frame = pd.DataFrame([x for x, _ in examples(30, seed=7)], index=range(100, 130))
    labels, shares = many.predict_many(frame), many.predict_proba_many(frame)
    assert labels.index.equals(frame.index)
    assert shares.index.equals(frame.index)
    assert labels.tolist() == [one.predict_one(present(x)) for x, _ in examples(30, seed=7)]
    assert shares.to_dict("records") == answers(one)


def test_mini_batches_of_polars():
    """Frames of polars are taken, and answered in kind."""
    one, many = taught(bayes()), bayes()
    many.learn_many(pl.DataFrame([x for x, _ in examples()]), pl.Series([y for _, y in examples()]))
    frame = pl.DataFrame([x for x, _ in examples(30, seed=7)])
    assert many.predict_many(frame).to_list() == [one.predict_one(present(x)) for x, _ in examples(30, seed=7)]
    assert many.predict_proba_many(frame).to_dicts() == answers(one)


def test_regressors_in_mini_batches():
    """Numbers are answered row by row and in mini-batches alike."""
    rows = [(x, x["a"] + 2.0 * x["b"]) for x, _ in examples()]
    one, many = (shoal.river.OnlineGradientBoostingRegressor(n_learners=5, seed=0) for _ in range(2))
    assert one.predict_one({"a": 1.0}) == 0.0
    frame = pd.DataFrame([x for x, _ in rows])
    assert many.predict_many(frame).tolist() == [0.0] * len(rows)
    for x, y in rows:
        one.learn_one(x, y)
    many.learn_many(frame, pd.Series([y for _, y in rows]))
    assert many.predict_many(frame).tolist() == [one.predict_one(x) for x, _ in rows]


def test_before_learning_nothing_is_answered():
    """A fresh classifier has no class to answer, alone or for a frame."""
    model, frame = bayes(), pd.DataFrame({"a": [1.0, 2.0]})
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.predict_many(frame).tolist() == [None, None]
    assert model.predict_proba_many(frame).shape == (2, 0)


def test_weights_of_examples():
    """An example of weight 0 teaches nothing, alone or in a frame."""
    one, other = taught(bayes()), taught(bayes())
    other.learn_one({"a": 5.0}, "down", w=0.0)
    other.learn_many(pd.DataFrame({"a": [5.0, 1.0]}), ["down", "up"], w=0.0)
    assert answers(one) == answers(other)


def test_missing_values_are_absent_unless_allowed():
    """None and NaN are as if left out; with allow_missing they are missing values, which count as nothing."""
    model = taught(bayes())
    alone = model.predict_proba_one({"a": 0.5})
    assert model.predict_proba_one({"a": 0.5, "b": None, "colour": float("nan")}) == alone
    lenient = taught(bayes(allow_missing=True))
    assert lenient.predict_proba_one({"a": 0.5, "b": None}) != lenient.predict_proba_one({"a": 0.5})


def test_pickles_and_copies_go_on_the_same():
    """A model pickled, or copied, half-way learns on as the one that was not."""
    model = taught(bayes(), 40)
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for each in (model, *others):
        taught(each)
    assert answers(model) == answers(others[0]) == answers(others[1])


def test_clones_begin_anew():
    """A clone has the parameters, and has learned nothing; the given estimator is never taught."""
    given = shoal.BayesianEnsembleClassifier(n_learners=3, random_state=0)
    for model in (bayes(), shoal.river.wrap(given)):
        clone = taught(model).clone()
        assert clone.predict_one({"a": 1.0}) is None
        assert model.predict_one({"a": 1.0}) is not None
        assert answers(taught(clone)) == answers(model)
    assert not hasattr(given, "model_")
    with pytest.raises(ValueError, match="not a mutable attribute"):
        bayes().mutate({"n_learners": 3})


def test_wrapping_what_has_learned_goes_on_from_it(tmp_path):
    """An estimator taught with dicts, here through a file, goes on in River and stays as it is itself."""
    model = taught(bayes(), 40)
    model.estimator_.save(tmp_path / "half.shoal")
    loaded = shoal.load(tmp_path / "half.shoal")
    before = pickle.dumps(loaded)
    wrapped = shoal.river.wrap(loaded)
    assert answers(taught(wrapped)) == answers(taught(model))
    assert pickle.dumps(loaded) == before
    assert wrapped.clone().predict_one({"a": 1.0}) is None


def test_what_cannot_be_wrapped():
    """Estimators that need all data, classes, others' estimators and those taught with arrays are refused."""
    taught_arrays = shoal.VotingEnsembleClassifier(n_learners=2).fit(np.eye(2), [0, 1])
    for given in (shoal.MadaBoostClassifier(), shoal.OSBoostClassifier, object(), taught_arrays):
        with pytest.raises(InputError, match=r"cannot wrap|taught with arrays"):
            shoal.river.wrap(given)
    with pytest.raises(InputError, match="two columns are called 'a'"):
        bayes().learn_many(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), ["up"])
    with pytest.raises(InputError, match="expected a pandas or polars frame"):
        bayes().predict_many(np.eye(2))
    with pytest.raises(AttributeError, match="no attribute 'Whale'"):
        _ = shoal.river.Whale


def test_shoal_under_rivers_own_ensembles():
    """River's bagging with drift detection bags shoal's models."""
    model = ensemble.ADWINBaggingClassifier(bayes(), n_models=3, seed=0)
    accuracy = evaluate.progressive_val_score(datasets.Phishing().take(300), model, metrics.Accuracy())
    assert accuracy.get() > 0.8


def test_river_is_loaded_only_when_asked_for():
    """`import shoal` does without River; without it `shoal.river` says how to get it."""
    program = (
        "import sys\nsys.modules['river'] = None\nimport shoal\n"
        "try:\n    shoal.river\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'shoal[river]'" in done.stdout
