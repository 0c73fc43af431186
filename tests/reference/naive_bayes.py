"""Naive Bayes with weights, lossless: section B.7, with K classes.

Readings where the section leaves a choice. The variance floor is 1e-9 times the largest *pooled* variance
of the Gaussian features a learner sees (pooled: over all classes), plus 1e-12. A class never seen takes the
pooled moments. A missing value (NaN) is left out, of the moments and of the answer. A feature that was
never given, or only ever as 0, says nothing: answers must not depend on how many are declared. A vote is
2 P(class | x) - 1: for two classes of the class +1, for K classes one number each. The clip bounds a
feature's contribution against the reference class: for two classes the log ratio +1 to -1, for K classes
each class's log-likelihood less the largest of that feature, at -clip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes, winner
from tests.reference.linear import all_inputs

RELATIVE_FLOOR = 1e-9
ABSOLUTE_FLOOR = 1e-12


@dataclass
class Moments:
    """Weighted moments of one feature in one class; of a Bernoulli feature, `ones` of the weight n."""

    n: float = 0.0
    mean: float = 0.0
    M2: float = 0.0
    ones: float = 0.0
    given: bool = False  # whether ever with a value other than 0

    def add(self, x: float, w: float) -> None:
        self.n += w
        d = x - self.mean
        self.mean += d * w / self.n
        self.M2 += w * d * (x - self.mean)
        self.ones += w if x > 0.0 else 0.0
        self.given = self.given or x != 0.0

    def variance(self) -> float:
        return self.M2 / self.n if self.n > 0.0 else 0.0


def pooled(parts: list[Moments]) -> Moments:
    """The moments of all classes together."""
    n = sum(part.n for part in parts)
    if n == 0.0:
        return Moments()
    mean = sum(part.n * part.mean for part in parts) / n
    M2 = sum(part.M2 + part.n * (part.mean - mean) ** 2 for part in parts)
    return Moments(n, mean, M2, sum(part.ones for part in parts), any(part.given for part in parts))


class NaiveBayes:
    """One learner: moments[class][feature], counts[class]."""

    def __init__(self, n_inputs: int, n_classes: int) -> None:
        self.counts = [0.0] * n_classes
        self.moments = [[Moments() for _ in range(n_inputs)] for _ in range(n_classes)]

    def add(self, x: list[float], seen: list[int], k: int, w: float) -> None:
        self.counts[k] += w
        for j in seen:
            if not math.isnan(x[j]):
                self.moments[k][j].add(x[j], w)

    def pooled(self, j: int) -> Moments:
        return pooled([moments[j] for moments in self.moments])

    def floor(self, gaussian: list[int]) -> float:
        widest = max((self.pooled(j).variance() for j in gaussian), default=0.0)
        return RELATIVE_FLOOR * widest + ABSOLUTE_FLOOR

    def log_likelihood(self, k: int, j: int, x: float, bernoulli: bool, floor: float) -> float:
        m = self.moments[k][j]
        if m.n == 0.0:
            m = self.pooled(j)
        if bernoulli:
            p = (m.ones + 1.0) / (m.n + 2.0)
            return math.log(p if x > 0.0 else 1.0 - p)
        variance = m.variance() + floor
        return -0.5 * math.log(2.0 * math.pi * variance) - (x - m.mean) ** 2 / (2.0 * variance)


class ReferenceNaiveBayes(ReferenceBank):
    """Naive Bayes learners.

    bernoulli: which features are Bernoulli (1 for values above 0); the others are Gaussian.
    clip: bound on a feature's contribution to the log-odds, or infinity.
    """

    def __init__(
        self,
        n_learners: int,
        bernoulli: list[bool],
        n_outputs: int = 1,
        clip: float = 50.0,
        subsets: list[list[int]] | None = None,
    ) -> None:
        self.n_learners = n_learners
        self.n_outputs = n_outputs
        self.n_classes = max(2, n_outputs)
        self.bernoulli = bernoulli
        self.clip = clip
        self.seen = all_inputs(subsets, n_learners, len(bernoulli))
        self.learners = [NaiveBayes(len(bernoulli), self.n_classes) for _ in range(n_learners)]

    def log_posterior(self, i: int, x: list[float]) -> list[float]:
        """Up to a constant: log prior plus each feature's clipped contribution; class 1 is the label +1."""
        learner, seen = self.learners[i], self.seen[i]
        n = sum(learner.counts)
        logs = [math.log((n_c + 1.0) / (n + self.n_classes)) for n_c in learner.counts]
        floor = learner.floor([j for j in seen if not self.bernoulli[j]])
        for j in seen:
            if math.isnan(x[j]) or not learner.pooled(j).given:
                continue
            each = [learner.log_likelihood(k, j, x[j], self.bernoulli[j], floor) for k in range(self.n_classes)]
            for k in range(self.n_classes):
                logs[k] += max(each[k] - max(each), -self.clip)
        return logs

    def predict_at(self, i: int, x: list[float]) -> Vote:
        if sum(self.learners[i].counts) == 0.0:
            return [0.0] * self.n_outputs
        logs = self.log_posterior(i, x)
        if self.n_outputs == 1:
            return [math.tanh((logs[1] - logs[0]) / 2.0)]
        total = sum(math.exp(value - max(logs)) for value in logs)
        return [2.0 * math.exp(value - max(logs)) / total - 1.0 for value in logs]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        if self.n_outputs == 1:
            k, weight = (1 if lesson.target[i][0] > 0.0 else 0), lesson.weight[i][0]
        else:
            k = winner(lesson.target[i])
            weight = lesson.weight[i][k]
        if weight > 0.0:
            self.learners[i].add(x, self.seen[i], k, weight)

    def replace(self, i: int) -> None:
        self.learners[i] = NaiveBayes(len(self.bernoulli), self.n_classes)
