"""Mixing log-odds by a belief about their weights."""

import numpy as np
import pytest
from tests.reference.log_odds_posterior import ReferenceLogOddsPosterior
from tests.rules.playing import learn, score, votes_of

from shoal.errors import InputError
from shoal.rules.log_odds_posterior import LogOddsPosterior
from shoal.types import Task

TWO = Task("classification", 1)
VARIANCES = (0.01, 0.3)


def test_agrees_with_the_formulas():
    """Scores are those of the beliefs computed by inverting matrices."""
    state = LogOddsPosterior(VARIANCES).init(5, TWO, 0)
    twin = ReferenceLogOddsPosterior(5, VARIANCES)
    for step in votes_of(150, seed=1, weighted=True):
        assert score(state, step)[0] == pytest.approx(twin.score(step.votes[:, 0]), rel=1e-8, abs=1e-10)
        learn(state, step)
        twin.learn(step.votes[:, 0], step.y, step.weight)


def test_begins_as_the_mean_of_the_log_odds():
    """Before any example members who agree are answered with their own sign, however few."""
    state = LogOddsPosterior().init(5, TWO, 0)
    steps = [step for step in votes_of(50, seed=2) if abs(np.arctanh(step.votes * 0.99).mean()) > 0.1]
    for step in steps:
        assert np.sign(score(state, step)[0]) == np.sign(np.arctanh(step.votes * 0.9999).mean())


def test_trusts_the_better_member():
    """A member that knows more than the others gets the largest weight."""
    rule = LogOddsPosterior()
    state = rule.init(5, TWO, 0)
    for step in votes_of(400, seed=3):
        learn(state, step)
    assert np.argmax(rule.weights(state)) == 4


def test_forgetting_follows_a_change():
    """After members change sides, a mixture that forgets errs less than one that does not."""
    errors = []
    for forgetting in (1.0, 0.98):
        state = LogOddsPosterior((0.3,), forgetting=forgetting).init(5, TWO, 0)
        wrong = 0
        for t, step in enumerate(votes_of(1600, seed=4)):
            turned = step._replace(votes=-step.votes) if t >= 1200 else step
            wrong += t >= 1200 and (score(state, turned)[0] >= 0.0) != (step.y == 1)
            learn(state, turned)
        errors.append(wrong)
    assert errors[1] < errors[0]


def test_a_third_class_leaves_the_first_two():
    """Once there are three classes the order of the first two is as it was."""
    rule = LogOddsPosterior()
    state = rule.init(5, TWO, 0)
    steps = votes_of(120, seed=5)
    for step in steps[:100]:
        learn(state, step)
    wide = rule.widen(state, Task("classification", 3))
    for step in steps[100:]:
        votes = np.concatenate([-step.votes, step.votes, np.full_like(step.votes, -1.0)], axis=1)
        three = score(wide, step._replace(votes=votes))
        assert (three[1] >= three[0]) == (score(state, step)[0] >= 0.0)


@pytest.mark.parametrize("variances", [(), (0.0,), (np.inf,)])
def test_refuses_what_is_no_variance(variances):
    """Prior variances must be numbers above 0, at least one."""
    with pytest.raises(InputError, match="prior_variances"):
        LogOddsPosterior(variances).init(3, TWO, 0)
