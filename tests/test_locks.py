"""Many may read at once, or one may write."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable

from shoal.locks import SharedLock

SOON = 30.0  # seconds in which a thread that may go on is sure to have done so


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def waits(lock: SharedLock, *, readers: int = 0, writers: int = 0) -> None:
    """Until that many wait."""
    for _ in range(int(SOON / 0.001)):
        if (lock._waiting_readers, lock._waiting_writers) == (readers, writers):
            return
        threading.Event().wait(0.001)
    raise AssertionError("they do not wait")


def test_readers_share() -> None:
    """Two threads read at the same time."""
    lock, both = SharedLock(), threading.Barrier(2)

    def read() -> None:
        with lock.reading():
            both.wait(SOON)

    threads = [started(read) for _ in range(2)]
    for thread in threads:
        thread.join(SOON)
    assert not both.broken


def test_a_writer_is_alone() -> None:
    """Readers and writers that come while one writes wait until it is done."""
    lock, seen = SharedLock(), []

    def read() -> None:
        with lock.reading():
            seen.append("reader")

    def write() -> None:
        with lock.writing():
            seen.append("writer")

    with lock.writing():
        threads = [started(read), started(write)]
        waits(lock, readers=1, writers=1)
        seen.append("first")
    for thread in threads:
        thread.join(SOON)
    assert seen == ["first", "reader", "writer"]  # who waited to read comes before the next writer


def test_readers_do_not_keep_a_writer_out() -> None:
    """A reader that comes while a writer waits lets it go first."""
    lock, seen = SharedLock(), []

    def write() -> None:
        with lock.writing():
            seen.append("writer")

    def read() -> None:
        with lock.reading():
            seen.append("late reader")

    with lock.reading():
        writer = started(write)
        waits(lock, writers=1)
        reader = started(read)
        waits(lock, readers=1, writers=1)
    for thread in (writer, reader):
        thread.join(SOON)
    assert seen == ["writer", "late reader"]


def test_a_pause_lets_readers_in_and_no_writer() -> None:
    """In the middle of writing those who wait to read are let in, once; writers are not."""
    lock, seen = SharedLock(), []

    def read() -> None:
        with lock.reading():
            seen.append("reader")

    def write() -> None:
        with lock.writing():
            seen.append("writer")

    with lock.writing():
        lock.pause()  # nobody waits
        threads = [started(read), started(write)]
        waits(lock, readers=1, writers=1)
        lock.pause()
        assert seen == ["reader"]
    for thread in threads:
        thread.join(SOON)
    assert seen == ["reader", "writer"]


def test_a_copy_is_held_by_nobody() -> None:
    """A lock can be copied and pickled as part of what it guards; the copy is a lock of its own."""
    lock = SharedLock()
    with lock.writing():
        for copied in (copy.deepcopy(lock), pickle.loads(pickle.dumps(lock))):
            with copied.writing():
                assert copied is not lock


def test_an_error_lets_go() -> None:
    """Who fails while holding the lock holds it no longer."""
    lock = SharedLock()
    for hold in (lock.reading, lock.writing):
        try:
            with hold():
                raise RuntimeError
        except RuntimeError:
            pass
    with lock.writing():
        pass
