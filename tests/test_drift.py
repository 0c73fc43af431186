"""ADWIN against River's, and what replacing learners does after a change."""

from __future__ import annotations

import numpy as np
import pytest
from river.drift import ADWIN

from shoal.banks.naive_bayes import NaiveBayes
from shoal.banks.scripted import ScriptedBank
from shoal.drift import DriftDetector, adwin, no_windows
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential
from shoal.streams.rows import to_rows
from shoal.testing.driver import task_of
from shoal.testing.ensembles import check_ensemble
from shoal.types import Space

N, D = 10, 6


def detections(values, delta):
    """Where our detector and River's see a change."""
    rivers, windows = ADWIN(delta=delta), no_windows(1)
    theirs, ours = [], []
    for t, value in enumerate(values):
        rivers.update(value)
        if rivers.drift_detected:
            theirs.append(t)
        if adwin(windows, 0, float(value), delta) != 0.0:
            ours.append(t)
    return ours, theirs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.002, 0.05, 0.3])
@pytest.mark.parametrize("binary", [True, False])
def test_changes_are_detected_where_river_detects_them(seed, delta, binary):
    """On streams of many changes both see all the same ones at the same steps."""
    rng = np.random.default_rng(seed)
    means = np.repeat(rng.random(12), rng.integers(50, 900, 12))
    values = (rng.random(len(means)) < means).astype(float) if binary else rng.normal(means, 0.3)
    ours, theirs = detections(values, delta)
    assert ours == theirs
    assert len(theirs) > 2


def test_a_window_holds_a_long_stream_in_little_room():
    """100,000 numbers without a change need fewer than 100 buckets, whose sums are the window's."""
    values = np.random.default_rng(1).random(100_000)
    windows = no_windows(1)
    for value in values:
        adwin(windows, 0, value, 1e-9)
    kept = [windows.totals[0, level, :held].sum() for level, held in enumerate(windows.held[0])]
    assert windows.width[0] == 100_000
    assert windows.held.sum() < 100
    assert sum(kept) == pytest.approx(values.sum())
    assert windows.whole[0, 1] == pytest.approx(values.var() * len(values))


def errors_around_a_change(drift, rule=None):
    """(errors of the 2,000 rows before and after every label turns into its opposite, learners replaced)."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(4000, D))
    y = X @ np.array([1.0, -1.0, 0.5, 0.8, -0.3, 0.0]) > 0.0
    y[2000:] ^= True
    parts = {} if rule is None else {"rule": rule}
    ensemble = Ensemble(NaiveBayes(N, kind="gaussian", feature_fraction=0.7), vote="hard", drift=drift, **parts)
    state = ensemble.init(Space.of_size(D), task_of(2), 3)
    predicted, _ = ensemble.run(state, D, to_rows(X), y.astype(float), np.ones(len(y)), 2)
    replaced = state.drift.replaced if drift is not None else np.zeros(N)
    return predicted != y, replaced


@pytest.mark.parametrize("rule", [None, BayesExponential()])
def test_an_ensemble_that_watches_recovers_from_an_abrupt_change(rule):
    """Naive Bayes that remembers 2,000 rows of the opposite is no use for as long; fresh ones soon are."""
    blind, _ = errors_around_a_change(None, rule)
    watching, replaced = errors_around_a_change(DriftDetector(), rule)
    assert np.array_equal(blind[:2000], watching[:2000])
    assert blind[2000:].mean() > 0.8
    assert watching[2000:].mean() < 0.3
    assert (replaced >= 1).all()


def test_watching_the_answers_replaces_the_worst():
    """One rise of the ensemble's error replaces one learner, which helps a little."""
    blind, _ = errors_around_a_change(None)
    watching, replaced = errors_around_a_change(DriftDetector(watch="ensemble"))
    assert replaced.sum() == 1
    assert watching[2000:].mean() < blind[2000:].mean()


def watched(wrong, drift):
    """A scripted ensemble in which learner i errs on example t where wrong[t, i]."""
    votes = np.where(wrong, -1.0, 1.0)
    ensemble = Ensemble(ScriptedBank(votes), drift=drift)
    state = ensemble.init(Space.of_size(1), task_of(2), 0)
    n = len(wrong)
    ensemble.run(state, 1, to_rows(np.arange(float(n))[:, None]), np.ones(n), np.ones(n), 2)
    return state.drift.replaced.tolist()


def test_learners_that_improve_are_left_alone():
    """A change for the better replaces no one."""
    wrong = np.zeros((2000, 3), dtype=bool)
    wrong[:1000] = np.random.default_rng(4).random((1000, 3)) < 0.5
    assert watched(wrong, DriftDetector()) == [0, 0, 0]


def test_the_learner_that_gets_worse_is_replaced():
    """Of three learners the one whose error rises goes, once for one change."""
    wrong = np.random.default_rng(5).random((2000, 3)) < 0.1
    wrong[1000:, 1] = np.random.default_rng(6).random(1000) < 0.9
    assert watched(wrong, DriftDetector()) == [0, 1, 0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_watching_keeps_an_ensembles_promises(n_classes):
    """Chunks, copies and answers do what they do without a detector."""
    check_ensemble(Ensemble(NaiveBayes(3), drift=DriftDetector(delta=0.3)), n_classes=n_classes)


@pytest.mark.parametrize("wrong", [{"kind": "ddm"}, {"watch": "all"}, {"delta": 0.0}, {"memory": 1.0}])
def test_meaningless_parameters_are_refused(wrong):
    """The message names the parameter."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        DriftDetector(**wrong).check()
