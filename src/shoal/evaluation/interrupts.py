"""Ctrl-C between two chunks, never within one: what a run has is then whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupts:
    """While it is entered, Ctrl-C waits for the end of what is done as a `whole`; a second one does not wait.

    broken: whether a second one came, so that what was under way is neither done nor undone.
    """

    def __init__(self) -> None:
        self.broken = False
        self._busy = False
        self._asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.broken = self._busy and self._asked
        if not self._busy or self.broken:
            raise KeyboardInterrupt
        self._asked = True

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done within is done to its end, and KeyboardInterrupt raised then."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt
