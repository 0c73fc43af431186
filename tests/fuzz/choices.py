"""Decisions drawn from a fuzzer's bytes, so that what it finds useful in them it can keep and vary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Choices:
    """Takes decisions from bytes, one after the other; when they are used up, always the first choice."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> bool:
        """Whether there are bytes left."""
        return self._at < len(self._data)

    def number(self, limit: int) -> int:
        """A whole number below the limit."""
        n_bytes = max(1, ((limit - 1).bit_length() + 7) // 8)
        taken = self._data[self._at : self._at + n_bytes]
        self._at += n_bytes
        return int.from_bytes(taken, "little") % limit

    def one_of(self, items: Sequence[Any]) -> Any:
        """One of several things."""
        return items[self.number(len(items))]

    def some(self) -> bytes:
        """Up to 255 bytes as they are."""
        length = self.number(256)
        taken = self._data[self._at : self._at + length]
        self._at += length
        return taken
