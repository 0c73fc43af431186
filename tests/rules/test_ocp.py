"""OCP: learners' weights by projected gradient descent."""

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.reference.ocp import ReferenceOCP
from tests.rules.playing import learn, played, played_to_reference, same_answers, score, started, votes_of

from shoal.errors import InputError
from shoal.rules.ocp import OCP
from shoal.types import Task


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize(
    ("eta0", "constant", "forgetting"),
    [(None, False, 1.0), (1.0, False, 1.0), (0.05, True, 1.0), (1.0, False, 0.9)],
)
def test_agrees_with_its_twin(eta0, constant, forgetting, n_outputs):
    """Scores and weights are the twin's, with abstentions, weighted examples and late labels."""
    steps = votes_of(200, n_outputs=n_outputs, awake=0.8, weighted=True, late=True)
    state, scores = played(OCP(0.2, eta0, constant, forgetting), steps)
    twin = ReferenceOCP(5, n_outputs, 0.2, eta0, constant, forgetting)
    twins = played_to_reference(twin, steps)
    same_answers(scores, twins)
    np.testing.assert_allclose(scores, twins, atol=1e-9)
    np.testing.assert_allclose(state.alpha, np.array(twin.alpha).T, atol=1e-9)


def margins_of(kind, T, N):
    """Margins by chance, or the best member changing again and again, or turning halfway."""
    rng = np.random.default_rng(1)
    if kind == "chance":
        return rng.uniform(-1.0, 1.0, (T, N))
    if kind == "taking turns":
        return np.where(np.arange(N) == np.arange(T)[:, None] % N, 1.0, -1.0)
    margins = np.where(rng.random((T, N)) < np.linspace(0.3, 0.9, N), 1.0, -1.0)
    margins[T // 2 :] *= -1.0
    return margins


def least_loss(margins, theta):
    """The smallest total of max(0, theta - margin) that a point of the simplex reaches, by linear programming."""
    T, N = margins.shape
    answer = linprog(
        np.r_[np.zeros(N), np.ones(T)],
        A_ub=np.hstack([-margins, -np.eye(T)]),
        b_ub=np.full(T, -theta),
        A_eq=np.r_[np.ones(N), np.zeros(T)][None, :],
        b_eq=[1.0],
    )
    return answer.fun


@pytest.mark.parametrize("eta0", [None, 1.0])
@pytest.mark.parametrize("kind", ["chance", "taking turns", "turning"])
def test_regret_is_bounded(kind, eta0):
    """Against the best fixed weights the regret is at most 1.5 sqrt(2 N T), and errors at most loss / theta."""
    T, N, gamma = 400, 6, 0.2
    theta = gamma / (2.0 + gamma)
    margins = margins_of(kind, T, N)
    steps = [s._replace(votes=m[:, None], y=1) for s, m in zip(votes_of(T, N), margins, strict=True)]
    state = started(OCP(gamma, eta0), steps)
    reached = []
    for step in steps:
        reached.append(float(score(state, step)[0]))
        learn(state, step)
    loss = np.sum(np.maximum(0.0, theta - np.array(reached)))
    assert loss - least_loss(margins, theta) <= 1.5 * np.sqrt(2.0 * N * T)
    assert np.sum(np.array(reached) < 0.0) <= loss / theta


def turning_at(change):
    """2,000 examples, of which one member is right before the change and the other one after it."""
    steps = votes_of(2000, 2)
    for t, step in enumerate(steps):
        y = 2.0 * step.y - 1.0
        step.votes[:, 0] = (y, -y) if t < change else (-y, y)
    return steps


def test_constant_steps_follow_a_change():
    """When the good member changes, a constant step moves the weight over; a falling one has not yet."""
    steps = turning_at(1900)
    kept, falling = (played(OCP(0.1, 0.1, constant), steps)[0] for constant in (True, False))
    assert kept.alpha[1, 0] > 0.5
    assert kept.alpha[1, 0] > falling.alpha[1, 0]


def test_forgetting_keeps_the_steps_from_falling():
    """When the good member changes, steps that forget how many they were move the weight over."""
    steps = turning_at(1900)
    forgetting, never = (played(OCP(0.1, 1.0, forgetting=rho), steps)[0] for rho in (0.99, 1.0))
    assert forgetting.rounds[0] == pytest.approx(100.0)
    assert forgetting.alpha[1, 0] > 0.5
    assert forgetting.alpha[1, 0] > never.alpha[1, 0]


def test_two_classes_as_two_outputs_are_two_classes():
    """Two columns of opposite votes have the weights of one."""
    steps = votes_of(100)
    both = [s._replace(votes=np.hstack([-s.votes, s.votes])) for s in steps]
    one, two = played(OCP(), steps)[0], played(OCP(), both)[0]
    np.testing.assert_allclose(two.alpha, np.hstack([one.alpha, one.alpha]), atol=1e-9)


def test_a_third_class_keeps_what_is_known():
    """Widened, weights of two classes serve both of them and the new class starts with equal weights."""
    rule = OCP()
    state = played(rule, votes_of(100))[0]
    wide = rule.widen(state, Task("classification", 3))
    np.testing.assert_array_equal(wide.alpha, np.hstack([state.alpha, state.alpha, np.full((5, 1), 0.2)]))
    np.testing.assert_allclose(rule.weights(wide), wide.alpha.mean(axis=1))


@pytest.mark.parametrize("wrong", [{"gamma": 0.5}, {"eta0": 0.0}, {"forgetting": 0.0}])
def test_refuses_what_has_no_meaning(wrong):
    """A gamma outside [0, 1/2), a step that goes nowhere or a memory of nothing is refused."""
    with pytest.raises(InputError):
        OCP(**wrong).init(3, Task("classification", 1), 0)
