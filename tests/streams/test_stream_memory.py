import itertools
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.streams.stream_helpers import assert_canonical, assert_same, dense, whole

from shoal.errors import InputError
from shoal.streams import DictEncoder, open_stream, to_rows
from shoal.streams.rows import cut, rows_of_pairs
from shoal.types import Chunk, Space

CELLS = st.sampled_from([0.0, -0.0, 1.0, -2.5, np.nan, 1e-300])
MATRICES = arrays(np.float64, st.tuples(st.integers(0, 6), st.integers(1, 5)), elements=CELLS)


def as_chunk(rows, n_features):
    return Chunk(rows, None, None, Space.of_size(n_features))


@given(X=MATRICES)
def test_dense_rows_are_canonical(X):
    """A dense array gives canonical rows that hold its values, NaN included."""
    chunk = as_chunk(to_rows(X), X.shape[1])
    assert_canonical(chunk)
    assert np.array_equal(dense(chunk), X, equal_nan=True)


@given(X=MATRICES)
def test_sparse_rows_are_those_of_the_dense_array(X):
    """A sparse matrix gives the rows of its dense form, to the bit."""
    expected, got = to_rows(X), to_rows(scipy.sparse.csr_array(X))
    assert_same(as_chunk(got, X.shape[1]), as_chunk(expected, X.shape[1]))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_untidy_sparse_matrix(form):
    """Explicit zeros go, duplicates add up, indices are sorted, and the matrix is left as it was."""
    data, column, start = (
        np.array([3.0, 0.0, 1.0, 2.0, 5.0, -5.0]),
        np.array([2, 1, 0, 2, 1, 1]),
        np.array([0, 4, 6]),
    )
    X = scipy.sparse.csr_matrix((data, column, start), shape=(2, 3))
    before = data.copy()
    chunk = as_chunk(to_rows(X if form == "csr" else X.asformat(form)), 3)
    assert_canonical(chunk)
    assert dense(chunk).tolist() == [[1, 0, 5], [0, 0, 0]]
    if form == "csr":
        assert np.array_equal(X.data, before)
        assert len(X.indices) == 6


@pytest.mark.parametrize(
    "X",
    [
        [[1, 0], [2, 3]],
        np.array([[1, 0], [2, 3]], dtype=np.int8),
        np.array([[1, 0], [2, 3]], dtype=np.float32),
        np.asfortranarray([[1.0, 0.0], [2.0, 3.0]]),
        scipy.sparse.csr_array(np.array([[1, 0], [2, 3]])),
        scipy.sparse.csr_array(np.array([[True, False], [True, True]])) * 1.0
        + scipy.sparse.csr_array([[0, 0], [1, 2]]),
        pd.DataFrame({"a": [1, 2], "b": [0, 3]}),
        pl.DataFrame({"a": [1, 2], "b": [0, 3]}),
    ],
    ids=["list", "int8", "float32", "fortran", "csr", "sum", "pandas", "polars"],
)
def test_whatever_holds_the_numbers(X):
    """Lists, arrays of any number type, sparse arrays and frames give the same rows."""
    rows = to_rows(X)
    assert rows.indptr.tolist() == [0, 1, 3]
    assert rows.indices.tolist() == [0, 0, 1]
    assert rows.values.tolist() == [1.0, 2.0, 3.0]


def test_frame_with_missing_numbers():
    """Missing numbers of a frame are NaN."""
    assert np.isnan(to_rows(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})).values[1])
    assert np.isnan(to_rows(pl.DataFrame({"a": [1, None]})).values[1])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, np.inf]]), "row 0, feature 1"),
        (scipy.sparse.csr_array(np.array([[0.0, 1.0], [-np.inf, 0.0]])), "row 1, feature 0"),
        (np.array([1.0, 2.0]), "2 dimensions"),
        ([["a", "b"]], "not a number"),
        (pd.DataFrame({"a": ["x"]}), "not a number"),
        (scipy.sparse.csr_array(np.array([[1j]])), "complex"),
    ],
)
def test_arrays_that_cannot_be_rows(X, message):
    """Infinite values, other shapes and other types are errors that say what is wrong."""
    with pytest.raises(InputError, match=message):
        to_rows(X)


