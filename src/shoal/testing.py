"""What every bank, booster and rule promises, as checks that your own parts can be held to.

    check_bank(MyBank(n_learners=5))
    check_booster(MyBooster())
    check_rule(MyRule())

Each raises AssertionError with what was expected. The first use of a part compiles it, which takes seconds.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.banks.perceptron import Perceptrons
from shoal.banks.scripted import ScriptedBank
from shoal.ensemble import Bank, Ensemble, EnsembleState, Part, Rule
from shoal.errors import InputError
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.scaling import Scaling, scale_row
from shoal.streams.rows import to_rows
from shoal.types import Flags, Floats, Ints, Lesson, Row, Rows, Scores, Space, Task

N_FEATURES = 6
N_EXAMPLES = 60
N_MEMBERS = 5
CLASSES = (2, 3)
GROWTH_TOLERANCE = 1e-5  # first weights of features that did not occur lengthen the weights a vote is divided by


def states_equal(one: Any, other: Any) -> bool:
    """Whether two states are equal to the last bit; NaN equals NaN. Objects are compared by what they hold."""
    return _equal(one, other, set())


def _equal(one: Any, other: Any, under_way: set[tuple[int, int]]) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, float):
        return one == other or (one != one and other != other)
    if (id(one), id(other)) in under_way:
        return True
    under_way = under_way | {(id(one), id(other))}
    if isinstance(one, np.ndarray | list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_equal(a, b, under_way) for a, b in pairs)
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(_equal(one[key], other[key], under_way) for key in one)
    return _equal_objects(one, other, under_way)


def _equal_objects(one: Any, other: Any, under_way: set[tuple[int, int]]) -> bool:
    """By value, by what they hold, or by what would be saved of them."""
    if isinstance(one, np.random.RandomState):
        return _equal(one.get_state(legacy=False), other.get_state(legacy=False), under_way)
    if "__eq__" in {key for kind in type(one).__mro__[:-1] for key in vars(kind)}:
        return bool(one == other)
    if hasattr(one, "__dict__"):
        return _equal(vars(one), vars(other), under_way)
    return pickle.dumps(one) == pickle.dumps(other)


def task_of(n_classes: int) -> Task:
    """Classification with that many classes."""
    return Task("classification", 1 if n_classes == 2 else n_classes)


def sample(n_classes: int, n: int = N_EXAMPLES, d: int = N_FEATURES, seed: int = 0) -> tuple[Floats, Ints]:
    """Rows with zeros, missing values and features of several kinds, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, ::3] = X[:, ::3] > 0.0
    X[:, 1::3] *= rng.random((n, len(range(1, d, 3)))) < 0.5
    total = X.sum(axis=1)
    y = np.digitize(total, np.quantile(total, np.arange(1, n_classes) / n_classes))
    X[rng.random((n, d)) < 0.1] = np.nan
    return X, y


