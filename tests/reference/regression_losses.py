"""The losses of online gradient boosting, with their constants on the ball of radius b: section C.4.

`y` is the label in [-1, 1], `p` the prediction. The constants hold for D = 1; the ball for any D follows
from them as in C.2, `paper_radius` where the paper has a closed form. For the losses of a margin (modified
least squares, logistic) eps is that of the labels -1 and +1: a label between them can be worse, such as
y = 1 / (2 b) for modified least squares, where it is 1 / (4 b).
"""

from __future__ import annotations

import math

HALVINGS = 200


class RegressionLoss:
    def value(self, y: float, p: float) -> float:
        raise NotImplementedError

    def slope(self, y: float, p: float) -> float:
        """The derivative in p."""
        raise NotImplementedError

    def L(self, b: float) -> float:
        raise NotImplementedError

    def beta(self, b: float) -> float:
        raise NotImplementedError

    def eps(self, b: float) -> float:
        raise NotImplementedError

    def paper_radius(self, eta: float, D: float) -> float:
        """inf{b >= D : eta beta_b b^2 >= eps_b D} as the paper bounds it; by default exact."""
        return self.exact_radius(eta, D)

    def exact_radius(self, eta: float, D: float) -> float:
        """The same by bisection; eta beta_b b^2 - eps_b D grows with b."""

        def enough(b: float) -> bool:
            return eta * self.beta(b) * b**2 >= self.eps(b) * D

        if enough(D):
            return D
        high = D
        while not enough(high):
            high *= 2.0
            if high > 1e12:
                return math.inf
        low = D
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if enough(middle):
                high = middle
            else:
                low = middle
        return high

    def B(self, N: int, eta: float, D: float = 1.0, radius: str = "paper") -> float:
        """C.2. radius: "paper" or "exact"."""
        inf = self.paper_radius(eta, D) if radius == "paper" else self.exact_radius(eta, D)
        return min(eta * N * D, inf)


class Linear(RegressionLoss):
    def value(self, y: float, p: float) -> float:
        return -y * p

    def slope(self, y: float, p: float) -> float:
        return -y

    def L(self, b: float) -> float:
        return 1.0

    def beta(self, b: float) -> float:
        return 0.0

    def eps(self, b: float) -> float:
        return 1.0


class PNorm(RegressionLoss):
    """p = 2 is the squared loss."""

    def __init__(self, p: float = 2.0) -> None:
        self.p = p

    def value(self, y: float, p: float) -> float:
        return abs(y - p) ** self.p

    def slope(self, y: float, p: float) -> float:
        return self.p * math.copysign(1.0, p - y) * abs(p - y) ** (self.p - 1.0)

    def L(self, b: float) -> float:
        return self.p * (b + 1.0) ** (self.p - 1.0)

    def beta(self, b: float) -> float:
        return self.p * (self.p - 1.0) * (b + 1.0) ** (self.p - 2.0)

    def eps(self, b: float) -> float:
        return self.p * (1.0 - b) ** (self.p - 1.0) if b < 1.0 else 0.0


class ModifiedLeastSquares(RegressionLoss):
    def value(self, y: float, p: float) -> float:
        return 0.5 * max(1.0 - y * p, 0.0) ** 2

    def slope(self, y: float, p: float) -> float:
        return -y * max(1.0 - y * p, 0.0)

    def L(self, b: float) -> float:
        return b + 1.0

    def beta(self, b: float) -> float:
        return 1.0

    def eps(self, b: float) -> float:
        return max(1.0 - b, 0.0)


class Logistic(RegressionLoss):
    def value(self, y: float, p: float) -> float:
        z = y * p
        return max(-z, 0.0) + math.log1p(math.exp(-abs(z)))

    def slope(self, y: float, p: float) -> float:
        return -y / (1.0 + math.exp(y * p))

    def L(self, b: float) -> float:
        return 1.0 / (1.0 + math.exp(-b))

    def beta(self, b: float) -> float:
        return 0.25

    def eps(self, b: float) -> float:
        return 1.0 / (1.0 + math.exp(b))

    def paper_radius(self, eta: float, D: float) -> float:
        return max(D, math.log(4.0 / eta)) if D == 1.0 else self.exact_radius(eta, D)


class Absolute(RegressionLoss):
    """Not smooth: only where gradients are taken at the final prediction (C.5)."""

    def value(self, y: float, p: float) -> float:
        return abs(y - p)

    def slope(self, y: float, p: float) -> float:
        return math.copysign(1.0, p - y) if p != y else 0.0

    def L(self, b: float) -> float:
        return 1.0

    def beta(self, b: float) -> float:
        return 0.0

    def eps(self, b: float) -> float:
        return 1.0


class Huber(RegressionLoss):
    """Scaled to slope 1; quadratic within delta."""

    def __init__(self, delta: float = 0.1) -> None:
        self.delta = delta

    def value(self, y: float, p: float) -> float:
        r = abs(p - y)
        return r**2 / (2.0 * self.delta) if r <= self.delta else r - self.delta / 2.0

    def slope(self, y: float, p: float) -> float:
        return min(max((p - y) / self.delta, -1.0), 1.0)

    def L(self, b: float) -> float:
        return 1.0

    def beta(self, b: float) -> float:
        return 1.0 / self.delta

    def eps(self, b: float) -> float:
        """How steeply the loss falls beyond b, steepest for the label 1."""
        return 0.0 if b >= 1.0 else min(1.0, (1.0 - b) / self.delta)
