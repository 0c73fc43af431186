"""Parquet files, Arrow IPC (Feather) files and streams, and frames in memory.

Columns keep the types that the file gives them: numbers, booleans, decimals, dates and times are numeric
(times in seconds), strings and dictionaries nominal, nested ones an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import DataFileError, InputError
from shoal.streams.columns import LabelChoice, Roles, Wanted, nominal_columns, roles_of
from shoal.streams.rows import cut
from shoal.streams.sources import ByteSource, reason_of, without_compression
from shoal.streams.tables import TableEncoder, is_nominal, is_numeric
from shoal.types import Chunk

ROWS_AT_A_TIME = 16384  # rows converted together, which bounds memory whatever a file's batches are
FILE_MAGIC = b"ARROW1"  # how an Arrow IPC file starts; an IPC stream does not


def read_parquet(
    path: str | os.PathLike[str],
    *,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    chunk_size: int,
    wanted: Wanted = None,
) -> Iterator[Chunk]:
    """Chunks of a Parquet file."""
    with _opened_parquet(path) as file, _reading(path, "Parquet"):
        batches = file.iter_batches(batch_size=ROWS_AT_A_TIME)
        yield from read_batches(
            batches, file.schema_arrow, os.fspath(path), label, weight, nominal, chunk_size, wanted
        )


def read_arrow(
    path: str | os.PathLike[str],
    *,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    chunk_size: int,
    wanted: Wanted = None,
) -> Iterator[Chunk]:
    """Chunks of an Arrow IPC (Feather) file."""
    with _reading(path, "Arrow"), pa.memory_map(os.fspath(path)) as memory:
        file = pa.ipc.open_file(memory)
        batches = (file.get_batch(i) for i in range(file.num_record_batches))
        yield from read_batches(batches, file.schema, os.fspath(path), label, weight, nominal, chunk_size, wanted)


def read_arrow_stream(
    source: ByteSource,
    *,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    chunk_size: int,
    wanted: Wanted = None,
) -> Iterator[Chunk]:
    """Chunks of an Arrow IPC stream, which unlike a file needs no seeking."""
    with _reading(source.name, "Arrow"):
        reader = pa.ipc.open_stream(pa.PythonFile(source, mode="r"))
        yield from read_batches(reader, reader.schema, source.name, label, weight, nominal, chunk_size, wanted)


def is_arrow_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file is in the IPC file format, which can be mapped into memory."""
    with ByteSource(path) as source:
        return source.look(len(FILE_MAGIC)) == FILE_MAGIC


def count_parquet_rows(path: str | os.PathLike[str]) -> int:
    """How many rows a Parquet file says that it has."""
    with _opened_parquet(path) as file:
        return int(file.metadata.num_rows)


def count_arrow_rows(path: str | os.PathLike[str]) -> int:
    """How many rows an Arrow IPC file holds, from the heads of its batches."""
    with _reading(path, "Arrow"), pa.memory_map(os.fspath(path)) as memory:
        file = pa.ipc.open_file(memory)
        return sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))


def read_batches(
    batches: Iterable[Any],
    schema: Any,
    name: str,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    chunk_size: int,
    wanted: Wanted = None,
) -> Iterator[Chunk]:
    """Chunks of Arrow record batches, whose columns are typed by their schema."""
    roles = roles_of(schema.names, label, weight, name, wanted)
    _check_types(schema, roles, name)
    words = {j for j, field in enumerate(schema) if is_nominal(field.type)}
    words |= nominal_columns(roles.names, nominal, name)
    encoder = TableEncoder(roles, words, roles.label in words, name, _place)
    return cut(encoder.chunks(_bounded(_sound(batches))), chunk_size, encoder.n_numeric)


def table_of(frame: Any) -> Any:
    """The Arrow table of a pandas or polars frame, or of a table that is one."""
    if isinstance(frame, pa.Table):
        return frame
    try:
        return pa.Table.from_pandas(frame, preserve_index=False) if hasattr(frame, "iloc") else frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"the frame has a column of mixed types: {error}; give each column one type") from error


def _place(row: int) -> str:
    return f"row {row + 1}"


def _check_types(schema: Any, roles: Roles, name: str) -> None:
    used = {*roles.features, roles.label, roles.weight}
    for j, field in enumerate(schema):
        nominal = is_nominal(field.type) and j != roles.weight
        if j in used and not nominal and not is_numeric(field.type):
            raise DataFileError(
                f"{name}: column {field.name!r} is of type {field.type}: expected numbers or strings; "
                "split nested columns, or leave the column out"
            )


def _sound(batches: Iterable[Any]) -> Iterator[Any]:
    """Arrow takes a file's word for where in its buffers things lie; reading elsewhere would end the process."""
    for batch in batches:
        batch.validate(full=True)
        yield batch


def _bounded(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS_AT_A_TIME):
            yield batch.slice(start, ROWS_AT_A_TIME)


@contextmanager
def _opened_parquet(path: str | os.PathLike[str]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with _reading(path, "Parquet"), pq.ParquetFile(path, memory_map=True) as file:
        yield file


@contextmanager
def _reading(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # names and words that are no text
        packed = without_compression(path) != Path(path)
        advice = "; Parquet and Arrow files compress inside: unpack it first" if packed else ""
        raise DataFileError(f"{os.fspath(path)}: cannot be read as {what}: {reason_of(error)}{advice}") from error
