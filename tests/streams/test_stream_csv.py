import re

import numpy as np
import pytest
from tests.streams.stream_helpers import (
    LABELLED,
    assert_canonical,
    assert_same,
    csv_text,
    dense,
    libsvm_text,
    whole,
)

from shoal.errors import DataFileError
from shoal.streams import open_stream
from shoal.types import Space


@pytest.fixture
def written(tmp_path):
    """Writes text to a file and gives its path."""

    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_rows_and_labels_are_those_written(written):
    """A table of numbers gives canonical rows, NaN where a cell is empty, and numeric labels."""
    chunk = whole(open_stream(written(csv_text())))
    assert_canonical(chunk)
    assert np.array_equal(dense(chunk), np.array([v for _, v in LABELLED]), equal_nan=True)
    assert chunk.space.names == ("a", "b", "c")
    assert chunk.space.settled


def test_same_content_as_libsvm(written):
    """The same examples as CSV and as LIBSVM text give the same rows and labels."""
    a = whole(open_stream(written(csv_text())))
    assert_same(a, whole(open_stream(written(libsvm_text(), "data.libsvm"))))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_is_found(written, delimiter):
    """Commas, semicolons and tabs are told from the header."""
    assert_same(
        whole(open_stream(written(csv_text(delimiter=delimiter)))), whole(open_stream(written(csv_text())))
    )


def test_nominal_columns_become_indicators_in_order_of_appearance(written):
    """A text column becomes one indicator per category, after the numeric columns, as rows bring them."""
    text = "colour,size,shape,class\nred,1,round,x\n?,2,square,y\nblue,0, round,x\n"
    chunk = whole(open_stream(written(text)))
    assert_canonical(chunk)
    assert chunk.space.names == ("size", "colour=red", "shape=round", "shape=square", "colour=blue")
    assert chunk.space.open
    expected = Space.of_columns(
        [("size", None), ("colour", "red"), ("shape", "round"), ("shape", "square"), ("colour", "blue")]
    )
    assert chunk.space.keys.tolist() == expected.keys.tolist()
    assert chunk.space.columns.tolist() == expected.columns.tolist()
    assert chunk.space.nominal.tolist() == expected.nominal.tolist()
    assert dense(chunk).tolist() == [[1, 1, 1, 0, 0], [2, 0, 0, 1, 0], [0, 0, 1, 0, 1]]
    assert chunk.labels.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("word", ["", "?", "NA", "NaN", "nan", "null", "None", " ? ", '""'])
def test_missing_cells(written, word):
    """Each of the words for missing is NaN in a numeric column and no indicator in a nominal one."""
    chunk = whole(open_stream(written(f"n,c,label\n1,red,0\n{word},{word},1\n")))
    assert np.array_equal(dense(chunk), [[1, 1], [np.nan, 0]], equal_nan=True)


@pytest.mark.parametrize(
    ("header", "label", "names"),
    [
        ("a,y,b", None, ("a", "b")),
        ("a,Class,b", None, ("a", "b")),
        ("target,y,b", None, ("y", "b")),
        ("a,b,c", None, ("a", "b")),
        ("a,b,c", "a", ("b", "c")),
        ("a,label,c", "c", ("a", "label")),
        ("a,b,c", False, ("a", "b", "c")),
    ],
)
def test_which_column_is_the_label(written, header, label, names):
    """The label is the column asked for, else label, target, class or y, else the last; False means none."""
    chunk = whole(open_stream(written(f"{header}\n1,2,3\n"), label=label))
    assert chunk.space.names == names
    assert (chunk.labels is None) == (label is False)


def test_weight_column(written):
    """The weight column gives the weights and is no feature."""
    chunk = whole(open_stream(written("a,w,label\n1,0.5,0\n2,2,1\n"), weight="w"))
    assert chunk.weights.tolist() == [0.5, 2.0]
    assert chunk.space.names == ("a",)


@pytest.mark.parametrize("size", [1, 2, 7, 1000, 4096])
def test_chunk_size_changes_nothing(written, size):
    """Rows, labels, features and their kinds do not depend on the chunk size."""
    random = np.random.default_rng(0)
    lines = [f"{random.integers(9)},v{random.integers(40)},u{random.integers(5)},{i % 3}" for i in range(3000)]
    path = written("n,c,d,label\n" + "\n".join(lines))
    reference, got = whole(open_stream(path)), list(open_stream(path, chunk_size=size))
    assert_same(whole(open_stream(path, chunk_size=size)), reference)
    assert got[-1].space.names == reference.space.names
    assert all(c.rows.n_rows == size for c in got[:-1])
    widest = 1
    for chunk in got:
        widest = max(widest, int(chunk.rows.indices.max(initial=0)) + 1)
        assert chunk.space.n_features == widest
        assert chunk.space.names == reference.space.names[:widest]


@pytest.mark.parametrize("size", [1, 10, 5000])
@pytest.mark.parametrize("n_numbers", [1, 3, 1500])
def test_a_word_in_a_column_of_numbers(written, size, n_numbers):
    """A column whose first cell is a number is numeric: a word in it is an error, whatever the chunk size."""
    path = written("a,label\n" + "1,0\n" * n_numbers + "red,1\n")
    expected = f"line {n_numbers + 2}, column 'a': 'red' is not a number"
    with pytest.raises(DataFileError, match=re.escape(expected)):
        whole(open_stream(path, chunk_size=size))
    chunk = whole(open_stream(path, chunk_size=size, nominal=["a"]))
    assert chunk.space.names == ("a=1", "a=red")


