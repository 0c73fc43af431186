"""What every bank promises."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from shoal.ensemble import Bank, Ensemble
from shoal.errors import InputError
from shoal.testing.driver import N_FEATURES, BankDriver, sample, task_of
from shoal.testing.ensembles import CLASSES, check_ensemble, require
from shoal.testing.equality import states_equal
from shoal.types import Floats, Ints, Space

GROWTH_TOLERANCE = 1e-5  # first weights of features that did not occur lengthen the weights a vote is divided by


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
