"""OSBoost's smooth weights, in the compiled loop and under every rule they are combined with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.boosters.cascades import agree, close, script
from tests.boosters.meeting import Classroom, lessons_of, meet, meet_twin, told
from tests.reference.bayes_exponential import ReferenceBayesExponential
from tests.reference.exp_experts import ReferenceExpExperts
from tests.reference.last import ReferenceLast
from tests.reference.ocp import ReferenceOCP
from tests.reference.osboost import ReferenceOSBoost
from tests.reference.uniform import ReferenceUniform

from shoal.banks.perceptron import Perceptrons
from shoal.boosters.osboost import MULTICLASS, OSBoost
from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.exp_experts import ExpExperts
from shoal.rules.last import Last
from shoal.rules.ocp import OCP
from shoal.rules.uniform import Uniform
from shoal.streams.rows import to_rows
from shoal.types import Space, Task

N = 6


class MarginTwin(ReferenceOSBoost):
    """The twin for several classes by their margin."""

    def margins(self, vote, y):
        if len(vote) == 1:
            return super().margins(vote, y)
        others = [v for k, v in enumerate(vote) if k != int(y)]
        return [(vote[int(y)] - max(others)) / 2.0] * len(vote)


def twin_of(gamma, multiclass):
    """The twin of a form."""
    return MarginTwin(gamma) if multiclass == "margin" else ReferenceOSBoost(gamma, multiclass)


def partners(n_outputs):
    """Every rule with its twin."""
    return {
        "uniform": (Uniform(), ReferenceUniform()),
        "ocp": (OCP(), ReferenceOCP(N, n_outputs)),
        "exp": (ExpExperts("vote"), ReferenceExpExperts(N)),
        "last": (Last(), ReferenceLast()),
        "bayes": (BayesExponential(), ReferenceBayesExponential(N, n_outputs)),
    }


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("multiclass", MULTICLASS)
@pytest.mark.parametrize("rule", ["uniform", "ocp", "exp", "last", "bayes"])
def test_agrees_with_its_twin(rule, multiclass, n_outputs):
    """Compiled, OSBoost under any rule answers and teaches as the twins do, with abstentions and weights."""
    s = script(60, N, n_outputs, seed=1)
    mine, twins = partners(n_outputs)[rule]
    agree(meet(OSBoost(0.2, multiclass), mine, s), meet_twin(twin_of(0.2, multiclass), twins, s))


def test_golden_4():
    """The weights follow the margins of the learners before."""
    votes = [[1.0, -1.0, -0.5, 0.25, 1.0, 0.0]]
    expected = [1.0, 0.95106613704, 1.0, 1.0, 1.0, 0.973393095447]
    close(lessons_of(OSBoost(0.1), told(votes, [1]))[0, :, 0], expected)
    close(lessons_of(OSBoost(0.1), told(-np.array(votes), [0]))[0, :, 0], expected)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.499))
def test_weights_are_in_the_unit_interval(seed, gamma):
    """Whatever the votes, weights are above 0 and at most 1, and smaller the larger z is."""
    rng = np.random.default_rng(seed)
    margins = rng.choice([-1.0, 1.0], (20, 12)) * rng.random((20, 12)) ** rng.choice([0.0, 1.0, 3.0])
    w = lessons_of(OSBoost(gamma), told(margins, np.ones(20, dtype=int)))[:, :, 0]
    assert (w > 0.0).all()
    assert (w <= 1.0).all()
    z = np.cumsum(margins - gamma / (2.0 + gamma), axis=1)[:, :-1].ravel()
    assert (np.diff(w[:, 1:].ravel()[np.argsort(z)]) <= 1e-12).all()


def test_no_advantage_teaches_all_alike():
    """With gamma 0 every weight is the example's own."""
    s = script(20, 5, 1, seed=2)
    close(lessons_of(OSBoost(0.0), s), np.broadcast_to(s.weights[:, None, None], s.votes.shape))


def greedy(n_examples, n_learners, gamma, share, heavy):
    """Margins of an adversary: each learner is right on the light (or heavy) examples, of that share of weight."""
    margins = np.zeros((n_examples, 0))
    for _ in range(n_learners):
        told_so_far = np.hstack([margins, np.zeros((n_examples, 1))])
        w = lessons_of(OSBoost(gamma), told(told_so_far, np.ones(n_examples, dtype=int)))[:, -1, 0]
        order = np.argsort(-w if heavy else w, kind="stable")
        margin = -np.ones(n_examples)
        reached = np.searchsorted(np.cumsum(w[order]), share * w.sum() - 1e-9)
        margin[order[: reached + 1]] = 1.0
        margins = np.hstack([margins, margin[:, None]])
    return margins


