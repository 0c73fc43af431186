"""Read ahead: the next chunks are read in a thread of their own while the present one is learned.

Chunks come in the same order, and an error where it would have come: after the chunks before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue
from threading import Event, Thread
from typing import NamedTuple

from shoal.streams.stream import Stream
from shoal.types import Chunk

CHUNKS_AHEAD = 2  # one that is ready, and room for the next; more would only take memory
PATIENCE = 0.1  # seconds between two looks at whether anyone still waits


class _End(NamedTuple):
    """The stream has ended, with an error if there was one."""

    error: BaseException | None


@contextmanager
def reading_ahead(stream: Iterable[Chunk]) -> Iterator[Iterable[Chunk]]:
    """The stream's chunks, read ahead if it can be read again from the start: from standard input, and from what
    a user's own code makes, nothing is taken before it is asked for.
    """
    if not isinstance(stream, Stream) or stream.once:
        yield stream
        return
    ready: Queue[Chunk | _End] = Queue(CHUNKS_AHEAD - 1)
    enough = Event()
    reader = Thread(target=_read, args=(stream, ready, enough), daemon=True)
    reader.start()
    try:
        yield _taken(ready)
    finally:
        enough.set()
        reader.join()


def _taken(ready: Queue[Chunk | _End]) -> Iterator[Chunk]:
    while True:
        item = ready.get()
        if not isinstance(item, _End):
            yield item
        elif item.error is not None:
            raise item.error
        else:
            return


def _read(stream: Stream, ready: Queue[Chunk | _End], enough: Event) -> None:
    """Read until the end, an error, or nobody waits any more."""
    error = None
    try:
        for chunk in stream:
            if not _put(chunk, ready, enough):
                break
        stream.close()
    except BaseException as raised:
        error = raised
    _put(_End(error), ready, enough)


def _put(item: Chunk | _End, ready: Queue[Chunk | _End], enough: Event) -> bool:
    """Whether someone waited until there was room."""
    while not enough.is_set():
        try:
            ready.put(item, timeout=PATIENCE)
            return True
        except Full:
            continue
    return False
