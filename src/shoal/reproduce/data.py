"""The rows of the papers' data sets, held in memory, and their orders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from shoal import datasets
from shoal.errors import InputError
from shoal.evaluation.order import Held, take
from shoal.reproduce.tables import DataSource, load_sources
from shoal.streams.rows import slice_chunk
from shoal.types import Chunk, Floats, Ints, Rows


@dataclass(frozen=True, eq=False)
class Examples:
    """All rows of a data set, and its two labels, the greater last."""

    chunk: Chunk
    classes: tuple[Any, ...]

    @property
    def n(self) -> int:
        """How many rows."""
        return self.chunk.rows.n_rows


def reason_missing(source: DataSource) -> str:
    """Why a data set cannot be had; empty if it can. Nothing of it is read."""
    if source.missing:
        return source.missing
    try:
        datasets.load(source.load)
    except (InputError, OSError) as error:
        return str(error)
    return ""


@lru_cache(maxsize=2)
def examples_of(dataset: str, scaled: bool) -> Examples:
    """The rows of a data set of the papers. scaled: in the form published in [-1, 1], where there is one."""
    source = load_sources()[dataset]
    known = datasets.describe(source.load)
    stream = datasets.load(source.load, scaled=scaled and source.scaled and bool(known.scaled))
    chunk = Held.gather(dataset, stream).chunk
    chunk = chunk._replace(space=replace(chunk.space, open=False))
    if source.repeat > 1:
        chunk = take(chunk, np.tile(np.arange(chunk.rows.n_rows), source.repeat))
    return Examples(chunk, tuple(sorted(known.classes)))


def in_order(examples: Examples, seed: int, n_rows: int | None = None) -> Chunk:
    """All rows in the order that a seed gives, or the first of them."""
    order = np.random.default_rng(seed).permutation(examples.n)
    return take(examples.chunk, order[:n_rows])


def with_both_classes_early(examples: Examples, seed: int, n_first: int) -> Chunk:
    """An order whose first rows are not all of one class, which is drawn again until it is so."""
    random = np.random.default_rng(seed)
    while True:
        chunk = take(examples.chunk, random.permutation(examples.n))
        assert chunk.labels is not None
        if len(set(chunk.labels[:n_first].tolist())) > 1:
            return chunk


def in_range_of_first(chunk: Chunk, n_first: int) -> Chunk:
    """Every feature moved and scaled so that its range over the first rows is [-1, 1]; 0 if that has no width.
    Later values beyond the range are cut to it.
    """
    table = dense(chunk.rows, chunk.space.n_features)
    low, high = table[:n_first].min(axis=0), table[:n_first].max(axis=0)
    width = high - low
    scaled = np.divide(2.0 * table - low - high, width, out=np.zeros_like(table), where=width > 0.0)
    return chunk._replace(rows=sparse(np.clip(scaled, -1.0, 1.0)))


def dense(rows: Rows, n_features: int) -> Floats:
    """Rows as a table."""
    table = np.zeros((rows.n_rows, n_features))
    table[np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr)), rows.indices] = rows.values
    return table


def sparse(table: Floats) -> Rows:
    """A table as rows, zeros left out."""
    stored = table != 0.0
    indptr: Ints = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(np.int64)
    return Rows(indptr, np.nonzero(stored)[1].astype(np.int32), table[stored])


def split(chunk: Chunk, at: int) -> tuple[Chunk, Chunk]:
    """The rows before a place, and those from it on."""
    return slice_chunk(chunk, 0, at), slice_chunk(chunk, at, chunk.rows.n_rows)
