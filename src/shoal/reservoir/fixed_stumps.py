"""Decision stumps that were found elsewhere and learn no more: only how they are combined is learned.

Learner t votes +1 or -1 on each output, by its stump for that output. A missing value is below every number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task

ALWAYS = -1  # the feature of a stump that gives one answer to everything


class FixedStumpsState(NamedTuple):
    """(C, N) stumps, by output and learner."""

    feature: Ints
    threshold: Floats
    above: Floats  # the vote where the value is at least the threshold; below, it is turned


@dataclass(frozen=True, eq=False)
class FixedStumps:
    """Stumps given as (C, N) arrays: feature (-1 for none), threshold, and vote of +1 or -1 above it."""

    feature: Ints
    threshold: Floats
    above: Floats

    @property
    def n_learners(self) -> int:
        """How many were given."""
        return int(self.feature.shape[1])

    def init(self, space: Space, task: Task, seed: int) -> FixedStumpsState:
        """The stumps as they are."""
        if len(self.feature) != task.n_outputs:
            raise InputError(
                f"the stumps are for {len(self.feature)} outputs; expected {task.n_outputs}: find them on "
                "examples of the same classes."
            )
        return FixedStumpsState(self.feature.copy(), self.threshold.copy(), self.above.copy())

    def grow(self, state: FixedStumpsState, space: Space) -> FixedStumpsState:
        """New features do not matter to old stumps."""
        return state

    def widen(self, state: FixedStumpsState, task: Task) -> FixedStumpsState:
        """There is no stump for a class that was not there."""
        raise InputError("fixed stumps know only the classes that they were found on; name all of them first.")


@inlined
def value_of(row: Row, j: int) -> float:
    """The row's value of feature j."""
    place = np.searchsorted(row.indices, j)
    return float(row.values[place]) if place < len(row.indices) and row.indices[place] == j else 0.0


@inlined
def vote(bank: FixedStumpsState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    for c in range(votes.shape[1]):
        j = bank.feature[c, i]
        up = j == ALWAYS or value_of(row, j) >= bank.threshold[c, i]
        votes[i, c] = bank.above[c, i] if up else -bank.above[c, i]


@body(bank_predict, FixedStumpsState)
def predict(bank: FixedStumpsState, row: Row, votes: Scores, live: Flags) -> None:
    """Every stump votes."""
    for i in range(votes.shape[0]):
        live[i] = True
        vote(bank, i, row, votes)


@body(bank_predict_at, FixedStumpsState)
def predict_at(bank: FixedStumpsState, i: int, row: Row, votes: Scores) -> None:
    """Stump i votes."""
    vote(bank, i, row, votes)


@body(bank_update, FixedStumpsState)
def update(bank: FixedStumpsState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Nothing is learned."""


@body(bank_update_at, FixedStumpsState)
def update_at(bank: FixedStumpsState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Nothing is learned."""


@body(bank_replace, FixedStumpsState)
def replace(bank: FixedStumpsState, i: int, seed: int) -> None:
    """A fixed stump stays."""
