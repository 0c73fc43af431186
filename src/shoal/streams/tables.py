"""Arrow record batches to chunks: what CSV, Parquet, Arrow files and frames have in common.

A column of numbers, booleans, decimals, dates or times is numeric (times in seconds); strings and
dictionaries are nominal. Anything nested is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataFileError
from shoal.streams.columns import MISSING_WORDS, Roles, Vocabulary
from shoal.streams.rows import rows_of_array, rows_of_entries
from shoal.types import Chunk, Floats, Rows

SECONDS_PER = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # units to a second
NEVER = np.iinfo(np.int32).max  # the index of a category that is missing: sorts last, is not stored

Place = Callable[[int], str]  # says where a row (from 0) is, for messages


class TableEncoder:
    """Turns record batches with fixed roles and kinds of columns into chunks.

    nominal: the positions of the nominal columns. text_label: whether labels are strings.
    """

    def __init__(self, roles: Roles, nominal: set[int], text_label: bool, source: str, place: Place) -> None:
        self._roles, self._text_label, self._source, self._place = roles, text_label, source, place
        self._numeric = [j for j in roles.features if j not in nominal]
        self._nominal = [j for j in roles.features if j in nominal]
        self._vocabulary = Vocabulary(placed=not self._nominal)
        for j in self._numeric:
            self._vocabulary.add(roles.names[j])
        self.n_numeric = len(self._numeric)

    def chunks(self, batches: Iterable[Any]) -> Iterator[Chunk]:
        """One chunk per batch that is not empty."""
        start = 0
        for batch in batches:
            if batch.num_rows:
                yield self._chunk(batch, start)
            start += batch.num_rows

    def _chunk(self, batch: Any, start: int) -> Chunk:
        numbers = np.empty((batch.num_rows, len(self._numeric)))
        for k, j in enumerate(self._numeric):
            numbers[:, k] = self._numbers(batch, j, start)
        codes = self._codes(batch)
        weights = None if self._roles.weight is None else self._weights(batch, start)
        labels = None if self._roles.label is None else self._labels(batch, start)
        return Chunk(_rows(numbers, codes), labels, weights, self._vocabulary.space)

    def _numbers(self, batch: Any, j: int, start: int) -> Floats:
        column = batch.column(j)
        numbers = numbers_of(column)
        if numbers is None:
            row = _first_that_is_no_number(column)
            problem = (
                "is not a number, as the column's first cell is; correct it, or say that the column is nominal"
            )
            self._fail(j, start + row, column[row].as_py(), problem)
        with np.errstate(all="ignore"):
            infinite = not np.isfinite(numbers.sum()) and np.isinf(numbers)
        if np.any(infinite):
            row = int(np.flatnonzero(infinite)[0])
            self._fail(j, start + row, column[row].as_py(), "is infinite; leave the cell empty if it is missing")
        return numbers

    def _codes(self, batch: Any) -> NDArray[np.int32]:
        """The index of each nominal cell's feature (NEVER if missing); new categories become features."""
        encoded = [strings_of(batch.column(j)).dictionary_encode() for j in self._nominal]
        local = [pc.fill_null(e.indices, -1).to_numpy(zero_copy_only=False) for e in encoded]
        names = [
            [(self._roles.names[j], v) for v in e.dictionary.to_pylist()]
            for j, e in zip(self._nominal, encoded, strict=True)
        ]
        self._meet(local, names)
        codes = np.full((batch.num_rows, len(local)), NEVER, dtype=np.int32)
        for k, (places, features) in enumerate(zip(local, names, strict=True)):
            table = np.array([*(self._vocabulary.find(*f) for f in features), NEVER], dtype=np.int32)
            codes[:, k] = table[places]  # -1 is the last
        codes.sort(axis=1)
        return codes

    def _meet(self, local: list[NDArray[Any]], names: list[list[tuple[str, str]]]) -> None:
        """Give new categories their features in the order in which a reader of the rows meets them."""
        new: list[tuple[int, int, tuple[str, str]]] = []
        for k, (places, features) in enumerate(zip(local, names, strict=True)):
            if all(self._vocabulary.find(*f) >= 0 for f in features):
                continue
            present, first = np.unique(places, return_index=True)
            row_of = dict(zip(present.tolist(), first.tolist(), strict=True))
            new += [
                (row_of[c], k, f) for c, f in enumerate(features) if c in row_of and self._vocabulary.find(*f) < 0
            ]
        for _, _, feature in sorted(new):
            self._vocabulary.add(*feature)

    def _labels(self, batch: Any, start: int) -> NDArray[Any]:
        j = self._label_position()
        if self._text_label:
            texts = strings_of(batch.column(j))
            missing = np.asarray(texts.is_null())
            labels: NDArray[Any] = np.array(texts.to_pylist(), dtype=object)
        else:
            labels = self._numbers(batch, j, start)
            missing = np.isnan(labels)
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            self._fail(j, start + row, None, "is missing; every example needs a label")
        return labels

    def _label_position(self) -> int:
        assert self._roles.label is not None
        return self._roles.label

    def _weights(self, batch: Any, start: int) -> Floats:
        j = self._roles.weight
        assert j is not None
        weights = self._numbers(batch, j, start)
        wrong = np.flatnonzero(~(weights >= 0.0))
        if len(wrong):
            row = int(wrong[0])
            self._fail(j, start + row, batch.column(j)[row].as_py(), "is no weight; expected a number >= 0")
        return weights

    def _fail(self, j: int, row: int, value: object, problem: str) -> NoReturn:
        shown = "the cell" if value is None else repr(value)
        raise DataFileError(
            f"{self._source}, {self._place(row)}, column {self._roles.names[j]!r}: {shown} {problem}"
        )


