"""Boosting on samples as a model: it needs all the data at once, so it is taught once and only answers then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.model import checked_weights, distinct, is_missing
from shoal.reservoir.baselines import SampledBoost, scores_on
from shoal.reservoir.stumps import StumpTable
from shoal.types import Answers, Chunk, Floats, Ints


class SampledModel:
    """A batch booster behind the face that evaluations know, but for learning row by row.

    booster: how it samples. seed: what all that is random derives from. params: its settings, for reports.
    """

    learns_at_once = True

    def __init__(
        self,
        booster: SampledBoost,
        *,
        seed: int = 0,
        classes: Sequence[Any] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self.booster = booster
        self.seed = seed
        self.params = dict(params or {})
        self.named = None if classes is None else list(classes)
        self.classes: list[Any] = [] if classes is None else list(classes)
        self.table: StumpTable | None = None
        self.n_features = 0

    def answer_and_learn(self, chunk: Chunk) -> Answers:
        """There is no learning row by row."""
        raise InputError(
            f"boosting on samples ({self.booster.sampling}) needs all the data at once and cannot answer while it "
            "learns: hold rows out for a test (--holdout 0.3), or use the estimator's fit."
        )

    def learn_all(self, chunk: Chunk) -> None:
        """Boost on samples of these rows, in place of what was learned before."""
        weights = checked_weights(chunk.weights, chunk.rows.n_rows)
        truth = self.positions_of(chunk)
        counted = (truth >= 0) & (weights > 0.0)
        n_classes = len(self.classes)
        if len(np.unique(truth[counted])) < 2:
            raise InputError("the rows to learn from hold fewer than two classes; expected at least two.")
        X = table_of(chunk, chunk.space.n_features)[counted]
        n_outputs = 1 if n_classes == 2 else n_classes
        self.n_features = X.shape[1]
        self.table = self.booster.fit(X, truth[counted], weights[counted], n_outputs, self.seed)

    def answer(self, chunk: Chunk) -> Answers:
        """Answer rows; nothing is learned. A class that was not there to learn from is never answered."""
        if self.table is None:
            raise InputError("the model has learned nothing yet: teach it before asking it to predict.")
        taught = len(self.classes)
        truth = self.positions_of(chunk)
        scores = scores_on(self.table, table_of(chunk, self.n_features))
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        proba = np.zeros((len(scores), len(self.classes)))
        proba[:, :taught] = shares(scores)
        return Answers(proba.argmax(axis=1), truth, proba)

    def positions_of(self, chunk: Chunk) -> Ints:
        """The position of every row's label among the classes, -1 for none; new ones are added."""
        labels: NDArray[Any] = np.full(chunk.rows.n_rows, np.nan) if chunk.labels is None else chunk.labels
        found, first, which = distinct(labels)
        positions = np.full(len(found), -1, dtype=np.int64)
        for u in np.argsort(first, kind="stable"):
            label = found[u]
            if is_missing(label):
                continue
            if label not in self.classes:
                if self.named is not None:
                    raise InputError(
                        f"label {label!r} is not among the classes {self.classes!r}: name all of them."
                    )
                self.classes.append(label)
            positions[u] = self.classes.index(label)
        return positions[which]


def table_of(chunk: Chunk, n_features: int) -> Floats:
    """The rows as a table of so many features; others are left out."""
    rows, n = chunk.rows, chunk.rows.n_rows
    table = np.zeros((n, n_features))
    place = np.repeat(np.arange(n), np.diff(rows.indptr))
    known = rows.indices < n_features
    table[place[known], rows.indices[known]] = rows.values[known]
    return table


def shares(scores: Floats) -> Floats:
    """Probabilities of the classes, in the order of their scores."""
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))
