"""Weights by stochastic average gradient on loss (8): a baseline of Bai, Lam and Sclaroff, section 5.1.

With y_s the gradient theta * g_s - 1 / lambda of example s when it was last visited, 0 before, and d their
sum, every step moves the weights by -c * d / divisor and keeps them above a floor. Modes:

    "one-pass"  example t is visited at step t only; the divisor is the length of the stream, `horizon`
    "seen"      the same, divided by the number of examples seen
    "revisit"   all past losses are kept; at step t one of the t examples, at random, is visited; divided
                by the number seen. This one converges, and needs memory for the whole stream.

Example weights multiply the gradient; a learner that abstains contributes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, compiled, inlined
from shoal.kernels.random import mix, uniform
from shoal.kernels.verbs import rule_combine, rule_reset, rule_update
from shoal.losses import Loss, base_loss, loss_if
from shoal.rules.weighted_losses import check_choice, check_positive, score_by_losses
from shoal.types import Flags, Floats, Keys, Scores, Task

MODES = ("one-pass", "seen", "revisit")
ONE_PASS, SEEN, REVISIT = range(len(MODES))
VISIT = np.uint64(0x5669736974000001)  # keeps these numbers apart from others made with the same seed


class SAGState(NamedTuple):
    """The weights, the sum of gradients and, for "revisit", the past with room for more."""

    loss: Loss
    mode: int
    theta: float
    step: float
    horizon: float
    floor: float
    first: float
    key: Keys  # (1,)
    rounds: Floats  # (1,) t
    weights: Floats  # (N,)
    gradient: Floats  # (N,) d
    past_losses: Floats  # (capacity, N), NaN for a learner that abstained
    past_weights: Floats  # (capacity,) of the examples
    past_gradients: Floats  # (capacity, N)


@dataclass(frozen=True)
class SAGWeights:
    """Weights that follow the average of past gradients of loss (8).

    mode: "one-pass", "seen" or "revisit".
    step: c, positive; 1 is the inverse of the curvature at the first weights.
    horizon: the length of the stream, which "one-pass" must know beforehand.
    theta, base_loss, first, floor: as for `SGDWeights`.
    """

    mode: str = "revisit"
    step: float = 1.0
    horizon: int | None = None
    theta: float = 0.1
    base_loss: str = "ramp"
    ramp: float = 0.0
    first: float = 1.0
    floor: float = 1e-3

    def check(self) -> None:
        """Refuse parameters for which the formulas have no value."""
        check_positive(self, "step", "theta", "first", "floor")
        check_choice("mode", self.mode, MODES)
        if self.mode == "one-pass" and self.horizon is None:
            raise InputError(
                "mode 'one-pass' needs the length of the stream: give horizon=, the number of examples, "
                "or take mode 'seen' or 'revisit'."
            )
        if self.horizon is not None and not self.horizon >= 1:
            raise InputError(f"horizon is {self.horizon!r}; expected a number of examples, 1 or more.")
        base_loss(self.base_loss, self.ramp)

    def init(self, n_members: int, task: Task, seed: int) -> SAGState:
        """Equal weights."""
        self.check()
        return SAGState(
            base_loss(self.base_loss, self.ramp),
            MODES.index(self.mode),
            float(self.theta),
            float(self.step),
            float(self.horizon or 0),
            float(self.floor),
            float(self.first),
            np.array([seed], dtype=np.uint64),
            np.zeros(1),
            np.full(n_members, float(self.first)),
            np.zeros(n_members),
            np.zeros((0, n_members)),
            np.zeros(0),
            np.zeros((0, n_members)),
        )

    def widen(self, state: SAGState, task: Task) -> SAGState:
        """Nothing depends on the number of classes."""
        return state

    def weights(self, state: SAGState) -> Floats:
        """Those that answer."""
        return state.weights.copy()

    def reserve(self, state: SAGState, n_rows: int) -> SAGState:
        """Room to remember that many more examples, where the past is revisited."""
        needed = int(state.rounds[0]) + n_rows
        held = len(state.past_weights)
        if state.mode != REVISIT or needed <= held:
            return state
        # A power of two, so that room depends on the number of examples and not on how they were cut.
        more = (1 << (needed - 1).bit_length()) - held
        blank = np.zeros((more, len(state.weights)))
        return state._replace(
            past_losses=np.concatenate([state.past_losses, blank]),
            past_weights=np.concatenate([state.past_weights, np.zeros(more)]),
            past_gradients=np.concatenate([state.past_gradients, blank]),
        )


@compiled
def visited(key: Keys, t: int) -> int:
    """Which of the t examples so far is visited."""
    return int(uniform(mix(mix(key[0], VISIT), np.uint64(t))) * t)


@inlined
def remember(rule: SAGState, t: int, members: Scores, present: Flags, k: int, weight: float) -> None:
    """Append example t, not visited as yet."""
    if t > len(rule.past_weights):
        raise InputError("No room to remember another example: call reserve(state, n_rows) before learning.")
    rule.past_weights[t - 1] = weight
    for i in range(members.shape[0]):
        rule.past_losses[t - 1, i] = loss_if(rule.loss, members, i, k) if present[i] else math.nan
        rule.past_gradients[t - 1, i] = 0.0


@inlined
def visit(rule: SAGState, s: int) -> None:
    """Replace the gradients of example s by those at the present weights."""
    for i in range(len(rule.weights)):
        g = rule.past_losses[s, i]
        if not math.isnan(g):
            fresh = rule.past_weights[s] * (rule.theta * g - 1.0 / rule.weights[i])
            rule.gradient[i] += fresh - rule.past_gradients[s, i]
            rule.past_gradients[s, i] = fresh


@inlined
def visit_now(rule: SAGState, members: Scores, present: Flags, k: int, weight: float) -> None:
    """Add the gradients of the present example, which will not be visited again."""
    for i in range(members.shape[0]):
        if present[i]:
            g = loss_if(rule.loss, members, i, k)
            rule.gradient[i] += weight * (rule.theta * g - 1.0 / rule.weights[i])


@body(rule_combine, SAGState, allocates=False)
def combine(rule: SAGState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The class with the least weighted losses, equation (12)."""
    score_by_losses(rule.loss, rule.weights, members, present, out)


@body(rule_update, SAGState, allocates=False)
def update(
    rule: SAGState, members: Scores, parts: Scores, present: Flags, y: float, weight: float, age: float
) -> None:
    """One example is visited, then all weights move along the sum of gradients."""
    t = int(rule.rounds[0]) + 1
    if rule.mode == REVISIT:
        remember(rule, t, members, present, int(y), weight)
        visit(rule, visited(rule.key, t))
    else:
        visit_now(rule, members, present, int(y), weight)
    rule.rounds[0] = t
    divisor = rule.horizon if rule.mode == ONE_PASS else float(t)
    for i in range(len(rule.weights)):
        rule.weights[i] = max(rule.floor, rule.weights[i] - rule.step * rule.gradient[i] / divisor)


@body(rule_reset, SAGState, allocates=False)
def reset(rule: SAGState, i: int) -> None:
    """A new member i starts with the first weight; on the past it has abstained."""
    rule.weights[i] = rule.first
    rule.gradient[i] = 0.0
    rule.past_gradients[:, i] = 0.0
    if rule.mode == REVISIT:
        rule.past_losses[: int(rule.rounds[0]), i] = math.nan
