"""The best stump by trying them all: it keeps every example it was taught.

What a histogram with a bin for every value must do exactly. Zeros are values like any other; missing values
(NaN) are on neither side, and are errors where they are not of their heaviest class.
"""

from __future__ import annotations

import itertools
import math

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes, winner

Example = tuple[list[float], int, float]


class ReferenceStumps(ReferenceBank):
    """One stump per learner, searched for after every lesson."""

    def __init__(self, n_learners: int, n_outputs: int = 1, subsets: list[list[int]] | None = None) -> None:
        self.n_learners, self.n_outputs, self.subsets = n_learners, n_outputs, subsets
        self.n_classes = 2 if n_outputs == 1 else n_outputs
        self.taught: list[list[Example]] = [[] for _ in range(n_learners)]
        self.stump: list[tuple[int, float] | None] = [None] * n_learners

    def masses(self, examples: list[Example]) -> list[float]:
        return [sum(w for _, k, w in examples if k == c) for c in range(self.n_classes)]

    def badness(self, examples: list[Example]) -> tuple[float, float]:
        """(error of the heaviest class, Gini impurity)."""
        masses = self.masses(examples)
        total = sum(masses)
        return total - max(masses), total - sum(m * m for m in masses) / total if total > 0.0 else 0.0

    def split(self, i: int, j: int, threshold: float) -> list[list[Example]]:
        """The examples on the left, on the right, and without a value."""
        known = [e for e in self.taught[i] if not math.isnan(e[0][j])]
        missing = [e for e in self.taught[i] if math.isnan(e[0][j])]
        left, right = ([e for e in known if (e[0][j] > threshold) == side] for side in (False, True))
        return [left, right, missing]

    def search(self, i: int) -> tuple[int, float] | None:
        best, found = (math.inf, math.inf), None
        for j in self.subsets[i] if self.subsets is not None else range(len(self.taught[i][0][0])):
            values = sorted({e[0][j] for e in self.taught[i] if not math.isnan(e[0][j])})
            for low, high in itertools.pairwise(values):
                threshold = low + 0.5 * (high - low)
                sides = [self.badness(side) for side in self.split(i, j, threshold)]
                error, impurity = (sum(column) for column in zip(*sides, strict=True))
                equal = abs(error - best[0]) <= 1e-11
                if (error < best[0] and not equal) or (equal and impurity < best[1] - 1e-11):
                    best, found = (error, impurity), (j, threshold)
        return found

    def predict_at(self, i: int, x: list[float]) -> Vote:
        side = self.taught[i]
        stump = self.stump[i]
        if stump is not None and not math.isnan(x[stump[0]]):
            side = self.split(i, *stump)[x[stump[0]] > stump[1]]
        masses = self.masses(side)
        shares = [(m + 1.0) / (sum(masses) + self.n_classes) for m in masses]
        return [shares[1] - shares[0]] if self.n_outputs == 1 else [2.0 * p - 1.0 for p in shares]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        target, weight = lesson.target[i], lesson.weight[i]
        k = int(target[0] > 0.0) if self.n_outputs == 1 else winner(target)
        w = weight[0] if self.n_outputs == 1 else weight[k]
        if w > 0.0:
            self.taught[i].append((list(x), k, w))
            self.stump[i] = self.search(i)

    def replace(self, i: int) -> None:
        self.taught[i] = []
        self.stump[i] = None
