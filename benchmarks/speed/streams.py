"""Seeded streams, the same for every contestant: a linear truth, noise about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.types import Chunk, Floats, Ints, Rows, Space

NOISE = 0.5  # standard deviation of the noise, beside a margin of standard deviation 1


@dataclass(frozen=True)
class Shape:
    """What a stream looks like. n_stored: features of a row that are set; all of them in dense rows."""

    n_features: int
    n_stored: int
    n_classes: int = 2

    @property
    def is_dense(self) -> bool:
        return self.n_stored == self.n_features

    def __str__(self) -> str:
        classes = f", {self.n_classes} classes" if self.n_classes > 2 else ""
        if self.is_dense:
            return f"dense {self.n_features}{classes}"
        return f"sparse {self.n_stored} of {self.n_features:,}{classes}"


DENSE = Shape(54, 54)
SPARSE = Shape(123, 14)


@dataclass(frozen=True)
class Stream:
    """Rows and the class of each, 0 to K - 1."""

    shape: Shape
    rows: Rows
    classes: Ints

    def chunk(self, start: int, stop: int) -> Chunk:
        """Rows from `start` to before `stop`, as shoal takes them."""
        first, last = self.rows.indptr[start], self.rows.indptr[stop]
        rows = Rows(
            self.rows.indptr[start : stop + 1] - first, self.rows.indices[first:last], self.rows.values[first:last]
        )
        labels = self.classes[start:stop].astype(np.float64)
        return Chunk(rows, labels, None, Space.of_size(self.shape.n_features))

    def dense(self, start: int, stop: int) -> Floats:
        """The same rows as a table."""
        X = np.zeros((stop - start, self.shape.n_features))
        n = self.shape.n_stored
        for t in range(start, stop):
            X[t - start, self.rows.indices[t * n : (t + 1) * n]] = self.rows.values[t * n : (t + 1) * n]
        return X

    def items(self, t: int) -> list[tuple[int, float]]:
        """(feature, value) of row t, as plain numbers."""
        n = self.shape.n_stored
        own = slice(t * n, (t + 1) * n)
        return list(zip(self.rows.indices[own].tolist(), self.rows.values[own].tolist(), strict=True))


def draw(shape: Shape, n_rows: int, seed: int = 0) -> Stream:
    """A stream: normal values where rows are dense, ones at random places where they are sparse."""
    random = np.random.default_rng(seed)
    d, n = shape.n_features, shape.n_stored
    if shape.is_dense:
        indices = np.tile(np.arange(d, dtype=np.int32), (n_rows, 1))
        values = random.normal(size=(n_rows, d))
    else:
        indices = np.sort(random.integers(0, d - n + 1, (n_rows, n)), axis=1) + np.arange(n)
        values = np.ones((n_rows, n))
    truth = random.normal(size=(shape.n_classes, d)) / np.sqrt(n)
    margins = np.stack([(values * own[indices]).sum(axis=1) for own in truth], axis=1)
    classes = np.argmax(margins + NOISE * random.normal(size=margins.shape), axis=1)
    rows = Rows(
        np.arange(n_rows + 1, dtype=np.int64) * n, indices.astype(np.int32).ravel(), values.ravel().astype(float)
    )
    return Stream(shape, rows, classes)
