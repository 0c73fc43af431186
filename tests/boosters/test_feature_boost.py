"""Online boosting for feature selection against its twin."""

from __future__ import annotations

import numpy as np
import pytest
from tests.boosters.cascades import Script, agree, close, play, play_twin, script
from tests.reference.feature_boost import ReferenceFeatureBoost

from shoal.banks.perceptron import Perceptrons
from shoal.boosters.feature_boost import FeatureBoost
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.kernels.poisson import poisson
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.types import Space, Task

N_LEARNERS = 12
FORMS = [
    {},
    {"importance": "sqrt"},
    {"exit": "stop"},
    {"exchange": True},
    {"judged": "before"},
    {"forgetting": 0.9, "exit": "stop", "exchange": True},
]


def both(n_outputs, pool, form, drawn=None):
    """The booster and its twin, 4 selectors each."""
    reference = ReferenceFeatureBoost(4, N_LEARNERS if pool else 3, n_outputs, pool, poisson=drawn, **form)
    mode = "weighted" if drawn is None else "poisson-weight" if "at_once" in form else "poisson"
    form = {name: value for name, value in form.items() if name != "at_once"}
    return FeatureBoost(4, pool, mode=mode, **form), reference


def same_states(mine, twin, n_outputs):
    """Assert the same counts, choices and weights."""
    shape = (n_outputs, -1)
    close(mine.state.right.value(), np.array(twin.state.lc).reshape(shape))
    close(mine.state.wrong.value(), np.array(twin.state.lw).reshape(shape))
    close(mine.state.alpha, twin.state.alpha)
    assert mine.state.selected.tolist() == twin.state.selected


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pool", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_agrees_with_the_twin(form, pool, n_outputs):
    """Answers, lessons, counts, choices and weights are those of the pseudo-code."""
    s = script(60, N_LEARNERS, n_outputs, seed=len(form) + n_outputs)
    booster, reference = both(n_outputs, pool, form)
    mine, twin = play(booster, s), play_twin(reference, s)
    assert mine.predicted.tolist() == twin.predicted.tolist()
    if "exchange" not in form:  # a scripted learner that is replaced forgets its lessons
        agree(mine, twin)
    same_states(mine, twin, n_outputs)


@pytest.mark.parametrize("form", [{}, {"at_once": True}])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_poisson_forms_agree_with_the_twin_given_their_numbers(n_outputs, form):
    """With the kernel's own Poisson numbers the pseudo-code does the same."""
    s = script(60, N_LEARNERS, n_outputs, seed=5)
    booster, reference = both(n_outputs, False, form, lambda t, i, c, mean: poisson(3, t, i, c, mean))
    mine, twin = play(booster, s, seed=3), play_twin(reference, s)
    agree(mine, twin)
    same_states(mine, twin, n_outputs)


def test_each_selector_of_a_pool_takes_another_candidate():
    """No candidate is counted twice."""
    state = play(FeatureBoost(5, pool=True), script(80, 6, 1, seed=2)).state
    assert len(set(state.selected[0].tolist())) == 5


def mean_importance(importance):
    """Of the last of 8 selectors, over a long stream of candidates with error 0.35."""
    rng = np.random.default_rng(6)
    votes = np.where(rng.random((4000, 8, 1)) < 0.65, 1.0, -1.0)
    s = Script(votes, votes, np.ones((4000, 8), dtype=bool), np.ones(4000), np.ones(4000))
    return play(FeatureBoost(8, importance=importance), s).lessons[2000:, 7, 0].mean()


def test_importance_keeps_its_mean_and_fades_under_sqrt():
    """The mean importance stays 1 under "oza"; under "sqrt" each selector takes its factor off."""
    assert mean_importance("oza") == pytest.approx(1.0, abs=0.1)
    assert mean_importance("sqrt") == pytest.approx((2.0 * np.sqrt(0.35 * 0.65)) ** 7, abs=0.1)


def test_widening_keeps_counts_and_choices():
    """The two classes keep their one problem's counts; a third starts afresh."""
    booster = FeatureBoost(4, pool=True)
    state = play(booster, script(30, 6, 1, seed=7)).state
    wide = booster.widen(state, Task("classification", 3))
    assert wide.alpha.tolist() == [state.alpha[0].tolist()] * 2 + [[0.0] * 4]
    assert wide.selected[2].tolist() == [0, 1, 2, 3]
    assert wide.right.value()[2].tolist() == [1.0] * 24


def test_perceptrons_are_told_apart_by_their_answers_before_learning():
    """Answers after learning hardly tell those that see both features from the others; those before do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    bank, spread = Perceptrons(30, feature_fraction=0.5), {}
    for judged in ("before", "after"):
        ensemble = Ensemble(bank, FeatureBoost(1, judged=judged), Last())
        state = ensemble.init(Space.of_size(4), Task("classification", 1), 0)
        ensemble.run(state, 4, to_rows(X), y, np.ones(300), 2)
        wrong, right = state.booster.wrong.value()[0], state.booster.right.value()[0]
        spread[judged] = np.ptp(wrong / (wrong + right))
    assert spread["before"] > 0.3
    assert spread["after"] < spread["before"]


@pytest.mark.parametrize("pool", [False, True])
def test_shares_go_to_the_learners_chosen(pool):
    """Each selector's share is its candidate's, over all learners."""
    booster = FeatureBoost(4, pool=pool)
    state = play(booster, script(30, N_LEARNERS, 3, seed=7)).state
    shares = booster.spread(state, np.arange(1.0, 5.0))
    expected = np.zeros(N_LEARNERS)
    for c in range(3):
        for n in range(4):
            expected[state.selected[c, n] + (0 if pool else 3 * n)] += (n + 1.0) / 3.0
    np.testing.assert_allclose(shares, expected)


@pytest.mark.parametrize(("n_learners", "pool", "expected"), [(100, False, 10), (5, False, 1), (100, True, 50)])
def test_selectors_that_are_not_given_fit_the_learners(n_learners, pool, expected):
    """Half of a pool, or the largest divisor up to the square root."""
    booster = FeatureBoost(pool=pool)
    assert booster.init(n_learners, Task("classification", 1), 0).n_members == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"selectors": 5},
        {"selectors": 13, "pool": True},
        {"mode": "x"},
        {"exit": "x"},
        {"importance": "x"},
        {"judged": "x"},
    ],
)
def test_meaningless_parameters_are_refused(wrong):
    """The message names the parameter."""
    booster = FeatureBoost(**{"selectors": 4, **wrong})
    with pytest.raises(InputError, match=next(iter(wrong))):
        booster.init(N_LEARNERS, Task("classification", 1), 0)