def adversarial_streams():
    """Margins by chance, and of greedy adversaries."""
    rng = np.random.default_rng(3)
    for bias in (0.0, 0.2, 0.6, 1.0):
        yield np.clip(rng.normal(bias, 0.7, (50, 40)), -1.0, 1.0)
    for share in (0.55, 0.7):
        for heavy in (True, False):
            yield greedy(50, 25, 0.45, share, heavy)


@pytest.mark.parametrize("delta", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("gamma", [0.2, 0.45])
def test_lemma_2_as_corrected(gamma, delta):
    """If learner k is the first taught with less than delta T weight, then the k - 1 before it leave fewer than
    delta T examples at or below a mean margin of theta.
    """
    met = 0
    for margins in adversarial_streams():
        T = len(margins)
        w = lessons_of(OSBoost(gamma), told(margins, np.ones(T, dtype=int)))[:, :, 0].sum(axis=0)
        small = np.flatnonzero(w < delta * T)
        if len(small) > 0:
            k = small[0]  # learners before it, counted from 0
            assert np.sum(margins[:, :k].mean(axis=1) <= gamma / (2.0 + gamma)) < delta * T
            met += 1
    assert met > 0


def test_lemma_2_as_printed_fails():
    """With gamma 0.45 and delta 0.8, learner 2 gets too little weight and yet the first two err everywhere."""
    T, gamma, delta = 10, 0.45, 0.8
    margins = np.array([[1.0, -1.0]] * T)
    w = lessons_of(OSBoost(gamma), told(margins, np.ones(T, dtype=int)))[:, 1, 0].sum()
    assert w < delta * T
    assert np.sum(margins.mean(axis=1) <= gamma / (2.0 + gamma)) == T
    assert np.sum(margins[:, :1].mean(axis=1) <= gamma / (2.0 + gamma)) == 0


@pytest.mark.parametrize("heavy", [True, False])
def test_number_of_rounds(heavy):
    """Learners of weighted advantage 2 gamma exhaust the weight in 2 / (delta gamma^2 sqrt(1 - gamma)) rounds."""
    gamma, delta, T = 0.4, 0.3, 60
    rounds = int(2.0 / (delta * gamma**2 * np.sqrt(1.0 - gamma)))
    margins = greedy(T, rounds, gamma, 0.5 + gamma, heavy)
    w = lessons_of(OSBoost(gamma), told(margins, np.ones(T, dtype=int)))[:, :, 0].sum(axis=0)
    assert (w < delta * T).any()


@pytest.mark.parametrize("multiclass", MULTICLASS)
def test_two_classes_as_two_outputs_are_two_classes(multiclass):
    """Two columns of opposite votes are taught as one; directly, where the votes are hard."""
    votes = np.random.default_rng(4).uniform(-1.0, 1.0, (8, 1))
    votes = np.sign(votes) if multiclass == "direct" else votes
    one = Classroom(OSBoost(0.3, multiclass), 8, 1).teach(votes, 1)
    two = Classroom(OSBoost(0.3, multiclass), 8, 2).teach(np.hstack([-votes, votes]), 1)
    close(two, np.hstack([one, one]))


def test_margins_of_hard_votes_are_direct():
    """Where every vote names one class, the margin says no more than whether it is the right one."""
    s = script(40, N, 3, seed=6)
    close(lessons_of(OSBoost(multiclass="margin"), s, "hard"), lessons_of(OSBoost(multiclass="direct"), s, "hard"))


def test_boosting_is_better_than_one_perceptron():
    """On noisy linear classes a hundred boosted Perceptrons err less than a single one."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 10))
    y = (X @ rng.normal(size=10) + rng.normal(size=4000) > 0.0).astype(float)

    def errors(bank, booster):
        ensemble = Ensemble(bank, booster, Uniform())
        state = ensemble.init(Space.of_size(10), Task("classification", 1), 0)
        predicted, _ = ensemble.run(state, 10, to_rows(X), y, np.ones(4000), 2)
        return np.mean(predicted != y)

    assert errors(Perceptrons(100), OSBoost(0.1)) < errors(Perceptrons(1), OSBoost(0.1)) - 0.01


@pytest.mark.parametrize("wrong", [{"gamma": 0.5}, {"gamma": -0.1}, {"multiclass": "many"}])
def test_refuses_what_has_no_meaning(wrong):
    """A gamma outside [0, 1/2) or an unknown form is refused."""
    with pytest.raises(InputError):
        OSBoost(**wrong).init(3, Task("classification", 1), 0)
