"""Weigh regressors by their posterior under normal errors of unknown size.

A learner whose squared errors add up to S over n examples has, its error's variance integrated out, the
likelihood S^(-n/2): its weight, relative to the others. No scale has to be known. Old errors fade by a factor
an example, so that n stays below 1 / (1 - forgetting) and the weights follow a stream that changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.kernels.compiler import body, in_place
from shoal.kernels.verbs import rule_combine, rule_learn, rule_reset
from shoal.settings import is_factor
from shoal.types import Flags, Floats, Room, Scores, Task

PRIOR = 1e-3  # what S begins with, and a floor under it: the errors of targets in [-1, 1] are hardly smaller


class SquaredPosteriorState(NamedTuple):
    """Sums that fade."""

    forgetting: float
    squares: Floats  # (M,) S
    rounds: Floats  # (1,) n


@dataclass(frozen=True)
class SquaredPosterior:
    """Trust members by their squared errors. forgetting: factor on what was learned, in (0, 1]."""

    forgetting: float = 0.98

    def init(self, n_members: int, task: Task, seed: int) -> SquaredPosteriorState:
        """All alike."""
        if not is_factor(self.forgetting):
            raise InputError(f"forgetting is {self.forgetting!r}; expected a factor in (0, 1].")
        return SquaredPosteriorState(float(self.forgetting), np.full(n_members, PRIOR), np.zeros(1))

    def widen(self, state: SquaredPosteriorState, task: Task) -> SquaredPosteriorState:
        """Targets do not grow in number."""
        return state

    def weights(self, state: SquaredPosteriorState) -> Floats:
        """The posterior of each member."""
        weights = np.zeros(len(state.squares))
        weigh(state, np.ones(len(weights), dtype=np.bool_), weights)
        return weights


@in_place
def weigh(rule: SquaredPosteriorState, present: Flags, weights: Floats) -> None:
    """The posterior among those present; the best one's likelihood is 1."""
    least = math.inf
    for i in range(len(weights)):
        if present[i]:
            least = min(least, rule.squares[i])
    for i in range(len(weights)):
        weights[i] = 0.0
        if present[i]:
            weights[i] = math.exp(0.5 * rule.rounds[0] * (math.log(least) - math.log(rule.squares[i])))


@body(rule_combine, SquaredPosteriorState)
def combine(rule: SquaredPosteriorState, members: Scores, parts: Scores, present: Flags, out: Floats) -> None:
    """The posterior mean of the answers; 0 where none is present."""
    weights = np.empty(members.shape[0])
    weigh(rule, present, weights)
    total = 0.0
    out[:] = 0.0
    for i in range(members.shape[0]):
        total += weights[i]
        for c in range(members.shape[1]):
            out[c] += weights[i] * members[i, c]
    for c in range(members.shape[1]):
        out[c] = out[c] / total if total > 0.0 else 0.0


@body(rule_learn, SquaredPosteriorState)
def learn(rule: SquaredPosteriorState, room: Room, y: float, weight: float, age: float) -> None:
    """Each member's squared error; of one that abstains, that of the ensemble's answer."""
    rule.rounds[0] = rule.forgetting * rule.rounds[0] + weight
    for i in range(room.members.shape[0]):
        square = 0.0
        for c in range(room.members.shape[1]):
            said = room.members[i, c] if room.present[i] else room.score[c]
            square += (said - room.target[c]) ** 2
        faded = rule.forgetting * rule.squares[i] + weight * square
        rule.squares[i] = max(faded, PRIOR * (1.0 - rule.forgetting))


@body(rule_reset, SquaredPosteriorState)
def reset(rule: SquaredPosteriorState, i: int) -> None:
    """A fresh member begins where the mean of all is."""
    rule.squares[i] = np.mean(rule.squares)
