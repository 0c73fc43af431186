"""Hoeffding trees against their slow twin, and against what they promise."""

import copy
import math

import numpy as np
import pytest
from tests.banks.twin_helpers import teach_twin
from tests.model.building import in_pieces, learn, same_models, stream
from tests.reference.hoeffding import ReferenceHoeffdingTrees, Setting

from shoal.banks.hoeffding import HoeffdingTrees, predict, update
from shoal.banks.hoeffding_leaf import leaf_of
from shoal.banks.hoeffding_pool import (
    EXAMPLES,
    FEATURE,
    LEAF,
    LOWER,
    NO_SLOT,
    SLOT,
    THRESHOLD,
    UPPER,
    most_splits,
    promise,
)
from shoal.banks.one_vs_rest import OneVsRest
from shoal.banks.perceptron import Perceptrons
from shoal.banks.stack import Stack
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.kernels.verbs import bank_update
from shoal.model import Model
from shoal.testing import BankDriver, states_equal, task_of
from shoal.types import Space

N = 3
SPACE = Space.of_columns(
    [("size", None), ("rare", None), ("flag", None), ("colour", "red"), ("colour", "green"), ("colour", "blue")]
)
COLUMNS = [None, None, None, 0, 0, 0]
EAGER = {"grace_period": 20, "delta": 0.05, "tau": 0.2}


def rows_of(rng, n, missing=0.1):
    """Two numeric features, one of them mostly 0, a flag, and the three indicators of a colour."""
    rare = rng.normal(size=n) * (rng.random(n) < 0.4)
    colours = np.eye(3)[rng.integers(0, 3, n)]
    X = np.column_stack([rng.normal(size=n), rare, rng.random(n) < 0.5, colours])
    X[:, :3][rng.random((n, 3)) < missing] = np.nan
    X[rng.random(n) < missing, 3:] = np.nan
    return X


def classes_of(X, n_classes, rng):
    """Classes that need several splits to tell apart."""
    X = np.nan_to_num(X)
    cells = (X[:, 0] > 0.3) + 2 * (X[:, 2] > 0.5) + 4 * (X[:, 3] > 0.5) + (X[:, 1] > 0.0)
    return np.where(rng.random(len(X)) < 0.1, rng.integers(0, n_classes, len(X)), cells % n_classes)


def splits_of(state, i):
    """(feature, threshold) of every branch, a branch before its children, the lower side first."""
    found, waiting = [], [int(state.roots[i])]
    while waiting:
        links = state.nodes.links[waiting.pop()]
        if links[FEATURE] != LEAF:
            node = int(np.flatnonzero((state.nodes.links == links).all(axis=1))[0])
            found.append((int(links[FEATURE]), float(state.nodes.numbers[node, THRESHOLD])))
            waiting += [int(links[UPPER]), int(links[LOWER])]
    return found


def driver_of(bank, n_classes=2, space=SPACE):
    return BankDriver(bank, space, task_of(n_classes), seed=1)


def taught(bank, X, y, weights=None, n_classes=2, space=SPACE):
    driver = driver_of(bank, n_classes, space)
    weights = np.ones((len(X), bank.n_learners)) if weights is None else weights
    for t in range(len(X)):
        driver.update(X[t], y[t], weights[t])
    return driver


