"""Tests of the gradient baselines, SGD with and without averaging, and SAG, against their slow twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference.sag import ReferenceSAG
from tests.reference.sgd import ReferenceSGD
from tests.rules.playing import Step, learn, played, played_to_reference, same_answers, started, votes_of

from shoal.errors import InputError
from shoal.rules.sag import SAGWeights, visited
from shoal.rules.sgd import SGDWeights
from shoal.types import Task

TWO = Task("classification", 1)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("form", ["paper", "implicit"])
@pytest.mark.parametrize("averaging", [None, "polyak"])
@pytest.mark.parametrize("schedule", ["paper", "polyak"])
def test_sgd_twin(n_outputs: int, form: str, averaging: str | None, schedule: str) -> None:
    """SGD weighs and answers as its slow twin, in every form."""
    steps = votes_of(100, n_outputs=n_outputs, awake=0.8, weighted=True)
    rule = SGDWeights(20.0, form, averaging, schedule, offset=5.0)
    kappa = 1.0 if schedule == "paper" else 2.0 / 3.0
    twin = ReferenceSGD(5, n_outputs, 0.1, 20.0, form, averaging is not None, kappa, 5.0)
    state, scores = played(rule, steps)
    same_answers(scores, played_to_reference(twin, steps))
    assert state.weights == pytest.approx(twin.lambdas(), rel=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("mode", ["one-pass", "seen", "revisit"])
def test_sag_twin(n_outputs: int, mode: str) -> None:
    """SAG weighs and answers as its slow twin, in every mode, and visits the same examples."""
    steps = votes_of(100, n_outputs=n_outputs, awake=0.8, weighted=True)
    key = np.array([7], dtype=np.uint64)
    twin = ReferenceSAG(5, n_outputs, mode, 100, 0.5, lambda t: (visited(key, t) + 0.5) / t)
    state, scores = played(SAGWeights(mode, 0.5, 100), steps, seed=7)
    same_answers(scores, played_to_reference(twin, steps))
    assert state.weights == pytest.approx(twin.lambdas(), rel=1e-9)


def test_room_for_the_past() -> None:
    """Reserving room in pieces gives the state that reserving all at once gives."""
    steps = votes_of(50)
    rule = SAGWeights()
    state = started(rule, steps)
    for step in steps:
        state = rule.reserve(state, 1)
        learn(state, step)
    whole = played(rule, steps)[0]
    for mine, theirs in zip(state[6:], whole[6:], strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)


def test_no_room() -> None:
    """Learning without room to remember is refused, not written past the end."""
    steps = votes_of(1)
    with pytest.raises(InputError, match="reserve"):
        learn(started(SAGWeights(), steps), steps[0])


def test_visits_are_spread_evenly() -> None:
    """Every example seen is as likely to be visited as any other."""
    key = np.array([3], dtype=np.uint64)
    shares = np.array([visited(key, t) / t for t in range(1, 20_001)])
    assert np.histogram(shares, bins=10, range=(0.0, 1.0))[0] == pytest.approx(np.full(10, 2000), abs=200)


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (SGDWeights(gamma=0.0), "gamma"),
        (SGDWeights(form="fast"), "form"),
        (SGDWeights(averaging="mean"), "averaging"),
        (SGDWeights(offset=-1.0), "offset"),
        (SAGWeights("one-pass"), "horizon="),
        (SAGWeights("twice"), "mode"),
        (SAGWeights(step=-1.0), "step"),
    ],
)
def test_bad_parameters(rule: Any, named: str) -> None:
    """Parameters without meaning are refused by name."""
    with pytest.raises(InputError, match=named):
        rule.init(3, TWO, 0)


@pytest.mark.parametrize("ratio", [0.75, 1.0, 2.0, 5.0])
def test_sampling_variance(ratio: float) -> None:
    """Over 2000 streams SGD with gamma = r lambda*^2 varies as (18) says: r^2/(2 r - 1) times (15)."""
    theta, length, n_streams = 0.1, 4000, 2000
    best = 1.0 / (theta * 0.5)
    rule = SGDWeights(ratio * best**2, "implicit", theta=theta, base_loss="hinge", first=best)
    state = rule.init(n_streams, TWO, 0)
    rng = np.random.default_rng(2)
    present = np.ones(n_streams, dtype=bool)
    for _ in range(length):
        learn(state, Step(1.0 - rng.uniform(0.0, 1.0, (n_streams, 1)), present, 1, 1.0, 0))
    theory = ratio**2 / (2.0 * ratio - 1.0) * (1.0 / 12.0) / (theta**2 * 0.5**4)
    assert length * np.var(state.weights) == pytest.approx(theory, rel=0.1)


def test_sampling_variance_of_averages() -> None:
    """Over 1000 streams averaged SGD with slowly falling steps varies as the best of (15) says."""
    theta, length, n_streams = 0.1, 10_000, 1000
    best = 1.0 / (theta * 0.5)
    rule = SGDWeights(best**2, "implicit", "polyak", "polyak", theta=theta, base_loss="hinge", first=best)
    state = rule.init(n_streams, TWO, 0)
    rng = np.random.default_rng(2)
    present = np.ones(n_streams, dtype=bool)
    for _ in range(length):
        learn(state, Step(1.0 - rng.uniform(0.0, 1.0, (n_streams, 1)), present, 1, 1.0, 0))
    assert length * np.var(state.weights) == pytest.approx((1.0 / 12.0) / (theta**2 * 0.5**4), rel=0.1)
