"""What users of any estimator rely on: arrays, dicts, frames, labels of any type, late labels."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import shoal
from shoal.banks.perceptron import Perceptrons
from shoal.errors import InputError
from shoal.registry import METHODS, find
from shoal.rules.bayes_exponential import BayesExponential
from shoal.testing import states_equal
from shoal.types import Task

EVERY = {
    "voting": shoal.VotingEnsembleClassifier,
    "bayes": shoal.BayesianEnsembleClassifier,
    "sgd": shoal.SGDWeightedClassifier,
    "ensemble": shoal.EnsembleClassifier,
    "osboost": shoal.OSBoostClassifier,
    "ozaboost": shoal.OzaBoostClassifier,
    "ogboost": shoal.OGBoostClassifier,
    "feature-boost": shoal.OnlineFeatureBoostClassifier,
    "bbm": shoal.OnlineBBMClassifier,
    "adaboost-ol": shoal.AdaBoostOLClassifier,
}
OUTER = {"allow_missing", "max_pending", "random_state"}


def voting(**params):
    return shoal.VotingEnsembleClassifier(**{"n_learners": 5, "random_state": 0} | params)


def bayes(**params):
    return shoal.BayesianEnsembleClassifier(**{"n_learners": 5, "random_state": 0} | params)


def data(n=80, d=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.digitize(X[:, 0] + X[:, 1], np.linspace(-0.7, 0.7, n_classes - 1) + 0.1 * (n_classes == 2))
    return X, y


@pytest.mark.parametrize("name", EVERY)
def test_defaults_are_those_of_the_method(name):
    """An estimator has the settings of its method, with the same defaults, and the outer ones."""
    kind = EVERY[name]
    given = {p.name: p.default for p in inspect.signature(kind.__init__).parameters.values() if p.name != "self"}
    builder = find("method", METHODS, kind.method)
    expected = {p.name: p.default for p in inspect.signature(builder).parameters.values()}
    assert {k: v for k, v in given.items() if k not in OUTER} == expected
    assert kind.method == name


@pytest.mark.parametrize("name", EVERY)
def test_constructor_only_stores(name):
    """A constructor takes anything and keeps it as it is: parameters are checked at the first fit."""
    kind = EVERY[name]
    odd = {p: object() for p in kind().get_params(deep=False)}
    assert kind(**odd).get_params(deep=False) == odd


def test_any_way_of_learning_gives_the_same():
    """Chunks of any size, row by row and `learn_one` give the same state to the last bit."""
    X, y = data(n_classes=3)
    classes = [0, 1, 2]
    whole = bayes().partial_fit(X, y, classes=classes)
    chunks = bayes()
    for start in range(0, 80, 7):
        chunks.partial_fit(X[start : start + 7], y[start : start + 7], classes=classes)
    rows = bayes().partial_fit(X[:1], y[:1], classes=classes)
    for x, label in zip(X[1:], y[1:], strict=True):
        rows.learn_one(x, label)
    fitted = bayes().fit(X, y)
    for other in (chunks, rows, fitted):
        assert states_equal(whole.model_.state, other.model_.state)
        assert np.array_equal(whole.predict_proba(X), other.predict_proba(X))


def test_learn_one_from_the_start():
    """A model begun by `learn_one` takes classes as they come, and answers nothing before the first."""
    X, y = data(n_classes=3)
    model = voting()
    assert model.predict_one(X[0]) is None
    assert model.predict_proba_one(X[0]) == {}
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, f"class {label}")
    assert sorted(model.classes_) == ["class 0", "class 1", "class 2"]
    proba = model.predict_proba_one(X[0])
    assert list(proba) == list(model.classes_)
    assert sum(proba.values()) == pytest.approx(1.0)
    assert model.predict_one(X[0]) == max(proba, key=proba.get) == model.predict(X[:1])[0]


@pytest.mark.parametrize("form", [dict, np.asarray, list])
def test_forms_of_one_row(form):
    """`learn_one` takes a dict or a one-dimensional array or list, and learns the same from each."""
    X, y = data()
    rows = [{f"{j}": float(v) for j, v in enumerate(x)} if form is dict else form(x) for x in X]
    model, arrays = voting(), voting()
    for row, x, label in zip(rows, X, y, strict=True):
        model.learn_one(row, label)
        arrays.learn_one(x, label)
    agree = [model.predict_one(r) == arrays.predict_one(x) for r, x in zip(rows, X, strict=True)]
    assert np.mean(agree) > 0.9 if form is dict else all(agree)


def test_one_form_only():
    """A model taught with dicts refuses arrays, and the other way round."""
    X, y = data()
    dicts = voting().learn_one({"a": 1.0, "b": 0.0}, 0)
    arrays = voting().learn_one(X[0], 0)
    before = pickle.dumps(dicts), pickle.dumps(arrays)
    for refused in (
        lambda: dicts.learn_one(X[0], 1),
        lambda: dicts.partial_fit(X, y),
        lambda: dicts.predict(X),
        lambda: dicts.predict_one(X[0]),
        lambda: dicts.predict_hold(X),
        lambda: arrays.learn_one({"a": 1.0}, 1),
        lambda: arrays.predict_one({"a": 1.0}),
        lambda: arrays.predict_proba_one({"a": 1.0}),
        lambda: arrays.predict_hold({"a": 1.0}),
    ):
        with pytest.raises(InputError, match="use one form throughout"):
            refused()
    assert (pickle.dumps(dicts), pickle.dumps(arrays)) == before


def test_fit_forgets_dicts():
    """`fit` with arrays forgets that the model was taught with dicts."""
    X, y = data()
    model = voting().learn_one({"a": 1.0}, 0).fit(X, y)
    assert np.array_equal(model.predict(X), voting().fit(X, y).predict(X))
    model.learn_one(X[0], y[0])


def test_dicts_whose_features_come_and_go():
    """Features appear and disappear, numbers and categories alike; absent is zero."""
    model = bayes()
    for t in range(40):
        x = {"n": t % 2 - 0.5, "colour": ["red", "blue"][t % 2]} | ({f"late{t}": 1.0} if t > 20 else {})
        model.learn_one(x, t % 2)
    assert model.predict_one({"colour": "red", "n": -0.5}) == 0
    assert model.predict_one({"colour": "blue", "n": 0.5, "never met": 7.0}) == 1
    with pytest.raises(InputError, match="'n' was a number so far and is now a category"):
        model.learn_one({"n": "high"}, 0)


def test_classes_of_partial_fit():
    """The first `partial_fit` names all classes; later ones may repeat them and no other."""
    X, y = data()
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        voting().partial_fit(X, y)
    with pytest.raises(InputError, match="at least two different"):
        voting().partial_fit(X, np.zeros(80, dtype=int), classes=[0])
    model = voting().partial_fit(X, y, classes=[0, 1, 2])
    model.partial_fit(X, y).partial_fit(X, y, classes=[2, 1, 0])
    with pytest.raises(InputError, match="as in the first call"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.predict_proba(X).shape == (80, 3)
    with pytest.raises(InputError, match="label 5"):
        model.partial_fit(X, np.where(y == 0, 5, 1))
    with pytest.raises(InputError, match="label 5"):
        model.learn_one(X[0], 5)


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [0, 1], [-3, 8], [False, True], [0.0, 1.0], [b"no".decode(), "oui"]]
)
def test_types_of_labels(labels):
    """Labels keep their type, through `fit`, `partial_fit` and `learn_one`."""
    X, y = data()
    y = np.array(labels)[y]
    model = voting().fit(X, y)
    assert model.classes_.dtype == y.dtype
    assert model.predict(X).dtype == y.dtype
    assert set(model.predict(X)) <= set(labels)
    assert model.score(X, y) > 0.7
    one = voting()
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label)
    assert one.predict_one(X[0]) in labels
    assert set(one.classes_) == set(labels)
    if isinstance(labels[0], str):
        assert np.array_equal(model.partial_fit(X, y.astype(object)).classes_, sorted(labels))


def test_labels_of_mixed_types():
    """Labels of several types stay apart."""
    X, _ = data()
    model = voting()
    for t, x in enumerate(X):
        model.learn_one(x, ["1", 1, None][t % 3])
    assert list(model.classes_) == ["1", 1]
    assert set(model.predict(X)) <= {"1", 1}


@pytest.mark.parametrize("form", ["frame", "polars", "csr", "csc", "csr_array", "float32", "list", "ints"])
def test_forms_of_rows(form):
    """Frames, sparse matrices, lists and other types of numbers are learned like the plain array."""
    X, y = data()
    if form in ("ints", "float32"):
        X = np.round(X * 4)
    names = [f"x{j}" for j in range(4)]
    same = {
        "frame": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "csr": lambda: sp.csr_matrix(X),
        "csc": lambda: sp.csc_matrix(X),
        "csr_array": lambda: sp.csr_array(X),
        "float32": lambda: X.astype(np.float32),
        "list": lambda: X.tolist(),
        "ints": lambda: X.astype(np.int64),
    }[form]()
    expected, model = voting().fit(X, y), voting().fit(same, y)
    assert states_equal(expected.model_.state, model.model_.state)
    assert np.array_equal(expected.predict_proba(X), model.predict_proba(same))
    if form in ("frame", "polars"):
        assert list(model.feature_names_in_) == names


def test_frames_with_other_names():
    """A frame whose columns have other names, or another order, is refused."""
    X, y = data()
    model = voting().fit(pd.DataFrame(X, columns=list("abcd")), y)
    before = pickle.dumps(model)
    for names in ("abdc", "abce"):
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(pd.DataFrame(X, columns=list(names)), y)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(pd.DataFrame(X, columns=list(names)))
    assert pickle.dumps(model) == before


def test_missing_values():
    """NaN is refused by default and taken as missing with allow_missing=True, as are missing values of dicts."""
    X, y = data()
    X[3, 1] = np.nan
    for learn in (
        lambda: voting().fit(X, y),
        lambda: voting().partial_fit(X, y, classes=[0, 1]),
        lambda: voting().learn_one(X[3], 1),
        lambda: voting().fit(sp.csr_array(X), y),
    ):
        with pytest.raises(ValueError, match="NaN"):
            learn()
    for value in (None, np.nan):
        with pytest.raises(InputError, match="'a' is missing"):
            voting().learn_one({"a": value}, 1)
    model = voting(allow_missing=True).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert states_equal(model.model_.state, voting(allow_missing=True).fit(sp.csr_array(X), y).model_.state)
    model.learn_one(X[3], 1)
    dicts = voting(allow_missing=True).learn_one({"a": None, "b": 1.0}, 0).learn_one({"a": 2.0, "b": np.nan}, 1)
    assert dicts.predict_one({"a": None}) in (0, 1)


def test_random_state():
    """The same seed gives the same model, another gives another, and a RandomState serves as well."""
    X, y = data()
    one, same, other = (voting(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert states_equal(one.model_.state, same.model_.state)
    assert not states_equal(one.model_.state, other.model_.state)
    drawn = [voting(random_state=np.random.RandomState(5)).fit(X, y) for _ in range(2)]
    assert states_equal(drawn[0].model_.state, drawn[1].model_.state)


def test_weights():
    """A weight of 0 is as if the row were not there, and a plain number weighs every row alike."""
    X, y = data()
    weights = (np.arange(80) % 3 > 0).astype(float)
    kept = weights > 0
    one = bayes().partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    other = bayes().partial_fit(X[kept], y[kept], classes=[0, 1])
    assert states_equal(one.model_.state, other.model_.state)
    alike = bayes().fit(X, y, sample_weight=np.full(80, 2.0))
    assert states_equal(alike.model_.state, bayes().fit(X, y, sample_weight=2.0).model_.state)
    before = pickle.dumps(one)
    one.learn_one(X[0], y[0], sample_weight=0.0)
    assert pickle.dumps(one) == before
    with pytest.raises(InputError, match="every sample_weight is zero"):
        voting().fit(X, y, sample_weight=np.zeros(80))
    with pytest.raises(InputError, match="weight of row 0"):
        one.learn_one(X[0], y[0], sample_weight=-1.0)


def test_class_weight():
    """Class weights by name are those given in the order of the classes."""
    X, y = data()
    y = np.array(["no", "yes"])[y]
    one = voting(class_weight={"yes": 3.0}).fit(X, y)
    other = voting(class_weight=[1.0, 3.0]).fit(X, y)
    assert states_equal(one.model_.state, other.model_.state)
    with pytest.raises(InputError, match="'maybe', which is not among the classes"):
        voting(class_weight={"maybe": 3.0}).fit(X, y)
    with pytest.raises(InputError, match="all classes to be known"):
        voting(class_weight={"yes": 3.0}).learn_one(X[0], "yes")
    with pytest.raises(InputError, match="class_weight has 3 numbers"):
        voting(class_weight=[1.0, 2.0, 3.0]).fit(X, y)


def test_too_many_classes_for_the_settings():
    """A class that the settings have no room for is refused, and nothing is kept of its row."""
    model = voting(class_weight=[1.0, 2.0])
    for t in range(4):
        model.learn_one({"a": t - 1.5}, t % 2)
    before = pickle.dumps(model)
    with pytest.raises(InputError, match="class_weight has 2 numbers"):
        model.learn_one({"a": 1.0, "b": 2.0}, 2)
    assert pickle.dumps(model) == before


def test_refusal_at_first_leaves_no_trace():
    """An estimator whose first call was refused is as it was, not half fitted."""
    X, y = data()
    model = voting(vote="loud")
    for begin in (
        lambda: model.fit(X, y),
        lambda: model.partial_fit(X, y, classes=[0, 1]),
        lambda: model.learn_one({"a": 1.0}, 0),
        lambda: model.learn_one(X[0], 0),
    ):
        with pytest.raises(InputError, match="vote is 'loud'"):
            begin()
        assert vars(model) == vars(voting(vote="loud"))
    model.set_params(vote="hard").learn_one(X[0], 0)


def test_refused_fit_keeps_what_was_learned():
    """A `fit` that is refused leaves what was learned before."""
    X, y = data()
    model = voting().fit(X, y)
    before = pickle.dumps(model)
    for X_bad, y_bad in (
        (X[:, :2], np.zeros(80)),
        (np.full((80, 2), np.inf), y),
        (X[:, :3], y[:10]),
        (X[:0], y[:0]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - each has a message of its own
            model.fit(X_bad, y_bad)
        assert pickle.dumps(model) == before


def test_late_labels():
    """Rows whose labels come at once, late, teach as if they had been learned as usual."""
    X, y = data()
    usual = bayes().fit(X, y)
    late = bayes().partial_fit(X[:40], y[:40], classes=[0, 1])
    for t in range(40, 80):
        (held_id,) = late.predict_hold(X[t : t + 1])
        late.learn_label(held_id, y[t])
    assert states_equal(usual.model_.state, late.model_.state)
    ids = late.predict_hold(X[:3])
    assert len(set(ids)) == 3
    assert late.n_dropped_ == 0
    with pytest.raises(InputError, match="no example with id"):
        late.learn_label(10**6, 0)
    before = pickle.dumps(late)
    with pytest.raises(InputError, match="label 9"):
        late.learn_label(ids[0], 9)
    assert pickle.dumps(late) == before


def test_late_labels_are_bounded():
    """At most `max_pending` rows wait; the oldest are dropped and counted."""
    X, y = data()
    model = voting(max_pending=2).fit(X, y)
    ids = model.predict_hold(X[:5])
    assert model.n_dropped_ == 3
    with pytest.raises(InputError, match="max_pending = 2"):
        model.learn_label(ids[0], 0)
    model.learn_label(ids[4], 0)


def test_late_labels_of_dicts():
    """A dict may wait for its label, even one of a new class and with new features."""
    model = voting().learn_one({"a": 1.0}, "x").learn_one({"a": -1.0}, "y")
    (held_id,) = model.predict_hold({"a": 0.5, "new": 1.0})
    model.learn_label(held_id, "z")
    assert list(model.classes_) == ["x", "y", "z"]
    assert set(model.predict_proba_one({"a": 1.0})) == {"x", "y", "z"}


def test_unfitted():
    """Before any learning, an estimator says that it is not fitted."""
    from sklearn.exceptions import NotFittedError

    X, _ = data()
    for ask in ("predict", "predict_proba", "predict_hold"):
        with pytest.raises(NotFittedError):
            getattr(voting(), ask)(X)
    with pytest.raises(NotFittedError):
        voting().learn_label(0, 1)
    with pytest.raises(NotFittedError):
        _ = shoal.BayesianEnsembleClassifier().posterior_


@pytest.mark.parametrize("name", EVERY)
def test_learner_weights(name):
    """What each learner counts is open, a number for each; their sizes sum to one."""
    X, y = data()
    params = {"bank": Perceptrons(5), "rule": BayesExponential()} if name == "ensemble" else {"n_learners": 5}
    model = EVERY[name](random_state=0, **params).fit(X, y)
    assert model.learner_weights_.shape == (5,)
    assert np.abs(model.learner_weights_).sum() == pytest.approx(1.0)


def test_learner_weights_of_boosters():
    """They are the booster's where it has its own: log-odds, coefficients, and only of those chosen."""
    X, y = data()
    oza = shoal.OzaBoostClassifier(n_learners=5, random_state=0).fit(X, y)
    own = oza.model_.ensemble.booster.weights(oza.model_.state.booster)
    np.testing.assert_allclose(oza.learner_weights_, own / own.sum())
    chosen = shoal.OnlineFeatureBoostClassifier(n_learners=6, selectors=2, random_state=0).fit(X, y)
    booster = chosen.model_.state.booster
    places = booster.selected[0] + [0, 3]
    assert np.flatnonzero(chosen.learner_weights_).tolist() == places.tolist()
    np.testing.assert_allclose(chosen.learner_weights_[places], booster.alpha[0] / booster.alpha[0].sum())
    untaught = shoal.OzaBoostClassifier(n_learners=5).learn_one(X[0], 0)
    untaught.model_.state = untaught.model_.ensemble.init(untaught.model_.space, Task("classification", 1), 0)
    assert untaught.learner_weights_.tolist() == [0.2] * 5


