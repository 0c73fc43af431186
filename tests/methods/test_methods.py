"""What all methods promise, tested as plain Python: there are too many combinations to compile."""

from __future__ import annotations

from pathlib import Path

from tests.uncompiled import run_uncompiled


def test_options():
    """Every method takes the options, alone and together, of two classes and of many."""
    run_uncompiled(Path(__file__).parent / "uncompiled")
