"""A forgetting factor chosen online: one copy of a rule per factor, weighed by their mistakes (Hedge).

Every copy learns every example; copy j of n has made M_j (weighted) mistakes after t examples, and speaks
with weight exp(-eta * M_j), eta = sqrt(8 log(n) / (t + 1)). The score is the mean of the copies' scores
under these weights (specification F.2).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.weighted_losses import check_forgetting
from shoal.types import Flags, Floats, Scores, Task

FACTORS = (0.99, 0.999, 0.9999, 1.0)  # memories of 100, 1000 and 10000 examples, and of all


class ForgettingGridState(NamedTuple):
    """The copies' states, all of one type, and how they fared."""

    experts: tuple[Any, ...]
    mistakes: Floats  # (n_factors,)
    rounds: Floats  # (1,)


@dataclass(frozen=True)
class ForgettingGrid:
    """Several forgetting factors at once, the better ones heard more.

    rule: the rule to be copied; its own factor is not used.
    factors: the forgetting factors, each in (0, 1].
    """

    rule: Any = field(default_factory=BayesExponential)
    factors: tuple[float, ...] = FACTORS

    @property
    def over_parts(self) -> bool:
        """Whether the copies weigh prefix answers, in which the booster's own weights are."""
        return bool(getattr(self.rule, "over_parts", False))

    def check(self) -> None:
        """Refuse what is no grid of factors."""
        if not hasattr(self.rule, "forgetting"):
            raise InputError(f"{type(self.rule).__name__} forgets nothing; give a rule that has `forgetting`.")
        if len(self.factors) == 0:
            raise InputError("factors is empty; expected one forgetting factor or more.")
        for factor in self.factors:
            check_forgetting(factor)

    def copies(self) -> tuple[Any, ...]:
        """The rule with each of the factors."""
        return tuple(dataclasses.replace(self.rule, forgetting=float(factor)) for factor in self.factors)

    def init(self, n_members: int, task: Task, seed: int) -> ForgettingGridState:
        """Copies that have seen nothing."""
        self.check()
        experts = tuple(rule.init(n_members, task, seed) for rule in self.copies())
        return ForgettingGridState(experts, np.zeros(len(experts)), np.zeros(1))

    def widen(self, state: ForgettingGridState, task: Task) -> ForgettingGridState:
        """Room for more classes."""
        experts = tuple(
            rule.widen(expert, task) for rule, expert in zip(self.copies(), state.experts, strict=True)
        )
        return state._replace(experts=experts)

    def merge(self, one: ForgettingGridState, other: ForgettingGridState) -> ForgettingGridState:
        """The copies of both streams, and the mistakes of both."""
        experts = tuple(
            rule.merge(mine, theirs)
            for rule, mine, theirs in zip(self.copies(), one.experts, other.experts, strict=True)
        )
        return ForgettingGridState(experts, one.mistakes + other.mistakes, one.rounds + other.rounds)

    def leader(self, state: ForgettingGridState) -> int:
        """The position of the factor that has erred least."""
        return int(np.argmin(state.mistakes))

    def weights(self, state: ForgettingGridState) -> Floats:
        """Those of the copy that has erred least."""
        best = self.leader(state)
        return np.asarray(self.copies()[best].weights(state.experts[best]))

    def posterior(self, state: ForgettingGridState, names: tuple[str, ...] | None = None) -> Any:
        """The posterior of the copy that has erred least."""
        best = self.leader(state)
        return self.copies()[best].posterior(state.experts[best], names)


@inlined
def answers(score: Floats, y: float) -> bool:
    """Whether a score answers y; a tie goes to class 1 of two, to the first of many."""
    if len(score) == 1:
        return (score[0] >= 0.0) == (y == 1.0)
    return np.argmax(score) == int(y)


@body(rule_combine, ForgettingGridState)
def combine(rule: ForgettingGridState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The mean of the copies' scores, weighed by exp(-eta * mistakes)."""
    n = len(rule.mistakes)
    eta = math.sqrt(8.0 * math.log(n) / (rule.rounds[0] + 1.0))
    least = np.min(rule.mistakes)
    said = np.zeros(len(out))
    total = 0.0
    out[:] = 0.0
    for e in range(len(rule.experts)):
        rule_combine(rule.experts[e], members, parts, present, said)
        weight = math.exp(-eta * (rule.mistakes[e] - least))
        total += weight
        for c in range(len(out)):
            out[c] += weight * said[c]
    for c in range(len(out)):
        out[c] /= total


@body(rule_update, ForgettingGridState)
def update(
    rule: ForgettingGridState,
    members: Scores,
    parts: Scores,
    present: Flags,
    y: float,
    weight: float,
    age: float,
) -> None:
    """Every copy is charged for its mistake, then learns."""
    said = np.zeros(members.shape[1])
    for e in range(len(rule.experts)):
        rule_combine(rule.experts[e], members, parts, present, said)
        if not answers(said, y):
            rule.mistakes[e] += weight
        rule_update(rule.experts[e], members, parts, present, y, weight, age)
    rule.rounds[0] += 1.0


@body(rule_reset, ForgettingGridState)
def reset(rule: ForgettingGridState, i: int) -> None:
    """A new member i: every copy forgets the old one."""
    for expert in rule.experts:
        rule_reset(expert, i)
