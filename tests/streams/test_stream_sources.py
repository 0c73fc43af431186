import bz2
import gzip
import io
import lzma
import re
import subprocess
import sys

import pyarrow as pa
import pytest
from tests.streams.stream_helpers import assert_same, csv_text, libsvm_text, whole

from shoal.errors import DataFileError, InputError
from shoal.streams import open_stream

LONG = "".join(f"{i % 2} 1:{i} 2:{i * 0.37}\n" for i in range(1, 5000))


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(data)
    return sink.getvalue().to_pybytes()


COMPRESSIONS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}
WRITERS = {".libsvm": libsvm_text, ".csv": csv_text}


@pytest.fixture
def plain(tmp_path):
    """The long file, uncompressed."""
    path = tmp_path / "plain.libsvm"
    path.write_text(LONG)
    return whole(open_stream(path))


@pytest.fixture
def stdin(monkeypatch):
    """Puts bytes on standard input."""

    def put(data: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("form", WRITERS)
def test_compressed_files_read_as_plain_ones(tmp_path, form, suffix):
    """A compressed file holds the same examples as the plain one."""
    text = WRITERS[form]()
    plain, packed = tmp_path / f"data{form}", tmp_path / f"data{form}{suffix}"
    plain.write_text(text)
    packed.write_bytes(COMPRESSIONS[suffix](text.encode()))
    assert_same(whole(open_stream(packed)), whole(open_stream(plain)))


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_compression_is_known_by_the_first_bytes(tmp_path, plain, suffix):
    """A compressed file without a telling suffix is decompressed all the same."""
    path = tmp_path / "data"
    path.write_bytes(COMPRESSIONS[suffix](LONG.encode()))
    assert_same(whole(open_stream(path)), plain)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("form", WRITERS)
def test_truncated_archive(tmp_path, form, suffix):
    """An archive that is cut short raises an error that says so and names the file."""
    text = LONG if form == ".libsvm" else "a,label\n" + "".join(f"{i * 0.37},{i % 2}\n" for i in range(9000))
    packed = COMPRESSIONS[suffix](text.encode())
    path = tmp_path / f"data{form}{suffix}"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataFileError, match="archive is cut short") as caught:
        whole(open_stream(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_not_an_archive(tmp_path, suffix):
    """A file that only claims to be an archive raises an error."""
    path = tmp_path / f"data.libsvm{suffix}"
    path.write_text("1 1:2\n" * 10)
    with pytest.raises(DataFileError, match="is not a sound"):
        whole(open_stream(path))


@pytest.mark.parametrize("form", WRITERS)
def test_standard_input_is_told_by_its_first_line(tmp_path, stdin, form):
    """Standard input is LIBSVM or CSV by its first line, and no byte of it is lost."""
    text = WRITERS[form]()
    path = tmp_path / f"data{form}"
    path.write_text(text)
    stdin(text.encode())
    assert_same(whole(open_stream("-")), whole(open_stream(path)))


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_compressed_standard_input(plain, stdin, suffix):
    """Compressed standard input is told by its first bytes."""
    stdin(COMPRESSIONS[suffix](LONG.encode()))
    assert_same(whole(open_stream("-")), plain)


def test_arrow_stream_on_standard_input(stdin):
    """An Arrow IPC stream can be read from standard input."""
    table = pa.table({"a": [1.0, 2.0], "label": [0, 1]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stdin(sink.getvalue())
    chunk = whole(open_stream("-"))
    assert chunk.rows.values.tolist() == [1.0, 2.0]
    assert chunk.labels.tolist() == [0.0, 1.0]


def test_parquet_on_standard_input(stdin):
    """Parquet on standard input is an error that asks for the path."""
    stdin(b"PAR1" + b"\0" * 100)
    with pytest.raises(DataFileError, match="give the file's path"):
        whole(open_stream("-"))


def test_standard_input_in_a_pipe():
    """What another process writes is read as it comes, and standard input can be read only once."""
    program = (
        "from shoal.streams import open_stream\n"
        "s = open_stream('-', chunk_size=2)\n"
        "print([c.labels.tolist() for c in s], s.fraction_read(), s.once)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="1 1:1\n0 2:1\n1 1:3\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[[1.0, 0.0], [1.0]] None True"


def test_standard_input_only_once(stdin):
    """A second pass over standard input is an error."""
    stdin(b"1 1:1\n")
    stream = open_stream("-")
    assert len(list(stream)) == 1
    with pytest.raises(InputError, match="only once"):
        list(stream)


def test_files_can_be_read_again(tmp_path):
    """A file's stream starts again at each pass, also after one that was broken off."""
    path = tmp_path / "data.libsvm"
    path.write_text(LONG)
    stream = open_stream(path, chunk_size=10)
    next(iter(stream))
    assert sum(c.rows.n_rows for c in stream) == 4999
    assert sum(c.rows.n_rows for c in stream) == 4999


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
def test_fraction_read(tmp_path, suffix):
    """The fraction read rises from 0 to 1 over a pass."""
    path = tmp_path / f"data.libsvm{suffix}"
    text = (LONG * 20).encode()
    path.write_bytes(COMPRESSIONS[suffix](text) if suffix else text)
    stream = open_stream(path)
    seen = [stream.fraction_read() or 0.0] + [stream.fraction_read() for _ in stream]
    assert seen[0] == 0.0
    assert seen == sorted(seen)
    assert 0.0 < seen[1] <= 1.0
    assert seen[-1] == 1.0


def test_memory_does_not_grow_with_the_file(tmp_path):
    """Only a block of a large file is read before its first rows are given out."""
    path = tmp_path / "data.libsvm"
    path.write_text(LONG * 60)
    with open_stream(path) as stream:
        next(iter(stream))
        assert stream.fraction_read() * path.stat().st_size <= 2**20


def test_closing_ends_a_pass(tmp_path):
    """Leaving the context ends the pass and closes the file."""
    path = tmp_path / "data.csv"
    path.write_text("a,label\n" + "1,0\n" * 500_000)
    with open_stream(path, chunk_size=10) as stream:
        chunks = iter(stream)
        next(chunks)
    with pytest.raises(StopIteration):
        next(chunks)


@pytest.mark.parametrize(
    ("name", "message"),
    [("absent.csv", "no such file"), ("absent", "no data set's name"), (".", "is a folder")],
)
def test_no_file(tmp_path, monkeypatch, name, message):
    """A name that is neither a file nor a data set, or a folder, is an error at once."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataFileError, match=re.escape(message)):
        open_stream(name)


@pytest.mark.parametrize(
    "options", [{"format": "excel"}, {"chunk_size": 0}, {"n_features": 0}], ids=lambda o: next(iter(o))
)
def test_options_out_of_range(options):
    """An unknown format or a size below one is an error."""
    with pytest.raises(InputError, match=next(iter(options))):
        open_stream("-", **options)


def test_format_overrides_the_suffix(tmp_path):
    """A given format is used whatever the file is called."""
    path = tmp_path / "data.csv"
    path.write_text("1 1:2\n")
    assert whole(open_stream(path, format="libsvm")).labels.tolist() == [1.0]


def test_classes_are_kept(tmp_path):
    """Classes known beforehand are the stream's classes."""
    path = tmp_path / "data.libsvm"
    path.write_text("1 1:2\n")
    assert open_stream(path, classes=[0, 1]).classes == [0, 1]
    assert open_stream(path).classes is None
