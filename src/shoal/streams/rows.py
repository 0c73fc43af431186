"""Arrays, sparse matrices and frames as canonical rows, and blocks of rows cut into chunks of one size.

Canonical rows hold no zeros, their indices rise within a row and NaN marks a missing value, so the same
example is the same row to the bit whatever form it came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.types import Chunk, Floats, Rows, Space

LARGEST_WIDTH = np.iinfo(np.int32).max  # feature indices are 32 bits wide


def to_rows(X: Any) -> Rows:
    """Canonical rows of a dense 2-d array, a scipy sparse matrix or a frame of numbers.

    Explicit zeros are dropped, duplicates summed and indices sorted; the argument is left as it was.
    Infinite values raise InputError.
    """
    return rows_of_sparse(X) if hasattr(X, "tocsr") else rows_of_array(dense_array(X))


def dense_array(X: Any) -> Floats:
    """A dense 2-d float array of an array, a nested list or a pandas or polars frame of numbers."""
    try:
        if hasattr(X, "iloc"):
            array = X.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            array = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the features hold something that is not a number ({error}): "
            "encode it, or give the rows as dicts, a frame or a table, where text becomes indicators"
        ) from error
    if array.ndim != 2:
        raise InputError(f"expected a table of rows and features (2 dimensions), got {array.ndim} dimension(s)")
    return array


def rows_of_array(X: Floats) -> Rows:
    """Canonical rows of a dense 2-d float array."""
    n_rows, n_features = X.shape
    _check_width(n_features)
    _check_finite(X)
    stored = X != 0.0  # true of NaN, which says that a value is missing
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    columns = np.arange(n_features, dtype=np.int32)
    if indptr[-1] == X.size:
        return Rows(indptr, np.tile(columns, n_rows), X.flatten())
    return Rows(indptr, np.broadcast_to(columns, X.shape)[stored], X[stored])


def rows_of_sparse(X: Any) -> Rows:
    """Canonical rows of a scipy sparse matrix or array."""
    _check_width(X.shape[1])
    X = X.tocsr()
    values = np.asarray(X.data)
    if not X.has_canonical_format or not values.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        values = X.data
    if values.dtype.kind not in "fiub":
        raise InputError(f"the sparse matrix holds values of type {values.dtype}: expected numbers")
    if not np.isfinite(values.sum()) and np.isinf(values).any():
        place = int(np.flatnonzero(np.isinf(values))[0])
        raise _infinite(int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place]))
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), values.astype(np.float64))


def rows_of_pairs(pairs: Sequence[tuple[NDArray[np.int32], Floats]]) -> Rows:
    """Rows of canonical (indices, values) pairs, one per example."""
    indptr = np.zeros(len(pairs) + 1, dtype=np.int64)
    np.cumsum([len(indices) for indices, _ in pairs], out=indptr[1:])
    indices = np.concatenate([i for i, _ in pairs]) if pairs else np.zeros(0)
    values = np.concatenate([v for _, v in pairs]) if pairs else np.zeros(0)
    return Rows(indptr, indices.astype(np.int32), values.astype(np.float64))


def rows_of_entries(indices: NDArray[np.int32], values: Floats, stored: NDArray[np.bool_]) -> Rows:
    """Rows from rectangles of indices and values, of which only the `stored` entries exist."""
    indptr = np.zeros(len(stored) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    return Rows(indptr, indices[stored], values[stored])


def without_zeros(rows: Rows) -> Rows:
    """The same rows less the zeros that they store."""
    stored = rows.values != 0.0
    if stored.all():
        return rows
    before = np.zeros(len(stored) + 1, dtype=np.int64)
    np.cumsum(stored, out=before[1:])
    return Rows(before[rows.indptr], rows.indices[stored], rows.values[stored])


def slice_rows(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start..stop, sharing memory."""
    first, last = rows.indptr[start], rows.indptr[stop]
    indptr = rows.indptr[start : stop + 1] - first
    return Rows(indptr, rows.indices[first:last], rows.values[first:last])


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Rows one after the other."""
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([np.diff(p.indptr) for p in parts])
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    return Rows(indptr, np.concatenate([p.indices for p in parts]), np.concatenate([p.values for p in parts]))


def width(rows: Rows) -> int:
    """One more than the largest feature index stored."""
    return int(rows.indices.max()) + 1 if len(rows.indices) else 0


def labels_of(y: Any, what: str = "label") -> NDArray[Any]:
    """Labels as float64 where they are numbers, else as objects; a missing one raises InputError.

    Numbers to predict may be several a row, (n_rows, n_targets).
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and what == "label" and labels.shape[1] and labels.dtype.kind in "fiu":
        return np.stack([labels_of(target, "label") for target in labels.T], axis=1)
    if labels.ndim != 1:
        raise InputError(f"expected one {what} per row (1 dimension), got {labels.ndim} dimension(s)")
    if labels.dtype.kind not in "fiub":
        objects = np.asarray(y, dtype=object)
        missing = [is_missing(v) for v in objects]
        if not any(missing) and len(objects) and all(isinstance(v, int | float | np.number) for v in objects):
            return labels_of(objects.astype(np.float64), what)
        labels = objects
    else:
        labels = labels.astype(np.float64)
        missing = ~np.isfinite(labels)
    if np.any(missing):
        place = int(np.flatnonzero(missing)[0])
        raise InputError(f"the {what} of row {place} (from 0) is {y[place]}: every row needs a {what}")
    return labels


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or one of their like, which do not equal themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA answers neither yes nor no; an array has no one answer
        return not hasattr(value, "__len__")