def test_after_evaluation():
    """An estimator that was evaluated has learned the stream, its classes included, and answers."""
    X, y = data(n_classes=3)
    y = np.array(["a", "b", "c"])[y]
    model = voting()
    result = shoal.evaluate(model, shoal.open_stream((X, y)))
    assert result.n == 80
    assert sorted(model.classes_) == ["a", "b", "c"]
    assert set(model.predict(X)) <= {"a", "b", "c"}
    assert model.predict_one(X[0]) == model.predict(X[:1])[0]


def test_posterior():
    """The Bayesian estimator shows its posterior, with intervals around the mean."""
    X, y = data()
    posterior = bayes(feature_fraction=0.5).fit(X, y).posterior_
    low, high = posterior.interval(0.95)
    assert (low <= posterior.mean).all()
    assert (posterior.mean <= high).all()


def test_clone_and_pickle():
    """A clone has the parameters and nothing learned; a pickled copy answers the same and goes on the same."""
    X, y = data()
    model = bayes(forgetting=0.99, frozen=10).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "model_")
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert states_equal(copy.partial_fit(X, y).model_.state, model.partial_fit(X, y).model_.state)


def test_grid_search_values():
    """NumPy's numbers are as good as Python's for any setting."""
    X, y = data()
    model = bayes(
        n_learners=np.int64(5),
        theta=np.float64(0.1),
        forgetting=np.float32(0.5),
        frozen=np.int32(3),
        bias=np.True_,
    )
    assert np.isfinite(model.fit(X, y).predict_proba(X)).all()
