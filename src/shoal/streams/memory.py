"""Streams of what is in memory already: arrays, frames, and iterables of examples or of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams.columns import LabelChoice
from shoal.streams.encoder import DictEncoder
from shoal.streams.rows import (
    dense_array,
    is_missing,
    labels_of,
    rows_of_array,
    rows_of_pairs,
    to_rows,
    weights_of,
)
from shoal.types import Chunk, Rows, Space


def chunks_of_arrays(X: Any, y: Any, chunk_size: int, weight: Any = None) -> Iterator[Chunk]:
    """Chunks of a dense or sparse matrix, its labels (or None) and its examples' weights (or None)."""
    sparse = hasattr(X, "tocsr")
    X = X.tocsr() if sparse else dense_array(X)
    n_rows, n_features = X.shape
    labels = None if y is None else labels_of(y)
    if labels is not None and len(labels) != n_rows:
        raise InputError(f"{n_rows} rows but {len(labels)} labels: expected one label per row")
    weights = None if weight is None else weights_of(weight, n_rows)
    space = Space.of_size(n_features)
    for start in range(0, n_rows, chunk_size):
        part = slice(start, start + chunk_size)
        yield Chunk(
            to_rows(X[part]),
            None if labels is None else labels[part],
            None if weights is None else weights[part],
            space,
        )


def chunks_of_frame(
    frame: Any,
    y: Any,
    *,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    chunk_size: int,
    name: str,
) -> Iterator[Chunk]:
    """Chunks of a pandas or polars frame or an Arrow table, whose labels are a column or given as `y`."""
    from shoal.streams.arrow import read_batches, table_of

    table = table_of(frame)
    if y is None:
        yield from read_batches(table.to_batches(), table.schema, name, label, weight, nominal, chunk_size)
        return
    labels = labels_of(y)
    if len(labels) != table.num_rows:
        raise InputError(f"{table.num_rows} rows but {len(labels)} labels: expected one label per row")
    start = 0
    for chunk in read_batches(table.to_batches(), table.schema, name, False, weight, nominal, chunk_size):
        stop = start + chunk.rows.n_rows
        yield chunk._replace(labels=labels[start:stop])
        start = stop


def chunks_of_iterable(source: Iterable[Any], chunk_size: int, n_features: int | None) -> Iterator[Chunk]:
    """Chunks of an iterable of chunks (as they are) or of pairs (x, y), where x is a dict or a 1-d array."""
    items = iter(source)
    first = next(items, None)
    if first is None:
        return
    items = chain([first], items)
    if isinstance(first, Chunk):
        yield from items
        return
    x, y = _pair(first, 0)
    encode = _DictRows() if isinstance(x, Mapping) else _ArrayRows(len(_vector(x, 0)), n_features)
    n_read = 0
    while pairs := list(islice(items, chunk_size)):
        pairs = [_pair(item, n_read + k) for k, item in enumerate(pairs)]
        rows = encode.rows([x for x, _ in pairs], n_read)
        labels = _labels([y for _, y in pairs], n_read, numeric=not isinstance(y, str))
        yield Chunk(rows, labels, None, encode.space)
        n_read += len(pairs)


def _pair(item: Any, position: int) -> tuple[Any, Any]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InputError(f"example {position} is {type(item).__name__}: expected pairs (x, y), or chunks")
    return item[0], item[1]


def _vector(x: Any, position: int) -> Any:
    if isinstance(x, str) or not hasattr(x, "__len__") or getattr(x, "ndim", 1) != 1:
        raise InputError(f"example {position} has features {x!r}: expected a dict or a 1-d array of numbers")
    return x


class _DictRows:
    """Rows of dicts, over features that appear as they go."""

    def __init__(self) -> None:
        self._encoder = DictEncoder()

    @property
    def space(self) -> Space:
        return self._encoder.space

    def rows(self, xs: Sequence[Any], start: int) -> Rows:
        """The rows of some examples; their features are learned on the way."""
        pairs = []
        for position, x in enumerate(xs, start):
            if not isinstance(x, Mapping):
                raise InputError(f"example {position} is no dict, unlike the first: give them all one form")
            try:
                self._encoder.learn(x)
            except InputError as error:
                raise InputError(f"example {position}: {error}") from error
            pairs.append(self._encoder.encode(x))
        return rows_of_pairs(pairs)


class _ArrayRows:
    """Rows of 1-d arrays of one length."""

    def __init__(self, n_given: int, n_features: int | None) -> None:
        if n_features is not None and n_features != n_given:
            raise InputError(f"example 0 has {n_given} features: expected n_features={n_features}")
        self.space = Space.of_size(n_given)

    def rows(self, xs: Sequence[Any], start: int) -> Rows:
        """The rows of some examples."""
        for position, x in enumerate(xs, start):
            if isinstance(x, Mapping) or len(_vector(x, position)) != self.space.n_features:
                raise InputError(
                    f"example {position} is unlike the first, which has {self.space.n_features} features: "
                    "give them all one form and length"
                )
        return rows_of_array(dense_array(xs))


def _labels(ys: list[Any], start: int, *, numeric: bool) -> NDArray[Any]:
    for position, y in enumerate(ys, start):
        if isinstance(y, str) == numeric or is_missing(y):
            expected = "a number" if numeric else "a string"
            raise InputError(f"the label of example {position} is {y!r}: expected {expected}, as the first is")
    if not numeric:
        labels = np.empty(len(ys), dtype=object)
        labels[:] = ys
        return labels
    return labels_of(ys)
