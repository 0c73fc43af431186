"""Uniform voting: the mean of the votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.kernels.compiler import body
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.types import Flags, Floats, Scores, Task


class UniformState(NamedTuple):
    """n_members: nothing else is needed."""

    n_members: int


@dataclass(frozen=True)
class Uniform:
    """Trust every member alike."""

    def init(self, n_members: int, task: Task, seed: int) -> UniformState:
        """Nothing is remembered."""
        return UniformState(n_members)

    def widen(self, state: UniformState, task: Task) -> UniformState:
        """Nothing depends on the number of classes."""
        return state

    def weights(self, state: UniformState) -> Floats:
        """All the same."""
        return np.ones(state.n_members)


@body(rule_combine, UniformState, allocates=False)
def combine(rule: UniformState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The mean vote of those present."""
    n_present = 0
    for i in range(members.shape[0]):
        n_present += present[i]
    for c in range(members.shape[1]):
        total = 0.0
        for i in range(members.shape[0]):
            total += members[i, c] if present[i] else 0.0
        out[c] = total / max(n_present, 1)


@body(rule_update, UniformState, allocates=False)
def update(
    rule: UniformState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Nothing is learned."""
