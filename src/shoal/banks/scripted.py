"""Learners that vote as they were told beforehand and record what they are taught.

The example's number is its only feature. Rules and boosters are tested with this bank, and votes that
were recorded elsewhere can be combined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Floats, Ints, Lesson, Row, Scores, Space, Task


class ScriptedState(NamedTuple):
    """The script, (T, N, C) and (T, N), and the lessons of each example and learner."""

    votes: Floats
    after: Floats
    live: Flags
    lessons: Ints  # (T, N) how many
    target: Floats  # (T, N, C) of the last one
    weight: Floats  # (T, N, C) of all of them


@dataclass(frozen=True, eq=False)
class ScriptedBank:
    """votes[t, i]: what learner i votes on example t, (T, N, C), or (T, N) for one output.

    after: what it votes on the same example once it was taught it; as before by default.
    live: (T, N) whether it votes at all; always by default.
    """

    votes: Floats
    after: Floats | None = None
    live: NDArray[np.bool_] | None = None

    @property
    def n_learners(self) -> int:
        """How many the script is for."""
        return int(self.votes.shape[1])

    def init(self, space: Space, task: Task, seed: int) -> ScriptedState:
        """The script from its beginning."""
        votes = table(self.votes)
        after = votes if self.after is None else table(self.after)
        live = np.ones(votes.shape[:2], dtype=np.bool_) if self.live is None else self.live
        if votes.shape[2] != task.n_outputs:
            raise InputError(f"votes has {votes.shape[2]} outputs; expected {task.n_outputs} for this task.")
        if after.shape != votes.shape or live.shape != votes.shape[:2]:
            raise InputError(f"after or live does not fit votes, whose shape is {votes.shape}.")
        lessons = np.zeros(votes.shape[:2], dtype=np.int64)
        return ScriptedState(votes, after, live, lessons, np.zeros(votes.shape), np.zeros(votes.shape))

    def grow(self, state: ScriptedState, space: Space) -> ScriptedState:
        """Features do not matter."""
        return state

    def widen(self, state: ScriptedState, task: Task) -> ScriptedState:
        """A script cannot say more than it does."""
        raise InputError("a scripted bank has no votes for further classes; write its script for all of them.")


def table(votes: Floats) -> Floats:
    """Votes as (T, N, C)."""
    votes = np.ascontiguousarray(votes, dtype=np.float64)
    return votes if votes.ndim == 3 else votes[:, :, None]


@inlined
def example(row: Row) -> int:
    """The number of the example; 0 is not stored."""
    return int(row.values[0]) if len(row.values) > 0 else 0


@inlined
def say(bank: ScriptedState, t: int, i: int, votes: Scores) -> None:
    """Learner i's vote on example t."""
    for c in range(votes.shape[1]):
        votes[i, c] = bank.votes[t, i, c] if bank.lessons[t, i] == 0 else bank.after[t, i, c]


@inlined
def record(bank: ScriptedState, t: int, i: int, lesson: Lesson) -> None:
    """Keep learner i's lesson."""
    bank.lessons[t, i] += 1
    for c in range(lesson.target.shape[1]):
        bank.target[t, i, c] = lesson.target[i, c]
        bank.weight[t, i, c] += lesson.weight[i, c]


@body(bank_predict, ScriptedState)
def predict(bank: ScriptedState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes by the script."""
    t = example(row)
    for i in range(votes.shape[0]):
        live[i] = bank.live[t, i]
        say(bank, t, i, votes)


@body(bank_predict_at, ScriptedState)
def predict_at(bank: ScriptedState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes by the script."""
    say(bank, example(row), i, votes)


@body(bank_update, ScriptedState)
def update(bank: ScriptedState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner keeps its lesson."""
    for i in range(votes.shape[0]):
        record(bank, example(row), i, lesson)


@body(bank_update_at, ScriptedState)
def update_at(bank: ScriptedState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i keeps its lesson."""
    record(bank, example(row), i, lesson)


@body(bank_replace, ScriptedState)
def replace(bank: ScriptedState, i: int, seed: int) -> None:
    """Learner i forgets its lessons."""
    bank.lessons[:, i] = 0
    bank.target[:, i, :] = 0.0
    bank.weight[:, i, :] = 0.0
