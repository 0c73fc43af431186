"""AdaBoost.OL and AdaBoost.OLM, with Hedge over their prefix experts."""

import numpy as np
import pytest
from tests.boosters.cascades import agree, close, script
from tests.boosters.meeting import Classroom, meet, meet_twin, told
from tests.reference.adaboost_ol import ReferenceAdaBoostOL, ReferenceAdaBoostOLM
from tests.reference.exp_experts import ReferenceExpExperts

from shoal.boosters.adaboost_ol import DECISIONS, AdaBoostOL
from shoal.errors import InputError
from shoal.rules.exp_experts import ExpExperts, number
from shoal.types import Task

N = 7


def twin_of(multiclass, n_outputs, decision="argmax", forgetting=1.0):
    """The twin of a form."""
    if multiclass == "direct" and n_outputs > 1:
        return ReferenceAdaBoostOLM(N, decision, forgetting)
    return ReferenceAdaBoostOL(N, n_outputs, forgetting)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize(
    ("multiclass", "decision"), [("direct", "argmax"), ("direct", "min_cost"), ("one-vs-rest", "argmax")]
)
@pytest.mark.parametrize("vote", ["hard", "soft"])
def test_agrees_with_its_twin(vote, multiclass, decision, n_outputs):
    """Compiled, it answers, teaches and weighs as the twin does, with abstentions and weights."""
    s = script(80, N, n_outputs, seed=1)
    key = np.array([3], dtype=np.uint64)  # the seed that the scripts are played with
    mine = meet(AdaBoostOL(multiclass=multiclass, decision=decision), ExpExperts(eta=1.0), s, vote)
    twin = twin_of(multiclass, n_outputs, decision)
    twins = meet_twin(twin, ReferenceExpExperts(N, eta=1.0, draw=lambda t: number(key, t)), s, vote)
    agree(mine, twins)
    close(mine.state.booster.alpha, np.reshape(twin.alpha, (N, -1)))
    close(mine.state.rule.v, twins.state.hedge.weights())


@pytest.mark.parametrize(
    ("y", "experts"),
    [
        (1.0, [0.422318798252, 0.422318798252, 0.155362403497]),
        (-1.0, [0.5761168847658, 0.2119415576171, 0.2119415576171]),
    ],
)
def test_golden_12(y, experts):
    """Weights, coefficients and experts are the published ones, for labels of either sign."""
    s = told([[y, -y, y], [y, y, -y]], [(y + 1) / 2] * 2)
    played = meet(AdaBoostOL(), ExpExperts(eta=1.0), s, "hard")
    close(played.lessons[:, :, 0], [[0.5, 0.5, 0.5], [0.5, 0.119202922022, 0.5]])
    close(played.state.booster.alpha[:, 0], [2.0, -0.585786437627, -0.49127034675])
    close(played.state.rule.v, experts)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_forgets_as_its_twin(n_outputs):
    """With forgetting the steps are those of the examples not forgotten, so that coefficients follow a change."""
    s = script(80, N, n_outputs, seed=6)
    booster, rule = AdaBoostOL(forgetting=0.9), ExpExperts("vote", eta=1.0, forgetting=0.9)
    mine = meet(booster, rule, s)
    twin = twin_of("direct", n_outputs, forgetting=0.9)
    twins = meet_twin(twin, ReferenceExpExperts(N, eta=1.0, forgetting=0.9), s)
    agree(mine, twins)
    close(mine.state.booster.alpha, np.reshape(twin.alpha, (N, -1)))
    close(mine.state.rule.v, twins.state.hedge.weights())
    counted = s.weights[s.weights > 0.0]
    fading = 0.9 ** np.arange(len(counted))[::-1]
    assert mine.state.booster.kept[0] == pytest.approx(fading @ counted**2)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_factor_on_all_weights_changes_no_coefficient(n_outputs):
    """Steps go by weights beside those of other examples: a thousand times all of them is the same."""
    rng = np.random.default_rng(3)
    rooms = [Classroom(AdaBoostOL(), N, n_outputs) for _ in range(2)]
    for _ in range(40):
        votes, y, weight = rng.uniform(-1.0, 1.0, (N, n_outputs)), int(rng.integers(2)), rng.exponential()
        for room, factor in zip(rooms, (1.0, 1000.0), strict=True):
            room.teach(votes, y, factor * weight)
    np.testing.assert_allclose(rooms[0].state.alpha, rooms[1].state.alpha, rtol=1e-9)


