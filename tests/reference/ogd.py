"""Linear learners by projected online gradient descent: sections B.4 and C.9 (OGD-linear).

For a linear loss k * prediction, the lesson is target -sign(k) with weight |k|; boosting's w * y is the
same thing. The step is eta = W sqrt 2 / sqrt(sum of weight^2 |x|^2), the present example included.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes
from tests.reference.linear import Initial, all_inputs, dot, length


class ReferenceOGD(ReferenceBank):
    """One weight vector per learner and output, in the ball of a radius (W); votes clipped to [-D, D]."""

    def __init__(
        self,
        n_learners: int,
        n_inputs: int,
        n_outputs: int = 1,
        radius: float = 1.0,
        D: float = 1.0,
        subsets: list[list[int]] | None = None,
        initial: Initial | None = None,
    ) -> None:
        self.n_learners = n_learners
        self.n_outputs = n_outputs
        self.radius = radius
        self.D = D
        self.seen = all_inputs(subsets, n_learners, n_inputs)
        self.initial = initial if initial is not None else lambda i, c: [0.0] * n_inputs
        self.w = [[self.initial(i, c) for c in range(n_outputs)] for i in range(n_learners)]
        self.sums = [[0.0] * n_outputs for _ in range(n_learners)]  # of weight^2 |x|^2

    def predict_at(self, i: int, x: list[float]) -> Vote:
        return [min(max(dot(w, x, self.seen[i]), -self.D), self.D) for w in self.w[i]]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        for c in range(self.n_outputs):
            self._descend(i, c, x, lesson.target[i][c], lesson.weight[i][c])

    def _descend(self, i: int, c: int, x: list[float], y: float, weight: float) -> None:
        w = self.w[i][c]
        self.sums[i][c] += weight**2 * dot(x, x, self.seen[i])
        if self.sums[i][c] == 0.0:
            return
        eta = self.radius * math.sqrt(2.0) / math.sqrt(self.sums[i][c])
        for j in self.seen[i]:
            w[j] += eta * weight * y * x[j]
        norm = length(w)
        if norm > self.radius:
            self.w[i][c] = [self.radius * v / norm for v in w]

    def replace(self, i: int) -> None:
        self.w[i] = [self.initial(i, c) for c in range(self.n_outputs)]
        self.sums[i] = [0.0] * self.n_outputs
