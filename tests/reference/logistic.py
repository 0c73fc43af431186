"""Logistic regression by adaptive gradients, one against the rest, as its two formulas say."""

from __future__ import annotations

import math

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes
from tests.reference.linear import Initial, all_inputs, dot


class ReferenceLogistic(ReferenceBank):
    """g = weight ((p - [y = 1]) x + l2 w); G += g^2; w -= step g / sqrt(G).

    With `normalise`, x is every input over the largest size it has had.
    """

    def __init__(
        self,
        n_learners: int,
        n_inputs: int,
        n_outputs: int = 1,
        step: float = 0.5,
        normalise: bool = True,
        l2: float = 0.0,
        subsets: list[list[int]] | None = None,
        initial: Initial | None = None,
    ) -> None:
        self.n_learners, self.n_outputs = n_learners, n_outputs
        self.step, self.l2 = step, l2
        self.seen = all_inputs(subsets, n_learners, n_inputs)
        self.initial = initial if initial is not None else lambda i, c: [0.0] * n_inputs
        self.w = [[self.initial(i, c) for c in range(n_outputs)] for i in range(n_learners)]
        self.G = [[[0.0] * n_inputs for _ in range(n_outputs)] for _ in range(n_learners)]
        self.sizes = [0.0] * n_inputs if normalise else None

    def sized(self, x: list[float]) -> list[float]:
        if self.sizes is None:
            return x
        return [v / max(size, abs(v)) if v != 0.0 else 0.0 for v, size in zip(x, self.sizes, strict=True)]

    def probability(self, i: int, c: int, x: list[float]) -> float:
        return 1.0 / (1.0 + math.exp(-dot(self.w[i][c], self.sized(x), self.seen[i])))

    def predict_at(self, i: int, x: list[float]) -> Vote:
        return [2.0 * self.probability(i, c, x) - 1.0 for c in range(self.n_outputs)]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        if not any(weight > 0.0 for weight in lesson.weight[i]):
            return
        probabilities = [self.probability(i, c, x) for c in range(self.n_outputs)]
        sized = self.sized(x)
        if self.sizes is not None:
            self.sizes = [max(size, abs(v)) for v, size in zip(x, self.sizes, strict=True)]
        for c, p in enumerate(probabilities):
            hit = 1.0 if lesson.target[i][c] > 0.0 else 0.0
            for j in self.seen[i]:
                if x[j] != 0.0:
                    self._descend(
                        i, c, j, lesson.weight[i][c] * ((p - hit) * sized[j] + self.l2 * self.w[i][c][j])
                    )

    def _descend(self, i: int, c: int, j: int, g: float) -> None:
        self.G[i][c][j] += g * g
        if self.G[i][c][j] > 0.0:
            self.w[i][c][j] -= self.step * g / math.sqrt(self.G[i][c][j])

    def replace(self, i: int) -> None:
        self.w[i] = [self.initial(i, c) for c in range(self.n_outputs)]
        self.G[i] = [[0.0] * len(self.w[i][0]) for _ in range(self.n_outputs)]
