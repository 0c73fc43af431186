"""Ranks over data sets, paired tests, and confidence sequences."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from shoal.errors import InputError
from shoal.evaluation.critical_difference import critical_difference_diagram
from shoal.evaluation.statistics import (
    boundary,
    critical_difference,
    difference_sequence,
    friedman,
    indistinguishable,
    paired_test,
)

STREAMS = 400
LENGTH = 3000


def test_critical_difference_is_that_of_the_literature():
    """With 4 methods and 14 data sets the critical difference is 2.569 * sqrt(20 / 84) (Demsar 2006)."""
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)


def test_friedman_shares_ranks_and_agrees_with_scipy():
    """Mean ranks share ties, and the p-value is Friedman's."""
    errors = np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.4], [0.3, 0.2, 0.5], [0.2, 0.3, 0.4]])
    test = friedman(errors)
    assert test.ranks.tolist() == [(1 + 1.5 + 2 + 1) / 4, (2 + 1.5 + 1 + 2) / 4, 3.0]
    assert test.p == pytest.approx(friedmanchisquare(*errors.T).pvalue)


def test_friedman_of_too_little_tells_nothing():
    """One data set has ranks, but neither a p-value nor a critical difference."""
    test = friedman([[0.1, 0.2, 0.3]])
    assert test.ranks.tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(test.p)
    assert np.isnan(test.critical)


def test_indistinguishable_runs_are_the_largest():
    """Methods are joined in the largest runs whose ends are within the critical difference."""
    assert indistinguishable(np.array([1.0, 1.5, 2.2, 4.0]), 1.2) == [(0, 2)]
    assert indistinguishable(np.array([4.0, 1.0, 2.0, 3.0]), 1.0) == [(0, 1), (1, 2), (2, 3)]
    assert indistinguishable(np.array([1.0, 3.0]), 1.0) == []


def test_diagram_names_every_method():
    """The diagram names all methods with their mean ranks, and draws the critical difference."""
    errors = np.random.default_rng(0).random((20, 4))
    drawn = critical_difference_diagram(["one", "two", "<three>", "four"], friedman(errors))
    assert all(name in drawn for name in ("one", "two", "&lt;three&gt;", "four", "critical difference"))


def test_paired_test_sees_a_constant_lead():
    """Equal errors have p = 1, a constant difference p = 0, a single order no p at all."""
    assert paired_test([0.1, 0.2], [0.1, 0.2]) == 1.0
    assert paired_test([0.1, 0.2, 0.4], [0.2, 0.3, 0.6]) < 0.1
    assert np.isnan(paired_test([0.1], [0.2]))


def ever_missed(expected, random):
    """Whether the sequence of one simulated pair of methods was ever wrong about the mean so far."""
    first, second = random.random(LENGTH) < expected[0], random.random(LENGTH) < expected[1]
    sequence = difference_sequence(first, second, level=0.9)
    truth = np.cumsum(expected[0] - expected[1]) / np.arange(1, LENGTH + 1)
    return ((truth < sequence.low) | (truth > sequence.high)).any()


@pytest.mark.parametrize("kind", ["equal", "rare", "drifting"])
def test_the_sequence_covers_at_all_times(kind):
    """Over many streams, intervals of level 0.9 are right at once in nine of ten, drift or not."""
    t = np.arange(LENGTH) / LENGTH
    expected = {
        "equal": (0.3 + 0 * t, 0.3 + 0 * t),
        "rare": (0.02 + 0 * t, 0.01 + 0 * t),
        "drifting": (0.5 + 0.4 * np.sin(20 * t), 0.2 + 0.5 * t),
    }[kind]
    random = np.random.default_rng(1)
    assert sum(ever_missed(expected, random) for _ in range(STREAMS)) <= 0.1 * STREAMS


def test_the_sequence_finds_a_real_difference():
    """A difference of a tenth is found within some thousand examples, and its sign is right."""
    random = np.random.default_rng(2)
    sequence = difference_sequence(random.random(LENGTH) < 0.2, random.random(LENGTH) < 0.3)
    assert sequence.decided_at() is not None
    assert sequence.high[-1] < 0.0


def test_identical_losses_are_never_told_apart():
    """Two methods with the same mistakes have an interval around 0 that narrows."""
    losses = np.random.default_rng(3).random(LENGTH) < 0.3
    sequence = difference_sequence(losses, losses)
    assert sequence.decided_at() is None
    assert sequence.high[-1] - sequence.low[-1] < 0.05


def test_boundary_widens_with_variance_and_confidence():
    """The boundary rises with the variance seen, and with the confidence asked for."""
    v = np.array([0.0, 1.0, 10.0, 100.0])
    assert (np.diff(boundary(v, 0.05, 2.0)) >= 0.0).all()
    assert (boundary(v, 0.01, 2.0) > boundary(v, 0.05, 2.0)).all()


def test_losses_beyond_the_bound_are_refused():
    """Losses that do not lie within the stated bound are refused."""
    with pytest.raises(InputError, match="each in"):
        difference_sequence([0.0, 3.0], [0.0, 0.0])
