import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.streams.stream_helpers import LABELLED, assert_canonical, assert_same, dense, libsvm_text, whole

from shoal.errors import DataFileError, InputError
from shoal.streams import open_stream


@pytest.fixture
def written(tmp_path):
    """Writes text to a file and gives its path."""

    def write(text, name="data.libsvm"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_rows_and_labels_are_those_written(written):
    """LIBSVM text gives canonical rows, NaN where missing, and numeric labels."""
    chunk = whole(open_stream(written(libsvm_text())))
    assert_canonical(chunk)
    assert np.array_equal(dense(chunk), np.array([v for _, v in LABELLED]), equal_nan=True)
    assert chunk.labels.tolist() == [1.0, -1.0, 1.0, -1.0]


def test_layout_does_not_matter(written):
    """Comments, blank lines, qid, tabs, Windows line ends and a byte-order mark do not matter."""
    plain = whole(open_stream(written("1 1:2 3:4\n-1 2:0.5\n", "plain")))
    odd = b"\xef\xbb\xbf# heading\r\n\r\n+1\tqid:7 1:2.0  3:4e0 # note 5:6\r\n  -1.0 2:.5#x"
    assert_same(whole(open_stream(written(odd))), plain)


def test_zero_is_as_if_not_written(written):
    """An explicit zero is neither stored nor counted as a feature."""
    chunk = whole(open_stream(written("1 1:0 2:1 9:0 10:-0.0\n")))
    assert chunk.rows.indices.tolist() == [1]
    assert chunk.space.n_features == 2


@pytest.mark.parametrize("text", ["1\n0\n", "1 # nothing\n0 5:0\n"])
def test_rows_may_be_empty(written, text):
    """A line that has only a label is a row of zeros."""
    chunk = whole(open_stream(written(text)))
    assert chunk.rows.indptr.tolist() == [0, 0, 0]
    assert chunk.labels.tolist() == [1.0, 0.0]


def test_text_labels(written):
    """Labels are strings throughout if the first is no number."""
    chunk = whole(open_stream(written("spam 1:1\n2 1:3\nä 1:1\n")))
    assert chunk.labels.dtype == object
    assert chunk.labels.tolist() == ["spam", "2", "ä"]


def test_space_grows_with_the_indices_met(written):
    """Without n_features the space is open and holds the features met by the end of each chunk."""
    chunks = list(open_stream(written("1 1:1\n1 4:1\n1 2:1\n1 9:1\n"), chunk_size=2))
    assert [c.space.n_features for c in chunks] == [4, 9]
    assert all(c.space.open for c in chunks)


def test_given_width_closes_the_space(written):
    """With n_features the space is closed and has that many features from the start."""
    chunks = list(open_stream(written("1 1:1\n1 4:1\n"), n_features=5, chunk_size=1))
    assert [c.space.n_features for c in chunks] == [5, 5]
    assert not chunks[0].space.open


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1 1:2\n\n1 1:1 1:2\n", "line 3: '1:2'"),
        ("1 1:2\n1 3:1 2:2\n", "line 2: '2:2'"),
        ("1 0:2\n", "line 1: '0:2'"),
        ("1 -1:2\n", "line 1: '-1:2'"),
        ("1 1:2x\n", "line 1: '1:2x'"),
        ("1 1:1e\n", "line 1: '1:1e'"),
        ("1 1:1_0\n", "line 1: '1:1_0'"),
        ("1 1:0x10\n", "line 1: '1:0x10'"),
        ("1 1:\n", "line 1: '1:'"),
        ("1 1: 2\n", "line 1: '1:'"),
        ("1 1\n", "line 1: '1'"),
        ("1 a:1\n", "line 1: 'a:1'"),
        ("1 1:1\n2 1:inf\n", "line 2: '1:inf'"),
        ("1 1:1\n2 1:-Infinity\n", "line 2: '1:-Infinity'"),
        ("1 1:1\n2 1:1 2:1e400\n", "line 2: '1e400'"),
        ("1 99999999999999999999:1\n", "line 1: '99999999999999999999:1'"),
        ("1 1:1\nspam 1:1\n", "line 2: 'spam'"),
        ("1:1 2:1\n", "line 1: '1:1'"),
        ("nan 2:1\n", "line 1: 'nan'"),
        ("inf 2:1\n", "line 1: 'inf'"),
        ("1 1:1\nnan 2:1\n", "line 2: 'nan'"),
        ("1 1:1\n1e999 2:1\n", "line 2: '1e999'"),
        ("? 2:1\n", "line 1: '?'"),
        (b"spam 1:1\n\xff 1:1\n", "line 2:"),
    ],
)
def test_malformed_text_names_the_line_and_token(written, text, place):
    """What cannot be read raises an error that names the file, the line and the offending token."""
    path = written(text)
    with pytest.raises(DataFileError, match=re.escape(place)) as caught:
        whole(open_stream(path))
    assert str(path) in str(caught.value)


