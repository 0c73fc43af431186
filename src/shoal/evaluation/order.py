"""The examples of a data set in the order of one trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.types import Chunk, Rows

CHUNK_ROWS = 1024


class Source(Protocol):
    """A data set that methods are compared on.

    ordered: whether the order of the examples carries meaning, as under drift.
    """

    @property
    def name(self) -> str: ...
    @property
    def ordered(self) -> bool: ...
    def chunks(self, seed: int) -> Iterable[Chunk]:
        """The examples in the order that this seed gives; the same seed always gives the same."""


@dataclass(frozen=True)
class Held:
    """A finite data set held in memory as one chunk, its rows permuted afresh for each seed."""

    name: str
    chunk: Chunk
    ordered: bool = False

    def __post_init__(self) -> None:
        if self.chunk.rows.n_rows == 0:
            raise InputError(f"data set {self.name!r} has no rows")

    @property
    def facts(self) -> dict[str, int]:
        """What a report says of the data set, besides what the results tell."""
        return {"features": self.chunk.space.n_features}

    def chunks(self, seed: int) -> Iterator[Chunk]:
        n = self.chunk.rows.n_rows
        shuffled = take(self.chunk, np.random.default_rng(seed).permutation(n))
        for start in range(0, n, CHUNK_ROWS):
            yield cut(shuffled, start, min(start + CHUNK_ROWS, n))

    @staticmethod
    def gather(name: str, stream: Iterable[Chunk]) -> Held:
        """Hold all of a finite stream."""
        parts = list(stream)
        if not parts:
            raise InputError(f"data set {name!r} has no rows")
        return Held(name, joined(parts))


@dataclass(frozen=True)
class Generated:
    """A stream that is made, or read, in its own order: `make(seed)` gives its chunks."""

    name: str
    make: Callable[[int], Iterable[Chunk]]
    ordered: bool = True

    def chunks(self, seed: int) -> Iterable[Chunk]:
        return self.make(seed)


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Rows `start` to `stop` of a chunk."""
    indptr = chunk.rows.indptr[start : stop + 1]
    stored = slice(indptr[0], indptr[-1])
    return Chunk(
        Rows(indptr - indptr[0], chunk.rows.indices[stored], chunk.rows.values[stored]),
        None if chunk.labels is None else chunk.labels[start:stop],
        None if chunk.weights is None else chunk.weights[start:stop],
        chunk.space,
    )


def take(chunk: Chunk, order: NDArray[np.int64]) -> Chunk:
    """The rows of a chunk in another order."""
    rows = chunk.rows
    lengths = np.diff(rows.indptr)[order]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    stored = np.arange(indptr[-1]) + np.repeat(rows.indptr[order] - indptr[:-1], lengths)
    return Chunk(
        Rows(indptr, rows.indices[stored], rows.values[stored]),
        None if chunk.labels is None else chunk.labels[order],
        None if chunk.weights is None else chunk.weights[order],
        chunk.space,
    )


def joined(chunks: list[Chunk]) -> Chunk:
    """Consecutive chunks of one stream as a single one."""
    starts = np.concatenate([[0], np.cumsum([len(c.rows.values) for c in chunks])])
    pointers = [c.rows.indptr[1:] + start for c, start in zip(chunks, starts, strict=False)]
    rows = Rows(
        np.concatenate([np.zeros(1, dtype=np.int64), *pointers]),
        np.concatenate([c.rows.indices for c in chunks]),
        np.concatenate([c.rows.values for c in chunks]),
    )
    labels = [c.labels for c in chunks if c.labels is not None]
    weights = [np.ones(c.rows.n_rows) if c.weights is None else c.weights for c in chunks]
    return Chunk(
        rows,
        np.concatenate(labels) if len(labels) == len(chunks) else None,
        None if all(c.weights is None for c in chunks) else np.concatenate(weights),
        chunks[-1].space,
    )
