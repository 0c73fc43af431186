"""Learners whose regret is known: Hedge over a few functions, each learner for its own linear losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.ensemble import Ensemble, answer_row
from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import bank_predict, bank_update, booster_teach
from shoal.regression import Targets
from shoal.rules.last import Last
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class HedgeState(NamedTuple):
    """values: (T, M) of all functions. totals: (N, M) linear losses; suffered: (N,) the learners' own."""

    values: Floats
    totals: Floats
    suffered: Floats
    clock: list[int]


@dataclass(frozen=True, eq=False)
class HedgeBank:
    """n_learners over the functions in `values`."""

    values: Floats
    n_learners: int

    def init(self, space: Space, task: Task, seed: int) -> HedgeState:
        shape = (self.n_learners, self.values.shape[1])
        return HedgeState(self.values, np.zeros(shape), np.zeros(self.n_learners), [0])


def shares(bank: HedgeState) -> Floats:
    """(N, M) the weights of Hedge."""
    rate = np.sqrt(2.0 * np.log(bank.values.shape[1]) / len(bank.values))
    weights = np.exp(-rate * (bank.totals - bank.totals.min(axis=1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@python_body(bank_predict, HedgeState)
def predict(bank: HedgeState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers."""
    live[:] = True
    votes[:, 0] = shares(bank) @ bank.values[bank.clock[0]]


@python_body(bank_update, HedgeState)
def update(bank: HedgeState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner suffers its linear loss."""
    k = -lesson.target[:, 0] * lesson.weight[:, 0]
    bank.suffered[:] += k * votes[:, 0]
    bank.totals[:] += k[:, None] * bank.values[bank.clock[0]]
    bank.clock[0] += 1


class Run(NamedTuple):
    """What boosting answered, the labels, the largest regret of a learner, and the booster's state."""

    answers: Floats
    y: Floats
    regret: float
    booster: Any


def run(booster: Any, values: Floats, n: int, label: Any) -> Run:
    """Boost over the functions; label(t, answer) is the t-th label, which may depend on the answer."""
    ensemble = Ensemble(HedgeBank(values, n), booster, Last(), decision=Targets((-1.0, 1.0)))
    state = ensemble.init(Space.of_size(1), Task("regression", 1), 0)
    room = ensemble.room(state, 1)
    row = Row(np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0))
    answers, y = np.zeros(len(values)), np.zeros(len(values))
    for t in range(len(values)):
        answer_row(state, row, room)
        answers[t] = room.score[0]
        y[t] = room.target[0] = label(t, answers[t])
        booster_teach(state.booster, state.bank, row, room, y[t], 1.0)
    regret = float(np.max(state.bank.suffered - state.bank.totals.min(axis=1)))
    return Run(answers, y, max(regret, 0.0), state.booster)
