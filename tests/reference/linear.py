"""What the linear learners share: an inner product over the inputs that a learner sees."""

from __future__ import annotations

import math
from collections.abc import Callable

Initial = Callable[[int, int], list[float]]  # the first weights of (learner, output)


def dot(w: list[float], x: list[float], seen: list[int]) -> float:
    total = 0.0
    for j in seen:
        total += w[j] * x[j]
    return total


def length(w: list[float]) -> float:
    return math.sqrt(sum(v * v for v in w))


def all_inputs(subsets: list[list[int]] | None, n_learners: int, n_inputs: int) -> list[list[int]]:
    """The inputs each learner sees: those named, or all of them."""
    return subsets if subsets is not None else [list(range(n_inputs)) for _ in range(n_learners)]
