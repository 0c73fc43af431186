"""LIBSVM text: `label [qid:...] index:value ...  # comment`, one example a line.

Indices count from 1 and rise within a line. A zero is as good as not written, `nan` is a missing value,
`qid` is ignored. Labels are numbers, or strings throughout if the first line's label is none. Values are
those of Python's float(), to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataFileError
from shoal.streams import libsvm_parser as parser
from shoal.streams.columns import MISSING_WORDS
from shoal.streams.rows import LARGEST_WIDTH, cut, width, without_zeros
from shoal.streams.sources import BLOCK, ByteSource
from shoal.types import Chunk, Floats, Ints, Rows, Space

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_QUOTE = 40  # characters of a bad token that a message shows
TOKEN_END = re.compile(rb"[ \t\r\n#]")  # as the parser has it

PROBLEMS = {
    parser.NO_INDEX: "expected index:value",
    parser.INDEX_ZERO: "indices start at 1",
    parser.INDEX_REPEATED: "this index occurs twice in the line",
    parser.INDEX_FALLS: "indices must rise within a line",
    parser.BAD_VALUE: "expected a number after the colon",
    parser.INFINITE: "the value is infinite; expected a finite number, or nan for missing",
}


def read_libsvm(
    source: ByteSource, *, n_features: int | None, chunk_size: int, labelled: bool = True
) -> Iterator[Chunk]:
    """Chunks of LIBSVM text. With n_features an index beyond it is an error; without, the space grows.

    labelled: whether labels are read; where they are not, lines may be without one.
    """
    return cut(_blocks(source, n_features, labelled), chunk_size)


def _blocks(source: ByteSource, n_features: int | None, labelled: bool) -> Iterator[Chunk]:
    text_labels: bool | None = None
    n_known, line = 0, 1
    for text in _whole_lines(source):
        block = _Block(text, source.name, line, n_features, bare=not labelled)
        line = block.next_line
        if block.n_rows == 0:
            continue
        if text_labels is None:
            text_labels = bool(block.parsed.label_kind[0] == parser.NOT_A_NUMBER)
        rows = block.rows()
        n_known = max(n_known, width(rows))
        space = Space.of_size(n_known, open=True) if n_features is None else Space.of_size(n_features)
        if not labelled:
            yield Chunk(rows, None, None, space)
        else:
            yield Chunk(rows, block.text_labels() if text_labels else block.number_labels(), None, space)


def _whole_lines(source: ByteSource) -> Iterator[bytes]:
    """The text in blocks that end with a newline."""
    if source.look(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
        source.read(len(BYTE_ORDER_MARK))
    rest: list[bytes] = []
    while data := source.read(BLOCK):
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, data[:end]])
            rest = []
        rest.append(data[end:])
    last = b"".join(rest)
    if last:
        yield last + b"\n"


class _Block:
    """A parsed block of whole lines, whose labels and slow values are still to be converted."""

    def __init__(self, text: bytes, name: str, first_line: int, n_features: int | None, *, bare: bool) -> None:
        self.text, self.name = text, name
        self._bytes = np.frombuffer(text, dtype=np.uint8)
        n_lines, n_colons = (int(np.count_nonzero(self._bytes == c)) for c in (parser.NEWLINE, parser.COLON))
        self.parsed = parser.space_for(n_lines, n_colons)
        largest = LARGEST_WIDTH if n_features is None else n_features
        self.n_rows, self._n_entries, self._n_slow, problem, at, line = parser.parse(
            self._bytes, self.parsed, first_line, largest, bare
        )
        if problem == parser.INDEX_BEYOND:
            self._fail(line, at, f"the index is beyond the {largest} features expected")
        if problem != parser.OK:
            self._fail(line, at, PROBLEMS[problem])
        self.next_line = line

    def rows(self) -> Rows:
        """The canonical rows of the block."""
        p = self.parsed
        values = p.values[: self._n_entries].copy()
        rows = Rows(p.indptr[: self.n_rows + 1], p.indices[: self._n_entries].copy(), values)
        if not self._n_slow:
            return rows
        slow = p.slow[: self._n_slow]
        values[slow[:, 0]] = self._numbers(slow[:, 1:])
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            row = int(np.searchsorted(rows.indptr, infinite[0], side="right")) - 1
            at = int(slow[np.searchsorted(slow[:, 0], infinite[0]), 1])
            self._fail(int(p.lines[row]), at, "the value is too large for a 64-bit number")
        return without_zeros(rows)

    def number_labels(self) -> Floats:
        """The labels as numbers."""
        p = self.parsed
        kind, labels = p.label_kind[: self.n_rows], p.labels[: self.n_rows].copy()
        wrong = np.flatnonzero(kind == parser.NOT_A_NUMBER)
        if len(wrong):
            self._fail_label(int(wrong[0]), "expected a number, as the label of the first line is")
        slow = np.flatnonzero(kind == parser.INEXACT)
        if len(slow):
            labels[slow] = self._numbers(p.spans[slow])
            infinite = slow[np.isinf(labels[slow])]
            if len(infinite):
                self._fail_label(int(infinite[0]), "the label is too large for a 64-bit number")
        return labels

    def text_labels(self) -> NDArray[Any]:
        """The labels as strings."""
        labels = np.empty(self.n_rows, dtype=object)
        for row in range(self.n_rows):
            start, end = self.parsed.spans[row]
            try:
                labels[row] = self.text[start:end].decode()
            except UnicodeDecodeError:
                self._fail_label(row, "the label is not UTF-8 text")
            if ":" in labels[row]:
                self._fail_label(row, "expected a label first in the line")
            if labels[row] in MISSING_WORDS or labels[row].lower().lstrip("+-") in ("nan", "inf", "infinity"):
                self._fail_label(row, "the label is missing or infinite; every example needs one")
        return labels

    def _numbers(self, spans: Ints) -> Floats:
        """What Python's float() makes of decimals that are known to be well formed."""
        import pyarrow as pa

        offsets = np.zeros(len(spans) + 1, dtype=np.int32)
        np.cumsum(spans[:, 1] - spans[:, 0], out=offsets[1:])
        digits = np.empty(offsets[-1], dtype=np.uint8)
        parser.gather(self._bytes, spans, offsets, digits)
        strings = pa.StringArray.from_buffers(len(spans), pa.py_buffer(offsets), pa.py_buffer(digits))
        try:
            numbers: Floats = strings.cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:  # a form that Arrow does not take, such as a leading plus
            numbers = np.array([float(self.text[start:end]) for start, end in spans])
        return numbers

    def _fail_label(self, row: int, problem: str) -> NoReturn:
        self._fail(int(self.parsed.lines[row]), int(self.parsed.spans[row, 0]), problem)

    def _fail(self, line: int, at: int, problem: str) -> NoReturn:
        token = TOKEN_END.split(self.text[at : at + 4 * LONGEST_QUOTE], maxsplit=1)[0].decode(errors="replace")
        quoted = token if len(token) <= LONGEST_QUOTE else token[:LONGEST_QUOTE] + "..."
        raise DataFileError(f"{self.name}, line {line}: {quoted!r}: {problem}")
