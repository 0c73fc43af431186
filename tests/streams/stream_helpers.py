"""What the tests of streams share."""

import numpy as np

from shoal.streams import Stream
from shoal.streams.rows import join_chunks
from shoal.types import Chunk

LABELLED = (
    # label, feature values: a zero, a missing value, numbers of many digits and extreme sizes among them
    (1.0, (0.5, 0.0, -3.25)),
    (-1.0, (np.nan, 1e-300, 2.0)),
    (1.0, (0.05644299999999999, 1.7976931348623157e308, 0.0)),
    (-1.0, (-0.1, 123456789012345678.0, 5e-324)),
)


def whole(stream: Stream) -> Chunk:
    """All of a stream as one chunk."""
    return join_chunks(list(stream))


def dense(chunk: Chunk) -> np.ndarray:
    """The chunk's rows as a dense array, NaN for missing."""
    out = np.zeros((chunk.rows.n_rows, chunk.space.n_features))
    for row in range(chunk.rows.n_rows):
        part = slice(chunk.rows.indptr[row], chunk.rows.indptr[row + 1])
        out[row, chunk.rows.indices[part]] = chunk.rows.values[part]
    return out


def assert_canonical(chunk: Chunk) -> None:
    """No zeros, rising indices, the promised types."""
    rows = chunk.rows
    assert rows.indptr.dtype == np.int64
    assert rows.indices.dtype == np.int32
    assert rows.values.dtype == np.float64
    assert (rows.values != 0.0).all()
    assert rows.indptr[0] == 0
    assert rows.indptr[-1] == len(rows.indices) == len(rows.values)
    for row in range(rows.n_rows):
        indices = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
        assert (np.diff(indices) > 0).all()
        assert (indices < chunk.space.n_features).all()


def assert_same(a: Chunk, b: Chunk) -> None:
    """The same examples to the last bit."""
    assert np.array_equal(a.rows.indptr, b.rows.indptr)
    assert np.array_equal(a.rows.indices, b.rows.indices)
    assert a.rows.values.tobytes() == b.rows.values.tobytes()
    assert (a.labels is None) == (b.labels is None)
    if a.labels is not None:
        assert a.labels.dtype == b.labels.dtype
        assert a.labels.tolist() == b.labels.tolist()


def libsvm_text(labelled=LABELLED) -> str:
    """Examples as LIBSVM text."""
    lines = []
    for label, values in labelled:
        pairs = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(values) if v != 0.0)
        lines.append(f"{label:+g} {pairs}\n")
    return "".join(lines)


def csv_text(labelled=LABELLED, delimiter=",") -> str:
    """Examples as CSV text, the label in the middle."""
    lines = [delimiter.join(("a", "label", "b", "c")) + "\n"]
    for label, values in labelled:
        cells = ["" if np.isnan(v) else repr(v) for v in values]
        lines.append(delimiter.join((cells[0], f"{label:g}", *cells[1:])) + "\n")
    return "".join(lines)