def test_index_beyond_the_given_width(written):
    """An index beyond n_features is an error that says how many were expected."""
    with pytest.raises(DataFileError, match="line 2: '4:1': the index is beyond the 3 features"):
        whole(open_stream(written("1 3:1\n1 4:1\n"), n_features=3))


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing here\n"])
def test_empty_file(written, text):
    """A file without examples is an error."""
    with pytest.raises(DataFileError, match="is empty"):
        whole(open_stream(written(text)))


def test_weight_needs_a_table(written):
    """LIBSVM text has no columns, so that asking for a weight column is an error."""
    with pytest.raises(InputError, match="no columns"):
        whole(open_stream(written("1 1:1\n"), weight="w"))


def test_error_far_into_the_file_names_its_line(written):
    """Lines are counted across the blocks in which a large file is read."""
    n = 200_000
    path = written("1 1:0.5 2:0.25\n" * n + "1 1:oops\n")
    with pytest.raises(DataFileError, match=f"line {n + 1}: '1:oops'"):
        whole(open_stream(path))


def test_row_longer_than_a_block(written):
    """A single line of several megabytes is read."""
    n = 200_000
    chunk = whole(open_stream(written("1 " + " ".join(f"{j}:{j}" for j in range(1, n + 1)))))
    assert np.array_equal(chunk.rows.values, np.arange(1, n + 1))


FINITE = st.floats(allow_nan=False, allow_infinity=False)
STYLES = st.sampled_from(["{!r}", "{:.17e}", "{:.6g}", "{:+.3f}", "{:.25g}", "{:.1E}"])


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.tuples(FINITE, STYLES), min_size=1, max_size=20), label=FINITE)
def test_every_decimal_is_read_as_python_reads_it(tmp_path_factory, values, label):
    """Any decimal comes back as Python's float() of its text, bit for bit."""
    texts = [style.format(v) for v, style in values]
    path = tmp_path_factory.mktemp("decimals") / "data.libsvm"
    path.write_text(f"{label!r} " + " ".join(f"{j + 1}:{t}" for j, t in enumerate(texts)) + "\n")
    expected = [float(t) for t in texts]
    if any(math.isinf(v) for v in expected):  # rounding up in print may pass the largest number
        with pytest.raises(DataFileError):
            whole(open_stream(path))
        return
    chunk = whole(open_stream(path))
    stored = [v for v in expected if v != 0.0]
    assert chunk.rows.values.tobytes() == np.array(stored, dtype=np.float64).tobytes()
    assert chunk.labels.tolist() == [label]


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993", "9007199254740992", "1e22", "1e23", "8.5e-23", "1e-22", "4.9e-324", ".5", "-.5e1",
        "123456789012345678901234567890", "0.000000000000000000000000000000000001", "2.4703282292062327e-324",
        "1.7976931348623157e308", "00000000000000000000000000001.5", "1.50000000000000000000000000000",
        "2.2250738585072011e-308", "1e-99999999999", "5.", "+12.5", "+0.12345678901234567", "9007199254740993e-5",
    ],
)  # fmt: skip
def test_decimals_at_the_edges_of_the_fast_path(written, text):
    """Decimals around the limits of exact arithmetic are those of Python's float()."""
    chunk = whole(open_stream(written(f"1 1:{text} 2:1\n")))
    value = chunk.rows.values[0] if chunk.rows.indices[0] == 0 else 0.0
    assert value == float(text)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([-1.0, 1.0]), st.lists(st.floats(allow_infinity=False), max_size=5)),
        min_size=1,
        max_size=20,
    ),
    size=st.integers(1, 8),
)
def test_round_trip_in_chunks_of_any_size(tmp_path_factory, rows, size):
    """Rows written as LIBSVM text come back to the bit, in chunks of the size asked for."""
    path = tmp_path_factory.mktemp("rows") / "data.libsvm"
    path.write_text(libsvm_text(rows))
    chunks = list(open_stream(path, chunk_size=size))
    assert [c.rows.n_rows for c in chunks[:-1]] == [size] * (len(chunks) - 1)
    for chunk in chunks:
        assert_canonical(chunk)
    got = whole(open_stream(path, chunk_size=size))
    assert_same(got, whole(open_stream(path)))
    expected = [v for _, values in rows for v in values if v != 0.0]
    assert np.array_equal(got.rows.values, np.array(expected, dtype=np.float64), equal_nan=True)
