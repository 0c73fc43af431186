"""Every online method takes the options for changing or unequal streams, and learners of several kinds."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from shoal.banks.naive_bayes import NaiveBayes
from shoal.drift import DriftDetector
from shoal.methods.parts import make_bank
from shoal.model import Model
from shoal.registry import METHODS, find
from shoal.streams.memory import chunks_of_arrays
from shoal.testing import check_ensemble

OF_RESERVOIRS = [name for name in METHODS if name == "geem" or name.startswith("reservoir-")]
ONLINE = [name for name in METHODS if name not in ("shoal", *OF_RESERVOIRS)]
REMEMBER_NOTHING = {"ensemble", "single", "voting", "bbm"}  # neither booster nor rule: there is nothing to forget
LEARN_BY_STEPS = {"sgd", "sgd-avg", "sag"}
WATCHFUL = DriftDetector(delta=0.3)
KINDS = ["naive_bayes", "logistic", "bayes_logistic:covariance=diagonal", "hoeffding_tree"]


def with_options(name, **options):
    """A small ensemble of a method, and as many of the options as it has."""
    known = inspect.signature(find("method", METHODS, name)).parameters
    options = {"n_learners": 4, **options}
    return find("method", METHODS, name)(**{key: value for key, value in options.items() if key in known})


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ONLINE)
def test_learners_of_all_kinds_with_all_options_keep_the_promises(name, n_classes):
    """Balanced, forgetting and watching for drift, kinds side by side do in any cut what they do at once."""
    options = {"class_weight": "balanced", "drift": WATCHFUL, "forgetting": 0.9}
    ensemble = with_options(name, learner=KINDS, bank=make_bank(KINDS, 4, 1.0), **options)
    check_ensemble(ensemble, n_classes=n_classes, name=name)


@pytest.mark.parametrize("name", ONLINE)
def test_forgetting_is_an_option_where_anything_is_remembered(name):
    """Boosters and rules that remember have a forgetting factor."""
    known = inspect.signature(find("method", METHODS, name)).parameters
    assert ("forgetting" in known) != (name in REMEMBER_NOTHING | LEARN_BY_STEPS)


@pytest.mark.parametrize("name", ONLINE)
def test_learners_are_replaced_when_the_classes_change_places(name):
    """Under every booster and rule the detector puts fresh learners in, and the method goes on."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 3))
    y = (X[:, 0] > 0.0).astype(float)
    y[120:] = 1.0 - y[120:]
    ensemble = with_options(name, learner="naive_bayes", bank=NaiveBayes(4), drift=WATCHFUL)
    model = Model(ensemble, seed=1, classes=[0.0, 1.0])
    wrong = [a.predicted != a.truth for a in map(model.answer_and_learn, chunks_of_arrays(X, y, 40))]
    assert model.state.drift.replaced.sum() > 0
    assert np.mean(wrong[-1]) < 0.5
