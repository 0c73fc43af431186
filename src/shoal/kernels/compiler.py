"""Compile functions, and choose a verb's body by the type of the state it is given.

A *verb* (`bank_predict`, `rule_combine`, ...) is a plain function without a body. A method's file gives
it a body for its own state with `@body(verb, State)`. Compiled loops call verbs; numba picks the body
from the type of the first argument while compiling, so one loop serves every combination and is cached
on disk. Called from Python a verb does the same, one call at a time; states that hold Python objects,
such as outside estimators, give it a `@python_body`, and a loop over them runs as plain Python.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeVar

import numba
from numba import types
from numba.extending import overload, register_jitable

import shoal

F = TypeVar("F", bound=Callable[..., Any])

# No fast-math: sums keep their order, so results do not depend on how rows are cut into chunks.
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


PACKAGE = Path(shoal.__file__).parent
CORE = ("kernels", "banks", "boosters", "rules", "reservoir")  # with the package's own files, what kernels call


@cache
def cache_folder(package: str) -> str:
    """Where a package's machine code is kept, keyed by the sources that its kernels may call: those of the
    core and its own. numba itself does not notice an edit in a callee's file.
    """
    digest = hashlib.blake2b(digest_size=10)
    sources = list(PACKAGE.glob("*.py"))
    for name in (*CORE, *([package] if package else [])):
        sources += (PACKAGE / name).rglob("*.py")
    for source in sorted(sources):
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "shoal" / "kernels" / digest.hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"shoal-kernels-{os.getuid()}-{digest.hexdigest()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


def compiled(function: F, *, allocates: bool = True, thin: bool = False) -> F:
    """Compile a function on first use and keep the machine code on disk; leave it as it is under
    NUMBA_DISABLE_JIT=1, where all runs as plain Python.

    allocates: whether it may make arrays or answer with one. One that works in the arrays it is given is
        compiled without counting references to them, which for every example costs as much as the arithmetic.
    thin: whether it only hands on what it is given: callers then take it into their own code, since handing
        over a state and the room for an example takes a hundred words.
    """
    if numba.config.DISABLE_JIT:
        return function
    before = numba.config.CACHE_DIR
    package = function.__module__.split(".")[1] if function.__module__.startswith("shoal.") else ""
    # Read once, while the function's cache is set up.
    numba.config.CACHE_DIR = cache_folder("" if package in CORE else package)
    try:
        dispatcher = numba.njit(cache=True, _nrt=allocates, forceinline=thin, **FLAGS)(function)
    finally:
        numba.config.CACHE_DIR = before
    _forgive_foreign_entries(dispatcher)
    return dispatcher


def in_place(function: F) -> F:
    """Compile a function that works in the arrays it is given: what is called for every example."""
    return compiled(function, allocates=False)


def _forgive_foreign_entries(dispatcher: Any) -> None:
    """Read a cache whose list names types that this process cannot import as an empty one.

    The list of a loop holds the types of every combination that was ever compiled on the machine, those of
    users' own parts among them; without this, a part of one program would stop all others.
    """
    files = dispatcher._cache._cache_file
    read = files._load_index

    def read_if_known() -> dict[Any, Any]:
        try:
            return read()
        except (ImportError, AttributeError, EOFError, UnpicklingError):
            return {}

    files._load_index = read_if_known


def inlined(function: F) -> F:
    """A helper for compiled functions, compiled together with its callers; plain Python elsewhere."""
    return register_jitable(**FLAGS)(function)


Verb = Callable[..., Any]


class _Bodies:
    """The bodies of one verb: what to compile for a state's type, and what to run in Python."""

    def __init__(self) -> None:
        self.plain: dict[type, Callable[..., Any]] = {}  # as written
        self.machine: dict[type, Callable[..., Any]] = {}  # compiled when first used
        self.default: tuple[Callable[..., Any], Callable[..., Any]] | None = None  # as written, compiled


_BODIES: dict[Verb, _Bodies] = {}
_PYTHON_STATES: set[type] = set()  # states that compiled code cannot hold


def verb(name: str) -> Verb:
    """A function whose body depends on the type of its first argument, in compiled code and in Python."""
    bodies = _Bodies()

    def speak(state: Any, *rest: Any) -> Any:
        kind = type(state)
        if kind not in bodies.plain and bodies.default is None:
            raise TypeError(f"{kind.__name__} has no body for {name}: see CONTRIBUTING, 'Add a learner'")
        own = kind in bodies.plain
        if runs_in_python(state) or any(runs_in_python(part) for part in rest):
            return (bodies.plain[kind] if own else bodies.default[0])(state, *rest)  # type: ignore[index]
        return (bodies.machine[kind] if own else bodies.default[1])(state, *rest)  # type: ignore[index]

    speak.__name__ = speak.__qualname__ = name
    _BODIES[speak] = bodies
    return speak


def body(spoken: Verb, state: type, *, allocates: bool = True, thin: bool = False) -> Callable[[F], F]:
    """Give a verb its body for a state; compiled code and Python both find it.

    Loops call the body as a function compiled by itself: its machine code is on disk after the first use,
    so that a new combination of known parts has only its loop to compile. A body that makes no arrays says so
    (`allocates=False`, see `compiled`), and is faster; one that only hands on says `thin=True`.
    """

    def register(function: F) -> F:
        machine, through = _standing_alone(function, allocates, thin)

        def choose(kind: Any, *rest: Any) -> Any:
            return through if _is_instance(kind, state) else None

        _BODIES[spoken].plain[state] = function
        _BODIES[spoken].machine[state] = machine
        overload(spoken, strict=False, jit_options=FLAGS)(choose)
        return function

    return register


def default_body(spoken: Verb, *, allocates: bool = True, thin: bool = False) -> Callable[[F], F]:
    """Give a verb the body that serves every state without one of its own."""

    def register(function: F) -> F:
        machine, through = _standing_alone(function, allocates, thin)

        def choose(kind: Any, *rest: Any) -> Any:
            own = getattr(kind, "instance_class", None)
            return None if own in _BODIES[spoken].plain else through

        _BODIES[spoken].default = function, machine
        overload(spoken, strict=False, jit_options=FLAGS)(choose)
        return function

    return register


def _standing_alone(
    function: Callable[..., Any], allocates: bool, thin: bool
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(the function compiled, what compiled code calls it through)."""
    machine = compiled(function, allocates=allocates, thin=thin)

    def through(*args: Any) -> Any:
        return machine(*args)

    return machine, through


def python_body(spoken: Verb, state: type) -> Callable[[F], F]:
    """Give a verb a body for a state that holds Python objects; every loop over it then runs in Python."""

    def register(function: F) -> F:
        _PYTHON_STATES.add(state)
        _BODIES[spoken].plain[state] = function
        return function

    return register


def runs_in_python(state: Any) -> bool:
    """Whether a state, or a part of it, can only be handled by Python."""
    if type(state) in _PYTHON_STATES:
        return True
    if isinstance(state, tuple):
        for part in state:  # a plain loop: this is asked for every single row
            if isinstance(part, tuple) and runs_in_python(part):
                return True
    return False


def _is_instance(kind: Any, state: type) -> bool:
    return isinstance(kind, types.BaseNamedTuple) and kind.instance_class is state
