"""Stochastic average gradient on loss (8): section A.7 (5), in its three modes.

"one-pass" visits sample t at step t and divides by the length T of the stream; "seen" divides by t;
"revisit" keeps all samples and replaces the gradient of one drawn at random, the newest possibly among
them. A sample that was never visited has gradient 0.
"""

from __future__ import annotations

from tests.reference.interfaces import Draw, Votes
from tests.reference.point_weights import ReferencePointWeights


class ReferenceSAG(ReferencePointWeights):
    """T: length of the stream (mode "one-pass"). draw: a number in [0, 1) for step t (mode "revisit")."""

    def __init__(
        self,
        n_members: int,
        n_outputs: int = 1,
        mode: str = "one-pass",
        T: int = 1,
        c: float = 1.0,
        draw: Draw | None = None,
        theta: float = 0.1,
        first: float = 1.0,
        floor: float = 1e-3,
        loss: str = "ramp",
    ) -> None:
        self.n_outputs, self.theta, self.loss = n_outputs, theta, loss
        self.mode, self.T, self.c, self.floor = mode, T, c, floor
        self.draw: Draw = draw if draw is not None else lambda t: 0.0
        self.t = 0
        self.lambda_ = [first] * n_members
        self.d = [0.0] * n_members
        self.samples: list[tuple[list[float], list[bool], float]] = []  # losses, present, weight
        self.gradients: list[list[float]] = []

    def lambdas(self) -> list[float]:
        return self.lambda_

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        self.t += 1
        self.samples.append(([self.g(vote, y) for vote in members], list(present), weight))
        self.gradients.append([0.0] * len(members))
        s = self.t - 1
        if self.mode == "revisit":
            s = int(self.draw(self.t) * self.t)
        self.visit(s)
        divisor = self.T if self.mode == "one-pass" else self.t
        for i in range(len(members)):
            self.lambda_[i] = max(self.floor, self.lambda_[i] - self.c * self.d[i] / divisor)

    def visit(self, s: int) -> None:
        """Replace sample s's gradient in the sum by the one at the present weights."""
        g, present, weight = self.samples[s]
        for i in range(len(g)):
            if present[i]:
                fresh = weight * (self.theta * g[i] - 1.0 / self.lambda_[i])
                self.d[i] += fresh - self.gradients[s][i]
                self.gradients[s][i] = fresh