class BankDriver:
    """A bank by itself, row by row, without booster or rule."""

    def __init__(self, bank: Bank, space: Space, task: Task, seed: int) -> None:
        self.bank, self.space, self.task = bank, space, task
        self.state = bank.init(space, task, seed)

    def row(self, x: Floats) -> Row:
        """A dense row as learners see it."""
        rows = to_rows(x[None, :])
        inputs, input_indices = np.zeros(len(x) + 1), np.zeros(len(x) + 1, dtype=np.int32)
        scaling = Scaling().init(self.space.capacity)
        n = scale_row(scaling, self.space.n_features, rows.indices, rows.values, input_indices, inputs)
        return Row(rows.indices, rows.values, input_indices[:n], inputs[:n])

    def lesson(self, y: int, weights: Floats) -> Lesson:
        """The truth for every learner, each with its weight."""
        shape = (self.bank.n_learners, self.task.n_outputs)
        classes = np.array([1]) if self.task.n_outputs == 1 else np.arange(self.task.n_outputs)
        target = np.broadcast_to(np.where(classes == y, 1.0, -1.0), shape)
        return Lesson(np.ascontiguousarray(target), np.ascontiguousarray(np.broadcast_to(weights[:, None], shape)))

    def predict(self, x: Floats) -> tuple[Scores, Flags]:
        """(votes, live)."""
        votes = np.zeros((self.bank.n_learners, self.task.n_outputs))
        live = np.ones(self.bank.n_learners, dtype=np.bool_)
        bank_predict(self.state, self.row(x), votes, live)
        return votes, live

    def predict_at(self, i: int, x: Floats) -> Floats:
        """Learner i's vote."""
        votes = np.zeros((self.bank.n_learners, self.task.n_outputs))
        bank_predict_at(self.state, i, self.row(x), votes)
        return votes[i]

    def update(self, x: Floats, y: int, weights: Floats) -> None:
        """Every learner learns that x is of class y, learner i with weights[i]."""
        bank_update(self.state, self.row(x), self.predict(x)[0], self.lesson(y, weights))

    def update_at(self, i: int, x: Floats, y: int, votes: Scores, weights: Floats) -> None:
        """Learner i learns, given the votes of all."""
        bank_update_at(self.state, i, self.row(x), votes, self.lesson(y, weights))

    def replace(self, i: int, seed: int) -> None:
        """A fresh learner in place of i."""
        bank_replace(self.state, i, seed)

    def grow(self, space: Space) -> None:
        """Room for the features of a larger space."""
        self.state, self.space = self.bank.grow(self.state, space), space

    def widen(self, task: Task) -> None:
        """Room for more classes."""
        self.state, self.task = self.bank.widen(self.state, task), task

    def twin(self) -> BankDriver:
        """A copy that goes its own way."""
        return copy.deepcopy(self)


def require(condition: bool, name: str, promise: str) -> None:
    """Fail with the name of the part and what it promised."""
    if not condition:
        raise AssertionError(f"{name}: {promise}")


def check_bank(bank: Bank, *, classes: Sequence[int] = CLASSES, widens: bool = True, grows: bool = True) -> None:
    """Hold a bank to everything that a bank promises.

    classes: numbers of classes to try. widens: whether it can take more classes once it has learned;
    if not, it must refuse with an InputError. grows: whether to try features that appear later.
    """
    name = type(bank).__name__
    for n_classes in classes:
        check_ensemble(Ensemble(bank), n_classes=n_classes, name=name)
        driver = BankDriver(bank, Space.of_size(N_FEATURES), task_of(n_classes), seed=1)
        X, y = sample(n_classes, seed=2)
        weights = np.random.default_rng(3).exponential(size=(len(X), bank.n_learners))
        _check_votes(driver, X[0], name)
        half = len(X) // 2
        for t in range(half):
            driver.update(X[t], y[t], weights[t])
            _check_votes(driver, X[t + 1], name)
        _check_single_learners(driver.twin(), X[half:], y[half:], weights[half:], name)
        _check_no_weight(driver.twin(), X[half:], y[half:], weights[half:], name)
        _check_replacement(driver.twin(), X[half], name)
        if grows:
            _check_growth(bank, n_classes, name)
    if widens:
        _check_widening(bank, name)
    else:
        _check_refusal(bank, name)


def _check_votes(driver: BankDriver, x: Floats, name: str) -> None:
    before = copy.deepcopy(driver.state)
    votes, live = driver.predict(x)
    require(states_equal(before, driver.state), name, "bank_predict must change nothing")
    bounded = np.isfinite(votes[live]).all() and (np.abs(votes[live]) <= 1.0).all()
    require(bool(bounded), name, f"votes must be numbers in [-1, 1], got {votes[live]}")
    for i in np.flatnonzero(live):
        same = np.array_equal(driver.predict_at(int(i), x), votes[i])
        require(same, name, f"bank_predict_at must agree with bank_predict to the last bit (learner {i})")
    require(states_equal(before, driver.state), name, "bank_predict_at must change nothing")