def _rows(numbers: Floats, codes: NDArray[np.int32]) -> Rows:
    if codes.shape[1] == 0:
        return rows_of_array(numbers)
    columns = np.broadcast_to(np.arange(numbers.shape[1], dtype=np.int32), numbers.shape)
    indices = np.concatenate([columns, codes], axis=1)
    values = np.concatenate([numbers, np.ones(codes.shape)], axis=1)
    return rows_of_entries(indices, values, np.concatenate([numbers != 0.0, codes != NEVER], axis=1))


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_nominal(kind: Any) -> bool:
    """Whether a column of this Arrow type is nominal."""
    return is_text(kind) or bool(pa.types.is_dictionary(kind))


def is_numeric(kind: Any) -> bool:
    """Whether a column of this Arrow type can be read as numbers."""
    t = pa.types
    tests = (t.is_integer, t.is_floating, t.is_boolean, t.is_decimal, t.is_temporal, t.is_null)
    return any(test(kind) for test in tests) and not t.is_interval(kind)


def strings_of(column: Any) -> Any:
    """A column's cells as trimmed strings, null where missing."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    column = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.is_in(column, value_set=_missing_words()), pa.scalar(None, pa.string()), column)


def numbers_of(column: Any) -> Floats | None:
    """A column's cells as numbers, NaN where missing; None if some cell is no number."""
    kind = column.type
    if is_text(kind):
        return _parsed(column)
    if pa.types.is_temporal(kind):
        return _seconds(column)
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _parsed(column: Any) -> Floats | None:
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:  # missing words, spaces around, a leading plus: or no number at all
        texts = strings_of(column)
    try:
        return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        numbers = [number_in(text) for text in texts.to_pylist()]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def number_in(text: str | None) -> float | None:
    """The number that a cell holds, NaN if it is missing, None if it is something else."""
    if text is None or text.strip() in MISSING_WORDS:
        return float("nan")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _first_that_is_no_number(column: Any) -> int:
    return next(row for row, cell in enumerate(column.to_pylist()) if number_in(cell) is None)


def _seconds(column: Any) -> Floats:
    kind = column.type
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("ms"))
        kind = column.type
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = column.cast(width).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(ticks, dtype=np.float64) / SECONDS_PER[kind.unit]


def _missing_words() -> Any:
    return pa.array(MISSING_WORDS)
