"""One thread teaches, many ask: every answer is that of the model after some whole number of examples."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import shoal
import shoal.model

SOON = 60.0
N, PART, CHUNK = 960, 16, 96  # rows; rows between which readers are let in; rows of one call

TAUGHT: dict[str, Callable[[], Any]] = {
    "bayes": lambda: shoal.BayesianEnsembleClassifier(n_learners=50, random_state=0),
    "trees": lambda: shoal.VotingEnsembleClassifier("hoeffding_tree", n_learners=5, random_state=0),
    "reservoir": lambda: shoal.ReservoirBoostClassifier(size=20, n_learners=20, random_state=0),
    "regressor": lambda: shoal.OnlineGradientBoostingRegressor(n_learners=5, random_state=0),
}


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)


def teach(model: Any, X: Any, y: Any) -> None:
    more = {} if hasattr(model, "learners") or not hasattr(model, "predict_proba") else {"classes": [0, 1]}
    model.partial_fit(X, y, **more)


def answer(model: Any, X: Any) -> bytes:
    answers = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return answers.tobytes()


def answers_along_the_way(make: Callable[[], Any], ask: Callable[[Any], bytes]) -> list[bytes]:
    """What a model says after every `PART` rows, with nobody else around."""
    X, y = data()
    model, said = make(), []
    for start in range(0, N, PART):
        teach(model, X[start : start + PART], y[start : start + PART])
        said.append(ask(model))
    return said


def while_taught(
    write: Callable[[], None], read: Callable[[], Any], n_readers: int = 3, least: int = 5
) -> list[Any]:
    """What all readers got while `write` was at work, and `least` times more."""
    ended, got, errors = threading.Event(), [], []

    def ask() -> None:
        try:
            mine: list[Any] = []
            while not ended.is_set() or len(mine) < least:
                mine.append(read())
            got.extend(mine)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(n_readers)]
    for thread in threads:
        thread.start()
    try:
        write()
    finally:
        ended.set()
    for thread in threads:
        thread.join(SOON)
    assert not errors, errors
    return got


@pytest.mark.parametrize("name", TAUGHT)
def test_every_answer_is_of_some_moment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of a model that is taught in chunks get what it says between two examples, to the last bit."""
    monkeypatch.setattr(shoal.model, "BLOCK", PART)
    X, y = data()
    asked = X[:40]
    known = answers_along_the_way(TAUGHT[name], lambda model: answer(model, asked))
    model = TAUGHT[name]()
    teach(model, X[:PART], y[:PART])

    def write() -> None:
        for start in range(PART, N, CHUNK):
            teach(model, X[start : start + CHUNK], y[start : start + CHUNK])

    got = while_taught(write, lambda: answer(model, asked))
    assert set(got) <= set(known)
    assert answer(model, asked) == known[-1]


def test_rows_of_dicts_are_answered_of_some_moment() -> None:
    """So they do where rows are dicts, and features and classes come while others ask."""

    def rows() -> list[tuple[dict[str, Any], int]]:
        X, y = data()
        return [({"a": x[0], f"b{t // 20}": x[1], "c": f"kind {t % 7}"}, int(y[t])) for t, x in enumerate(X[:400])]

    def ask(model: Any) -> tuple[Any, ...]:
        return tuple(model.predict_proba_one({"a": 0.3, "b3": 1.0, "c": "kind 6", "never": 1.0}).items())

    alone, known = shoal.BayesianEnsembleClassifier(n_learners=50, random_state=0), set()
    for x, label in rows():
        known.add(ask(alone.learn_one(x, label)))
    model = shoal.BayesianEnsembleClassifier(n_learners=50, random_state=0)
    model.learn_one(*rows()[0])

    def write() -> None:
        for x, label in rows()[1:]:
            model.learn_one(x, label)

    assert set(while_taught(write, lambda: ask(model))) <= known
    assert ask(model) == ask(alone)


def test_copies_and_files_are_of_some_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is pickled or saved while the model is taught is the model of one moment."""
    monkeypatch.setattr(shoal.model, "BLOCK", PART)
    X, y = data()
    asked = X[:40]
    known = answers_along_the_way(TAUGHT["bayes"], lambda model: answer(model, asked))
    model = TAUGHT["bayes"]()
    teach(model, X[:PART], y[:PART])

    def write() -> None:
        for start in range(PART, N, CHUNK):
            teach(model, X[start : start + CHUNK], y[start : start + CHUNK])

    def read() -> bytes:
        if threading.get_ident() % 2:
            return answer(pickle.loads(pickle.dumps(model)), asked)
        path = tmp_path / f"{threading.get_ident()}.shoal"
        model.save(path)
        return answer(shoal.load(path), asked)

    assert set(while_taught(write, read, least=2)) <= set(known)


def test_what_is_known_of_learners_is_of_some_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights and posterior, too, are those between two examples."""
    monkeypatch.setattr(shoal.model, "BLOCK", PART)
    X, y = data()

    def ask(model: Any) -> bytes:
        return bytes(model.learner_weights_.tobytes())

    known = answers_along_the_way(TAUGHT["bayes"], ask)
    means = answers_along_the_way(TAUGHT["bayes"], lambda model: model.posterior_.mean.tobytes())
    model = TAUGHT["bayes"]()
    teach(model, X[:PART], y[:PART])

    def write() -> None:
        for start in range(PART, N, CHUNK):
            teach(model, X[start : start + CHUNK], y[start : start + CHUNK])

    got = while_taught(write, lambda: (ask(model), model.posterior_.mean.tobytes()))
    assert {weights for weights, _ in got} <= set(known)
    assert {mean for _, mean in got} <= set(means)


class Slow(ClassifierMixin, BaseEstimator):
    """A learner that, at one row, waits until somebody waits for the model."""

    def __init__(self, at: int = 3) -> None:
        self.at = at

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        self.classes_ = np.array([0, 1])
        self.n_ = getattr(self, "n_", 0) + len(y)
        if self.n_ == self.at:
            WAITED.wait(SOON)
        if self.n_ == self.at + PART:
            assert ANSWERED.wait(SOON)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


WAITED, ANSWERED = threading.Event(), threading.Event()


def test_a_long_chunk_does_not_keep_readers_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks while a chunk is learned is answered in the middle of it."""
    monkeypatch.setattr(shoal.model, "BLOCK", PART)
    X, y = data()
    model = shoal.VotingEnsembleClassifier(learner=[Slow(at=PART + 2)], random_state=0)
    teach(model, X[:PART], y[:PART])

    def read() -> None:
        lock = model.model_.lock
        while not lock._writing:
            threading.Event().wait(0.001)
        threading.Thread(target=ask, daemon=True).start()
        while not lock._waiting_readers:
            threading.Event().wait(0.001)
        WAITED.set()

    def ask() -> None:
        model.predict(X[:5])
        ANSWERED.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    teach(model, X[PART : 4 * PART], y[PART : 4 * PART])
    reader.join(SOON)
    assert ANSWERED.is_set()
