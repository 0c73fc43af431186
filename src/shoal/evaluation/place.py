"""How far a run has come along its stream, and how it finds that place again."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.streams.rows import slice_chunk
from shoal.types import Chunk


class Place(NamedTuple):
    """After so many rows, with checksums of their labels and of how many features they have."""

    n_rows: int = 0
    labels: int = 0
    lengths: int = 0

    def after(self, chunk: Chunk) -> Place:
        """The place behind some more rows; it does not matter how rows are cut into chunks."""
        lengths = zlib.crc32(np.diff(chunk.rows.indptr).tobytes(), self.lengths)
        return Place(self.n_rows + chunk.rows.n_rows, zlib.crc32(_label_bytes(chunk), self.labels), lengths)


def _label_bytes(chunk: Chunk) -> bytes:
    labels = chunk.labels
    if labels is None:
        return b""
    if labels.dtype.kind != "O":
        return np.ascontiguousarray(labels).tobytes()
    return "".join(f"{label}\x1f" for label in labels.tolist()).encode(errors="surrogatepass")


def rest_of(stream: Iterable[Chunk], place: Place, name: str) -> Iterator[Chunk]:
    """What a stream holds after a place. The rows before it are read and left out; others than those that were
    learned are refused.
    """
    passed = Place()
    for chunk in stream:
        left = min(place.n_rows - passed.n_rows, chunk.rows.n_rows)
        if left:
            passed = passed.after(slice_chunk(chunk, 0, left))
            if passed.n_rows == place.n_rows and passed != place:
                raise InputError(
                    f"the first {place.n_rows:,} rows of {name} are not those that the checkpoint has learned: "
                    "give the same data from its start."
                )
        if left < chunk.rows.n_rows:
            yield slice_chunk(chunk, left, chunk.rows.n_rows) if left else chunk
    if passed.n_rows < place.n_rows:
        raise InputError(
            f"{name} ends after {passed.n_rows:,} rows, and the checkpoint has learned {place.n_rows:,}: give the "
            "same data from its start."
        )