@given(X=MATRICES.filter(len), sizes=st.lists(st.integers(1, 3), min_size=6, max_size=6), size=st.integers(1, 7))
def test_cutting_anew_changes_nothing(X, sizes, size):
    """Blocks of any sizes, cut into chunks of any size, hold the same examples and the same features."""
    bounds = np.minimum(np.cumsum([0, *sizes]), len(X))
    space = Space.of_size(X.shape[1], open=True)
    blocks = [
        Chunk(to_rows(X[a:b]), np.arange(a, b).astype(float), None, space) for a, b in itertools.pairwise(bounds)
    ]
    direct = [Chunk(to_rows(X[a : a + size]), None, None, space) for a in range(0, len(X), size)]
    got = list(cut(blocks, size))
    assert [c.rows.n_rows for c in got] == [c.rows.n_rows for c in direct]
    known = 0
    for a, b in zip(got, direct, strict=True):
        assert np.array_equal(dense(a._replace(space=space)), dense(b), equal_nan=True)
        known = max(known, int(a.rows.indices.max(initial=-1)) + 1)
        assert a.space.n_features == known


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix, pd.DataFrame])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_arrays_as_a_stream(convert, size):
    """A pair of features and labels is a stream of chunks, which can be read again."""
    X, y = np.array([[1.0, 0.0], [np.nan, 2.0], [0.0, 0.0]]), np.array([3, 1, 2], dtype=np.int32)
    stream = open_stream((convert(X), y), chunk_size=size)
    assert stream.n_rows == 3
    for _ in range(2):
        chunk = whole(stream)
        assert_canonical(chunk)
        assert np.array_equal(dense(chunk), X, equal_nan=True)
        assert chunk.labels.dtype == np.float64
        assert chunk.labels.tolist() == [3.0, 1.0, 2.0]


def test_labels_that_are_words():
    """Labels that are no numbers stay what they are."""
    chunk = whole(open_stream((np.eye(2), np.array(["yes", "no"]))))
    assert chunk.labels.dtype == object
    assert chunk.labels.tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ((np.eye(2), [0, 1, 2]), {}, "2 rows but 3 labels"),
        ((np.eye(2), [0, np.nan]), {}, "label of row 1"),
        ((np.eye(2), np.array(["a", None])), {}, "label of row 1"),
        ((np.eye(2), pd.Series([1, None], dtype="Int64")), {}, "label of row 1"),
        ((np.eye(2), np.array([["a"], ["b"]])), {}, "one label per row"),
        ((np.eye(2), [0, 1]), {"n_features": 3}, "expected n_features=3"),
        ((np.eye(2), [0, 1]), {"weight": "w"}, "has none"),
        (7, {}, "cannot open int"),
        ([7], {}, "expected pairs"),
        ([("text", 1)], {}, "1-d array"),
        ([([1, 2], 0), ([1], 0)], {}, "example 1 is unlike the first"),
        ([([1, 2], 0), ({"a": 1}, 0)], {}, "example 1 is unlike the first"),
        ([({"a": 1}, 0), ([1], 0)], {}, "example 1 is no dict"),
        ([({"a": 1}, 0), ({"a": "x"}, 0)], {}, "example 1: feature 'a' was a number"),
        ([({"a": 1}, 0), ({"a": 1}, "x")], {}, "label of example 1 is 'x'"),
        ([({"a": 1}, 0), ({"a": 1}, None)], {}, "label of example 1 is None"),
        ([([1, 2], 0)], {"n_features": 3}, "expected n_features=3"),
    ],
)
def test_sources_that_do_not_fit(source, options, message):
    """What does not fit together is an error that says which example is wrong."""
    with pytest.raises(InputError, match=message):
        whole(open_stream(source, **options))


def test_dicts_as_a_stream():
    """Dicts become sparse rows over named features that appear as the stream goes on."""
    examples = [({"a": 1, "c": "red"}, 1), ({"a": None, "b": 2.5, "c": None}, 0), ({"c": "blue", "d": True}, 1)]
    for size in (1, 2, 10):
        chunks = list(open_stream(examples, chunk_size=size))
        chunk = whole(open_stream(examples, chunk_size=size))
        assert_canonical(chunk)
        assert chunk.space.names == ("a", "c=red", "b", "c=blue", "d")
        assert chunk.space.open
        assert chunk.space.nominal.tolist() == [False, True, False, True, False]
        expected = [[1, 1, 0, 0, 0], [np.nan, 0, 2.5, 0, 0], [0, 0, 0, 1, 1]]
        assert np.array_equal(dense(chunk), expected, equal_nan=True)
        assert chunks[0].space.n_features == {1: 2, 2: 3, 10: 5}[size]


