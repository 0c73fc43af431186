"""Small models and streams that the tests of `shoal.model` share."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from shoal.banks.perceptron import Perceptrons
from shoal.decision import Decision
from shoal.ensemble import Ensemble, Rule
from shoal.model import Model
from shoal.rules.bayes_exponential import BayesExponential
from shoal.rules.uniform import Uniform
from shoal.streams.rows import slice_chunk, to_rows
from shoal.testing import states_equal
from shoal.types import Answers, Chunk, Floats, Space

N_FEATURES = 4
RULES = {"uniform": Uniform(), "bayes": BayesExponential()}


def make_model(
    rule: Rule = RULES["uniform"],
    *,
    n_learners: int = 5,
    feature_fraction: float = 0.6,
    classes: Sequence[Any] | None = None,
    max_pending: int = 10_000,
    decision: Decision | None = None,
    **habits: Any,
) -> Model:
    bank = Perceptrons(n_learners, feature_fraction=feature_fraction)
    ensemble = Ensemble(bank, rule=rule, decision=decision or Decision(), **habits)
    return Model(ensemble, seed=3, classes=classes, max_pending=max_pending)


def make_chunk(
    X: Floats, y: Sequence[Any] | None, weights: Floats | None = None, space: Space | None = None
) -> Chunk:
    labels = None if y is None else np.array(y, dtype=object)
    return Chunk(to_rows(X), labels, weights, space or Space.of_size(X.shape[1]))


def stream(n_classes: int = 2, n: int = 60, d: int = N_FEATURES, seed: int = 0) -> Chunk:
    """Rows with zeros and missing values; class k first occurs in the k-th part of the stream."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.digitize(X[:, 0] + X[:, 1], np.linspace(-1.0, 1.0, n_classes - 1) + 0.1 * (n_classes == 2))
    reached = np.minimum(2 + np.arange(n) * n_classes // (2 * n), n_classes)
    X[rng.random((n, d)) < 0.05] = np.nan
    return make_chunk(X, (y % reached).tolist(), rng.uniform(0.2, 2.0, n))


def in_pieces(chunk: Chunk, sizes: Iterable[int]) -> Iterator[Chunk]:
    """The chunk cut into pieces of these sizes, and the rest."""
    start = 0
    for size in sizes:
        yield slice_chunk(chunk, start, start + size)
        start += size
    if start < chunk.rows.n_rows:
        yield slice_chunk(chunk, start, chunk.rows.n_rows)


def learn(model: Model, chunks: Iterable[Chunk]) -> Answers:
    """Learn all chunks; the answers put together, with a column for every class known at the end."""
    answers = [model.answer_and_learn(chunk) for chunk in chunks]
    n_columns = max(a.proba.shape[1] for a in answers)
    proba = [np.pad(a.proba, ((0, 0), (0, n_columns - a.proba.shape[1]))) for a in answers]
    return Answers(
        np.concatenate([a.predicted for a in answers]),
        np.concatenate([a.truth for a in answers]),
        np.concatenate(proba),
    )


def same_models(one: Model, other: Model) -> bool:
    """Whether two models know and remember the same, to the last bit."""
    return all(
        states_equal(getattr(one, name), getattr(other, name)) for name in ("state", "classes", "space", "open")
    ) and states_equal(vars(one.pending), vars(other.pending))


def same_answers(one: Answers, other: Answers) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def picture(thing: Any) -> bytes:
    """All that it holds, as bytes."""
    return pickle.dumps(thing)
