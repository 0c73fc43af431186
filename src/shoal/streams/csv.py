"""CSV with a header line, delimited by commas, semicolons or tabs.

Every column is read as text. It is numeric if its first cell that is not missing is a number, else nominal;
so is the label, which is a string where it is not numeric. A word in a numeric column is an error, which
names its line. Some columns of names begin with one that looks like a number, such as doors that are "2",
"3", "4" or "5more": where words recur, and are a tenth or more of the cells in the first 1000 rows, the column
is nominal, as is one that the user calls so. A column without a cell in the first 1000 rows is numeric.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.csv

from shoal.errors import DataFileError
from shoal.streams.columns import (
    MISSING_WORDS,
    ROWS_TO_TYPE,
    LabelChoice,
    Roles,
    Wanted,
    nominal_columns,
    roles_of,
)
from shoal.streams.rows import cut
from shoal.streams.sources import BLOCK, STANDARD_INPUT, ByteSource, reason_of
from shoal.streams.tables import Place, TableEncoder, number_in, numbers_of, strings_of
from shoal.types import Chunk

DELIMITERS = ",;\t"
LONGEST_HEADER = 64 * BLOCK
SHARE_OF_NAMES = 0.1  # of words among numbers, from which on they are names and no mistakes
BAD_ROW = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")  # in Arrow's words
ROWS_PER_BLOCK = 16  # at the least, as far as the first rows tell


def read_csv(
    source: ByteSource,
    path: str | os.PathLike[str],
    *,
    label: LabelChoice,
    weight: str | None,
    nominal: Sequence[str],
    header: bool,
    chunk_size: int,
    wanted: Wanted = None,
) -> Iterator[Chunk]:
    """Chunks of a CSV file that is open at its start; `path` is read again to find the line of a bad cell."""
    names, delimiter = _first_line(source)
    if not header:
        names = [f"column {j + 1}" for j in range(len(names))]
    elif _holds_numbers(names):
        raise DataFileError(
            f"{source.name}: the first line holds numbers, not the columns' names: "
            "add a header line, or say header=False"
        )
    roles = roles_of([n.strip() for n in names], label, weight, source.name, wanted)
    place = _Places(path, delimiter, header)
    first, batches = _enough_to_type(_batches(source, names, delimiter, header, place))
    words = {j for j in range(len(names)) if not _is_numeric(first, j)}
    words |= nominal_columns(roles.names, nominal, source.name)
    encoder = TableEncoder(roles, words, roles.label in words, source.name, place)
    _check_weight(roles, words, source.name)
    return cut(encoder.chunks(batches), chunk_size, encoder.n_numeric)


def _first_line(source: ByteSource) -> tuple[list[str], str]:
    """The cells of the first line that is not blank, and the delimiter."""
    size = 1 << 16
    while True:
        head = source.look(size)
        text = head.decode("utf-8-sig", errors="replace")
        lines = text.lstrip("\r\n").splitlines(keepends=True)
        if len(lines) > 1 or len(head) < size or size > LONGEST_HEADER:
            break
        size *= 4
    if not lines:
        raise DataFileError(f"{source.name}: is empty; expected a header line and examples")
    delimiter = max(DELIMITERS, key=lambda d: _count_outside_quotes(lines[0], d))
    return next(csv.reader(io.StringIO("".join(lines), newline=""), delimiter=delimiter)), delimiter


def _count_outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def _holds_numbers(names: list[str]) -> bool:
    """Whether a header is a row of data: all numbers, and not just columns numbered."""
    if any(n.strip() in MISSING_WORDS or number_in(n) is None for n in names):
        return False
    return len(set(names)) < len(names) or not all(n.strip().isdigit() for n in names)


def _batches(source: ByteSource, names: list[str], delimiter: str, header: bool, place: Place) -> Iterator[Any]:
    try:
        reader = pyarrow.csv.open_csv(
            pa.PythonFile(source, mode="r"),
            read_options=pyarrow.csv.ReadOptions(
                column_names=names,
                skip_rows_after_names=int(header),
                block_size=_block_size(source),
                use_threads=False,
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={n: pa.string() for n in names},
                null_values=list(MISSING_WORDS),
                strings_can_be_null=True,
            ),
        )
        yield from reader
    except pa.ArrowInvalid as error:
        bad = BAD_ROW.search(str(error))  # a handler of bad rows would be told, but of text only
        if bad:
            number, expected, actual = map(int, bad.groups())
            where = place(number - 1 - int(header))
            raise DataFileError(f"{source.name}, {where}: {actual} cells, expected {expected}") from error
        if "Empty CSV file" in str(error):
            return
        raise DataFileError(f"{source.name}: cannot be read as CSV: {reason_of(error)}") from error


def _block_size(source: ByteSource) -> int:
    """Bytes that Arrow parses together: a block must hold a row, and very wide files have very long rows."""
    longest = max(map(len, source.look(BLOCK).split(b"\n")))
    return max(BLOCK, ROWS_PER_BLOCK * longest)


def _enough_to_type(batches: Iterator[Any]) -> tuple[Any, Iterator[Any]]:
    """The first rows, by which columns are typed, and all batches from the start."""
    taken: list[Any] = []
    while sum(b.num_rows for b in taken) < ROWS_TO_TYPE and (batch := next(batches, None)) is not None:
        taken.append(batch)
    if not taken:
        return None, iter(())
    return pa.Table.from_batches(taken).slice(0, ROWS_TO_TYPE).combine_chunks(), chain(taken, batches)


def _is_numeric(table: Any, j: int) -> bool:
    """Whether a column's cells begin with a number, and words among them are few."""
    if table is None or table.num_rows == 0:
        return True
    cells = strings_of(table.column(j).chunk(0)).drop_null()
    if len(cells) == 0 or numbers_of(cells) is not None:
        return True
    words = [cell for cell in cells.to_pylist() if number_in(cell) is None]
    are_names = len(words) >= SHARE_OF_NAMES * len(cells) and len(words) >= 2 * len(set(words))
    return number_in(cells[0].as_py()) is not None and not are_names


def _check_weight(roles: Roles, nominal: set[int], source: str) -> None:
    if roles.weight in nominal:
        raise DataFileError(f"{source}: the weight column {roles.names[roles.weight]!r} does not hold numbers")


class _Places:
    """Says on which line a row is; lines and rows differ where cells hold newlines or lines are blank."""

    def __init__(self, path: str | os.PathLike[str], delimiter: str, header: bool) -> None:
        self._path, self._delimiter, self._header = path, delimiter, header

    def __call__(self, row: int) -> str:
        if os.fspath(self._path) == STANDARD_INPUT:
            return f"row {row + 1}"
        with ByteSource(self._path) as source:
            lines = io.TextIOWrapper(
                io.BufferedReader(_Raw(source)), encoding="utf-8", errors="replace", newline=""
            )
            reader = csv.reader(lines, delimiter=self._delimiter)
            left = row + int(self._header)
            for cells in reader:
                if cells:
                    if left == 0:
                        return f"line {reader.line_num}"
                    left -= 1
        return f"row {row + 1}"


class _Raw(io.RawIOBase):
    """A byte source as the standard library's raw stream."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
