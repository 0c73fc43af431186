"""Compile functions, and choose a verb's body by the type of the state it is given.

A *verb* (`bank_predict`, `rule_combine`, ...) is a plain function without a body. A method's file gives
it a body for its own state with `@body(verb, State)`. Compiled loops call verbs; numba picks the body
from the type of the first argument while compiling, so one loop serves every combination and is cached
on disk. `call(verb)` is the same thing for Python: it runs compiled bodies one call at a time, and
Python bodies (`@python_body`) of parts that cannot be compiled, such as outside estimators.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types
from numba.extending import overload, register_jitable

import shoal

F = TypeVar("F", bound=Callable[..., Any])

# No fast-math: sums keep their order, so results do not depend on how rows are cut into chunks.
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


@cache
def cache_folder() -> str:
    """Where machine code is kept: keyed by our sources, for numba does not notice an edit in a callee's file."""
    digest = hashlib.blake2b(digest_size=10)
    for source in sorted(Path(shoal.__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "shoal" / "kernels" / digest.hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"shoal-kernels-{os.getuid()}-{digest.hexdigest()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


def compiled(function: F) -> F:
    """Compile a function on first use and keep the machine code on disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = cache_folder()  # read once, while the function's cache is set up
    try:
        return numba.njit(cache=True, **FLAGS)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def inlined(function: F) -> F:
    """A helper for compiled functions, compiled together with its callers; plain Python elsewhere."""
    return register_jitable(**FLAGS)(function)  # type: ignore[no-any-return]
