import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.streams.stream_helpers import LABELLED, assert_canonical, assert_same, csv_text, dense, whole

from shoal.errors import DataFileError, InputError
from shoal.streams import open_stream

FEATURES = np.array([v for _, v in LABELLED])
TABLE = pa.table(
    {
        "a": FEATURES[:, 0],
        "label": pa.array([y for y, _ in LABELLED]).cast(pa.int8()),
        "b": FEATURES[:, 1],
        "c": FEATURES[:, 2],
    }
)
NOMINAL = pa.table({"c": ["red", None, " red", "?", "blue"], "n": [1, None, 0, 4, 5], "label": list("xyxyx")})


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "data.parquet": pa.parquet.write_table,
    "data.feather": pa.feather.write_feather,
    "data.arrow": lambda t, p: pa.feather.write_feather(t, p, compression="uncompressed", chunksize=2),
    "data.arrows": write_stream,
}


@pytest.fixture(params=WRITERS)
def stored(request, tmp_path):
    """Writes a table in each of the formats."""

    def write(table):
        path = tmp_path / request.param
        WRITERS[request.param](table, path)
        return path

    return write


def test_same_content_as_csv(stored, tmp_path):
    """The same table in a columnar format and as CSV gives the same rows, labels and features."""
    text = tmp_path / "data.csv"
    text.write_text(csv_text())
    a, b = whole(open_stream(stored(TABLE))), whole(open_stream(text))
    assert_same(a, b)
    assert a.space.keys.tolist() == b.space.keys.tolist()


@pytest.mark.parametrize("size", [1, 3, 1024])
def test_nominal_columns(stored, tmp_path, size):
    """Strings become indicators as they do in CSV, whatever the chunk size."""
    text = tmp_path / "data.csv"
    text.write_text("c,n,label\nred,1,x\n,,y\n red,0,x\n?,4,y\nblue,5,x\n")
    a, b = whole(open_stream(stored(NOMINAL), chunk_size=size)), whole(open_stream(text))
    assert_canonical(a)
    assert_same(a, b)
    assert a.space.names == b.space.names == ("n", "c=red", "c=blue")


def test_numbers_that_are_names(stored):
    """A column of numbers that is said to be nominal becomes indicators, and a label so called a string."""
    table = pa.table({"zip": [8001, None, 3012], "n": [1, 2, 3], "label": [0, 1, 1]})
    chunk = whole(open_stream(stored(table), nominal=["zip", "label"]))
    assert chunk.space.names == ("n", "zip=8001", "zip=3012")
    assert chunk.labels.tolist() == ["0", "1", "1"]


def test_types_of_columns(stored):
    """Integers, booleans, decimals, dates and times are numbers, in seconds; dictionaries are nominal."""
    noon = datetime.datetime(2020, 1, 1, 12)
    table = pa.table(
        {
            "int": pa.array([3, None], pa.uint8()),
            "bool": [True, False],
            "decimal": [Decimal("1.25"), Decimal("-2")],
            "date": [datetime.date(1970, 1, 2), None],
            "time": pa.array([noon, None], pa.timestamp("ms")),
            "span": pa.array([1500, 0], pa.duration("ms")),
            "clock": pa.array([60, 0], pa.time32("s")),
            "half": pa.array([0.5, 2.0], pa.float32()),
            "void": pa.nulls(2),
            "kind": pa.array(["p", "q"]).dictionary_encode(),
            "y": [True, False],
        }
    )
    chunk = whole(open_stream(stored(table)))
    seconds = noon.replace(tzinfo=datetime.UTC).timestamp()
    nan = np.nan
    expected = [
        [3, 1, 1.25, 86400, seconds, 1.5, 60, 0.5, nan, 1, 0],
        [nan, 0, -2, nan, nan, 0, 0, 2, nan, 0, 1],
    ]
    assert np.array_equal(dense(chunk), expected, equal_nan=True)
    assert chunk.labels.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"a": [[1], [2]], "label": [0, 1]}), "column 'a' is of type list"),
        (pa.table({"a": [1.0, np.inf], "label": [0, 1]}), "row 2, column 'a': inf is infinite"),
        (pa.table({"a": [1, 2], "label": [0, None]}), "row 2, column 'label': the cell is missing"),
        (pa.table({"a": [1, 2], "label": ["x", None]}), "row 2, column 'label': the cell is missing"),
        (pa.table({"a": pa.array([], pa.int64()), "label": pa.array([], pa.int64())}), "is empty"),
    ],
)
def test_what_cannot_be_read(stored, table, message):
    """Nested columns, infinite values, missing labels and empty tables raise an error that says where."""
    with pytest.raises(DataFileError, match=message):
        whole(open_stream(stored(table)))


@pytest.mark.parametrize("name", ["data.parquet", "data.feather", "data.arrows"])
def test_damaged_file(tmp_path, name):
    """A damaged file raises an error that names it, when it is opened or when it is read."""
    path = tmp_path / name
    path.write_bytes(
        b"ARROW1\0\0 and then nothing of the kind" if name == "data.feather" else b"nothing of the kind"
    )
    with pytest.raises(DataFileError, match=name):
        whole(open_stream(path))


def test_truncated_parquet(tmp_path):
    """A Parquet file that is cut short raises an error."""
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataFileError, match="cannot be read as Parquet"):
        open_stream(path)


@pytest.mark.parametrize("name", ["data.parquet", "data.arrow"])
def test_rows_are_counted_without_reading(tmp_path, name):
    """The number of rows is known from the file's metadata, and so is how much has been read."""
    path = tmp_path / name
    WRITERS[name](TABLE, path)
    stream = open_stream(path, chunk_size=3)
    assert stream.n_rows == 4
    assert [stream.fraction_read() for _ in stream] == [0.75, 1.0]


def test_large_table_comes_in_bounded_pieces(tmp_path):
    """A table of one large batch is converted piece by piece, and equals itself read whole."""
    values = np.random.default_rng(0).normal(size=100_000)
    path = tmp_path / "data.feather"
    pa.feather.write_feather(pa.table({"a": values, "y": np.arange(100_000) % 2}), path)
    chunks = list(open_stream(path))
    assert {c.rows.n_rows for c in chunks[:-1]} == {1024}
    assert np.array_equal(np.concatenate([c.rows.values for c in chunks]), values)


@pytest.mark.parametrize(
    "make", [lambda t: t.to_pandas(), pl.from_arrow, lambda t: t], ids=["pandas", "polars", "arrow"]
)
def test_frames(make):
    """A frame is a stream as its file would be, with its label in a column or given beside it."""
    expected = whole(open_stream(make(NOMINAL)))
    assert expected.space.names == ("n", "c=red", "c=blue")
    beside = whole(open_stream((make(NOMINAL.drop_columns(["label"])), list("xyxyx"))))
    assert_same(beside, expected)


def test_frame_of_mixed_types():
    """A column that mixes numbers and strings is an error."""
    with pytest.raises(InputError, match="mixed types"):
        whole(open_stream(pd.DataFrame({"a": [1, "x", 2.5], "y": [0, 1, 0]})))


def test_frame_and_labels_of_different_length():
    """Labels given beside a frame are one per row."""
    with pytest.raises(InputError, match="2 rows but 3 labels"):
        whole(open_stream((pd.DataFrame({"a": [1.0, 2.0]}), [0, 1, 0])))
