"""Evaluation holds its memory, however long the stream."""

from benchmarks.memory import MEGABYTE, measured


def test_a_long_stream_needs_no_more_memory_than_a_short_one() -> None:
    """Over 300,000 rows from a file, resident memory grows by less than 50 MB after the first chunk."""
    growth, result = measured(300_000, 20, 5)
    assert result.n == 300_000
    assert growth < 50 * MEGABYTE
