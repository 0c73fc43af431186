"""Hedge over prefix experts."""

import math

import numpy as np
import pytest
from tests.reference.exp_experts import ReferenceExpExperts

from shoal.errors import InputError
from shoal.kernels.verbs import rule_combine, rule_update
from shoal.rules.exp_experts import ExpExperts, number
from shoal.types import Task

N = 6


class Table:
    """A rule that hears prefix answers."""

    def __init__(self, rule, n_outputs=1, seed=0, n_experts=N):
        self.state = rule.init(n_experts, Task("classification", n_outputs), seed)
        self.n_outputs = n_outputs
        self.present = np.ones(n_experts, dtype=bool)

    def score(self, parts):
        """What it says."""
        out = np.zeros(self.n_outputs)
        rule_combine(self.state, parts, parts, self.present, out)
        return out

    def learn(self, parts, y, weight=1.0, age=0):
        """The label arrives."""
        rule_update(self.state, parts, parts, self.present, float(y), weight, float(age))

    def charge(self, losses):
        """The experts with a loss were wrong."""
        self.learn(np.where(losses, -1.0, 1.0)[:, None], 1)


def answers_of(n_examples, n_outputs, seed):
    """Prefix answers, the later the better, with labels and weights."""
    rng = np.random.default_rng(seed)
    for _ in range(n_examples):
        y = int(rng.integers(max(2, n_outputs)))
        target = np.where(np.arange(n_outputs) == y, 1.0, -1.0) if n_outputs > 1 else np.array([2.0 * y - 1.0])
        skill = np.linspace(0.0, 1.0, N)[:, None]
        yield skill * target + rng.normal(size=(N, n_outputs)), y, float(rng.choice([0.5, 1.0, 3.0]))


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize(("eta", "share"), [(None, 0.0), (1.0, 0.0), (math.log(2.0), 0.02)])
@pytest.mark.parametrize("answer", ["sampled", "vote"])
@pytest.mark.parametrize("forgetting", [1.0, 0.9])
def test_agrees_with_its_twin(forgetting, answer, eta, share, n_outputs):
    """Scores and weights are the twin's, given the same draws, also where labels are late."""
    mine = Table(ExpExperts(answer, eta, share, forgetting), n_outputs, seed=5)
    key = np.array([5], dtype=np.uint64)
    draw = (lambda t: number(key, t)) if answer == "sampled" else None
    twin = ReferenceExpExperts(N, eta, share, draw, forgetting)
    for t, (parts, y, weight) in enumerate(answers_of(150, n_outputs, seed=1)):
        expected = twin.combine([], parts.tolist(), [])
        np.testing.assert_allclose(mine.score(parts), expected, atol=1e-9)
        mine.learn(parts, y, weight, t % 3)
        twin.update([], parts.tolist(), [], float(y) if n_outputs > 1 else 2.0 * y - 1.0, weight, t % 3)
        np.testing.assert_allclose(mine.state.v, twin.hedge.weights(), atol=1e-9)
    np.testing.assert_allclose(mine.state.mistakes, twin.hedge.mistakes)


