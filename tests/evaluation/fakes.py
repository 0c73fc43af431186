"""Small models and streams to measure: no shoal model is needed to test the measuring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.streams.rows import slice_chunk
from shoal.types import Answers, Chunk, Rows, Space


class MajorityModel:
    """Answers with the class seen most often so far; knows its classes from the start."""

    def __init__(self, classes: Sequence[object] = (0, 1), flip: int = 0, seed: int = 0) -> None:
        self.classes = list(classes)
        self.counts = np.ones(len(classes))
        self.flip = flip  # every flip-th answer is turned round, to make worse models
        self.seen = 0
        self.params = {"flip": flip, "seed": seed}

    def answer_and_learn(self, chunk: Chunk) -> Answers:
        n = chunk.rows.n_rows
        positions = {label: i for i, label in enumerate(self.classes)}
        truth = np.full(n, -1, dtype=np.int64)
        if chunk.labels is not None:
            truth = np.array([positions.get(label, -1) for label in chunk.labels.tolist()], dtype=np.int64)
        predicted, proba = np.zeros(n, dtype=np.int64), np.zeros((n, len(self.classes)))
        for row in range(n):
            self.seen += 1
            proba[row] = self.counts / self.counts.sum()
            predicted[row] = int(np.argmax(self.counts))
            if self.flip and self.seen % self.flip == 0:
                predicted[row] = (predicted[row] + 1) % len(self.classes)
            if truth[row] >= 0:
                self.counts[truth[row]] += 1.0
        return Answers(predicted, truth, proba)


def make_chunk(labels: np.ndarray | None, n: int | None = None, weights: np.ndarray | None = None) -> Chunk:
    """Rows of one feature each, whose value is the row's number plus one."""
    n = len(labels) if labels is not None else int(n or 0)
    rows = Rows(np.arange(n + 1), np.zeros(n, dtype=np.int32), np.arange(1.0, n + 1.0))
    return Chunk(rows, labels, weights, Space.of_size(1))


def in_chunks(chunk: Chunk, size: int) -> Iterator[Chunk]:
    n = chunk.rows.n_rows
    for start in range(0, n, size):
        yield slice_chunk(chunk, start, min(start + size, n))


def random_answers(rng: np.random.Generator, n: int, n_classes: int) -> Answers:
    """Answers that lean towards the truth."""
    truth = rng.integers(n_classes, size=n)
    logits = rng.normal(size=(n, n_classes)) + 1.5 * np.eye(n_classes)[truth]
    proba = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return Answers(proba.argmax(axis=1), truth, proba)
