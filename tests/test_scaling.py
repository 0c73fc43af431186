"""Each way to scale, against its definition over the rows seen before."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.scaling import FAR, FLAT, Scaling, scale_row, scaling_update
from shoal.streams.rows import slice_rows, to_rows
from shoal.testing import states_equal
from shoal.types import Row, Rows

METHODS = ("standard", "minmax", "unit", None)


def stored_before(X: np.ndarray, t: int, j: int) -> np.ndarray:
    """What earlier rows stored of the feature: neither zero nor missing."""
    column = X[:t, j]
    return column[(column != 0.0) & ~np.isnan(column)]


def present_before(X: np.ndarray, t: int, j: int) -> np.ndarray:
    """The feature in earlier rows, zeros included, where it was not missing."""
    column = X[:t, j]
    return column[~np.isnan(column)]


def is_common(X: np.ndarray, t: int, j: int) -> bool:
    return 2 * len(stored_before(X, t, j)) > len(present_before(X, t, j))


def standard(X: np.ndarray, t: int, j: int) -> float:
    """Less its mean over its deviation if common, else over the root mean square of what was stored."""
    value, stored, present = X[t, j], stored_before(X, t, j), present_before(X, t, j)
    if is_common(X, t, j):
        deviation = np.std(present)
        if deviation <= FLAT * abs(np.mean(stored)):
            return 0.0
        return float(np.clip((value - np.mean(present)) / deviation, -FAR, FAR))
    if value == 0.0:
        return 0.0
    size = math.sqrt(np.mean(stored**2)) if len(stored) else abs(value)
    return float(np.clip(value / size, -FAR, FAR))


def minmax(X: np.ndarray, t: int, j: int) -> float:
    """Where it lies between the least and the greatest so far, from -1 to 1."""
    present = present_before(X, t, j)
    if not len(stored_before(X, t, j)):
        return 0.0
    low, high = present.min(), present.max()
    if high - low <= FLAT * max(abs(low), abs(high)):
        return 0.0
    return float(np.clip((2.0 * X[t, j] - low - high) / (high - low), -1.0, 1.0))


def twin(X: np.ndarray, t: int, method: str | None, bias: bool) -> np.ndarray:
    """Row t scaled, bias first, as a dense row."""
    by_feature = {"standard": standard, "minmax": minmax}.get(method or "", lambda X, t, j: float(X[t, j]))
    d = X.shape[1]
    row = [float(bias), *(0.0 if math.isnan(X[t, j]) else by_feature(X, t, j) for j in range(d))]
    length = math.hypot(*row) if method is not None else 1.0
    return np.array(row) / (length or 1.0)


def scaled(rows: Rows, d: int, method: str | None, bias: bool = True):
    """(every row scaled by what came before it, dense with bias first; the state at the end)."""
    state = Scaling(method, bias).init(d)
    found = np.zeros((rows.n_rows, d + 1))
    input_indices, inputs = np.zeros(d + 1, dtype=np.int32), np.zeros(d + 1)
    for t in range(rows.n_rows):
        one = slice_rows(rows, t, t + 1)
        n = scale_row(state, d, one.indices, one.values, input_indices, inputs)
        assert (np.diff(input_indices[:n]) > 0).all(), "inputs must rise"
        found[t, input_indices[:n]] = inputs[:n]
        scaling_update(state, Row(one.indices, one.values, input_indices[:n], inputs[:n]))
    return found, state


def mixed(n: int = 60, seed: int = 0) -> np.ndarray:
    """Dense, rare, binary, constant, shifted, heavy-tailed and half-stored features, some values missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(3.0, 2.0, n),
            rng.normal(size=n) * (rng.random(n) < 0.1),
            (rng.random(n) < 0.6).astype(float),
            np.full(n, 7.25),
            1e6 + rng.normal(size=n),
            rng.standard_cauchy(n),
            np.where(np.arange(n) % 2, rng.normal(size=n), 0.0),
            np.zeros(n),
        ]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_against_twin(method, bias):
    """Every row is scaled as the definition says, from the first row on."""
    X = mixed()
    found, _ = scaled(to_rows(X), X.shape[1], method, bias)
    for t in range(len(X)):
        np.testing.assert_allclose(found[t], twin(X, t, method, bias), rtol=1e-9, atol=1e-9, err_msg=f"row {t}")


@pytest.mark.parametrize("method", METHODS)
def test_dense_and_sparse(method):
    """Dense and sparse rows are scaled the same to the last bit, and leave the same state."""
    X = mixed()
    dense, sparse = scaled(to_rows(X), X.shape[1], method), scaled(to_rows(sp.csr_array(X)), X.shape[1], method)
    assert np.array_equal(dense[0], sparse[0])
    assert states_equal(dense[1], sparse[1])


