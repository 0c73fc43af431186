"""Perceptrons with weights: section B.7. The bias and the scaling to length 1 belong to the rows given."""

from __future__ import annotations

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes
from tests.reference.linear import Initial, all_inputs, dot, length


class ReferencePerceptrons(ReferenceBank):
    """One Perceptron per learner and output.

    subsets: the inputs each learner sees (default all). initial: its first weights (default zero).
    """

    def __init__(
        self,
        n_learners: int,
        n_inputs: int,
        n_outputs: int = 1,
        subsets: list[list[int]] | None = None,
        initial: Initial | None = None,
    ) -> None:
        self.n_learners = n_learners
        self.n_outputs = n_outputs
        self.seen = all_inputs(subsets, n_learners, n_inputs)
        self.initial = initial if initial is not None else lambda i, c: [0.0] * n_inputs
        self.w = [[self.initial(i, c) for c in range(n_outputs)] for i in range(n_learners)]

    def predict_at(self, i: int, x: list[float]) -> Vote:
        answers = [dot(w, x, self.seen[i]) / max(1.0, length(w)) for w in self.w[i]]
        return [min(max(h, -1.0), 1.0) for h in answers]  # for a row longer than 1 (section 0)

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        for c, w in enumerate(self.w[i]):
            y, weight = lesson.target[i][c], lesson.weight[i][c]
            r = dot(w, x, self.seen[i])
            if y * r <= 0.0:
                for j in self.seen[i]:
                    w[j] += weight * y * x[j]

    def replace(self, i: int) -> None:
        self.w[i] = [self.initial(i, c) for c in range(self.n_outputs)]
