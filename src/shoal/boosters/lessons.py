"""Fill in a lesson; shared by boosters."""

from __future__ import annotations

from shoal.kernels.compiler import inlined
from shoal.types import Lesson


@inlined
def teach_truth(lesson: Lesson, y: float) -> None:
    """Every learner's target is the truth: +1 for class y, -1 for the others."""
    n_outputs = lesson.target.shape[1]
    for i in range(lesson.target.shape[0]):
        if n_outputs == 1:
            lesson.target[i, 0] = 2.0 * y - 1.0
        else:
            for c in range(n_outputs):
                lesson.target[i, c] = 1.0 if c == y else -1.0
