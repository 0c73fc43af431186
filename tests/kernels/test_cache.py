"""The machine code kept on disk serves every program, whatever others keep beside it."""

import os
import subprocess
import sys
from pathlib import Path

OWN_PART = """
from typing import NamedTuple
import numpy as np
from shoal.kernels.compiler import body, compiled, verb

ask = verb("ask")

class OwnState(NamedTuple):
    number: float

@body(ask, OwnState)
def answer(state):
    return state.number
"""
USE = """
import sys
sys.path.insert(0, {folder!r})
from shared import total
from {part} import OwnState
print(total(OwnState(2.0)))
"""
SHARED = """
from own_one import ask
from shoal.kernels.compiler import compiled

@compiled
def total(state):
    return ask(state) + 1.0
"""


def run(code: str, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


def test_a_type_that_is_gone_does_not_stop_others(tmp_path: Path) -> None:
    """A loop compiled for one program's own part still compiles where that part cannot be imported."""
    (tmp_path / "own_one.py").write_text(OWN_PART)
    (tmp_path / "own_two.py").write_text(OWN_PART.replace('ask = verb("ask")', "from own_one import ask"))
    (tmp_path / "shared.py").write_text(SHARED)
    for part in ("own_one", "own_two"):
        done = run(USE.format(folder=str(tmp_path), part=part), tmp_path / "cache")
        assert done.stdout.strip() == "3.0", done.stderr
    (tmp_path / "own_two.py").unlink()
    done = run(USE.format(folder=str(tmp_path), part="own_one"), tmp_path / "cache")
    assert done.stdout.strip() == "3.0", done.stderr
