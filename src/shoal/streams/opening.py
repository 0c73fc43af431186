"""One door to every kind of stream: `open_stream`.

Text is read as LIBSVM or CSV and tables as Parquet or Arrow, by the file's suffix (less one of
compression) or, where that says nothing, by its first bytes. What counts as a label, a missing value or a
nominal column is said in `shoal.streams.columns`, `csv`, `arrow` and `libsvm`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from shoal.errors import DataFileError, InputError, did_you_mean
from shoal.streams.columns import LabelChoice, Wanted
from shoal.streams.memory import chunks_of_arrays, chunks_of_frame, chunks_of_iterable
from shoal.streams.sources import STANDARD_INPUT, ByteSource, name_of, without_compression
from shoal.streams.stream import Stream
from shoal.types import Chunk

CHUNK_SIZE = 1024
FORMATS = ("libsvm", "csv", "parquet", "arrow")
FORMAT_OF_SUFFIX = {
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
PARQUET_MAGIC = b"PAR1"
ARROW_MAGICS = (b"ARROW1", b"\xff\xff\xff\xff")  # a file; a stream's first message
LONGEST_LOOK = 1 << 16


def open_stream(
    source: Any,
    *,
    label: LabelChoice = None,
    weight: str | None = None,
    nominal: Sequence[str] = (),
    format: str | None = None,
    n_features: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    classes: list[Any] | None = None,
    header: bool = True,
    wanted: Wanted = None,
) -> Stream:
    """A stream of a file, of standard input, of a data set, or of what is in memory.

    source: a path; "-" for standard input; a data set's name (see `shoal.datasets`); a pair (X, y) of
        arrays; a frame; an iterable of pairs (x, y), x a dict or a 1-d array; an iterable of chunks.
    label: the label's column in a table; False if there is none, or, in LIBSVM text, if it is not to be read. Else
        the usual rule (see `columns`).
    weight: the column of a table that holds the examples' weights.
    nominal: the columns of a table whose values are names, though some or all look like numbers.
    format: "libsvm", "csv", "parquet" or "arrow", where the name and the first bytes do not tell.
    n_features: how many features LIBSVM text has; an index beyond is then an error.
    chunk_size: examples per chunk; results do not depend on it.
    classes: the labels in order, if they are known beforehand.
    header: whether a CSV file's first line names its columns.
    wanted: says of a column's name whether it is read as a feature; by default all are.

    >>> stream = open_stream([({"age": 41}, "yes"), ({"age": 30, "colour": "red"}, "no")])
    >>> [chunk.rows.n_rows for chunk in stream]
    [2]
    """
    _check_choices(format, n_features, chunk_size)
    if isinstance(source, str | os.PathLike):
        table: dict[str, Any] = {"label": label, "weight": weight, "nominal": nominal, "chunk_size": chunk_size}
        table["wanted"] = wanted
        stream = _open_named(source, table, format, n_features, header)
    else:
        stream = _open_memory(source, label, weight, nominal, n_features, chunk_size)
    if classes is not None:
        stream.classes = list(classes)
    return stream


def _check_choices(format: str | None, n_features: int | None, chunk_size: int) -> None:
    if format is not None and format not in FORMATS:
        raise InputError(f"format={format!r}: expected one of {', '.join(FORMATS)}")
    if chunk_size < 1:
        raise InputError(f"chunk_size={chunk_size}: expected at least 1")
    if n_features is not None and n_features < 1:
        raise InputError(f"n_features={n_features}: expected at least 1")


def _open_named(
    source: str | os.PathLike[str],
    table: dict[str, Any],
    format: str | None,
    n_features: int | None,
    header: bool,
) -> Stream:
    if source != STANDARD_INPUT and not Path(source).exists():
        if isinstance(source, str) and format is None and _is_dataset(source):
            from shoal import datasets

            return datasets.load(source, chunk_size=table["chunk_size"])
        raise DataFileError(
            f"{os.fspath(source)}: no such file and no data set's name; check the name and the folder."
            f"{_data_set_like(source)}"
        )
    if Path(source).is_dir():
        raise DataFileError(f"{os.fspath(source)}: is a folder; expected a file")
    format = format or FORMAT_OF_SUFFIX.get(without_compression(source).suffix.lower()) or _sniffed_path(source)
    if format == "parquet":
        return _open_parquet(source, table)
    if format == "arrow" and source != STANDARD_INPUT:
        from shoal.streams.arrow import is_arrow_file

        if is_arrow_file(source):
            return _open_arrow(source, table)
    read = partial(_read_text, path=source, format=format, n_features=n_features, table=table, header=header)
    text = _FilePasses(source, read)
    return Stream(text.chunks, name=name_of(source), once=source == STANDARD_INPUT, fraction=text.fraction)


def _is_dataset(name: str) -> bool:
    from shoal import datasets

    return datasets.is_name(name)


def _data_set_like(name: str | os.PathLike[str]) -> str:
    """The data set that was perhaps meant, in words."""
    from shoal import datasets

    return did_you_mean(os.fspath(name).partition(":")[0], datasets.names())


def _sniffed_path(path: str | os.PathLike[str]) -> str | None:
    """The format by the first bytes; None for standard input, which is looked at when it is read."""
    if path == STANDARD_INPUT:
        return None
    with ByteSource(path) as source:
        return _sniffed(source)


def _sniffed(source: ByteSource) -> str:
    head = source.look(LONGEST_LOOK)
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    if head.startswith(ARROW_MAGICS):
        return "arrow"
    from shoal.streams.libsvm_sniffing import looks_like_libsvm

    return "libsvm" if looks_like_libsvm(head) else "csv"


def _open_parquet(path: str | os.PathLike[str], table: dict[str, Any]) -> Stream:
    from shoal.streams.arrow import count_parquet_rows, read_parquet

    if path == STANDARD_INPUT:
        raise DataFileError("standard input: Parquet is read from its end; give the file's path")
    return Stream(
        lambda: _not_empty(read_parquet(path, **table), path), name=name_of(path), n_rows=count_parquet_rows(path)
    )


def _open_arrow(path: str | os.PathLike[str], table: dict[str, Any]) -> Stream:
    from shoal.streams.arrow import count_arrow_rows, read_arrow

    return Stream(
        lambda: _not_empty(read_arrow(path, **table), path), name=name_of(path), n_rows=count_arrow_rows(path)
    )


def _read_text(
    source: ByteSource,
    *,
    path: str | os.PathLike[str],
    format: str | None,
    n_features: int | None,
    table: dict[str, Any],
    header: bool,
) -> Iterator[Chunk]:
    format = format or _sniffed(source)
    if format == "libsvm":
        from shoal.streams.libsvm import read_libsvm

        if table["weight"] is not None:
            raise InputError(f"weight={table['weight']!r}: LIBSVM text has no columns; weights need a table")
        if table["nominal"]:
            raise InputError(f"nominal={table['nominal']!r}: LIBSVM text has no columns with names")
        labelled = table["label"] is not False
        return read_libsvm(source, n_features=n_features, chunk_size=table["chunk_size"], labelled=labelled)
    if format == "csv":
        from shoal.streams.csv import read_csv

        return read_csv(source, path, header=header, **table)
    if format == "parquet" or source.look(6) == ARROW_MAGICS[0]:
        raise DataFileError(
            f"{source.name}: Parquet and Arrow files are not read front to back; give the file's path"
        )
    from shoal.streams.arrow import read_arrow_stream

    return read_arrow_stream(source, **table)


class _FilePasses:
    """Passes over a file of bytes; remembers how far the latest one is."""

    def __init__(self, path: str | os.PathLike[str], read: Callable[[ByteSource], Iterator[Chunk]]) -> None:
        self._path, self._read = path, read
        self._latest: ByteSource | None = None

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its start."""
        with ByteSource(self._path) as self._latest:
            yield from _not_empty(self._read(self._latest), self._path)

    def fraction(self) -> float | None:
        """The part of the file's bytes that the latest pass has taken."""
        return None if self._latest is None else self._latest.fraction_read()


