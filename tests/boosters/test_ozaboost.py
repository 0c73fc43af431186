"""OzaBoost against its twin, the golden vectors and its invariant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.boosters.cascades import Script, agree, close, play, play_twin, script
from tests.reference.ozaboost import ReferenceOzaBoost

from shoal.boosters.ozaboost import OzaBoost
from shoal.errors import InputError
from shoal.kernels.poisson import poisson
from shoal.methods.boosting import ozaboost
from shoal.types import Task

FORMS = [
    {},
    {"scale": "count"},
    {"allow_negative": True, "smoothing": 0.01},
    {"forgetting": 0.9},
    {"judged": "before"},
    {"vote": "soft"},
]


WRONG = [{"mode": "both"}, {"scale": "other"}, {"vote": "loud"}, {"smoothing": 0.0}, {"forgetting": 0.0}]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_weighted_form_agrees_with_the_twin(form, n_outputs):
    """Answers, lessons and sums are those of the pseudo-code, on votes that change with each update."""
    s = script(60, 7, n_outputs, seed=len(form) + n_outputs)
    mine = play(OzaBoost(mode="weighted", **form), s)
    twin = play_twin(ReferenceOzaBoost(7, n_outputs, **form), s)
    agree(mine, twin)
    close(mine.state.right.value().T, twin.state.sc)
    close(mine.state.wrong.value().T, twin.state.sw)


@pytest.mark.parametrize("mode", ["poisson", "poisson-weight"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_poisson_forms_agree_with_the_twin_given_their_numbers(n_outputs, mode):
    """With the kernel's own Poisson numbers the pseudo-code does the same."""
    s = script(60, 5, n_outputs, seed=9)

    def drawn(t, i, c, mean):
        return poisson(3, t, i, c, mean)

    twin = ReferenceOzaBoost(5, n_outputs, poisson=drawn, at_once=mode == "poisson-weight")
    mine, twin = play(OzaBoost(mode), s, seed=3), play_twin(twin, s)
    agree(mine, twin)
    close(mine.state.right.value().T, twin.state.sc)


@pytest.mark.parametrize(
    ("scale", "third"), [("normalised", [0.25, 0.5, 1.125]), ("count", [0.5, 0.666666666667, 1.5])]
)
def test_golden_6(scale, third):
    """Learners get the published importances."""
    after = np.array([[1.0, 1, 1], [-1, 1, 1], [1, -1, 1]])[:, :, None]
    s = Script(-after, after, np.ones((3, 3), dtype=bool), np.ones(3), np.ones(3))
    mine = play(OzaBoost(mode="weighted", scale=scale), s)
    close(mine.lessons[:, 2, 0], np.array(third))
    if scale == "normalised":
        close(mine.lessons[:, :2, 0], [[1.0, 0.5], [1.0, 1.0], [1.0, 0.75]])
        close(mine.state.right.value()[0, :2], [2.0, 1.5])
        close(mine.state.wrong.value()[0, :2], [1.0, 0.75])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.05, 0.95))
def test_right_and_wrong_examples_share_the_importance_equally(seed, skill):
    """At its final eps a learner passes on half the total importance of a batch on either side."""
    right = np.random.default_rng(seed).random(50) < skill
    right[:2] = [True, False]
    votes = np.where(right, 1.0, -1.0)[:, None, None]
    s = Script(votes, votes, np.ones((50, 1), dtype=bool), np.ones(50), np.ones(50))
    state = play(OzaBoost(mode="weighted"), s).state
    sc, sw = state.right.value()[0, 0], state.wrong.value()[0, 0]
    eps = sw / (sc + sw)
    assert sc + sw == pytest.approx(50.0)
    assert sc / (2.0 * (1.0 - eps)) == pytest.approx(25.0)
    assert sw / (2.0 * eps) == pytest.approx(25.0)


def test_mostly_wrong_learners_do_not_count_unless_allowed():
    """A learner that is always wrong gets no vote, or one against its word."""
    votes = -np.ones((20, 1, 1))
    s = Script(votes, votes, np.ones((20, 1), dtype=bool), np.ones(20), np.ones(20))
    assert OzaBoost().weights(play(OzaBoost(mode="weighted"), s).state)[0] == 0.0
    turned = play(OzaBoost(mode="weighted", allow_negative=True), s)
    assert turned.predicted[-1] == 1


@pytest.mark.parametrize(
    ("learner", "given", "taken"),
    [
        ("hoeffding_tree", {}, ("poisson-weight", "soft")),
        ("perceptron", {}, ("poisson", "hard")),
        ("hoeffding_tree", {"mode": "poisson"}, ("poisson", "soft")),
        ("hoeffding_tree", {"mode": "weighted", "vote": "hard"}, ("weighted", "hard")),
        ("perceptron", {"mode": "weighted"}, ("weighted", "hard")),
    ],
)
def test_trees_are_boosted_as_it_suits_them_unless_told_otherwise(learner, given, taken):
    """The method gives trees draws as weights and adds up their votes; others are as published."""
    booster = ozaboost(learner, n_learners=2, **given).booster
    assert (booster.mode, booster.vote) == taken


def test_widening_keeps_what_is_known():
    """The two classes keep the sums of their one problem; a third starts at nothing."""
    state = play(OzaBoost(mode="weighted"), script(20, 3, 1, seed=1)).state
    wide = OzaBoost().widen(state, Task("classification", 3))
    known = state.right.value()[0]
    assert wide.right.value().tolist() == [known.tolist(), known.tolist(), [0.0, 0.0, 0.0]]


@pytest.mark.parametrize("wrong", WRONG)
def test_meaningless_parameters_are_refused(wrong):
    """The message names the parameter."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        OzaBoost(**wrong).check()
