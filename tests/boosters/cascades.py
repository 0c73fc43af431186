"""Scripts of votes before and after an update, played to a cascade and to its reference twin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tests.reference.interfaces import ReferenceBooster, ReferenceEnsemble
from tests.reference.last import ReferenceLast
from tests.reference.scripted_bank import ScriptedBank as ReferenceBank

from shoal.banks.scripted import ScriptedBank
from shoal.ensemble import Ensemble
from shoal.rules.last import Last
from shoal.streams.rows import to_rows
from shoal.types import Space, Task


class Script(NamedTuple):
    """Votes (T, N, C) before and after the update, who votes, the classes and the weights of the examples."""

    votes: Any
    after: Any
    live: Any
    y: Any
    weights: Any


class Played(NamedTuple):
    """The state, the classes answered, and the weights of all lessons, (T, N, C)."""

    state: Any
    predicted: Any
    lessons: Any


def script(n_examples: int, n_learners: int, n_outputs: int, seed: int) -> Script:
    """Learners that are right more often than not, more so after an update; some examples they pass over."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, max(2, n_outputs), n_examples)
    shape = (n_examples, n_learners, n_outputs)
    truth = 2.0 * y[:, None] - 1.0 if n_outputs == 1 else np.where(y[:, None] == np.arange(n_outputs), 1.0, -1.0)
    votes, after = (
        np.clip(lift * truth[:, None, :] + rng.normal(0.0, 0.6, shape), -1.0, 1.0) for lift in (0.1, 0.3)
    )
    live = rng.random(shape[:2]) < 0.9
    return Script(votes, after, live, y, rng.choice([0.5, 1.0, 2.0], n_examples))


def play(booster: Any, s: Script, vote: str = "soft", seed: int = 3) -> Played:
    """The script given to the compiled cascade; the rule answers with the last prefix."""
    n_outputs = s.votes.shape[2]
    ensemble = Ensemble(ScriptedBank(s.votes, s.after, s.live), booster, Last(), vote=vote)
    state = ensemble.init(Space.of_size(1), Task("classification", n_outputs), seed)
    rows = to_rows(np.arange(float(len(s.y)))[:, None])
    predicted, _ = ensemble.run(state, 1, rows, s.y.astype(float), s.weights, max(2, n_outputs))
    return Played(state.booster, predicted, state.bank.weight)


def play_twin(booster: ReferenceBooster, s: Script, vote: str = "soft") -> Played:
    """The script given to the twin."""
    bank = ReferenceBank(s.votes.tolist(), s.after.tolist(), s.live.tolist())
    ensemble = ReferenceEnsemble(bank, booster, ReferenceLast(), vote=vote)
    binary = s.votes.shape[2] == 1
    predicted = []
    for t, (y, weight) in enumerate(zip(s.y, s.weights, strict=True)):
        score = ensemble.step([float(t)], 2.0 * y - 1.0 if binary else float(y), float(weight))
        predicted.append(int(score[0] >= 0.0) if binary else int(np.argmax(score)))
    lessons = np.zeros(s.votes.shape)
    for t, i, _, weight in bank.lessons:
        lessons[t, i] += weight
    return Played(booster, np.array(predicted), lessons)


def close(one: Any, other: Any) -> None:
    """Assert equality to 1e-9."""
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def agree(mine: Played, twin: Played) -> None:
    """Assert the same answers and the same lessons."""
    assert mine.predicted.tolist() == twin.predicted.tolist()
    close(mine.lessons, twin.lessons)
