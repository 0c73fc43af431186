"""Boosters of regressors over scripted answers, compiled and as reference twins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tests.reference.interfaces import ReferenceEnsemble
from tests.reference.last import ReferenceLast
from tests.reference.scripted_bank import ScriptedBank as ReferenceBank

from shoal.banks.scripted import ScriptedBank
from shoal.ensemble import Ensemble
from shoal.regression import Targets
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.types import Floats, Space, Task

WHOLE = Targets((-1.0, 1.0))


class Played(NamedTuple):
    """What came of a script. answers: (T, C). loads: (T, N, C) weight times target of every lesson."""

    booster: Any
    answers: Floats
    loads: Floats


def play(booster: Any, votes: Any, y: Any, weights: Any = None) -> Played:
    """The script given to the compiled loop; y is (T,) or (T, C)."""
    votes, y = np.asarray(votes, dtype=float), np.asarray(y, dtype=float)
    votes = votes if votes.ndim == 3 else votes[:, :, None]
    ensemble = Ensemble(ScriptedBank(votes), booster, Last(), decision=WHOLE)
    state = ensemble.init(Space.of_size(1), Task("regression", votes.shape[2]), 3)
    rows = to_rows(np.arange(float(len(y)))[:, None])
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    answers, _ = ensemble.run(state, 1, rows, y.reshape(len(y), -1), weights)
    return Played(state.booster, answers, state.bank.target * state.bank.weight)


def play_twin(booster: Any, votes: Any, y: Any, weights: Any = None) -> Played:
    """The script given to the twins, of one target."""
    votes = np.asarray(votes, dtype=float)[:, :, None]
    bank = ReferenceBank(votes.tolist(), votes.tolist(), np.ones(votes.shape[:2], dtype=bool).tolist())
    ensemble = ReferenceEnsemble(bank, booster, ReferenceLast())
    weights = np.ones(len(y)) if weights is None else weights
    answers = [ensemble.step([float(t)], float(y[t]), float(weights[t])) for t in range(len(y))]
    loads = np.zeros(votes.shape)
    for t, i, target, weight in bank.lessons:
        loads[t, i] += np.array(target) * np.array(weight)
    return Played(booster, np.array(answers), loads)