@pytest.mark.parametrize("criterion", ["information", "gini"])
@pytest.mark.parametrize("leaves", ["adaptive", "naive_bayes", "majority"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_and_splits_are_those_of_the_slow_twin(n_classes, leaves, criterion):
    """On weighted rows with zeros, missing values and nominal columns votes agree to 1e-9, and all splits."""
    rng = np.random.default_rng(n_classes)
    X = rows_of(rng, 500)
    y = classes_of(X, n_classes, rng)
    weights = rng.exponential(size=(len(X), N)) * (rng.random((len(X), N)) < 0.9)
    driver = driver_of(HoeffdingTrees(N, leaves=leaves, criterion=criterion, **EAGER), n_classes)
    setting = Setting(COLUMNS, n_classes, 20.0, 0.05, 0.2, criterion, leaves)
    twin = ReferenceHoeffdingTrees(N, setting)
    for t in range(len(X)):
        if t % 5 == 0:
            np.testing.assert_allclose(driver.predict(X[t])[0], twin.predict(list(X[t]))[0], rtol=0, atol=1e-9)
        driver.update(X[t], y[t], weights[t])
        teach_twin(twin, driver, X[t].tolist(), y[t], weights[t])
    for i in range(N):
        ours, theirs = splits_of(driver.state, i), twin.splits(i)
        assert [j for j, _ in ours] == [j for j, _ in theirs]
        np.testing.assert_allclose([v for _, v in ours], [v for _, v in theirs], rtol=1e-9)
        assert len(theirs) >= 3


def test_plain_python_does_what_compiled_code_does():
    """The bodies run as plain Python leave the same state and votes as compiled."""
    rng = np.random.default_rng(4)
    X = rows_of(rng, 150)
    y = classes_of(X, 2, rng)
    compiled, plain = (driver_of(HoeffdingTrees(N, **EAGER)) for _ in range(2))
    for t in range(len(X)):
        compiled.update(X[t], y[t], np.ones(N))
        plain.state = plain.bank.reserve(plain.state, 1)
        votes, live = np.zeros((N, 1)), np.zeros(N, dtype=np.bool_)
        predict(plain.state, plain.row(X[t]), votes, live)
        update(plain.state, plain.row(X[t]), votes, plain.lesson(y[t], np.ones(N)))
    assert splits_of(plain.state, 0) == splits_of(compiled.state, 0)
    assert len(splits_of(plain.state, 0)) > 0
    for x in X[:20]:
        np.testing.assert_allclose(plain.predict(x)[0], compiled.predict(x)[0], rtol=0, atol=1e-12)


def test_rooms_made_for_many_rows_or_for_one_hold_the_same_trees():
    """Room reserved for a whole stream at once gives the same state, once settled, as row by row."""
    rng = np.random.default_rng(6)
    X = rows_of(rng, 400)
    y = classes_of(X, 2, rng)
    by_row = taught(HoeffdingTrees(N, **EAGER), X, y)
    at_once = driver_of(HoeffdingTrees(N, **EAGER))
    at_once.state = at_once.bank.reserve(at_once.state, len(X))
    room = len(at_once.state.nodes.links)
    for t in range(len(X)):
        bank_update(at_once.state, at_once.row(X[t]), np.zeros((N, 1)), at_once.lesson(y[t], np.ones(N)))
    assert len(at_once.state.nodes.links) == room
    assert by_row.state.n_nodes.min() > 1
    settle = by_row.bank.settle
    assert states_equal(settle(by_row.state), settle(at_once.state))


def test_a_model_of_trees_is_the_same_however_its_rows_are_cut():
    """Rows in one chunk, in pieces or one by one leave the same model, arrays of the same size included."""
    bank = HoeffdingTrees(N, grace_period=5.0, delta=0.5, tau=0.5)
    models = [Model(Ensemble(bank), seed=1, classes=[0, 1]) for _ in range(3)]
    for model, sizes in zip(models, ([60], [7, 30], [1] * 60), strict=True):
        learn(model, in_pieces(stream(), sizes))
    assert models[0].state.bank.n_nodes.min() > 1
    assert all(same_models(models[0], other) for other in models[1:])


@pytest.mark.parametrize("bank", [Stack((HoeffdingTrees(2), Perceptrons(1))), OneVsRest(HoeffdingTrees(N))])
def test_banks_made_of_trees_give_room_back(bank):
    """A stack and a bank for each class settle the banks that they are made of."""
    state = bank.init(SPACE, task_of(3), 1)
    roomy = bank.reserve(state, 10_000)
    assert not states_equal(roomy, state)
    assert states_equal(bank.settle(roomy), state)


def test_room_reserved_is_enough_for_the_heaviest_rows():
    """However heavy the examples, chunks never bring about more splits than room was reserved for."""
    rng = np.random.default_rng(7)
    bank = HoeffdingTrees(N, grace_period=8, delta=0.9, tau=1.0)
    X = rows_of(rng, 600, missing=0.0)
    y = classes_of(X, 2, rng)
    driver = driver_of(bank)
    for start in range(0, len(X), 50):
        driver.state = bank.reserve(driver.state, 50)
        state = driver.state
        bound = most_splits(state.growth, state.roots, state.nodes, state.n_nodes, 50)
        before = state.n_nodes.sum()
        for t in range(start, start + 50):
            bank_update(state, driver.row(X[t]), np.zeros((N, 1)), driver.lesson(y[t], np.full(N, 1e3)))
        assert state.n_nodes.sum() - before <= 2 * bound
    assert driver.state.n_nodes.min() > 20


def test_learning_without_room_is_refused():
    """A stream learned without reserve ends in an InputError that says what to do, not in a wrong tree."""
    rng = np.random.default_rng(8)
    X = rows_of(rng, 600, missing=0.0)
    y = classes_of(X, 2, rng)
    driver = driver_of(HoeffdingTrees(N, grace_period=8, delta=0.9, tau=1.0))

    def learn_all():
        for t in range(len(X)):
            bank_update(driver.state, driver.row(X[t]), np.zeros((N, 1)), driver.lesson(y[t], np.ones(N)))

    with pytest.raises(InputError, match="reserve"):
        learn_all()


def test_the_two_indicators_of_a_column_do_not_tie():
    """A nominal column that settles the class is split on at the first test, though its indicators are mirrors."""
    space = Space.of_columns([("side", "left"), ("side", "right"), ("noise", None)])
    rng = np.random.default_rng(9)
    left = rng.integers(0, 2, 200).astype(float)
    X = np.column_stack([left, 1.0 - left, rng.normal(size=200)])
    driver = taught(HoeffdingTrees(1, delta=1e-7, tau=0.0), X, left.astype(int), space=space)
    assert splits_of(driver.state, 0) == [(0, 0.5)]


def test_nodes_are_bounded():
    """A tree with its most nodes is not split any more, and still answers."""
    rng = np.random.default_rng(10)
    X = rows_of(rng, 400)
    y = classes_of(X, 2, rng)
    driver = taught(HoeffdingTrees(N, max_nodes=6, **EAGER), X, y)
    assert driver.state.n_nodes.tolist() == [5] * N
    assert np.isfinite(driver.predict(X[0])[0]).all()


def observing(state):
    """{leaf: what splitting it could gain} of the leaves that observe."""
    slots = state.nodes.links[: state.pool.taken[0], SLOT]
    return {int(leaf): promise(state.nodes, int(leaf)) for leaf in np.flatnonzero(slots != NO_SLOT)}


def test_memory_goes_to_the_most_promising_leaves():
    """With memory for two, a leaf that asks observes in place of one with less to gain, or both have as much."""
    rng = np.random.default_rng(11)
    X = rows_of(rng, 600)
    y = classes_of(X, 2, rng)
    one_slot = sum(table[0].nbytes for table in driver_of(HoeffdingTrees(1)).state.observers)
    driver = driver_of(HoeffdingTrees(1, max_bytes=2 * one_slot, **EAGER))
    taken_over = refused = 0
    for t in range(len(X)):
        before = observing(driver.state)
        driver.update(X[t], y[t], np.ones(1))
        nodes, now = driver.state.nodes, observing(driver.state)
        assert len(now) <= 2
        leaf = leaf_of(nodes, driver.state.roots[0], driver.row(X[t]))
        lost = [node for node in before if node not in now and nodes.links[node, FEATURE] == LEAF]
        taken_over += len(lost)
        assert all(promise(nodes, node) < min(now.values()) for node in lost)
        if nodes.numbers[leaf, EXAMPLES] == 0.0 and leaf not in now:
            refused += 1
            assert promise(nodes, leaf) <= min(now.values())
    assert taken_over > 0
    assert refused > 0
    assert driver.bank.describe(driver.state).leaves[0] > 2
    assert np.isfinite([driver.predict(x)[0] for x in X]).all()


def test_replaced_trees_give_their_nodes_back():
    """Replacing a tree again and again takes no more nodes than the largest tree needed."""
    rng = np.random.default_rng(12)
    X = rows_of(rng, 150)
    y = classes_of(X, 2, rng)
    driver = taught(HoeffdingTrees(N, **EAGER), X, y)
    taken = driver.state.pool.taken.copy()
    for seed in range(5):
        driver.replace(1, seed)
        assert driver.state.n_nodes[1] == 1
        for t in range(len(X)):
            driver.update(X[t], y[t], np.array([0.0, 1.0, 0.0]))
    assert driver.state.n_nodes[1] == driver.state.n_nodes[0]
    assert np.array_equal(driver.state.pool.taken, taken)
    for x in X[:20]:
        votes = driver.predict(x)[0]
        assert np.array_equal(votes[1], votes[0])


def test_a_tree_learns_what_no_single_leaf_can():
    """On a chequered square, where every class is everywhere in each feature, a tree beats its own first leaf."""
    rng = np.random.default_rng(13)
    X = rng.uniform(0.0, 1.0, (6000, 2))
    y = ((X[:, 0] > 0.4) ^ (X[:, 1] > 0.5)).astype(int)
    space = Space.of_size(2)
    errors = {}
    for max_nodes in (1, 255):
        driver = taught(HoeffdingTrees(1, max_nodes=max_nodes), X[:5000], y[:5000], space=space)
        votes = np.array([driver.predict(x)[0][0, 0] for x in X[5000:]])
        errors[max_nodes] = np.mean((votes > 0.0) != y[5000:])
    assert errors[1] > 0.3
    assert errors[255] < 0.1


def test_features_unseen_change_nothing():
    """Declared features that are never given leave votes and splits as they are."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0.2).astype(int)
    few = taught(HoeffdingTrees(1, **EAGER), X, y, space=Space.of_size(2))
    wide = np.column_stack([X, np.zeros((300, 3))])
    many = taught(HoeffdingTrees(1, **EAGER), wide, y, space=Space.of_size(5))
    assert splits_of(few.state, 0) == splits_of(many.state, 0)
    for t in range(20):
        np.testing.assert_allclose(few.predict(X[t])[0], many.predict(wide[t])[0], rtol=0, atol=1e-12)


def test_trees_keep_what_they_know_when_classes_and_features_appear():
    """A grown and widened tree splits where it did, and later splits on the new feature for the new class."""
    rng = np.random.default_rng(15)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0.2).astype(int)
    driver = taught(HoeffdingTrees(1, **EAGER), X, y, space=Space.of_size(2, open=True))
    before = splits_of(driver.state, 0)
    driver.grow(Space.of_size(40, open=True))
    driver.widen(task_of(3))
    assert splits_of(driver.state, 0) == before
    X = np.column_stack([rng.normal(size=(1500, 39)), rng.random(1500) < 0.5])
    y = np.where(X[:, 39] > 0.5, 2, X[:, 0] > 0.2)
    for t in range(len(X)):
        driver.update(X[t], y[t], np.ones(1))
    assert 39 in [j for j, _ in splits_of(driver.state, 0)]
    right = [int(np.argmax(driver.predict(X[t])[0][0])) == y[t] for t in range(200)]
    assert np.mean(right) > 0.9


def test_trees_look_only_at_their_own_columns():
    """With feature_fraction every split is on a column that the tree sees."""
    rng = np.random.default_rng(16)
    X = rows_of(rng, 600)
    y = classes_of(X, 2, rng)
    driver = taught(HoeffdingTrees(8, feature_fraction=0.5, **EAGER), X, y)
    chosen = [{j for j, _ in splits_of(driver.state, i)} for i in range(8)]
    assert all(driver.state.features.seen[list(found), i].all() for i, found in enumerate(chosen))
    assert len({frozenset(found) for found in chosen}) > 1


def test_answering_changes_nothing():
    """A prediction leaves the state as it was, to the last bit."""
    rng = np.random.default_rng(17)
    X = rows_of(rng, 200)
    driver = taught(HoeffdingTrees(N, **EAGER), X, classes_of(X, 2, rng))
    before = copy.deepcopy(driver.state)
    for x in X:
        driver.predict(x)
    assert states_equal(before, driver.state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_learners", 0),
        ("feature_fraction", 0.0),
        ("grace_period", 0.0),
        ("grace_period", math.nan),
        ("delta", 0.0),
        ("delta", 1.0),
        ("tau", -0.1),
        ("criterion", "entropy"),
        ("leaves", "nba"),
        ("n_splits", 0),
        ("max_nodes", 0),
        ("max_bytes", 0),
    ],
)
def test_parameters_without_meaning_are_refused(name, value):
    """A parameter out of range raises InputError with its name and what was expected."""
    with pytest.raises(InputError, match=f"{name} is .*expected"):
        HoeffdingTrees(**{name: value}).init(SPACE, task_of(2), 0)
