"""When a learner is replaced, rules and boosters forget what they knew of it, and of it alone."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.banks.perceptron import Perceptrons
from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.ensemble import Ensemble
from shoal.kernels.verbs import booster_reset, rule_reset
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.bayes_gamma import BayesGamma
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.mixture import ForgettingGrid
from shoal.streams.rows import to_rows
from shoal.testing.driver import N_FEATURES, sample, task_of
from shoal.types import Space

RULES = [BayesExponential(), BayesGammaShape(), BayesGamma(), ForgettingGrid()]
N = 4


def taught(**parts):
    """The state of four Perceptrons with these parts, after 60 rows."""
    X, y = sample(2)
    ensemble = Ensemble(Perceptrons(N), **parts)
    state = ensemble.init(Space.of_size(N_FEATURES), task_of(2), 1)
    ensemble.run(state, N_FEATURES, to_rows(X), y.astype(float), np.ones(len(y)), 2)
    return state


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_a_rule_takes_a_new_member_back_to_its_prior(rule):
    """Its weight is that of before any example; the others keep theirs."""
    state = taught(rule=rule).rule
    before = rule.weights(state).copy()
    rule_reset(state, 2)
    after, fresh = rule.weights(state), rule.weights(rule.init(N, task_of(2), 1))
    assert after[2] == pytest.approx(fresh[2])
    assert before[2] != pytest.approx(fresh[2])
    assert np.array_equal(np.delete(after, 2), np.delete(before, 2))


@pytest.mark.parametrize("booster", [OzaBoost(), FeatureBoost(2), FeatureBoost(2, pool=True)])
def test_a_booster_counts_a_new_learner_from_the_start(booster):
    """Its counts are those of before any example; the others keep theirs."""
    state, fresh = taught(booster=booster).booster, booster.init(N, task_of(2), 1)
    before = state.right.value()
    booster_reset(state, 1)
    changed = np.flatnonzero((state.right.value() != before)[0])
    assert set(changed.tolist()) <= {1, 1 + N}
    assert state.right.value()[0, 1] == fresh.right.value()[0, 1]
    assert state.wrong.value()[0, 1] == fresh.wrong.value()[0, 1]
