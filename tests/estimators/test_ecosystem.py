"""Every estimator at home in scikit-learn: pipelines, searches, frames, routed weights, other estimators."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier, VotingRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler  # exact, whatever the order in memory: StandardScaler is not
from sklearn.utils import get_tags
from tests.estimators.every import PUBLIC, small

NAMES = ["a", "b", "c", "d"]
CLASSIFIERS = [name for name in PUBLIC if name.endswith("Classifier")]
STREAMING = [name for name in PUBLIC if hasattr(small(name), "partial_fit")]
every = pytest.mark.parametrize("name", PUBLIC)
classifiers = pytest.mark.parametrize("name", CLASSIFIERS)


def data(name: str, n: int = 60) -> tuple[Any, Any]:
    """Rows of four numbers, with three classes or a number."""
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, np.digitize(X[:, 0], [-0.5, 0.5]) if name in CLASSIFIERS else 2.0 * X[:, 0] + 1.0


def test_all_are_tested() -> None:
    """Fifteen classifiers and three regressors are public, all but the four that need all data streaming."""
    assert (len(CLASSIFIERS), len(PUBLIC), len(STREAMING)) == (15, 18, 14)


@every
@pytest.mark.parametrize("form", ["pandas", "polars", "default"])
def test_pipeline_with_set_output(name: str, form: str) -> None:
    """At the end of a pipeline it gets frames where the pipeline makes them, and keeps and checks their names."""
    X, y = data(name)
    frame = {"pandas": pd.DataFrame(X, columns=NAMES), "polars": pl.DataFrame(X, schema=NAMES), "default": X}[form]
    pipeline = make_pipeline(MaxAbsScaler(), small(name)).set_output(transform=form).fit(frame, y)
    assert pipeline.predict(frame).shape == y.shape
    assert pipeline[-1].n_features_in_ == 4
    if form == "default":
        assert not hasattr(pipeline[-1], "feature_names_in_")
    else:
        assert list(pipeline[-1].feature_names_in_) == NAMES
        assert np.array_equal(
            pipeline.predict(frame), make_pipeline(MaxAbsScaler(), small(name)).fit(X, y).predict(X)
        )


@every
def test_names_of_features(name: str) -> None:
    """Columns in another order or of other names are refused, and rows without names warned of."""
    X, y = data(name)
    frame = pd.DataFrame(X, columns=NAMES)
    model = small(name).fit(frame, y)
    for other in (frame[["b", "a", "c", "d"]], frame.rename(columns={"a": "z"}), pl.from_pandas(frame)[:, ::-1]):
        with pytest.raises(ValueError, match="feature names"):
            model.predict(other)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.raises(ValueError, match="expecting 4 features"):
        small(name).fit(X, y).predict(X[:, :3])


@every
def test_search_and_cross_validation(name: str) -> None:
    """Grid search tries settings in other processes too, and cross validation scores it."""
    X, y = data(name)
    grid = {"random_state": [0, 1]} if "random_state" in small(name).get_params() else {"n_learners": [2, 3]}
    search = GridSearchCV(
        make_pipeline(MaxAbsScaler(), small(name)), {f"{name.lower()}__{k}": v for k, v in grid.items()}, cv=2
    )
    assert search.fit(X, y).predict(X).shape == y.shape
    assert np.isfinite(cross_val_score(small(name), X, y, cv=2)).all()


def test_search_in_other_processes() -> None:
    """A grid search in two processes finds what it finds in one."""
    X, y = data("VotingEnsembleClassifier")
    grid = {"n_learners": [1, 3], "vote": ["soft", "hard"]}
    alone, together = (
        GridSearchCV(small("VotingEnsembleClassifier"), grid, cv=2, n_jobs=n)
        .fit(X, y)
        .cv_results_["mean_test_score"]
        for n in (1, 2)
    )
    assert np.array_equal(alone, together)


@every
def test_clone_pickle_and_joblib(name: str, tmp_path: Path) -> None:
    """A clone has the settings only; pickled copies, and those that joblib maps from a file, learn on alike."""
    X, y = data(name)
    model = small(name).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    assert not any(key.endswith("_") for key in vars(clone(model)))
    joblib.dump(model, tmp_path / "model.joblib")
    copies = (
        pickle.loads(pickle.dumps(model)),
        joblib.load(tmp_path / "model.joblib"),
        joblib.load(tmp_path / "model.joblib", mmap_mode="r"),
    )
    for copy in copies:
        assert np.array_equal(copy.predict(X), model.predict(X))
    if name in STREAMING:
        after = model.partial_fit(X[::-1], y[::-1]).predict(X)
        assert all(np.array_equal(copy.partial_fit(X[::-1], y[::-1]).predict(X), after) for copy in copies)


@every
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse(name: str, form: Any) -> None:
    """A sparse matrix teaches, and is answered, as the same rows would be dense."""
    X, y = data(name)
    X = X * (np.random.default_rng(1).random(X.shape) < 0.5)
    dense, sparse = small(name).fit(X, y), small(name).fit(form(X), y)
    assert np.array_equal(dense.predict(X), sparse.predict(form(X)))


@every
def test_routing_of_weights(name: str) -> None:
    """Weights that are asked for arrive through a pipeline in a search, those that are not do not."""
    X, y = data(name)
    weights = np.where(np.arange(len(y)) % 2, 1.0, 1e-3)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = small(name).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(MaxAbsScaler(), asking)
        routed = pipeline.fit(X, y, sample_weight=weights)[-1]
        given = small(name).fit(MaxAbsScaler().fit_transform(X), y, sample_weight=weights)
        assert np.array_equal(routed.predict(X), given.predict(X))
        GridSearchCV(pipeline, {}, cv=2).fit(X, y, sample_weight=weights)
        refusing = small(name).set_fit_request(sample_weight=False)
        with pytest.raises(TypeError, match="sample_weight"):
            make_pipeline(MaxAbsScaler(), refusing).fit(X, y, sample_weight=weights)
        if name in STREAMING:
            requests = small(name).set_partial_fit_request(sample_weight=True).get_metadata_routing()
            assert requests.partial_fit.requests["sample_weight"] is True
    assert clone(asking).get_metadata_routing().fit.requests["sample_weight"] is True


@every
def test_tags(name: str) -> None:
    """It says what it takes: sparse rows, missing values if it is told to, several targets where it does."""
    tags = get_tags(small(name))
    assert tags.input_tags.sparse
    assert not tags.input_tags.allow_nan
    assert tags.target_tags.multi_output == name.startswith("Online") * name.endswith("Regressor")
    if "allow_missing" in small(name).get_params():
        assert get_tags(small(name).set_params(allow_missing=True)).input_tags.allow_nan


@every
def test_is_shown_as_a_page(name: str) -> None:
    """A notebook shows it as HTML, before and after it is fitted, and `repr` is what made it."""
    model = small(name)
    assert name in model._repr_html_()
    assert name in model.fit(*data(name))._repr_html_()
    assert repr(model).startswith(f"{name}(")


@classifiers
def test_inside_other_classifiers(name: str) -> None:
    """It votes, is stacked, is calibrated, and answers one class against the rest."""
    X, y = data(name)
    others = [
        VotingClassifier([("one", small(name)), ("two", small(name))], voting="soft"),
        StackingClassifier([("one", small(name))], cv=2),
        CalibratedClassifierCV(small(name), cv=2),
        OneVsRestClassifier(small(name)),
    ]
    for other in others:
        proba = other.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        assert set(other.predict(X)) <= {0, 1, 2}
    for scoring in ("roc_auc_ovr", "neg_log_loss"):
        assert np.isfinite(cross_val_score(small(name), X, y, cv=2, scoring=scoring)).all()


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name in STREAMING])
def test_streaming_inside_others(name: str) -> None:
    """One class against the rest, and several targets, learn in chunks too."""
    X, y = data(name)
    for half in (slice(0, 30), slice(30, 60)):
        rest = OneVsRestClassifier(small(name)).partial_fit(X[half], y[half], classes=[0, 1, 2])
        several = MultiOutputClassifier(small(name)).partial_fit(
            X[half], np.c_[y, y][half], classes=[[0, 1, 2]] * 2
        )
    assert rest.predict(X).shape == y.shape
    assert several.predict(X).shape == (60, 2)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in CLASSIFIERS])
def test_inside_other_regressors(name: str) -> None:
    """It is averaged with others."""
    X, y = data(name)
    assert not is_classifier(small(name))
    assert VotingRegressor([("one", small(name)), ("two", small(name))]).fit(X, y).score(X, y) > 0.0
