"""Model files: what needs compiled code, and a process without it for all the rest."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tests.uncompiled import run_uncompiled

import shoal
from shoal.banks.perceptron import Perceptrons
from shoal.errors import InputError
from shoal.testing import states_equal

HERE = Path(__file__).parent
X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def test_everything_uncompiled():
    """All estimators, parts, damaged and hostile files, in a process that compiles nothing and so is quick."""
    run_uncompiled(HERE / "uncompiled")


def test_compiled(tmp_path):
    """A loaded model is taught by the code that was compiled for the kept one, with the same result."""
    kept = shoal.VotingEnsembleClassifier(n_learners=3, random_state=0).partial_fit(X[:30], Y[:30], classes=[0, 1])
    kept.save(tmp_path / "a file of any name")
    loaded = shoal.load(tmp_path / "a file of any name")
    for model in (kept, loaded):
        model.partial_fit(X[30:], Y[30:])
    assert states_equal(vars(kept.model_), vars(loaded.model_))


def test_objects_are_refused(tmp_path):
    """Outside estimators and functions cannot be kept without running code; the message says what to do."""
    from sklearn.linear_model import SGDClassifier

    path = tmp_path / "model.shoal"
    for model in (
        shoal.BayesianEnsembleClassifier([SGDClassifier()]),
        shoal.BayesianEnsembleClassifier(ensemble_loss=lambda weight, g: weight * g),
    ):
        with pytest.raises(InputError, match="pickle"):
            model.save(path)
    assert not path.exists()
    assert list(tmp_path.iterdir()) == []


class Mine(Perceptrons):
    """A part of a user's own."""


def test_parts_of_ones_own(tmp_path):
    """A user's class is made only if the caller names it."""
    path = tmp_path / "model.shoal"
    kept = shoal.EnsembleClassifier(Mine(3), random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="known"):
        kept.save(path)
    kept.save(path, known=[Mine])
    with pytest.raises(InputError, match="'Mine', which this version of shoal does not know"):
        shoal.load(path)
    assert np.array_equal(shoal.load(path, known=[Mine]).predict(X), kept.predict(X))


def test_all_or_nothing(tmp_path, monkeypatch):
    """What was there stays, whole, when writing fails; a folder that is not there is named."""
    path = tmp_path / "model.shoal"
    shoal.VotingEnsembleClassifier(n_learners=3).save(path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        shoal.VotingEnsembleClassifier(n_learners=4).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match="no folder"):
        shoal.VotingEnsembleClassifier().save(tmp_path / "nowhere" / "model.shoal")
    with pytest.raises(InputError, match="no such file"):
        shoal.load(tmp_path / "nothing")
    with pytest.raises(InputError, match="folder"):
        shoal.load(tmp_path)
