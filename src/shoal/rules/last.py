"""The booster's own combination: its last prefix answer, with the booster's weights and scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.kernels.compiler import body
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.types import Flags, Floats, Scores, Task


class LastState(NamedTuple):
    """n_members: nothing else is needed."""

    n_members: int


@dataclass(frozen=True)
class Last:
    """Answer with all members, as the booster adds them up."""

    over_parts: ClassVar[bool] = True  # it weighs prefix answers, in which the booster's own weights are

    def init(self, n_members: int, task: Task, seed: int) -> LastState:
        """Nothing is remembered."""
        return LastState(n_members)

    def widen(self, state: LastState, task: Task) -> LastState:
        """Nothing depends on the number of classes."""
        return state

    def weights(self, state: LastState) -> Floats:
        """All the same: whatever weights there are, are in the booster's sum."""
        return np.ones(state.n_members)


@body(rule_combine, LastState, allocates=False)
def combine(rule: LastState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The last prefix answer."""
    for c in range(parts.shape[1]):
        out[c] = parts[parts.shape[0] - 1, c]


@body(rule_update, LastState, allocates=False)
def update(
    rule: LastState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Nothing is learned."""