@pytest.mark.parametrize("method", ["standard", "minmax", "unit"])
def test_length(method):
    """A scaled row has length 1, or 0 where there is nothing in it."""
    X = mixed()
    with_bias, _ = scaled(to_rows(X), X.shape[1], method)
    np.testing.assert_allclose(np.linalg.norm(with_bias, axis=1), 1.0, rtol=1e-12)
    without, _ = scaled(to_rows(np.vstack([np.zeros((2, 8)), X])), X.shape[1], method, bias=False)
    lengths = np.linalg.norm(without, axis=1)
    np.testing.assert_allclose(lengths[lengths > 0.0], 1.0, rtol=1e-12)
    assert lengths[0] == 0.0


def test_none_changes_nothing():
    """Without scaling a row is as it was, less its missing values, behind the bias."""
    X = mixed()
    found, _ = scaled(to_rows(X), X.shape[1], None)
    assert np.array_equal(found, np.column_stack([np.ones(len(X)), np.nan_to_num(X)]))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.0, 1.0, -2.5, math.nan]), min_size=6, max_size=6), max_size=25))
def test_common_features(rows):
    """The features held as common are those stored in more than half of the rows where they are not missing."""
    X = np.array(rows).reshape(-1, 6)
    _, state = scaled(to_rows(X), 6, "standard")
    expected = [j for j in range(6) if is_common(X, len(X), j)]
    # A feature that no row has shown, however few rows it was missing in, is not common.
    assert state.common[: state.n_common[0]].tolist() == expected


def test_missing_values_take_no_part():
    """A missing value changes neither mean nor range, and is left out of its row."""
    X = mixed()
    for method in ("standard", "minmax"):
        found, state = scaled(to_rows(X), X.shape[1], method)
        assert (found[:, 1:][np.isnan(X)] == 0.0).all()
        stored = (X != 0.0) & ~np.isnan(X)
        assert state.stored.tolist() == stored.sum(axis=0).tolist()
        assert state.missing.tolist() == np.isnan(X).sum(axis=0).tolist()


@pytest.mark.parametrize("method", ["standard", "minmax"])
@pytest.mark.parametrize("constant", [1.0, -3.7, 1e-300, 1e150, 0.1])
def test_constant_feature(method, constant):
    """A feature that is always the same carries nothing once that is known."""
    found, _ = scaled(to_rows(np.full((20, 1), constant)), 1, method)
    assert (found[1:, 1] == 0.0).all()
    assert np.isfinite(found).all()


@pytest.mark.parametrize("method", ["standard", "minmax", "unit"])
@pytest.mark.parametrize("size", [1e-150, 1e-8, 1e8, 1e150])
def test_magnitudes(method, size):
    """Rows of any magnitude give finite rows of length 1; minmax and standard do not depend on the unit."""
    X = np.nan_to_num(mixed())[:, [0, 1, 2, 5, 6]]
    found, _ = scaled(to_rows(X * size), 5, method)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-12)
    if method != "unit":
        np.testing.assert_allclose(found, scaled(to_rows(X), 5, method)[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_growing(method):
    """Room for more features changes nothing of those known: as if it had been there from the start."""
    X = mixed()
    scaling = Scaling(method)
    _, small = scaled(to_rows(X), 8, method)
    grown = scaling.grow(small, 32)
    wide = np.zeros((len(X), 32))
    wide[:, :8] = X
    assert states_equal(grown, scaled(to_rows(wide), 32, method)[1])
    assert states_equal(scaling.grow(grown, 16), grown)


def test_only_earlier_rows():
    """A row is scaled by the rows before it: what comes later, itself included, makes no difference."""
    X = mixed()
    other = X.copy()
    other[30:] *= -17.0
    for method in METHODS:
        one, two = (scaled(to_rows(Z), 8, method)[0] for Z in (X, other))
        assert np.array_equal(one[:30], two[:30])


def test_far_values_are_cut():
    """One wild value is cut at a number of standard deviations, and does not drown the others."""
    X = np.column_stack([np.random.default_rng(0).normal(size=50), np.ones(50)])
    X[:, 1] += 0.1 * np.random.default_rng(1).normal(size=50)
    X[-1] = [1e12, 1.2]
    found, _ = scaled(to_rows(X), 2, "standard")
    assert found[-1, 1] / found[-1, 0] == pytest.approx(FAR)


@pytest.mark.parametrize("method", ["log", "Standard", 3])
def test_unknown_method(method):
    """An unknown way to scale is refused with the list of those known."""
    with pytest.raises(InputError, match="expected 'standard', 'minmax', 'unit' or None"):
        Scaling(method).init(3)
