"""GEEM: discard the examples whose loss is best made up for by those kept (Lefakis and Fleuret, section 3).

All in terms of the answers h of stumps, so that no label enters the covariance Sigma_h of the n candidates
and one inverse P serves every class. For class k let y be its labels, c = y w its signed weights and
e = y e* the answers, on its candidates, of the stump that will be picked; e* = 1 is a stump that is always
right. The expected edge of that stump over all examples, kept ones B and discarded ones C, is

    J(B) = <e_B, c~_B>,    c~_B = c_B + Sigma_BB^-1 Sigma_BC c_C    (the corrected weights)

Discarding j takes v_j c~_j / P_jj from J, v = P e, and with p column j of P

    v -= p v_j / P_jj,    c~ -= p c~_j / P_jj,    P -= p p' / P_jj.

Here P itself stays as it is: each column needed is computed from it and the columns used before, which
halves the work and spares the memory traffic. Specification D.3, D.5, F.7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from shoal.kernels.compiler import compiled, inlined
from shoal.types import Flags, Floats, Ints

RIDGE = 1e-6  # on the diagonal, as a share of its mean: specification D.4
LEAST_PIVOT = 1e-10  # of P_jj, as a share of the least there was: below that, P is computed anew


class Removal(NamedTuple):
    """What a removal works on; scratch."""

    inverse: Floats  # (n, n) P before any removal
    diagonal: Floats  # (n,) of P now
    columns: Floats  # (removals, n) p / sqrt(P_jj) of those removed
    kept: Flags  # (n,)


def with_ridge(covariance: Floats, ridge: float = RIDGE) -> Floats:
    """The covariance scaled to a mean variance of 1, and a little more on the diagonal."""
    n = len(covariance)
    mean = float(np.trace(covariance)) / n
    scaled = covariance / mean if mean > 0.0 else np.eye(n)
    scaled[np.diag_indices(n)] += ridge
    return scaled


def inverse(covariance: Floats) -> Floats:
    """The inverse of a covariance; with more on the diagonal as long as rounding leaves it indefinite."""
    more = 0.0
    while True:
        factor, failed = dpotrf(covariance + more * np.eye(len(covariance)), lower=0)
        if not failed:
            upper, _ = dpotri(factor, lower=0)
            return np.triu(upper) + np.triu(upper, 1).T
        more = max(10.0 * more, RIDGE)


def corrected(covariance: Floats, signed: Floats, kept: Ints) -> Floats:
    """The corrected signed weights of the examples kept, (K, n_kept), straight from their definition."""
    gone = np.setdiff1d(np.arange(len(covariance)), kept)
    across = covariance[np.ix_(kept, gone)]
    return np.asarray(signed[:, kept] + (inverse(covariance[np.ix_(kept, kept)]) @ (across @ signed[:, gone].T)).T)


@inlined
def column_now(work: Removal, step: int, j: int, column: Floats) -> None:
    """Column j of P after so many removals."""
    before = work.columns[:step, j].copy()
    start = work.inverse[j]
    for i in range(len(column)):
        column[i] = start[i]
    pairs = step - step % 2
    for s in range(0, pairs, 2):
        a, b, one, other = before[s], before[s + 1], work.columns[s], work.columns[s + 1]
        for i in range(len(column)):
            column[i] -= a * one[i] + b * other[i]
    if pairs < step:
        a, one = before[pairs], work.columns[pairs]
        for i in range(len(column)):
            column[i] -= a * one[i]


@inlined
def sweep(work: Removal, step: int, j: int, vectors: Floats) -> bool:
    """Remove j: from P, and from rows that P multiplies. False, and nothing changes, if P is worn out."""
    if not work.diagonal[j] > 0.0:
        return False
    column = work.columns[step]
    column_now(work, step, j, column)
    pivot = column[j]
    if not pivot > LEAST_PIVOT * work.inverse[j, j]:
        return False
    for k in range(vectors.shape[0]):
        row, factor = vectors[k], vectors[k, j] / pivot
        for i in range(len(column)):
            row[i] -= column[i] * factor
    root = np.sqrt(pivot)
    for i in range(len(column)):
        column[i] /= root
        work.diagonal[i] -= column[i] * column[i]
    work.kept[j] = False
    return True


@inlined
def cheapest(work: Removal, v: Floats, signed: Floats, weights: Floats) -> int:
    """The example whose removal costs least; of equal ones the lightest, then the first."""
    best, least = -1, np.inf
    for j in range(len(weights)):
        if work.kept[j]:
            cost = 0.0
            for k in range(v.shape[0]):
                cost += v[k, j] * signed[k, j]
            cost /= work.diagonal[j]
            if best < 0 or cost < least or (cost == least and weights[j] < weights[best]):
                best, least = j, cost
    return best


@compiled
def remove(work: Removal, vectors: Floats, weights: Floats) -> int:
    """Remove one after the other, as many as there are columns; answers how many it was before P wore out.

    vectors: (2 K, n) the rows v of every class, then the rows of signed weights; corrected in place.
    """
    n_classes = vectors.shape[0] // 2
    n = len(work.columns)
    for step in range(n):
        j = cheapest(work, vectors[:n_classes], vectors[n_classes:], weights)
        if not sweep(work, step, j, vectors):
            return step
    return n


def removal(covariance: Floats, n_removed: int) -> Removal:
    """Nothing removed yet."""
    p = inverse(covariance)
    n = len(p)
    return Removal(p, p.diagonal().copy(), np.zeros((n_removed, n)), np.ones(n, dtype=np.bool_))


def choose(covariance: Floats, answers: Floats, signed: Floats, n_kept: int) -> tuple[Ints, Floats]:
    """(the examples to keep, rising; their corrected signed weights (K, n_kept)).

    covariance: (n, n) of stump answers, ridge included. answers: (K, n) the y e* of every class.
    signed: (K, n) y w.
    """
    weights = np.abs(signed).sum(axis=0)
    left, now, worn = np.arange(len(covariance)), signed, False
    while len(left) > n_kept:
        part = covariance if not worn else covariance[np.ix_(left, left)]
        work = removal(part, len(left) - n_kept)
        vectors = np.concatenate([answers[:, left] @ work.inverse, now])
        n_removed = remove(work, vectors, weights[left])
        if n_removed == 0:  # no pivot is left in double precision: the lightest goes
            work.kept[np.argmin(weights[left])] = False
        worn = n_removed < len(work.columns)
        left = left[work.kept]
        now = corrected(covariance, signed, left) if worn else vectors[len(signed) :, work.kept]
    return left, now
