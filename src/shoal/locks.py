"""Many may read at once, or one may write; whoever waits gets a turn.

A reader waits for one writer at most, and a writer for the readers that came before it: when a writer ends, or
pauses, all readers that wait are let in together, and the next writer waits until they are done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock


class SharedLock:
    """Hold it with `reading()` or `writing()`, and not twice in one thread."""

    def __init__(self) -> None:
        self._changed = Condition(Lock())
        self._readers = 0  # that read now
        self._writing = False
        self._waiting_readers = 0
        self._waiting_writers = 0
        self._let_in = 0  # how many times waiting readers were let in

    def __reduce__(self) -> tuple[type[SharedLock], tuple[()]]:
        return SharedLock, ()  # a copy is held by nobody

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep writers out."""
        with self._changed:
            self._begin_reading()
        try:
            yield
        finally:
            with self._changed:
                self._end_reading()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep everyone out."""
        with self._changed:
            self._begin_writing()
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._let_readers_in()

    def pause(self) -> None:
        """Let readers in that wait, in the middle of writing; other writers go on waiting."""
        if self._waiting_readers:
            with self._changed:
                self._let_readers_in()
                self._changed.wait_for(lambda: not self._readers)

    def _begin_reading(self) -> None:
        if not self._writing and not self._waiting_writers:
            self._readers += 1
            return
        self._waiting_readers += 1
        before = self._let_in
        try:
            self._changed.wait_for(lambda: self._let_in > before)
        except BaseException:  # Ctrl-C: wait no longer, or leave at once
            if self._let_in > before:
                self._end_reading()
            else:
                self._waiting_readers -= 1
            raise

    def _end_reading(self) -> None:
        self._readers -= 1
        if not self._readers:
            self._changed.notify_all()

    def _begin_writing(self) -> None:
        self._waiting_writers += 1
        try:
            self._changed.wait_for(lambda: not self._writing and not self._readers)
            self._writing = True
        finally:
            self._waiting_writers -= 1
            if not self._writing and not self._waiting_writers:
                self._let_readers_in()  # it was not to be, and they waited for it

    def _let_readers_in(self) -> None:
        self._readers += self._waiting_readers
        self._waiting_readers = 0
        self._let_in += 1
        self._changed.notify_all()