def test_one_class_that_weighs_ten_million_times_as_much_decides():
    """Of learners that each know one class alone, only the one that knows the heavy class is trusted."""
    room = Classroom(AdaBoostOL(), 2, 1)
    for t in range(60):
        room.teach(np.array([[1.0], [-1.0]]), t % 2, (1e-4, 1000.0)[t % 2])
    assert room.state.alpha[0, 0] == 2.0
    assert room.state.alpha[1, 0] < 0.0


def test_two_classes_as_two_outputs_are_two_classes():
    """Two columns are taught as one per output; directly too, with steps that are smaller by sqrt(2)."""
    rng = np.random.default_rng(2)
    one, smaller = (Classroom(AdaBoostOL(), N, 1) for _ in range(2))
    rest, direct = Classroom(AdaBoostOL(multiclass="one-vs-rest"), N, 2), Classroom(AdaBoostOL(), N, 2)
    for _ in range(50):
        votes, y = rng.choice([-1.0, 1.0], (N, 1)), int(rng.integers(2))
        both = np.hstack([-votes, votes])
        close(rest.teach(both, y), np.repeat(one.teach(votes, y), 2, axis=1))
        smaller.state.kept[0] += 1.0  # t doubled
        close(direct.teach(both, y), np.repeat(smaller.teach(votes, y), 2, axis=1))
    close(rest.state.alpha, np.repeat(one.state.alpha, 2, axis=1))
    close(direct.state.alpha, smaller.state.alpha)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_coefficients_and_weights_keep_their_bounds(n_outputs):
    """A thousand learners that are always right, or always wrong, overflow nothing."""
    target = np.where(np.arange(n_outputs) == n_outputs - 1, 1.0, -1.0)
    votes = np.tile(target, (1000, 1))
    for sign in (1.0, -1.0):
        room = Classroom(AdaBoostOL(), 1000, n_outputs)
        for _ in range(30):
            lessons = room.teach(sign * votes, max(n_outputs - 1, 1))
        assert (np.abs(room.state.alpha) <= 2.0).all()
        assert ((lessons >= 0.0) & (lessons <= 1.0)).all()


def test_sampling_passes_examples_on_by_their_weight():
    """A sampled lesson has the example's weight or none; coefficients learn as with importance weights."""
    sampled, weighted = Classroom(AdaBoostOL("sampling"), 5, 1, seed=3), Classroom(AdaBoostOL(), 5, 1)
    rng = np.random.default_rng(4)
    shares, passed = [], []
    for _ in range(4000):
        votes = np.where(rng.random((5, 1)) < 0.7, 1.0, -1.0)
        passed.append(sampled.teach(votes, 1))
        shares.append(weighted.teach(votes, 1))
    assert set(np.unique(passed)) == {0.0, 1.0}
    np.testing.assert_allclose(np.mean(passed, axis=0), np.mean(shares, axis=0), atol=0.03)
    close(sampled.state.alpha, weighted.state.alpha)


def test_a_third_class_keeps_what_is_known():
    """Widened per output, coefficients of two classes serve both of them and the new class starts at 0."""
    booster = AdaBoostOL(multiclass="one-vs-rest")
    state = booster.init(3, Task("classification", 1), 0)
    state.alpha[:, 0] = [1.0, -0.5, 0.25]
    wide = booster.widen(state, Task("classification", 3))
    close(wide.alpha, [[1.0, 1.0, 0.0], [-0.5, -0.5, 0.0], [0.25, 0.25, 0.0]])
    wider = booster.widen(wide, Task("classification", 4))
    close(wider.alpha, np.hstack([wide.alpha, np.zeros((3, 1))]))


def test_hard_votes_are_named_alike():
    """A learner that is sure of one class expects any other to cost more, whatever was said before."""
    s = script(60, N, 3, seed=5)
    first, second = (meet(AdaBoostOL(decision=d), ExpExperts(eta=1.0), s, "hard") for d in DECISIONS)
    agree(first, second)
    close(first.state.booster.alpha, second.state.booster.alpha)


@pytest.mark.parametrize(
    "wrong", [{"form": "rejected"}, {"multiclass": "many"}, {"decision": "any"}, {"forgetting": 2.0}]
)
def test_refuses_what_has_no_meaning(wrong):
    """Unknown forms are refused."""
    with pytest.raises(InputError):
        AdaBoostOL(**wrong).init(3, Task("classification", 1), 0)
