"""Runs tests in a process that compiles nothing: quick for many small models, and careful of places in arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_uncompiled(folder: Path) -> None:
    """Run the tests of a folder as plain Python; they must pass, and there must be some."""
    command = [sys.executable, "-m", "pytest", str(folder), "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ignored = ["-W", "ignore:overflow encountered:RuntimeWarning"]  # keys wrap around, which scalars warn of
    run = subprocess.run([*command, *ignored], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
