"""Commands on many methods, in a process that compiles none of them."""

from __future__ import annotations

from pathlib import Path

from tests.uncompiled import run_uncompiled


def test_model_commands():
    """fit, predict and inspect do what they say, for models of all kinds."""
    run_uncompiled(Path(__file__).parent / "uncompiled")
