"""Fill in a lesson; shared by boosters."""

from __future__ import annotations

from shoal.kernels.compiler import inlined
from shoal.types import Lesson


@inlined
def teach_truth(lesson: Lesson, y: float) -> None:
    """Every learner's target is the truth: +1 for class y, -1 for the others."""
    n_outputs = lesson.target.shape[1]
    for c in range(n_outputs):
        target = 2.0 * y - 1.0 if n_outputs == 1 else (1.0 if c == y else -1.0)
        for i in range(lesson.target.shape[0]):
            lesson.target[i, c] = target
