"""OGBoost against its twin and the golden vector; its losses against their derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.boosters.cascades import Script, agree, close, play, play_twin, script
from tests.reference.margin_losses import MarginLoss
from tests.reference.ogboost import ReferenceOGBoost

from shoal.boosters.margin_losses import margin_loss, slope
from shoal.boosters.ogboost import OGBoost
from shoal.errors import InputError
from shoal.types import Task

LOSSES = {
    "logit": lambda z: math.log1p(math.exp(-z)),
    "exponential": lambda z: math.exp(-z),
    "hinge": lambda z: max(0.0, 1.0 - z),
    "savage": lambda z: (1.0 + math.exp(2.0 * z)) ** -2,
    "doom": lambda z: 1.0 - math.tanh(z),
}


@pytest.mark.parametrize("loss", ["logit", "exponential", "hinge", "savage"])
@pytest.mark.parametrize(("candidates", "n_outputs"), [(1, 1), (3, 1), (2, 3)])
def test_agrees_with_the_twin(loss, candidates, n_outputs):
    """Answers, lessons, charges and choices are those of the pseudo-code."""
    s = script(60, 6, n_outputs, seed=candidates + n_outputs)
    shrinkage = 1.0 / candidates
    mine = play(OGBoost(candidates, loss, shrinkage), s)
    reference = ReferenceOGBoost(6 // candidates, candidates, n_outputs, MarginLoss(loss), shrinkage)
    twin = play_twin(reference, s)
    agree(mine, twin)
    close(mine.state.errors.value(), np.array(reference.e).reshape(n_outputs, 6))
    chosen = [[reference.chosen(m, c) for m in range(reference.M)] for c in range(n_outputs)]
    assert mine.state.chosen.tolist() == chosen


def test_golden_7():
    """The logit's slope at the running sum weighs the next learner."""
    votes = np.array([0.8, -0.3, 0.5, 0.0])[None, :, None]
    s = Script(votes, votes, np.ones((1, 4), dtype=bool), np.ones(1), np.ones(1))
    close(play(OGBoost(), s).lessons[0, :, 0], [0.5, 0.310025518872, 0.377540668798, 0.26894142137])


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_are_derivatives_of_decreasing_losses(name):
    """The slope is minus the loss's derivative, never negative, and a number at any margin."""
    loss, h = LOSSES[name], 1e-5
    for z in np.linspace(-6.0, 6.0, 50):
        numeric = (loss(z - h) - loss(z + h)) / (2.0 * h)
        assert slope(margin_loss(name), float(z)) == pytest.approx(numeric, abs=1e-6, rel=1e-6)
    for z in (-1e6, 1e6):
        assert 0.0 <= slope(margin_loss(name), z) < math.inf


@pytest.mark.parametrize("name", ["savage", "doom"])
def test_robust_losses_give_up_hopeless_examples(name):
    """An example far on the wrong side weighs less than one near the boundary."""
    assert slope(margin_loss(name), -5.0) < 1e-2 * slope(margin_loss(name), 0.0)


def test_widening_keeps_charges_and_choices():
    """The two classes keep their one problem's charges; a third chooses the first learners."""
    booster = OGBoost(candidates=2)
    state = play(booster, script(30, 6, 1, seed=4)).state
    wide = booster.widen(state, Task("classification", 3))
    assert wide.chosen.tolist() == [state.chosen[0].tolist()] * 2 + [[0, 2, 4]]
    assert wide.errors.value()[2].tolist() == [0.0] * 6


def test_meaningless_parameters_are_refused():
    """Selectors of unequal size, unknown losses, shrinkage to nothing."""
    with pytest.raises(InputError, match="divides"):
        OGBoost(candidates=4).init(6, Task("classification", 1), 0)
    with pytest.raises(InputError, match="logit"):
        OGBoost(loss="square").init(6, Task("classification", 1), 0)
    with pytest.raises(InputError, match="shrinkage"):
        OGBoost(shrinkage=0.0).init(6, Task("classification", 1), 0)
