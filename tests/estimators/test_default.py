"""The classifier to begin with."""

import numpy as np
import pytest
import scipy.sparse
from tests.estimators.every import checks

import shoal
from shoal.methods import build
from shoal.model import Model
from shoal.registry import METHODS
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Space


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks(["OnlineEnsembleClassifier"])))
def test_scikit_learn_check(estimator, check):
    """The check passes."""
    check(estimator)


def errors_of(method, X, y):
    """The share of rows answered wrongly before they were learned."""
    model = Model(build(method, {}), seed=0, classes=sorted(set(y.tolist())))
    answers = model.answer_and_learn(Chunk(to_rows(X), y, None, Space.of_size(X.shape[1])))
    return answers.predicted != answers.truth


def streams():
    """(name, X, y): a noisy plane, a ring, codes without an order, and three classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    yield "plane", X, (X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(scale=0.5, size=600) > 0).astype(int)
    yield "ring", X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
    codes = rng.integers(1, 8, size=(600, 4)).astype(float)
    yield "codes", codes, np.isin(codes[:, 2], (1, 4, 7)).astype(int)
    yield "classes", X, np.digitize(X[:, 0] + X[:, 1], (-0.8, 0.8))


@pytest.mark.parametrize(("name", "X", "y"), [pytest.param(*s, id=s[0]) for s in streams()])
def test_errs_less_than_one_perceptron(name, X, y):
    """On streams of different kinds it errs clearly less than a single Perceptron."""
    assert errors_of("shoal", X, y).mean() < 0.9 * errors_of("single", X, y).mean()


def test_recovers_from_a_sudden_change():
    """After the classes change places it is right again within the length of what came before."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    y[1000:] = 1 - y[1000:]
    wrong = errors_of("shoal", X, y)
    assert wrong[800:1000].mean() < 0.05
    assert wrong[2500:].mean() < 0.15


def test_many_sparse_features_take_bounded_memory():
    """With a million features no learner keeps their square, and what is kept stays below a gigabyte."""
    rng = np.random.default_rng(2)
    X = scipy.sparse.random(40, 1_000_000, density=2e-5, format="csr", random_state=2)
    y = rng.integers(2, size=40)
    y[:2] = 0, 1
    model = shoal.OnlineEnsembleClassifier(random_state=0).partial_fit(X, y, classes=[0, 1])

    def size(part):
        return sum(map(size, part)) if isinstance(part, tuple) else getattr(part, "nbytes", 0)

    assert size(model.model_.state) < 2**30


def test_is_the_first_method():
    """It leads the list of methods, and is what the class of that name is made of."""
    assert next(iter(METHODS)) == shoal.OnlineEnsembleClassifier.method == "shoal"