def losses_by(kind, T, table):
    """Losses by chance, or an adversary's: whoever has most weight errs."""
    rng = np.random.default_rng(2)
    for t in range(T):
        if kind == "chance":
            yield rng.random(N) < np.linspace(0.2, 0.6, N)
        elif kind == "against the leader":
            yield table.state.v >= table.state.v.max()
        else:
            yield np.arange(N) != (t // (T // 3)) % N


@pytest.mark.parametrize("kind", ["chance", "against the leader", "changing"])
def test_regret_is_bounded(kind):
    """The drawn expert errs at most 2 sqrt(T log(N) / 2) + sqrt(log(N) / 8) times above the best one."""
    T, table, expected = 600, Table(ExpExperts()), 0.0
    for losses in losses_by(kind, T, table):
        expected += float(np.sum(table.state.v[losses]))
        table.charge(losses)
    bound = 2.0 * math.sqrt(T * math.log(N) / 2.0) + math.sqrt(math.log(N) / 8.0)
    assert expected - table.state.mistakes.min() <= bound


def test_the_deterministic_vote_errs_at_most_twice_as_often():
    """The weighted vote's mistakes are at most twice the expected mistakes of the drawn expert."""
    table, errors, expected = Table(ExpExperts("vote")), 0, 0.0
    for losses in losses_by("against the leader", 400, table):
        parts = np.where(losses, -1.0, 1.0)[:, None]
        errors += table.score(parts)[0] < 0.0
        expected += float(np.sum(table.state.v[losses]))
        table.charge(losses)
    assert errors <= 2.0 * expected + 1e-9


def test_draws_follow_the_weights():
    """Over many examples each expert speaks as often as its weight says."""
    table = Table(ExpExperts(eta=1.0), n_outputs=N)
    table.learn(np.eye(N), 0)  # expert 0 alone is right
    heard = np.zeros(N)
    for _ in range(4000):
        heard[np.argmax(table.score(np.eye(N)))] += 1.0
        table.state.rounds[0] += 1.0
    np.testing.assert_allclose(heard / 4000, table.state.v, atol=0.03)


def test_one_state_has_one_draw():
    """All rows answered at one state are answered by the same expert, and answering changes nothing."""
    table = Table(ExpExperts(), n_outputs=N)
    assert len({int(np.argmax(table.score(np.eye(N)))) for _ in range(20)}) == 1
    speaker = int(np.argmax(table.score(np.eye(N))))
    for k in range(N):
        assert np.argmax(table.score(np.roll(np.eye(N), k, axis=1))) == (speaker + k) % N


def test_the_best_expert_speaks():
    """Of equally good experts the first answers, until another one is better."""
    table = Table(ExpExperts("best"), n_outputs=N)
    assert np.argmax(table.score(np.eye(N))) == 0
    table.learn(np.eye(N), 3)
    assert np.argmax(table.score(np.eye(N))) == 3


def after_a_change(rule):
    """A rule whose expert 0 is good for 1,000 examples, and then expert 1 for 30."""
    table = Table(rule)
    for t in range(1030):
        table.charge(np.arange(N) != (0 if t < 1000 else 1))
    return table


@pytest.mark.parametrize("eta", [None, 1.0])
def test_forgotten_mistakes_let_another_expert_speak(eta):
    """When the good expert changes after 1,000 examples, a memory of 20 follows within 30; others have not."""
    forgetting, plain = (after_a_change(ExpExperts(eta=eta, forgetting=rho)) for rho in (0.95, 1.0))
    assert forgetting.state.v[1] > 0.8
    assert plain.state.v[1] < 0.1
    assert forgetting.state.kept[0] == pytest.approx(20.0)


def test_a_fixed_share_follows_a_change():
    """When the good expert changes after 1,000 examples, shared weights follow within 30; others have not."""
    shared, plain = (after_a_change(ExpExperts(eta=1.0, share=share)) for share in (0.01, 0.0))
    assert shared.state.v[1] > 0.9
    assert plain.state.v[1] < 0.1
    assert shared.state.v.min() >= 0.01 / N
    assert shared.state.v.sum() == pytest.approx(1.0)


def test_huge_weights_leave_numbers():
    """An example of enormous weight on which all err leaves the weights as they were."""
    for rule in (ExpExperts(eta=1.0, share=0.01), ExpExperts(eta=1.0), ExpExperts()):
        table = Table(rule)
        table.learn(-np.ones((N, 1)), 1, 1e12)
        np.testing.assert_allclose(table.state.v, 1.0 / N)


def test_a_member_counts_for_every_expert_it_is_part_of():
    """The first member is in all experts and the last one in the last only."""
    rule = ExpExperts(eta=1.0)
    table = Table(rule)
    table.charge(np.array([True, False, True, True, True, False]))
    weights = rule.weights(table.state)
    assert weights[0] == pytest.approx(1.0)
    assert weights[-1] == pytest.approx(table.state.v[-1])
    assert weights[1] - weights[2] == pytest.approx(table.state.v[1])


@pytest.mark.parametrize("wrong", [{"answer": "any"}, {"eta": 0.0}, {"share": 1.0, "eta": 1.0}, {"share": 0.1}])
def test_refuses_what_has_no_meaning(wrong):
    """Unknown answers, rates and shares without a value, and a share without a fixed rate are refused."""
    with pytest.raises(InputError):
        ExpExperts(**wrong).init(3, Task("classification", 1), 0)
