"""Booster and rule over scripted learners, compiled and as reference twins."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.boosters.cascades import Played, Script
from tests.reference.interfaces import ReferenceBooster, ReferenceEnsemble, ReferenceRule
from tests.reference.scripted_bank import ScriptedBank as ReferenceBank

from shoal.banks.scripted import ScriptedBank
from shoal.ensemble import Ensemble
from shoal.kernels.verbs import booster_assign, booster_read
from shoal.rules.uniform import Uniform
from shoal.streams.rows import to_rows
from shoal.types import Lesson, Space, Task


def told(votes: Any, y: Any, weights: Any = None) -> Script:
    """A script of these votes, (T, N) or (T, N, C), with every learner awake."""
    votes, y = np.asarray(votes, dtype=float), np.asarray(y)
    votes = votes if votes.ndim == 3 else votes[:, :, None]
    live = np.ones(votes.shape[:2], dtype=bool)
    return Script(votes, votes, live, y, np.ones(len(y)) if weights is None else weights)


def meet(booster: Any, rule: Any, s: Script, vote: str = "soft", seed: int = 3) -> Played:
    """The script given to the compiled loop; the state is that of the whole ensemble."""
    n_outputs = s.votes.shape[2]
    ensemble = Ensemble(ScriptedBank(s.votes, s.after, s.live), booster, rule, vote=vote)
    state = ensemble.init(Space.of_size(1), Task("classification", n_outputs), seed)
    rows = to_rows(np.arange(float(len(s.y)))[:, None])
    predicted, _ = ensemble.run(state, 1, rows, s.y.astype(float), s.weights, max(2, n_outputs))
    return Played(state, predicted, state.bank.weight)


def meet_twin(booster: ReferenceBooster, rule: ReferenceRule, s: Script, vote: str = "soft") -> Played:
    """The script given to the twins; the state is the rule."""
    bank = ReferenceBank(s.votes.tolist(), s.after.tolist(), s.live.tolist())
    ensemble = ReferenceEnsemble(bank, booster, rule, vote=vote)
    binary = s.votes.shape[2] == 1
    predicted = []
    for t, (y, weight) in enumerate(zip(s.y, s.weights, strict=True)):
        score = ensemble.step([float(t)], 2.0 * y - 1.0 if binary else float(y), float(weight))
        predicted.append(int(score[0] >= 0.0) if binary else int(np.argmax(score)))
    lessons = np.zeros(s.votes.shape)
    for t, i, _, weight in bank.lessons:
        lessons[t, i] += weight
    return Played(rule, np.array(predicted), lessons)


def lessons_of(booster: Any, s: Script, vote: str = "soft") -> Any:
    """The weights of all lessons, (T, N, C)."""
    return meet(booster, Uniform(), s, vote).lessons


class Classroom:
    """A booster by itself, for any number of outputs, even two."""

    def __init__(self, booster: Any, n_learners: int, n_outputs: int, seed: int = 0) -> None:
        self.state = booster.init(n_learners, Task("classification", n_outputs), seed)
        self.shape = (n_learners, n_outputs)

    def teach(self, votes: Any, y: int, weight: float = 1.0) -> Any:
        """The weights of the lessons on one example with these votes."""
        members, parts = np.zeros(self.shape), np.zeros(self.shape)
        live, present = np.ones(self.shape[0], dtype=bool), np.ones(self.shape[0], dtype=bool)
        lesson = Lesson(np.zeros(self.shape), np.zeros(self.shape))
        booster_read(self.state, votes, live, members, present, parts)
        booster_assign(self.state, votes, members, parts, live, float(y), weight, lesson)
        return lesson.weight
