"""The covariance of stump answers, against every stump written out."""

import numpy as np
import pytest
from tests.reference import geem

from shoal.errors import InputError
from shoal.reservoir.covariance import edge_covariance, some_of
from shoal.reservoir.orders import merged_order, order_of_kept, sorted_order


@pytest.mark.parametrize("n_values", [3, 50])
def test_covariance_is_that_of_all_stumps(n_values: int) -> None:
    """The closed form equals the sum over every stump, with ties and with a feature that never varies."""
    rng = np.random.default_rng(n_values)
    X = rng.integers(0, n_values, (12, 5)).astype(float)
    X[:, 2] = 1.0
    y = rng.choice([-1.0, 1.0], 12)
    expected = np.array(geem.covariance(X.tolist(), y.tolist()))
    np.testing.assert_array_equal(edge_covariance(X, y), expected)


def test_golden_covariance() -> None:
    """The specification's golden vector 10 comes out exactly."""
    sigma = edge_covariance([[0, 3], [1, 1], [2, 2], [3, 0]], [1, -1, 1, 1])
    np.testing.assert_array_equal(sigma, [[12, 0, 0, -12], [0, 12, -4, 0], [0, -4, 12, 0], [-12, 0, 0, 12]])


def test_covariance_is_positive_semidefinite() -> None:
    """No direction has negative variance."""
    X = np.random.default_rng(0).integers(0, 4, (30, 40))
    values = np.linalg.eigvalsh(edge_covariance(X))
    assert values[0] > -1e-9 * values[-1]


def test_ties_by_position_count_every_place() -> None:
    """With ties told apart by position, every feature has two stumps for each example but one; without ties the
    two ways are the same.
    """
    apart = np.random.default_rng(3).normal(size=(8, 5))
    np.testing.assert_array_equal(edge_covariance(apart, ties="position"), edge_covariance(apart))
    sigma = edge_covariance([[1.0, 2.0], [1.0, 0.0], [0.0, 0.0]], ties="position")
    np.testing.assert_array_equal(np.diag(sigma), [8.0, 8.0, 8.0])
    with pytest.raises(InputError, match="ties is 'loose'"):
        edge_covariance([[1.0], [2.0]], ties="loose")


def test_many_features_add_up_exactly() -> None:
    """Sums over more features than are taken at a time stay whole numbers."""
    X = np.random.default_rng(1).normal(size=(9, 71))
    y = np.ones(9)
    np.testing.assert_array_equal(edge_covariance(X, y), np.array(geem.covariance(X.tolist(), y.tolist())))


def test_orders_are_kept_up() -> None:
    """Merging orders and dropping examples gives the orders that sorting anew gives."""
    rng = np.random.default_rng(2)
    values = rng.integers(0, 5, (6, 20)).astype(float)
    first, second = (sorted_order(np.ascontiguousarray(part)) for part in (values[:, :12], values[:, 12:]))
    merged = merged_order(values, first, second)
    np.testing.assert_array_equal(merged, sorted_order(values))
    kept = np.sort(rng.permutation(20)[:9])
    np.testing.assert_array_equal(order_of_kept(merged, kept), sorted_order(np.ascontiguousarray(values[:, kept])))


def test_no_fewer_features_than_examples() -> None:
    """A wish for few features is granted only as far as the covariance keeps its rank."""
    chosen = some_of(np.arange(100), 10, 30, np.random.default_rng(0))
    assert len(chosen) == 30 == len(set(chosen))
