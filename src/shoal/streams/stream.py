"""A stream: chunks of examples, read in bounded memory, again from the start whenever it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.streams.rows import join_chunks, width
from shoal.types import Chunk


class Stream:
    """Chunks of examples, one after the other; iterate over it to read it.

    chunks: starts a pass over the examples and yields them.
    name: what messages and tables call the stream.
    n_rows: how many examples it holds, where that is known without reading it.
    classes: its labels in order, where they are known.
    once: whether it can be read only once, as standard input and generators can.
    fraction: how much of the latest pass has been read, where the rows read and n_rows do not say it.
    """

    def __init__(
        self,
        chunks: Callable[[], Iterator[Chunk]],
        *,
        name: str,
        n_rows: int | None = None,
        classes: list[Any] | None = None,
        once: bool = False,
        fraction: Callable[[], float | None] | None = None,
    ) -> None:
        self.name = name
        self.n_rows = n_rows
        self.classes = classes
        self.once = once
        self._chunks = chunks
        self._fraction = fraction
        self._latest: Iterator[Chunk] | None = None
        self._rows_read = 0

    def __iter__(self) -> Iterator[Chunk]:
        if self.once and self._latest is not None:
            raise InputError(f"{self.name} can be read only once; open it again, or give a file or a list")
        self._rows_read = 0
        self._latest = self._counted(self._chunks())
        return self._latest

    def _counted(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            self._rows_read += chunk.rows.n_rows
            yield chunk

    def fraction_read(self) -> float | None:
        """How much of the stream the latest pass has read, in [0, 1]; None where that cannot be known."""
        if self._latest is None:
            return 0.0 if self.n_rows or self._fraction else None
        if self._fraction is not None:
            return self._fraction()
        return min(1.0, self._rows_read / self.n_rows) if self.n_rows else None

    def arrays(self, *, dense: bool = False) -> tuple[Any, NDArray[Any]]:
        """The whole stream in memory: its rows as a scipy CSR array (or, if asked, a dense array), its labels."""
        from scipy.sparse import csr_array

        chunks = list(self)
        if not chunks:
            raise InputError(f"{self.name} holds no examples")
        whole = join_chunks(chunks)
        if whole.labels is None:
            raise InputError(f"{self.name} has no labels: iterate over it for its rows")
        shape = (whole.rows.n_rows, max(whole.space.n_features, width(whole.rows)))
        X = csr_array((whole.rows.values, whole.rows.indices, whole.rows.indptr), shape=shape)
        return (np.asarray(X.toarray()) if dense else X), whole.labels

    def close(self) -> None:
        """End the latest pass and close its file."""
        close = getattr(self._latest, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
