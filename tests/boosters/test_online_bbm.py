"""Online boost-by-majority: exact weights for any number of learners."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.boosters.cascades import agree, close, script
from tests.boosters.meeting import Classroom, lessons_of, meet, meet_twin, told
from tests.reference.online_bbm import ReferenceOnlineBBM
from tests.reference.uniform import ReferenceUniform

from shoal.boosters.online_bbm import OnlineBBM
from shoal.errors import InputError
from shoal.rules.uniform import Uniform
from shoal.types import Task


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("vote", ["hard", "soft"])
def test_agrees_with_its_twin(vote, normalise, n_outputs):
    """Compiled, it answers and teaches as the twin does, with abstentions and weights."""
    s = script(40, 9, n_outputs, seed=1)
    booster, twin = OnlineBBM(0.1, normalise=normalise), ReferenceOnlineBBM(0.2, normalise)
    agree(meet(booster, Uniform(), s, vote), meet_twin(twin, ReferenceUniform(), s, vote))


@pytest.mark.parametrize(
    ("vote", "expected"),
    [(0.3, [0.3675375, 0.334125, 0.2025, 0.0, 0.0]), (-0.3, [0.3675375, 0.408375, 0.3025, 0.0, 0.0])],
)
def test_golden_11(vote, expected):
    """The binomial weights follow from the hard votes before, all right or all wrong."""
    booster = OnlineBBM(0.05, normalise=False)
    close(lessons_of(booster, told([[vote] * 5], [1]), "hard")[0, :, 0], expected)


def exact_weights(n_learners, margins, p):
    """Every learner's weight by big integers, over the largest that it could be."""
    weights, s = [], 0
    for i, margin in enumerate(margins):
        n = n_learners - 1 - i
        k = (n - s + 1) // 2
        mode = min(n, math.floor((n + 1) * p))
        # C(n, k) p**k q**(n - k) over the same at the mode
        ratio = Fraction(math.comb(n, k), math.comb(n, mode)) * (p / (1 - p)) ** (k - mode) if 0 <= k <= n else 0
        weights.append(float(ratio))
        s += int(margin)
    return np.array(weights)


@pytest.mark.parametrize("gamma", [0.02, 0.2, 0.45])
@pytest.mark.parametrize("skill", [0.5, 0.55, 0.9])
def test_a_thousand_learners_equal_big_integers(skill, gamma):
    """With 1,000 learners every weight is in [0, 1] and equal to exact arithmetic to 1e-12."""
    rng = np.random.default_rng(2)
    margins = np.where(rng.random(1000) < skill, 1.0, -1.0)
    booster = OnlineBBM(gamma)
    weights = lessons_of(booster, told(margins[None, :], [1]), "hard")[0, :, 0]
    assert (weights >= 0.0).all()
    assert (weights <= 1.0).all()
    expected = exact_weights(1000, margins, Fraction(booster.p))
    np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=1e-300)


def test_the_largest_weight_is_one():
    """Of the weights that a learner may get, the largest is 1 exactly."""
    state = OnlineBBM(0.1).init(400, Task("classification", 1), 0)
    for n in (0, 1, 7, 100, 399):
        k = np.arange(n + 1)
        assert np.exp(state.left[n] - (state.right[k] + state.wrong[n - k])).max() == 1.0


@pytest.mark.parametrize(("form", "p"), [("importance", 0.6), ("sampling", 0.55)])
def test_sampling_assumes_half_the_advantage(form, p):
    """Learners of error 1/2 - gamma are right with probability 1/2 + gamma under weights, half that if sampled."""
    assert OnlineBBM(0.1, form).p == pytest.approx(p)


def test_sampling_passes_examples_on_by_their_weight():
    """A sampled lesson has the example's weight or none, as often as the importance says."""
    sampled = Classroom(OnlineBBM(0.2, "sampling"), 6, 1, seed=3)
    weighted = Classroom(OnlineBBM(0.1), 6, 1)
    votes = np.array([[1.0], [-1.0], [1.0], [1.0], [-1.0], [-1.0]])
    lessons = np.array([sampled.teach(votes, 1, 2.0) for _ in range(4000)])
    assert set(np.unique(lessons)) == {0.0, 2.0}
    np.testing.assert_allclose(lessons.mean(axis=0) / 2.0, weighted.teach(votes, 1), atol=0.03)


def test_two_classes_as_two_outputs_are_two_classes():
    """Two columns of opposite votes are taught as one."""
    votes = np.random.default_rng(4).choice([-1.0, 1.0], (7, 1))
    one = Classroom(OnlineBBM(), 7, 1).teach(votes, 1)
    two = Classroom(OnlineBBM(), 7, 2).teach(np.hstack([-votes, votes]), 1)
    close(two, np.hstack([one, one]))


@pytest.mark.parametrize("wrong", [{"gamma": 0.0}, {"gamma": 0.5}, {"form": "rejected"}])
def test_refuses_what_has_no_meaning(wrong):
    """A gamma outside (0, 1/2) or an unknown form is refused."""
    with pytest.raises(InputError):
        OnlineBBM(**wrong).init(3, Task("classification", 1), 0)
