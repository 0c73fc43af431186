"""Stochastic gradient descent on loss (8), with or without averaging: section A.7 (3, 4).

form "paper" is (14) with a floor; "implicit" is the proximal step, positive by itself. The step of example
t is gamma / (t + t0)^kappa. Averaging predicts with the mean of the iterates so far, the first included.
The modes of the specification: SGD is kappa = 1; its average in mode "paper" the mean of those iterates; in
mode "polyak" kappa = 2/3 and form "implicit". An example's weight multiplies its loss, hence the step;
a learner that abstains stays where it is.
"""

from __future__ import annotations

import math

from tests.reference.interfaces import Votes
from tests.reference.point_weights import ReferencePointWeights


class ReferenceSGD(ReferencePointWeights):
    def __init__(
        self,
        n_members: int,
        n_outputs: int = 1,
        theta: float = 0.1,
        gamma: float = 1.0,
        form: str = "paper",
        averaging: bool = False,
        kappa: float = 1.0,
        t0: float = 0.0,
        first: float = 1.0,
        floor: float = 1e-3,
        loss: str = "ramp",
    ) -> None:
        self.n_outputs, self.theta, self.loss = n_outputs, theta, loss
        self.gamma, self.form, self.averaging = gamma, form, averaging
        self.kappa, self.t0, self.floor = kappa, t0, floor
        self.t = 0
        self.iterate = [first] * n_members
        self.total = [first] * n_members  # of the iterates, t + 1 of them

    def lambdas(self) -> list[float]:
        if self.averaging:
            return [total / (self.t + 1) for total in self.total]
        return self.iterate

    def update(self, members: Votes, parts: Votes, present: list[bool], y: float, weight: float, age: int) -> None:
        self.t += 1
        e = weight * self.gamma / (self.t + self.t0) ** self.kappa
        for i, vote in enumerate(members):
            if present[i]:
                self.iterate[i] = self.moved(self.iterate[i], e, self.g(vote, y))
            self.total[i] += self.iterate[i]

    def moved(self, lambda_i: float, e: float, g: float) -> float:
        if self.form == "implicit":
            b = lambda_i - e * self.theta * g
            return (b + math.sqrt(b**2 + 4.0 * e)) / 2.0
        return max(self.floor, lambda_i - e * (self.theta * g - 1.0 / lambda_i))
