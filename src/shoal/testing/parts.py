"""What every booster and every rule promises."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from shoal.banks.perceptron import Perceptrons
from shoal.banks.scripted import ScriptedBank
from shoal.ensemble import Bank, Ensemble, EnsembleState, Part, Rule
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.streams.rows import to_rows
from shoal.testing.driver import N_EXAMPLES, reserved, task_of
from shoal.testing.ensembles import CLASSES, check_ensemble, require
from shoal.testing.equality import states_equal
from shoal.types import Floats, Ints, Space

N_MEMBERS = 5


def check_booster(booster: Part, *, bank: Bank | None = None, classes: Sequence[int] = CLASSES) -> None:
    """Hold a booster to everything that a booster promises. bank: its partner, Perceptrons by default."""
    name = type(booster).__name__
    for n_classes in classes:
        partner = bank if bank is not None else Perceptrons(N_MEMBERS)
        check_ensemble(Ensemble(partner, booster), n_classes=n_classes, name=name)
        _check_lessons(booster, n_classes, name)


def _script(n_classes: int) -> tuple[ScriptedBank, Ints]:
    """Votes by chance, some of them abstained, and for example 0 all of them."""
    rng = np.random.default_rng(11)
    votes = rng.uniform(-1.0, 1.0, (N_EXAMPLES, N_MEMBERS, task_of(n_classes).n_outputs))
    live = rng.random((N_EXAMPLES, N_MEMBERS)) < 0.7
    live[0] = False
    return ScriptedBank(votes, live=live), rng.integers(0, n_classes, N_EXAMPLES)


def _run_script(ensemble: Ensemble, y: Ints, n_classes: int) -> tuple[EnsembleState, Floats]:
    state = ensemble.init(Space.of_size(1), task_of(n_classes), 12)
    rows = to_rows(np.arange(float(len(y)))[:, None])
    return state, ensemble.run(state, 1, rows, y.astype(float), np.ones(len(y)), n_classes)[1]


def _check_lessons(booster: Part, n_classes: int, name: str) -> None:
    bank, y = _script(n_classes)
    state, proba = _run_script(Ensemble(bank, booster), y, n_classes)
    require(bool(np.isfinite(proba).all()), name, "answers must be numbers when learners abstain, even all")
    weight = state.bank.weight
    require(bool((np.isfinite(weight) & (weight >= 0.0)).all()), name, "lessons must weigh 0 or more")
    target = state.bank.target[state.bank.lessons > 0]
    require(bool((np.abs(target) == 1.0).all()), name, "targets must be -1 or +1")


def check_rule(rule: Rule, *, bank: Bank | None = None, classes: Sequence[int] = CLASSES) -> None:
    """Hold a rule to everything that a rule promises. bank: whose votes it combines, Perceptrons by default."""
    name = type(rule).__name__
    for n_classes in classes:
        partner = bank if bank is not None else Perceptrons(N_MEMBERS)
        check_ensemble(Ensemble(partner, rule=rule), n_classes=n_classes, name=name)
        _check_scores(rule, n_classes, name)
    wide = rule.widen(rule.init(N_MEMBERS, task_of(2), 0), task_of(3))
    same = states_equal(wide, rule.init(N_MEMBERS, task_of(3), 0))
    require(same, name, "widened before learning, a rule must be as if it had all classes from the start")


def _check_scores(rule: Rule, n_classes: int, name: str) -> None:
    """Votes by chance, some of them abstained, at first all."""
    rng = np.random.default_rng(11)
    task = task_of(n_classes)
    state, score = rule.init(N_MEMBERS, task, 12), np.zeros(task.n_outputs)
    for t in range(N_EXAMPLES):
        members = rng.uniform(-1.0, 1.0, (N_MEMBERS, task.n_outputs))
        present = rng.random(N_MEMBERS) < (0.7 if t > 0 else 0.0)
        parts = np.cumsum(np.where(present[:, None], members, 0.0), axis=0)
        state = reserved(rule, state, 1)
        before = copy.deepcopy(state)
        rule_combine(state, members, parts, present, score)
        require(bool(np.isfinite(score).all()), name, "scores must be numbers when members abstain, even all")
        weights = rule.weights(state)
        require(weights.shape == (N_MEMBERS,) and bool(np.isfinite(weights).all()), name, "one weight per member")
        require(states_equal(before, state), name, "rule_combine and weights must change nothing")
        rule_update(state, members, parts, present, float(rng.integers(n_classes)), 1.0, 0.0)