def _check_single_learners(one: BankDriver, X: Floats, y: Ints, weights: Floats, name: str) -> None:
    other = one.twin()
    for t in range(len(X)):
        votes = one.predict(X[t])[0]
        one.update(X[t], y[t], weights[t])
        for i in range(one.bank.n_learners):
            other.update_at(i, X[t], y[t], votes, weights[t])
    agrees = states_equal(one.state, other.state)
    require(agrees, name, "bank_update_at for every learner must do what bank_update does, to the last bit")


def _check_no_weight(one: BankDriver, X: Floats, y: Ints, weights: Floats, name: str) -> None:
    other = one.twin()
    nothing = np.zeros(one.bank.n_learners)
    for t in range(len(X)):
        one.update(X[t], y[t], weights[t])
        other.update(X[t], y[t], weights[t])
        other.update(X[t][::-1].copy(), y[t - 1], nothing)
        same = np.array_equal(one.predict(X[t])[0], other.predict(X[t])[0])
        require(same, name, "a lesson of weight 0 must change no vote")


def _check_replacement(driver: BankDriver, x: Floats, name: str) -> None:
    before = driver.predict(x)[0]
    driver.replace(0, seed=4)
    votes = driver.predict(x)[0]
    require(np.array_equal(before[1:], votes[1:]), name, "bank_replace must leave the other learners alone")
    _check_votes(driver, x, name)