def _not_empty(chunks: Iterator[Chunk], path: str | os.PathLike[str]) -> Iterator[Chunk]:
    empty = True
    for chunk in chunks:
        empty = False
        yield chunk
    if empty:
        raise DataFileError(f"{name_of(path)}: is empty; expected examples")


def _open_memory(
    source: Any,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    n_features: int | None,
    chunk_size: int,
) -> Stream:
    if isinstance(source, Stream):
        return source
    X, y = source if _is_pair(source) else (source, None)
    if _is_frame(X):
        table: dict[str, Any] = {"label": label, "weight": weight, "nominal": nominal, "chunk_size": chunk_size}
        read = partial(chunks_of_frame, X, y, name="frame", **table)
        return Stream(read, name="frame", n_rows=len(X))
    if weight is not None:
        raise InputError(f"weight={weight!r} names a column, and the source has none; weights need a table")
    if nominal:
        raise InputError(f"nominal={nominal!r} names columns, and the source has none; give a table")
    if getattr(X, "ndim", 0) == 2:
        if n_features not in (None, X.shape[1]):
            raise InputError(f"the array has {X.shape[1]} features: expected n_features={n_features}")
        return Stream(partial(chunks_of_arrays, X, y, chunk_size), name="array", n_rows=X.shape[0])
    if not isinstance(source, Iterable):
        raise InputError(
            f"cannot open {type(source).__name__} as a stream: expected a path, a data set's name, "
            "a pair (X, y) of arrays, a frame, or an iterable of pairs (x, y) or of chunks"
        )
    once = iter(source) is source
    n_rows = (
        len(source) if isinstance(source, list | tuple) and source and not isinstance(source[0], Chunk) else None
    )
    return Stream(
        partial(chunks_of_iterable, source, chunk_size, n_features), name="examples", n_rows=n_rows, once=once
    )


def _is_pair(source: Any) -> bool:
    return (
        isinstance(source, tuple)
        and len(source) == 2
        and (getattr(source[0], "ndim", 0) == 2 or _is_frame(source[0]))
    )


def _is_frame(X: Any) -> bool:
    return hasattr(X, "iloc") or hasattr(X, "to_arrow") or hasattr(X, "to_batches")
