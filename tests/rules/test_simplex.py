"""The projection on the probability simplex."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.simplex import projected

from shoal.rules.simplex import project

NUMBERS = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30)


def nearest(v):
    """The projection of a list."""
    table = np.array(v, dtype=float)[:, None]
    project(table, 0)
    return table[:, 0]


@pytest.mark.parametrize(
    ("v", "expected"),
    [
        ([0.5, 0.9, -0.2, 0.3], [4 / 15, 2 / 3, 0.0, 1 / 15]),
        ([2.0, -1.0, 0.1], [1.0, 0.0, 0.0]),
    ],
)
def test_golden_5(v, expected):
    """The published vectors come out."""
    np.testing.assert_allclose(nearest(v), expected, atol=1e-12)


@settings(max_examples=300, deadline=None)
@given(NUMBERS)
def test_conditions_of_the_optimum(v):
    """Probabilities, all of them lower than before by the same tau, but those that would be negative are 0."""
    p = nearest(v)
    assert (p >= 0.0).all()
    assert np.sum(p) == pytest.approx(1.0, abs=1e-9)
    tau = (np.array(v) - p)[p > 0.0]
    assert np.ptp(tau) <= 1e-9
    assert (np.array(v)[p == 0.0] <= tau[0] + 1e-9).all()


@settings(max_examples=300, deadline=None)
@given(NUMBERS)
def test_agrees_with_sorting(v):
    """Dropping entries finds what sorting them finds."""
    np.testing.assert_allclose(nearest(v), projected(v), atol=1e-9)


def test_huge_steps_still_end_on_the_simplex():
    """However large the entries, the result is a point of the simplex."""
    assert nearest([1e300, 1e290, -1e300]).tolist() == [1.0, 0.0, 0.0]


def test_other_columns_stay():
    """Only the column asked for is projected."""
    table = np.array([[3.0, 3.0], [1.0, 1.0]])
    project(table, 1)
    assert table.tolist() == [[3.0, 1.0], [1.0, 0.0]]
