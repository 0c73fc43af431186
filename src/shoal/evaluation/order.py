"""The examples of a data set in the order of one trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams.rows import join_chunks, slice_chunk
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
            yield slice_chunk(shuffled, start, min(start + CHUNK_ROWS, n))

    @staticmethod
    def gather(name: str, stream: Iterable[Chunk]) -> Held:
        """Hold all of a finite stream."""
        parts = [chunk for chunk in stream if chunk.rows.n_rows]
        if not parts:
            raise InputError(f"data set {name!r} has no rows")
        return Held(name, join_chunks(parts))


@dataclass(frozen=True)
class Generated:
    """A stream that is made, or read, in its own order: `make(seed)` gives its chunks."""

    name: str
    make: Callable[[int], Iterable[Chunk]]
    ordered: bool = True

    def chunks(self, seed: int) -> Iterable[Chunk]:
        return self.make(seed)


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
