"""OSBoost.OCP: the learners' weights by online convex programming (Chen, Lin and Lu 2012, Algorithm 1).

The answer is the sign of sum_i alpha_i h_i, alpha a point of the probability simplex. Where the margin is
below theta = gamma / (2 + gamma), alpha moves by eta_t * y * h and is projected back: projected gradient
descent on the loss max(0, theta - y * sum_i alpha_i h_i). eta_t = eta0 / sqrt(t), or eta0 throughout,
which keeps up with streams that drift; or with forgetting rho the examples that count in t are those not yet
forgotten, 1 + rho + rho**2 + ..., so that steps stay above eta0 * sqrt(1 - rho) (specification F.2). With
K > 2 classes every output has a simplex of its own.

An example's weight multiplies its step; a learner that abstains says 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.boosters.osboost import check_gamma, theta_of
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.rules.simplex import project
from shoal.rules.weighted_losses import check_forgetting, is_positive
from shoal.types import Flags, Floats, Scores, Task


class OCPState(NamedTuple):
    """A point of the simplex for every output."""

    theta: float
    eta0: float
    constant: bool
    forgetting: float
    alpha: Floats  # (M, C)
    rounds: Floats  # (1,) t, as far as it is not forgotten


@dataclass(frozen=True)
class OCP:
    """Weights that follow the gradient of the margin loss, on the simplex.

    gamma: the learners' assumed advantage over chance, in [0, 1/2): as the booster's.
    eta0: size of the first step; by default sqrt(2 / M) for M members, the width of the simplex over the
        largest gradient. Public implementations of the method take 1.
    constant: keep the step as it is, for drifting streams.
    forgetting: factor in (0, 1] on the number of examples at each of them, and on the weight of a label that
        comes late; 1 never forgets.
    """

    gamma: float = 0.1
    eta0: float | None = None
    constant: bool = False
    forgetting: float = 1.0

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_gamma(self.gamma)
        check_forgetting(self.forgetting)
        if self.eta0 is not None and not is_positive(self.eta0):
            raise InputError(
                f"eta is {self.eta0!r}; expected a first step above 0, or None for sqrt(2 / members)."
            )

    def init(self, n_members: int, task: Task, seed: int) -> OCPState:
        """Equal weights."""
        self.check()
        eta0 = math.sqrt(2.0 / n_members) if self.eta0 is None else float(self.eta0)
        alpha = np.full((n_members, task.n_outputs), 1.0 / n_members)
        theta = theta_of(self.gamma)
        return OCPState(theta, eta0, self.constant, float(self.forgetting), alpha, np.zeros(1))

    def widen(self, state: OCPState, task: Task) -> OCPState:
        """Room for more classes. A learner counts for class 0 as it does for class 1; new classes start equal."""
        n_members, known = state.alpha.shape
        alpha = np.full((n_members, task.n_outputs), 1.0 / n_members)
        alpha[:, : max(2, known)] = state.alpha
        return state._replace(alpha=alpha)

    def weights(self, state: OCPState) -> Floats:
        """The mean over the outputs."""
        return np.asarray(state.alpha.mean(axis=1))


@inlined
def score_of(rule: OCPState, members: Scores, present: Flags, c: int) -> float:
    """The weighted vote on output c."""
    total = 0.0
    for i in range(members.shape[0]):
        if present[i]:
            total += rule.alpha[i, c] * members[i, c]
    return total


@body(rule_combine, OCPState)
def combine(rule: OCPState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The weighted votes."""
    for c in range(members.shape[1]):
        out[c] = score_of(rule, members, present, c)


@body(rule_update, OCPState)
def update(
    rule: OCPState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """Where the margin is small, towards those who were right."""
    rule.rounds[0] = rule.forgetting * rule.rounds[0] + 1.0
    eta = weight * rule.forgetting**age * (rule.eta0 if rule.constant else rule.eta0 / math.sqrt(rule.rounds[0]))
    for c in range(members.shape[1]):
        target = (1.0 if c == y else -1.0) if members.shape[1] > 1 else 2.0 * y - 1.0
        if target * score_of(rule, members, present, c) < rule.theta:
            for i in range(members.shape[0]):
                if present[i]:
                    rule.alpha[i, c] += eta * target * members[i, c]
            project(rule.alpha, c)


@body(rule_reset, OCPState)
def reset(rule: OCPState, i: int) -> None:
    """A new member i starts with an equal share, which the others give up alike."""
    rule.alpha[i] = 1.0 / rule.alpha.shape[0]
    for c in range(rule.alpha.shape[1]):
        project(rule.alpha, c)
