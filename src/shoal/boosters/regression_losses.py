"""Losses of regression and their constants, for online gradient boosting (specification C.4).

With y the label and p the prediction, in R^d (d = 1 unless there are several targets):

    linear    -<y, p>                   modified-least-squares  max(1 - <y, p>, 0)^2 / 2
    p-norm    |r|^power,  r = y - p     logistic                log(1 + exp(-<y, p>))
    squared   the same with power 2     huber                   |r|^2 / (2 delta) up to delta, then |r| - delta / 2
    absolute  |r|                       quantile                sum of share * r+ + (1 - share) * r-

Labels lie in the unit ball. On the ball of radius b a loss has slope at most L_b and curvature at most
beta_b, and putting a prediction back into it costs at most eps_b per unit. The paper prints eps_b of the
last two losses for labels -1 and +1. A label between them can be worse: modified least squares falls
beyond b with slope y (1 - y b), which is 1 / (4 b) at y = 1 / (2 b); the logistic loss with y / (1 + exp(y b)),
which is (u - 1) / b at y = u / b, u = 1.278... So `labels="range"` projects on a larger ball, of radius
(D / (4 eta))^(1/3) or (4 (u - 1) D / eta)^(1/3) where these exceed D; `labels="signs"` is the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from scipy.optimize import brentq

from shoal.errors import InputError
from shoal.kernels.compiler import inlined
from shoal.types import Floats


class Kind(IntEnum):
    """The losses; compiled code compares members, never bare numbers."""

    LINEAR = 0
    P_NORM = 1
    MODIFIED_LEAST_SQUARES = 2
    LOGISTIC = 3
    ABSOLUTE = 4
    HUBER = 5
    QUANTILE = 6


LINEAR, P_NORM, MODIFIED_LEAST_SQUARES, LOGISTIC, ABSOLUTE, HUBER, QUANTILE = (int(k) for k in Kind)
BY_NAME = {
    "linear": Kind.LINEAR,
    "squared": Kind.P_NORM,
    "p-norm": Kind.P_NORM,
    "modified-least-squares": Kind.MODIFIED_LEAST_SQUARES,
    "logistic": Kind.LOGISTIC,
    "absolute": Kind.ABSOLUTE,
    "huber": Kind.HUBER,
    "quantile": Kind.QUANTILE,
}
PARAMETERS = {"squared": 2.0, "p-norm": 2.0, "huber": 0.1, "quantile": 0.5}  # where none is given
AT_THE_END = ("absolute", "huber", "quantile")  # gradients at the final prediction (C.5) unless told otherwise
NOT_SMOOTH = ("absolute", "quantile")
SEPARATE = ("linear", "squared", "quantile")  # losses that are sums over the targets
WORST_LOGISTIC = 1.2784645427610738  # u: the root of (u - 1) exp(u) = 1
WIDEST = 1e12  # no ball beyond this radius is looked for


@dataclass(frozen=True)
class RegressionLoss:
    """A loss by name.

    parameter: power of "p-norm" (2 or more), delta of "huber" (above 0), share of "quantile" (in (0, 1)).
    labels: "range" for labels anywhere in [-1, 1], "signs" where they are -1 or +1 only.
    """

    name: str = "squared"
    parameter: float | None = None
    labels: str = "range"

    def check(self) -> None:
        """Refuse names and parameters that have no meaning."""
        if self.name not in BY_NAME:
            raise InputError(f"loss is {self.name!r}; expected one of {', '.join(BY_NAME)}.")
        if self.labels not in ("range", "signs"):
            raise InputError(f"labels is {self.labels!r}; expected 'range' or 'signs'.")
        low, high = {"p-norm": (2.0, 100.0), "huber": (1e-12, 1e12), "quantile": (1e-12, 1.0 - 1e-12)}.get(
            self.name, (-math.inf, math.inf)
        )
        if not low <= self.value_of_parameter <= high:
            raise InputError(
                f"the parameter of the loss {self.name!r} is {self.parameter!r}; expected a number from {low:g} "
                f"to {high:g}."
            )
        if self.name == "squared" and self.parameter not in (None, 2.0):
            raise InputError("the squared loss takes no parameter; for another power use 'p-norm'.")

    @property
    def kind(self) -> Kind:
        """Which it is in compiled code."""
        return BY_NAME[self.name]

    @property
    def value_of_parameter(self) -> float:
        """The parameter given, or the loss's own."""
        return PARAMETERS.get(self.name, 0.0) if self.parameter is None else float(self.parameter)

    def lipschitz(self, b: float, n_outputs: int = 1) -> float:
        """L_b."""
        p = self.value_of_parameter
        if self.kind == Kind.P_NORM:
            return p * (b + 1.0) ** (p - 1.0)
        if self.kind == Kind.MODIFIED_LEAST_SQUARES:
            return b + 1.0
        if self.kind == Kind.LOGISTIC:
            return 1.0 / (1.0 + math.exp(-b))
        if self.kind == Kind.QUANTILE:
            return max(p, 1.0 - p) * math.sqrt(n_outputs)
        return 1.0

    def smoothness(self, b: float) -> float:
        """beta_b; 0 also for losses that have none."""
        p = self.value_of_parameter
        if self.kind == Kind.P_NORM:
            return p * (p - 1.0) * (b + 1.0) ** (p - 2.0)
        constants = {Kind.MODIFIED_LEAST_SQUARES: 1.0, Kind.LOGISTIC: 0.25, Kind.HUBER: 1.0 / max(p, 1e-300)}
        return constants.get(self.kind, 0.0)

    def projection(self, b: float, n_outputs: int = 1) -> float:
        """eps_b. A vector of length 1 is, along a prediction, a label between -1 and 1."""
        p = self.value_of_parameter
        between = self.labels == "range" or n_outputs > 1
        if self.kind == Kind.P_NORM:
            s = (
                min((1.0 + (p - 1.0) * b * b) / (p * b), 1.0) if n_outputs > 1 else 1.0
            )  # <y, p> / |p| at its worst
            return p * (1.0 + b * b - 2.0 * s * b) ** (0.5 * p - 1.0) * (s - b) if b < 1.0 else 0.0
        if self.kind == Kind.HUBER:
            return min(1.0, (1.0 - b) / p) if b < 1.0 else 0.0
        if self.kind == Kind.MODIFIED_LEAST_SQUARES:
            return 0.25 / b if between and b >= 0.5 else max(1.0 - b, 0.0)
        if self.kind == Kind.LOGISTIC:
            worst = between and b > WORST_LOGISTIC
            return (WORST_LOGISTIC - 1.0) / b if worst else math.exp(-b) / (1.0 + math.exp(-b))
        return 1.0

    def radius(self, n: int, eta: float, bound: float = 1.0, form: str = "paper", n_outputs: int = 1) -> float:
        """B of algorithm C1 for n learners whose answers are at most `bound` in size.

        form: "paper" takes ln(4 / eta) for the logistic loss of labels -1 and +1, "exact" the smaller root.
        """
        if form not in ("paper", "exact"):
            raise InputError(f"radius is {form!r}; expected 'paper' or 'exact'.")
        signs = self.labels == "signs" and n_outputs == 1
        if form == "paper" and self.kind == Kind.LOGISTIC and signs and bound == 1.0:
            return min(eta * n * bound, max(bound, math.log(4.0 / eta)))
        return min(eta * n * bound, self._least_radius(eta, bound, n_outputs))

    def _least_radius(self, eta: float, bound: float, n_outputs: int) -> float:
        """inf{b >= bound : eta beta_b b^2 >= eps_b bound}; the difference grows with b."""

        def excess(b: float) -> float:
            return eta * self.smoothness(b) * b**2 - self.projection(b, n_outputs) * bound

        if excess(bound) >= 0.0:
            return bound
        if excess(WIDEST) < 0.0:
            return math.inf
        return float(brentq(excess, bound, WIDEST, xtol=1e-14, rtol=1e-14, maxiter=500))


