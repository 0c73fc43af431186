"""When a learner is replaced, rules and boosters forget what they knew of it, and of it alone."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.banks.perceptron import Perceptrons
from shoal.boosters.adaboost_ol import AdaBoostOL
from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.ogboost import OGBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.ensemble import Ensemble
from shoal.kernels.verbs import booster_reset, rule_reset
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.bayes_gamma import BayesGamma
from shoal.rules.bayes_gamma_shape import BayesGammaShape
from shoal.rules.mixture import ForgettingGrid
from shoal.rules.ocp import OCP
from shoal.rules.sag import SAGWeights
from shoal.rules.sgd import SGDWeights
from shoal.streams.rows import to_rows
from shoal.testing.driver import N_FEATURES, sample, task_of
from shoal.types import Space

RULES = [
    BayesExponential(),
    BayesGammaShape(),
    BayesGamma(),
    ForgettingGrid(),
    SGDWeights(),
    SGDWeights(averaging="polyak"),
    SAGWeights(),
    SAGWeights(mode="seen"),
]
N = 4


def taught(**parts):
    """The state of four Perceptrons with these parts, after 60 rows."""
    X, y = sample(2)
    ensemble = Ensemble(Perceptrons(N), **parts)
    state = ensemble.init(Space.of_size(N_FEATURES), task_of(2), 1)
    state = ensemble.reserve(state, len(y))
    ensemble.run(state, N_FEATURES, to_rows(X), y.astype(float), np.ones(len(y)), 2)
    return state


@pytest.mark.parametrize("rule", RULES, ids=repr)
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


def test_sag_learns_of_a_new_member_as_of_one_that_abstained():
    """Its past gradients are gone from the sum, and none of the past is visited again for it."""
    state = taught(rule=SAGWeights()).rule
    rule_reset(state, 2)
    assert np.isnan(state.past_losses[: int(state.rounds[0]), 2]).all()
    assert state.gradient[2] == 0.0
    assert not state.past_gradients[:, 2].any()


def test_a_polyak_mean_begins_anew():
    """After the reset the mean of a new member stays at the first weight, if its iterates do."""
    state = taught(rule=SGDWeights(averaging="polyak", first=2.0)).rule
    rule_reset(state, 1)
    assert (state.total[1] + state.lost[1]) / (state.rounds[0] + 1.0) == pytest.approx(2.0)
    assert state.weights[1] == 2.0


def test_ocp_gives_a_new_member_a_share():
    """The weights stay on the simplex, the new member's is no less than what the others gave up alike."""
    state = taught(rule=OCP()).rule
    state.alpha[:, 0] = [0.7, 0.3, 0.0, 0.0]
    rule_reset(state, 2)
    assert state.alpha.sum() == pytest.approx(1.0)
    assert state.alpha[2, 0] == pytest.approx(0.25 - 0.25 / 3.0)
    assert state.alpha[0, 0] - state.alpha[1, 0] == pytest.approx(0.4)


def test_ogboost_puts_a_new_learner_level_with_the_best():
    """It is charged as little as its selector's best, so that it has to err less to be chosen; alone, nothing."""
    state = taught(booster=OGBoost(candidates=2)).booster
    state.errors.total[0] = [3.0, 1.0, 5.0, 2.0]
    state.errors.lost[0] = 0.0
    booster_reset(state, 3)
    assert state.errors.value()[0].tolist() == [3.0, 1.0, 5.0, 5.0]
    alone = taught(booster=OGBoost()).booster
    booster_reset(alone, 3)
    assert alone.errors.value()[0, 3] == 0.0


def test_adaboost_ol_gives_a_new_learner_no_say():
    """Its coefficient is 0, as before any example; the others keep theirs."""
    state = taught(booster=AdaBoostOL()).booster
    before = state.alpha.copy()
    booster_reset(state, 1)
    assert state.alpha[1, 0] == 0.0
    assert np.array_equal(np.delete(state.alpha, 1, axis=0), np.delete(before, 1, axis=0))
