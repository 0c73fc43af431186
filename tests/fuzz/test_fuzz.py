"""What readers and loaders make of any bytes; `benchmarks/fuzz.py` asks for longer."""

from __future__ import annotations

from pathlib import Path

from tests.uncompiled import run_uncompiled

HERE = Path(__file__).parent


def test_documented_errors_only():
    """Readers and loaders answer any bytes with rows, a model, or a documented error."""
    run_uncompiled(HERE / "uncompiled")


def test_the_corpus_is_small():
    """The first inputs are there, and take little room."""
    sizes = [path.stat().st_size for path in (HERE / "corpus").rglob("*") if path.is_file()]
    assert len(sizes) > 30
    assert sum(sizes) < 300_000
