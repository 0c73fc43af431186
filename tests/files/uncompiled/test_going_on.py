"""Saved, loaded and taught on is the same, to the last bit, as never stopped: for everything there is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.files.whole_list import BATCH, CLASSIFIERS, NUMBERS, PARTS, REGRESSORS, THREE, TWO, X, with_part

import shoal
from shoal.files.estimators import names_of_estimators
from shoal.testing import states_equal

HALF = 130


def through_a_file(model, folder):
    path = folder / "model.shoal"
    model.save(path)
    return shoal.load(path)


def learned(model) -> dict:
    """All that an estimator is."""
    kept = {key: value for key, value in vars(model).items() if key not in ("model_", "encoder_")}
    if not hasattr(model, "model_"):
        return kept
    known = {f"model {key}": value for key, value in vars(model.model_).items() if key != "pending"}
    return kept | known | {f"pending {key}": value for key, value in vars(model.model_.pending).items()}


def assert_same(one, other):
    assert type(one) is type(other)
    mine, its = learned(one), learned(other)
    assert list(mine) == list(its)
    for key, value in mine.items():
        assert states_equal(value, its[key]), f"{key} differs"


def check(make, teach, folder):
    """Teach one half; save; teach the loaded and the kept one the other half."""
    kept = teach(make(), 0, HALF, first=True)
    loaded = through_a_file(kept, folder)
    assert_same(kept, loaded)
    assert np.array_equal(kept.predict(X), loaded.predict(X))
    teach(kept, HALF, len(X), first=False)
    teach(loaded, HALF, len(X), first=False)
    assert_same(kept, loaded)
    ask = "predict_proba" if hasattr(kept, "predict_proba") else "predict"
    assert np.array_equal(getattr(kept, ask)(X), getattr(loaded, ask)(X))


def teaching(y):
    def teach(model, start, stop, *, first):
        extra = {"classes": np.unique(y)} if first and y.dtype.kind == "U" else {}
        return model.partial_fit(X[start:stop], y[start:stop], **extra)

    return teach


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_classifiers(name, y, tmp_path):
    """A classifier goes on from its file."""
    if name == "default, drift" and y is THREE:
        pytest.skip("said by two classes")
    if name == "bayes, all at once" and y is THREE:
        pytest.skip("a threshold is for two classes")
    check(CLASSIFIERS[name], teaching(y), tmp_path)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name, tmp_path):
    """A regressor goes on from its file."""
    check(REGRESSORS[name], teaching(NUMBERS), tmp_path)


@pytest.mark.parametrize("name", BATCH)
def test_batch(name, tmp_path):
    """What learns from all at once answers the same from its file."""
    y = NUMBERS if name == "gradient boosting" else THREE
    kept = BATCH[name]().fit(X, y)
    loaded = through_a_file(kept, tmp_path)
    assert_same(kept, loaded)
    assert np.array_equal(kept.predict(X), loaded.predict(X))


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_parts(kind, name, tmp_path):
    """Every bank, booster and rule of the registry goes on from its file."""
    check(lambda: with_part(kind, name), teaching(THREE), tmp_path)


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS, *BATCH])
def test_before_learning(name, tmp_path):
    """An estimator that has learned nothing keeps its parameters."""
    kept = (CLASSIFIERS | REGRESSORS | BATCH)[name]()
    assert_same(kept, through_a_file(kept, tmp_path))


def test_nothing_is_left_out():
    """The lists above hold every public estimator."""
    made = {type(make()).__name__ for make in (CLASSIFIERS | REGRESSORS | BATCH).values()}
    assert made == set(names_of_estimators())


WORDS = ["red", "green", "blue", "grey"]


def rows_of_dicts():
    """Examples whose features and classes come as they come."""
    for t, (x, y) in enumerate(zip(X, THREE, strict=True)):
        features = {f"x{j}": float(v) for j, v in enumerate(x[: 2 + t // 60]) if v}
        yield {**features, "colour": WORDS[t % (1 + t // 60)]}, str(y) if t > 100 else ["a", "b"][t % 2]


@pytest.mark.parametrize("name", ["default", "bayes", "osboost", "ogboost", "geem", "reservoir, shared", "voting"])
def test_open_world(name, tmp_path):
    """So does a model whose features and classes appear as it learns, from dicts."""
    kept = CLASSIFIERS[name]()
    examples = list(rows_of_dicts())
    for x, y in examples[:HALF]:
        kept.learn_one(x, y)
    loaded = through_a_file(kept, tmp_path)
    for x, y in examples[HALF:]:
        kept.learn_one(x, y)
        loaded.learn_one(x, y)
    assert_same(kept, loaded)
    assert kept.encoder_.met() == loaded.encoder_.met()
    assert kept.predict_proba_one(examples[7][0]) == loaded.predict_proba_one(examples[7][0])


@pytest.mark.parametrize("name", ["default", "bayes", "ozaboost", "geem"])
def test_labels_to_come(name, tmp_path):
    """What waits for its label waits in the file too."""
    kept = teaching(TWO)(CLASSIFIERS[name](), 0, HALF, first=True)
    kept.set_params(max_pending=10)
    ids = kept.predict_hold(X[HALF : HALF + 8])
    loaded = through_a_file(kept, tmp_path)
    assert list(loaded.model_.pending.held) == ids
    for held_id, y in zip(ids[::2], TWO[HALF::2], strict=False):
        kept.learn_label(held_id, y)
        loaded.learn_label(held_id, y)
    assert_same(kept, loaded)


def test_the_names_of_columns(tmp_path):
    """Names of columns are kept, and checked as before."""
    import pandas

    frame = pandas.DataFrame(X, columns=list("abcd"))
    loaded = through_a_file(CLASSIFIERS["bayes"]().fit(frame, TWO), tmp_path)
    loaded.partial_fit(frame, TWO)
    assert list(loaded.feature_names_in_) == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[list("dcba")])


def test_requests_for_metadata(tmp_path):
    """What scikit-learn's routing was asked for is kept."""
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        kept = CLASSIFIERS["bayes"]().set_partial_fit_request(sample_weight=True)
        loaded = through_a_file(kept, tmp_path)
        assert str(loaded.get_metadata_routing()) == str(kept.get_metadata_routing())
