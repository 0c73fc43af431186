"""A cascade on two classes is the same method, whether they are one problem or two of one against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.boosters.cascades import close, script

from shoal.banks.scripted import ScriptedBank
from shoal.boosters.feature_boost import FeatureBoost
from shoal.boosters.ogboost import OGBoost
from shoal.boosters.ozaboost import OzaBoost
from shoal.decision import Decision
from shoal.ensemble import Ensemble
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.types import Space, Task


@dataclass(frozen=True)
class Columns(Decision):
    """Classes by the largest of so many scores, even of two."""

    columns: int = 1

    def n_outputs(self, state):
        """One score for each column."""
        return self.columns


def taught(booster, votes, after, y):
    """(probabilities answered, lessons) of learners with one column of votes for two classes, or two."""
    columns = votes.shape[2]
    ensemble = Ensemble(ScriptedBank(votes, after), booster, Last(), decision=Columns(columns=columns))
    state = ensemble.init(Space.of_size(1), Task("classification", columns), 3)
    rows = to_rows(np.arange(float(len(y)))[:, None])
    proba = ensemble.run(state, 1, rows, y.astype(float), np.ones(len(y)), 2)[1]
    return proba, state.bank.weight


def opposite(votes):
    """The votes for class 0 beside those for class 1."""
    return np.concatenate([-votes, votes], axis=2)


@pytest.mark.parametrize(
    "booster",
    [OzaBoost(mode="weighted"), OGBoost(), OGBoost(candidates=2), FeatureBoost(3), FeatureBoost(3, pool=True)],
)
def test_two_classes_as_two_outputs_are_two_classes(booster):
    """Two columns of opposite votes are taught as one, and the same class is answered."""
    s = script(60, 6, 1, seed=4)
    one, lessons = taught(booster, s.votes, s.after, s.y)
    two, both = taught(booster, opposite(s.votes), opposite(s.after), s.y)
    close(both, np.repeat(lessons, 2, axis=2))
    assert np.argmax(two[10:], axis=1).tolist() == np.argmax(one[10:], axis=1).tolist()
