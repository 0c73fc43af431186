"""Which learner sees which column: random subsets that do not depend on the order of arrival.

Every learner gives every column a number made from (the learner's key, the column's key). Where all
columns are known it sees the `round(fraction * n)` least; where more may appear, a fixed size has no
meaning and it sees those whose number is below the fraction.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiler import compiled
from shoal.kernels.random import mix, uniform
from shoal.types import Flags, Floats, Keys, Space

SUBSET = np.uint64(0x5375627365740001)  # keeps these numbers apart from others made with the same key


@compiled
def column_numbers(columns: Keys, learners: Keys) -> Floats:
    """A number in (0, 1) for each column and learner, (n_columns, n_learners)."""
    numbers = np.empty((len(columns), len(learners)))
    for j in range(len(columns)):
        for i in range(len(learners)):
            numbers[j, i] = uniform(mix(mix(learners[i], SUBSET), columns[j]))
    return numbers


def seen_by(space: Space, fraction: float, learners: Keys, first: int = 0) -> Flags:
    """Whether learner i sees feature j, (n_features - first, n_learners), for the features from `first` on."""
    if fraction >= 1.0:
        return np.ones((space.n_features - first, len(learners)), dtype=np.bool_)
    columns, column_of = np.unique(space.columns[first:], return_inverse=True)
    numbers = column_numbers(columns, learners)
    if space.open:
        return np.asarray((numbers < fraction)[column_of])
    size = max(1, round(fraction * len(columns)))
    ranks = np.argsort(np.argsort(numbers, axis=0, kind="stable"), axis=0)
    return np.asarray((ranks < size)[column_of])
