"""Learners of one feature that know a Gaussian per class: the candidates of section B.9.

Readings. Of several classes the nearest mean answers, which for two is the threshold halfway. By Bayes' rule all
classes are alike likely and a variance is (M2 + v) / (n + 1), v the variance over all classes; a constant feature
says nothing of the classes seen. A missing value is not learned from, and then there is no vote.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes, winner


class ReferenceGaussianStumps(ReferenceBank):
    """features: the one that each learner has."""

    def __init__(
        self, features: list[int], n_outputs: int = 1, decision: str = "midpoint", forgetting: float = 1.0
    ) -> None:
        self.features, self.n_outputs, self.decision, self.forgetting = features, n_outputs, decision, forgetting
        self.n_learners = len(features)
        K = 2 if n_outputs == 1 else n_outputs
        self.n, self.mean, self.M2 = ([[0.0] * K for _ in features] for _ in range(3))

    def seen(self, i: int) -> list[int]:
        return [k for k, n in enumerate(self.n[i]) if n > 0.0]

    def midpoint(self, i: int, x: float) -> list[float]:
        distances = {k: abs(x - self.mean[i][k]) for k in self.seen(i)}
        best = [k for k in distances if distances[k] == min(distances.values())]
        return [1.0 / len(best) if k in best else 0.0 for k in range(len(self.n[i]))]

    def bayes(self, i: int, x: float) -> list[float]:
        seen, total = self.seen(i), sum(self.n[i])
        mean = sum(self.n[i][k] * self.mean[i][k] for k in seen) / total
        v = sum(self.M2[i][k] + self.n[i][k] * (self.mean[i][k] - mean) ** 2 for k in seen) / total
        logs = dict.fromkeys(seen, 0.0)
        if v > 1e-24 * mean**2:
            for k in seen:
                variance = (self.M2[i][k] + v) / (self.n[i][k] + 1.0)
                logs[k] = -0.5 * (math.log(variance) + (x - self.mean[i][k]) ** 2 / variance)
        odds = {k: math.exp(log - max(logs.values())) for k, log in logs.items()}
        return [odds.get(k, 0.0) / sum(odds.values()) for k in range(len(self.n[i]))]

    def predict_at(self, i: int, x: list[float]) -> Vote:
        value = x[self.features[i]]
        if math.isnan(value) or not self.seen(i):
            return [0.0] * self.n_outputs
        shares = self.bayes(i, value) if self.decision == "bayes" else self.midpoint(i, value)
        return [shares[1] - shares[0]] if self.n_outputs == 1 else [2.0 * p - 1.0 for p in shares]

    def predict(self, x: list[float]) -> tuple[Votes, list[bool]]:
        votes = [self.predict_at(i, x) for i in range(self.n_learners)]
        return votes, [not math.isnan(x[j]) for j in self.features]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        value, target, weight = x[self.features[i]], lesson.target[i], lesson.weight[i]
        k = int(target[0] > 0.0) if self.n_outputs == 1 else winner(target)
        w = weight[0] if self.n_outputs == 1 else weight[k]
        if w > 0.0 and not math.isnan(value):
            self.n[i][k] = self.forgetting * self.n[i][k] + w
            before = value - self.mean[i][k]
            self.mean[i][k] += before * w / self.n[i][k]
            self.M2[i][k] = self.forgetting * self.M2[i][k] + w * before * (value - self.mean[i][k])