def test_names_some_of_which_look_like_numbers(written):
    """Words that recur, and are a tenth of the first cells or more, make a column of names; fewer are errors."""
    names = "doors,label\n" + "".join(f"{t % 9 if t % 9 else 'more'},{t % 2}\n" for t in range(1, 100))
    assert "doors=more" in whole(open_stream(written(names))).space.names
    fewer = "doors,label\n" + "".join(f"{t % 11 if t % 11 else 'more'},{t % 2}\n" for t in range(1, 100))
    with pytest.raises(DataFileError, match="line 12, column 'doors': 'more' is not a number"):
        whole(open_stream(written(fewer)))


def test_a_word_in_a_label_of_numbers(written):
    """Labels that begin as numbers go on as numbers, unless the label's column is said to be nominal."""
    path = written("a,label\n1,0\n2,1\n3,many\n")
    with pytest.raises(DataFileError, match=re.escape("line 4, column 'label': 'many' is not a number")):
        whole(open_stream(path))
    assert whole(open_stream(path, nominal=["label"])).labels.tolist() == ["0", "1", "many"]


def test_the_first_cell_that_is_not_missing_counts(written):
    """Missing cells say nothing of a column's kind; a number among names is one of the names."""
    text = "a,b,c,label\n?,,,0\n1,red,,1\n,3,,0\n"
    chunk = whole(open_stream(written(text)))
    assert chunk.space.names == ("a", "c", "b=red", "b=3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,label\n1,0\ninf,1\n", "line 3, column 'a': 'inf' is infinite"),
        ("a,label\n1,0\n1e999,1\n", "line 3, column 'a': '1e999' is infinite"),
        ("a,label\n1,0\n\n2,?\n", "line 4, column 'label': the cell is missing"),
        ("a,label\n1,x\n2,\n", "line 3, column 'label': the cell is missing"),
        ("a,label\n1,inf\n", "line 2, column 'label': 'inf' is infinite"),
        ("a,label\n1,0\n2\n", "line 3: 1 cells, expected 2"),
        ("a,label\n1,0\n\n1,2,3\n", "line 4: 3 cells, expected 2"),
        ("a,a,label\n1,2,0\n", "two columns are called 'a'"),
        ("0.5,0.25,1\n1,2,0\n", "the first line holds numbers"),
        ("", "is empty"),
        ("a,label\n", "is empty"),
        ("a,label\n\n\n", "is empty"),
        (b"a,label\n\xff,1\n", "cannot be read as CSV"),
    ],
)
def test_what_cannot_be_read(written, text, message):
    """What cannot be read raises an error that names the file, the line, the column and the value."""
    path = written(text)
    with pytest.raises(DataFileError, match=re.escape(message)) as caught:
        whole(open_stream(path))
    assert str(path) in str(caught.value)


def test_lines_are_counted_where_cells_hold_newlines(written):
    """The line named is that of the file, also after quoted cells of several lines."""
    text = "n,c,label\n" + '1,"two\nlines",0\n' * 1200 + "red,x,1\n"
    with pytest.raises(DataFileError, match=re.escape("line 2402, column 'n': 'red'")):
        whole(open_stream(written(text)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "z"}, "no column 'z' for the label; the columns are a, w, label"),
        ({"weight": "z"}, "no column 'z' for the weight"),
        ({"weight": "w"}, "line 3, column 'w': '-1' is no weight"),
        ({"nominal": ["a", "z"]}, "no column 'z' for the nominal values"),
    ],
)
def test_columns_asked_for_must_do(written, options, message):
    """A label or weight column that is absent, or a negative weight, is an error."""
    with pytest.raises(DataFileError, match=re.escape(message)):
        whole(open_stream(written("a,w,label\n1,2,0\n1,-1,0\n"), **options))


def test_weight_column_of_words(written):
    """A weight column that is not numeric is an error."""
    with pytest.raises(DataFileError, match="'w' does not hold numbers"):
        whole(open_stream(written("a,w,label\n1,heavy,0\n"), weight="w"))


def test_without_a_header(written):
    """header=False reads the first line as data and numbers the columns."""
    chunk = whole(open_stream(written("0.5,1.5,1\n2,3,0\n"), header=False))
    assert chunk.space.names == ("column 1", "column 2")
    assert chunk.labels.tolist() == [1.0, 0.0]


def test_layout_does_not_matter(written):
    """A byte-order mark, Windows line ends, quotes, spaces, plus signs and a missing newline do not matter."""
    odd = b'\xef\xbb\xbf"a", b ,label\r\n"+1", 2.5 ,1\r\n\r\n3,-4e0,0'
    chunk = whole(open_stream(written(odd)))
    assert chunk.space.names == ("a", "b")
    assert dense(chunk).tolist() == [[1, 2.5], [3, -4]]


def test_numbers_as_column_names(written):
    """Columns that are merely numbered, as frames write them, are a header."""
    assert whole(open_stream(written("0,1,2\n5,6,7\n"))).space.names == ("0", "1")


def test_rows_wider_than_a_block(written):
    """A row of several megabytes is read."""
    n = 30_000
    text = ",".join(f"f{j}" for j in range(n)) + ",label\n" + (("0.25" + "0" * 50 + ",") * n + "1\n") * 2
    chunk = whole(open_stream(written(text)))
    assert chunk.rows.n_rows == 2
    assert len(chunk.rows.values) == 2 * n
