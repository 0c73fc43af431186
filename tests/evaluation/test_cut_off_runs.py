"""Runs that are cut off, in a process that compiles nothing."""

from __future__ import annotations

from pathlib import Path

from tests.uncompiled import run_uncompiled


def test_checkpoints():
    """A run goes on from its checkpoints as if it had never stopped."""
    run_uncompiled(Path(__file__).parent / "uncompiled")
