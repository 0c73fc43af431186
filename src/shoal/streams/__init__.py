"""Streams of examples: files, standard input, data sets and what is in memory, as chunks of sparse rows."""

from __future__ import annotations

from shoal.streams.encoder import DictEncoder
from shoal.streams.opening import open_stream
from shoal.streams.rows import to_rows
from shoal.streams.stream import Stream

__all__ = ["DictEncoder", "Stream", "open_stream", "to_rows"]