def test_arrays_one_by_one():
    """Pairs of a 1-d array and a label give the rows of the array that they make up."""
    X = np.array([[1.0, 0.0], [np.nan, 2.0]])
    chunk = whole(open_stream(zip(X, ["p", "q"], strict=True), chunk_size=1))
    assert np.array_equal(dense(chunk), X, equal_nan=True)
    assert chunk.labels.tolist() == ["p", "q"]


def test_chunks_pass_as_they_are():
    """An iterable of chunks is a stream of those chunks, and a stream is itself."""
    stream = open_stream((np.eye(4), np.arange(4)), chunk_size=2)
    assert open_stream(stream) is stream
    chunks = list(stream)
    assert list(open_stream(chunks)) == chunks


def test_endless_iterable_in_bounded_memory():
    """Only as many examples are taken from an iterable as the chunks given out hold."""
    taken = itertools.count()
    source = (({"x": next(taken)}, i % 2) for i in itertools.count())
    stream = open_stream(source, chunk_size=10)
    chunks = list(itertools.islice(stream, 3))
    assert sum(c.rows.n_rows for c in chunks) == 30
    assert next(taken) == 30
    assert stream.once
    assert stream.fraction_read() is None
    with pytest.raises(InputError, match="only once"):
        iter(stream)


def test_arrays_of_a_stream():
    """A whole stream comes as a CSR array or, if asked, a dense one, with its labels."""
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0.0, 1.0, 0.0])
    sparse, labels = open_stream((X, y), chunk_size=2).arrays()
    assert scipy.sparse.issparse(sparse)
    assert np.array_equal(sparse.toarray(), X)
    assert np.array_equal(open_stream((X, y)).arrays(dense=True)[0], X)
    assert np.array_equal(labels, y)


def test_encoder_answers_without_learning():
    """Encoding leaves out features never met and does not add them."""
    encoder = DictEncoder()
    encoder.learn({"a": 2, "c": "red"})
    indices, values = encoder.encode({"new": 1, "c": "red", "a": 3})
    assert indices.tolist() == [0, 1]
    assert values.tolist() == [3.0, 1.0]
    assert encoder.encode({"c": "blue"})[0].tolist() == []
    assert encoder.space.names == ("a", "c=red")


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"new": 1, "a": "x"}, "'a' was a number"),
        ({"new": 1, "c": 5}, "'c' was a category"),
        ({"new": 1, "a": float("inf")}, "'a' is infinite"),
        ({"new": 1, "a": [1]}, "'a' holds"),
    ],
)
def test_encoder_refuses_and_stays_as_it_was(x, message):
    """A value of the wrong kind is an error that leaves the encoder unchanged."""
    encoder = DictEncoder()
    encoder.learn({"a": 2, "c": "red"})
    with pytest.raises(InputError, match=message):
        encoder.learn(x)
    with pytest.raises(InputError, match=message):
        encoder.encode(x)
    assert encoder.space.names == ("a", "c=red")


def test_encoder_kinds_of_values():
    """Booleans and numpy numbers are numbers, zero is not stored, None and NaN are missing; names are in order."""
    encoder = DictEncoder()
    x = {"t": True, "f": False, "n": np.float32(1.5), "i": np.int64(2), "u": None, 7: 1, "s": np.str_("v")}
    encoder.learn(x)
    assert encoder.space.names == ("7", "f", "i", "n", "s=v", "t")
    assert encoder.encode(x)[1].tolist() == [1.0, 2.0, 1.5, 1.0, 1.0]
    indices, values = encoder.encode({"t": None, "n": float("nan"), "s": float("nan"), "u": None})
    assert indices.tolist() == [3, 5]
    assert np.isnan(values).all()


def test_encoder_survives_pickling():
    """A pickled encoder goes on as if it had never stopped."""
    encoder = DictEncoder()
    encoder.learn({"a": 1, "c": "red"})
    other = pickle.loads(pickle.dumps(encoder))
    for each in (encoder, other):
        each.learn({"b": 1, "c": "blue"})
    assert other.space.names == encoder.space.names
    assert other.space.keys.tolist() == encoder.space.keys.tolist()


def test_opening_a_stream_loads_nothing_heavy():
    """Streams of what is in memory need neither numba nor scipy, pyarrow, pandas or scikit-learn."""
    program = (
        "import sys, numpy as np\nfrom shoal.streams import open_stream\n"
        "list(open_stream((np.eye(2), [0, 1])))\nlist(open_stream([({'a': 1}, 0)]))\n"
        "print([m for m in ('numba', 'scipy', 'pyarrow', 'pandas', 'sklearn') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rows_of_no_pairs():
    """No examples make no rows."""
    assert rows_of_pairs([]).n_rows == 0