def weights_of(weight: Any, n_rows: int) -> Floats:
    """Example weights: finite, at least zero, one per row."""
    weights = np.asarray(weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InputError(f"expected {n_rows} weights, one per row, got an array of shape {weights.shape}")
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise InputError(f"the weight of row {place} (from 0) is {weights[place]}: weights are finite and >= 0")
    return weights


def cut(blocks: Iterable[Chunk], size: int, n_known: int = 0) -> Iterator[Chunk]:
    """The same examples in chunks of `size` rows; the last may be shorter.

    Where the space is open, a chunk's space holds the features met by its end, which therefore does not
    depend on how the blocks were cut. n_known: features that are known before the first row.
    """
    pending: list[Chunk] = []
    n_pending = 0
    space = Space.of_size(0)
    for block in blocks:
        start, n_rows = 0, block.rows.n_rows
        while n_pending + n_rows - start >= size:
            stop = start + size - n_pending
            chunk = join_chunks([*pending, slice_chunk(block, start, stop)])
            n_known = max(n_known, width(chunk.rows))
            space = _prefix(block.space, n_known, space)
            yield chunk._replace(space=space)
            pending, n_pending, start = [], 0, stop
        if start < n_rows:
            pending.append(slice_chunk(block, start, n_rows))
            n_pending += n_rows - start
    if pending:
        chunk = join_chunks(pending)
        yield chunk._replace(space=_prefix(chunk.space, max(n_known, width(chunk.rows)), space))


def slice_chunk(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Examples start..stop of a chunk, sharing memory."""
    labels = None if chunk.labels is None else chunk.labels[start:stop]
    weights = None if chunk.weights is None else chunk.weights[start:stop]
    return Chunk(slice_rows(chunk.rows, start, stop), labels, weights, chunk.space)


def join_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks of one stream as one."""
    if len(chunks) == 1:
        return chunks[0]
    labels = [c.labels for c in chunks if c.labels is not None]
    weights = [c.weights for c in chunks if c.weights is not None]
    return Chunk(
        join_rows([c.rows for c in chunks]),
        np.concatenate(labels) if labels else None,
        np.concatenate(weights) if weights else None,
        chunks[-1].space,
    )


def _prefix(space: Space, n: int, last: Space) -> Space:
    """The first n features of an open space; `last` again if it holds as many."""
    if not space.open or n == space.n_features:
        return space
    if last.open and n == last.n_features:
        return last
    if space.names is None:
        return Space.of_size(n, open=True)
    return Space(space.keys[:n], space.columns[:n], space.nominal[:n], True, space.names[:n])


def _check_width(n_features: int) -> None:
    if n_features > LARGEST_WIDTH:
        raise InputError(f"{n_features} features: shoal takes up to {LARGEST_WIDTH}; hash them into fewer")


def _check_finite(X: Floats) -> None:
    # A sum is finite if all terms are, and costs a tenth of looking at each; NaN and overflow look closer.
    with np.errstate(all="ignore"):
        if np.isfinite(X.sum()):
            return
    infinite = np.isinf(X)
    if infinite.any():
        row, feature = np.argwhere(infinite)[0]
        raise _infinite(int(row), int(feature))


def _infinite(row: int, feature: int) -> InputError:
    return InputError(
        f"row {row}, feature {feature} (both from 0) is infinite: expected finite numbers, or NaN for missing"
    )