def _check_growth(bank: Bank, n_classes: int, name: str) -> None:
    """A bank grown beyond its room votes as before, and from then on as one that had the room from the start."""
    small, large = (Space.of_size(d, open=True) for d in (N_FEATURES, 4 * N_FEATURES))
    X, y = sample(n_classes, seed=5)
    weights = np.ones(bank.n_learners)
    grown, roomy = (BankDriver(bank, space, task_of(n_classes), seed=6) for space in (small, large))
    for t in range(len(X) // 2):
        grown.update(X[t], y[t], weights)
        roomy.update(X[t], y[t], weights)
    before = grown.predict(X[-1])[0]
    grown.grow(large)
    close = np.allclose(before, grown.predict(X[-1])[0], rtol=0.0, atol=GROWTH_TOLERANCE)
    require(close, name, "growing must not change votes on rows of known features")
    X, y = sample(n_classes, d=4 * N_FEATURES, seed=7)
    for t in range(len(X) // 2):
        votes, expected = grown.predict(X[t])[0], roomy.predict(X[t])[0]
        close = np.allclose(votes, expected, rtol=0.0, atol=GROWTH_TOLERANCE)
        require(close, name, "a grown bank must vote like one that had the features from the start")
        grown.update(X[t], y[t], weights)
        roomy.update(X[t], y[t], weights)


def _taught_two(bank: Bank) -> BankDriver:
    driver = BankDriver(bank, Space.of_size(N_FEATURES), task_of(2), seed=8)
    X, y = sample(2, seed=9)
    weights = np.random.default_rng(15).exponential(size=(len(X), bank.n_learners))
    for t in range(len(X)):
        driver.update(X[t], y[t], weights[t])
    return driver


def _check_widening(bank: Bank, name: str) -> None:
    driver = _taught_two(bank)
    X, y = sample(3, seed=10)
    votes = [driver.predict(x)[0] for x in X]
    driver.widen(task_of(3))
    for x, before in zip(X, votes, strict=True):
        after, live = driver.predict(x)
        sides = (after[:, 1] - after[:, 0]) * before[:, 0] >= 0.0
        require(bool(sides[live].all()), name, "a third class must not turn the vote between the first two")
    for t in range(len(X)):
        driver.update(X[t], y[t], np.ones(bank.n_learners))
        _check_votes(driver, X[t], name)


def _check_refusal(bank: Bank, name: str) -> None:
    driver = _taught_two(bank)
    try:
        driver.widen(task_of(3))
    except InputError:
        return
    require(False, name, "a bank that cannot take more classes must raise InputError")


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
    require(
        bool(np.isfinite(proba).all()), name, "answers must be numbers when learners abstain, even all of them"
    )
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
        script, y = _script(n_classes)
        state, proba = _run_script(Ensemble(script, rule=rule), y, n_classes)
        require(
            bool(np.isfinite(proba).all()), name, "answers must be numbers when members abstain, even all of them"
        )
        before = copy.deepcopy(state.rule)
        weights = rule.weights(state.rule)
        require(weights.shape == (N_MEMBERS,) and bool(np.isfinite(weights).all()), name, "one weight per member")
        require(states_equal(before, state.rule), name, "asking for the weights must change nothing")
    wide = rule.widen(rule.init(N_MEMBERS, task_of(2), 0), task_of(3))
    same = states_equal(wide, rule.init(N_MEMBERS, task_of(3), 0))
    require(same, name, "widened before learning, a rule must be as if it had all classes from the start")


def check_ensemble(ensemble: Ensemble, *, n_classes: int = 2, name: str = "Ensemble") -> None:
    """Hold a bank, booster and rule together to what any model promises."""
    X, y = sample(n_classes)
    run = _Run(ensemble, n_classes)
    whole, proba = run.learned(to_rows(X), y)
    require(bool(np.isfinite(proba).all()), name, "probabilities must be numbers, before learning too")
    require(bool(np.allclose(proba.sum(axis=1), 1.0)), name, "probabilities must sum to one")
    _check_same(run.learned(to_rows(X), y), (whole, proba), name, "the same seed must give the same result")
    _check_same(run.one_by_one(X, y), (whole, proba), name, "rows one by one must do what a chunk does")
    _check_same(run.learned(_sparse(X), y), (whole, proba), name, "sparse rows must do what dense rows do")
    _check_same(
        run.reloaded(X, y), (whole, proba), name, "a pickled and reloaded state must continue as if never stopped"
    )
    before = copy.deepcopy(whole)
    run.give(whole, to_rows(X), np.full(len(y), np.nan), np.ones(len(y)))
    require(states_equal(before, whole), name, "answering must change nothing")
    run.give(whole, to_rows(X), y.astype(float), np.zeros(len(y)))
    require(states_equal(before, whole), name, "rows of weight 0 must change nothing")


def _check_same(one: tuple[Any, Floats], other: tuple[Any, Floats], name: str, promise: str) -> None:
    require(np.array_equal(one[1], other[1]), name, f"{promise}, to the last bit; the answers differ")
    require(states_equal(one[0], other[0]), name, f"{promise}, to the last bit; the states differ")


def _sparse(X: Floats) -> Rows:
    from scipy.sparse import csr_array

    return to_rows(csr_array(X))


class _Run:
    """Several ways of giving the same rows to an ensemble."""

    def __init__(self, ensemble: Ensemble, n_classes: int) -> None:
        self.ensemble, self.n_classes = ensemble, n_classes

    def fresh(self) -> EnsembleState:
        return self.ensemble.init(Space.of_size(N_FEATURES), task_of(self.n_classes), 13)

    def give(self, state: EnsembleState, rows: Rows, y: Floats, weights: Floats) -> Floats:
        return self.ensemble.run(state, N_FEATURES, rows, y, weights, self.n_classes)[1]

    def learned(self, rows: Rows, y: Ints) -> tuple[EnsembleState, Floats]:
        state = self.fresh()
        return state, self.give(state, rows, y.astype(float), self.weights(len(y)))

    def one_by_one(self, X: Floats, y: Ints) -> tuple[EnsembleState, Floats]:
        state, weights = self.fresh(), self.weights(len(y))
        proba = [
            self.give(state, to_rows(X[t : t + 1]), y[t : t + 1].astype(float), weights[t : t + 1])
            for t in range(len(y))
        ]
        return state, np.concatenate(proba)

    def reloaded(self, X: Floats, y: Ints) -> tuple[EnsembleState, Floats]:
        state, weights, half = self.fresh(), self.weights(len(y)), len(y) // 2
        first = self.give(state, to_rows(X[:half]), y[:half].astype(float), weights[:half])
        state = pickle.loads(pickle.dumps(state))
        return state, np.concatenate(
            [first, self.give(state, to_rows(X[half:]), y[half:].astype(float), weights[half:])]
        )

    def weights(self, n: int) -> Floats:
        return np.random.default_rng(14).uniform(0.5, 2.0, n)