@inlined
def loss_of_residual(kind: int, parameter: float, r: float) -> float:
    """The loss of a residual of length r."""
    if kind == P_NORM:
        return r * r if parameter == 2.0 else r**parameter
    if kind == HUBER and r <= parameter:
        return r * r / (2.0 * parameter)
    return r - 0.5 * parameter if kind == HUBER else r


@inlined
def slope_of_residual(kind: int, parameter: float, r: float) -> float:
    """Its derivative in r."""
    if kind == P_NORM:
        return 2.0 * r if parameter == 2.0 else parameter * r ** (parameter - 1.0)
    if kind == HUBER:
        return min(r / parameter, 1.0)
    return 1.0 if r > 0.0 else 0.0


@inlined
def loss_of_product(kind: int, z: float) -> float:
    """The loss of the product z of label and prediction."""
    if kind == LINEAR:
        return -z
    if kind == MODIFIED_LEAST_SQUARES:
        return 0.5 * max(1.0 - z, 0.0) ** 2
    return max(-z, 0.0) + math.log1p(math.exp(-abs(z)))


@inlined
def slope_of_product(kind: int, z: float) -> float:
    """Its derivative in z."""
    if kind == LINEAR:
        return -1.0
    if kind == MODIFIED_LEAST_SQUARES:
        return -max(1.0 - z, 0.0)
    e = math.exp(-abs(z))
    return -1.0 / (1.0 + e) if z < 0.0 else -e / (1.0 + e)


@inlined
def is_of_product(kind: int) -> bool:
    """Whether the loss depends on the product of label and prediction alone."""
    return kind in (LINEAR, MODIFIED_LEAST_SQUARES, LOGISTIC)


@inlined
def loss_at(kind: int, parameter: float, y: float, p: float) -> float:
    """The loss of predicting p for one target y."""
    if is_of_product(kind):
        return loss_of_product(kind, y * p)
    if kind == QUANTILE:
        return parameter * (y - p) if y >= p else (1.0 - parameter) * (p - y)
    return loss_of_residual(kind, parameter, abs(p - y))


@inlined
def slope_at(kind: int, parameter: float, y: float, p: float) -> float:
    """Its derivative in p."""
    if is_of_product(kind):
        return y * slope_of_product(kind, y * p)
    if kind == QUANTILE:
        if y == p:
            return 0.0
        return -parameter if y > p else 1.0 - parameter
    size = slope_of_residual(kind, parameter, abs(p - y))
    return size if p > y else -size


@inlined
def gradient_at(kind: int, parameter: float, target: Floats, p: Floats, out: Floats) -> None:
    """The gradient of the loss at the prediction p of all targets."""
    d = len(target)
    if d == 1:
        out[0] = slope_at(kind, parameter, target[0], p[0])
    elif is_of_product(kind):
        z = 0.0
        for c in range(d):
            z += target[c] * p[c]
        slope = slope_of_product(kind, z)
        for c in range(d):
            out[c] = slope * target[c]
    elif kind == QUANTILE:
        for c in range(d):
            out[c] = slope_at(kind, parameter, target[c], p[c])
    else:
        square = 0.0
        for c in range(d):
            square += (p[c] - target[c]) ** 2
        r = math.sqrt(square)
        for c in range(d):
            out[c] = slope_of_residual(kind, parameter, r) * (p[c] - target[c]) / r if r > 0.0 else 0.0
