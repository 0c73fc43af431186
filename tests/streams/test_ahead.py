"""Chunks read ahead in a thread are those read without one, errors and ends included."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from shoal.errors import InputError
from shoal.streams import open_stream
from shoal.streams.ahead import CHUNKS_AHEAD, reading_ahead
from shoal.streams.stream import Stream
from shoal.types import Chunk, Rows, Space


def chunk_of(label: int) -> Chunk:
    rows = Rows(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(1))
    return Chunk(rows, np.array([float(label)]), None, Space.of_size(1))


def labels_of(chunks: Iterator[Chunk]) -> list[float]:
    return [float(label) for chunk in chunks for label in chunk.labels]


def test_the_same_chunks_come_in_the_same_order() -> None:
    """A stream read ahead gives its chunks in order, as often as it is read."""
    stream = Stream(lambda: iter([chunk_of(k) for k in range(50)]), name="fifty")
    for _ in range(2):
        with reading_ahead(stream) as chunks:
            assert labels_of(chunks) == list(range(50))
    assert not any("_read" in thread.name for thread in threading.enumerate())


def test_an_error_comes_after_the_chunks_before_it() -> None:
    """What a reader refuses is refused once everything before it was handed on."""

    def failing() -> Iterator[Chunk]:
        yield from (chunk_of(k) for k in range(5))
        raise InputError("line 6 is broken")

    with reading_ahead(Stream(failing, name="broken")) as chunks:
        coming = iter(chunks)
        assert [float(next(coming).labels[0]) for _ in range(5)] == list(range(5))
        with pytest.raises(InputError, match="line 6 is broken"):
            next(coming)


def test_leaving_early_ends_the_reader_and_closes_its_file() -> None:
    """When nobody wants more chunks, few more are read, the reader's file is closed and its thread ends."""
    read: list[int] = []
    closed = threading.Event()

    def endless() -> Iterator[Chunk]:
        try:
            k = 0
            while True:
                read.append(k)
                yield chunk_of(k)
                k += 1
        finally:
            closed.set()

    with reading_ahead(Stream(endless, name="endless")) as chunks:
        assert float(next(iter(chunks)).labels[0]) == 0.0
    assert closed.is_set()
    assert len(read) <= 2 + CHUNKS_AHEAD


def test_nothing_is_taken_ahead_from_what_can_be_read_only_once() -> None:
    """A user's own generator is asked for a chunk only when the chunk before it was learned."""
    asked: list[int] = []

    def own() -> Iterator[Chunk]:
        for k in range(5):
            asked.append(k)
            yield chunk_of(k)

    with reading_ahead(open_stream(own())) as chunks:
        for k, _ in enumerate(chunks):
            assert asked == list(range(k + 1))
