"""Learners whose regret is known: Hedge over a few functions, each learner for its own losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.boosters.regression_losses import LINEAR, loss_at
from shoal.ensemble import Ensemble, answer_row
from shoal.kernels.compiler import python_body
from shoal.kernels.verbs import bank_predict, bank_update, booster_teach
from shoal.regression import Targets
from shoal.rules.last import Last
from shoal.types import Flags, Floats, Lesson, Row, Scores, Space, Task


class HedgeState(NamedTuple):
    """values: (T, M, d) of all functions, in the unit ball. totals: (N, M) losses; suffered: (N,) learners'."""

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


def answers_of(bank: HedgeState) -> Floats:
    """(N, d) what the weights of Hedge say."""
    rate = np.sqrt(2.0 * np.log(bank.values.shape[1]) / len(bank.values))
    weights = np.exp(-rate * (bank.totals - bank.totals.min(axis=1, keepdims=True)))
    return np.asarray(weights @ bank.values[bank.clock[0]] / weights.sum(axis=1, keepdims=True))


@python_body(bank_predict, HedgeState)
def predict(bank: HedgeState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner answers; votes are in units of 1 / sqrt(d)."""
    live[:] = True
    votes[:] = math.sqrt(votes.shape[1]) * answers_of(bank)


def costs(lesson: Lesson, i: int, points: Floats) -> Floats:
    """(M,) the losses of learner i at the points (M, d); losses other than linear ones for d = 1 only."""
    if lesson.loss[0] == LINEAR:
        return np.asarray(-points @ (lesson.target[i] * lesson.weight[i]))
    kind, parameter = int(lesson.loss[0]), lesson.loss[1]
    at = lesson.offset[i, 0] + lesson.step[i, 0] * points[:, 0]
    return lesson.weight[i, 0] * np.array([loss_at(kind, parameter, lesson.target[i, 0], p) for p in at])


@python_body(bank_update, HedgeState)
def update(bank: HedgeState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner suffers its loss."""
    said, values = answers_of(bank), bank.values[bank.clock[0]]
    for i in range(len(said)):
        bank.suffered[i] += costs(lesson, i, said[i : i + 1])[0]
        bank.totals[i] += costs(lesson, i, values)
    bank.clock[0] += 1


class Run(NamedTuple):
    """What boosting answered, the labels, the regret of each learner (N,), and the booster's state."""

    answers: Floats
    y: Floats
    regrets: Floats
    booster: Any

    @property
    def regret(self) -> float:
        """The largest, or 0."""
        return max(float(self.regrets.max()), 0.0)


def run(booster: Any, values: Floats, n: int, label: Any) -> Run:
    """Boost over the functions, (T, M) or (T, M, d); label(t, answer) is the t-th label, as d numbers if d > 1."""
    cube = values if values.ndim == 3 else values[:, :, None]
    d = cube.shape[2]
    ensemble = Ensemble(HedgeBank(cube, n), booster, Last(), decision=Targets((-1.0, 1.0)))
    state = ensemble.init(Space.of_size(1), Task("regression", d), 0)
    room = ensemble.room(state, 1)
    row = Row(np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0))
    answers, y = np.zeros((len(cube), d)), np.zeros((len(cube), d))
    for t in range(len(cube)):
        answer_row(state, row, room)
        answers[t] = room.score
        y[t] = room.target[:] = label(t, answers[t] if d > 1 else answers[t, 0])
        booster_teach(state.booster, state.bank, row, room, y[t, 0], 1.0)
    regrets = state.bank.suffered - state.bank.totals.min(axis=1)
    return Run(answers if d > 1 else answers[:, 0], y if d > 1 else y[:, 0], regrets, state.booster)
