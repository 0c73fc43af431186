"""What is loaded when: heavy packages only where they are needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("numba", "sklearn", "scipy", "pyarrow", "rich", "typer", "pandas", "polars", "river")


def loaded_by(code: str, *watched: str, timeout: float = 300.0) -> set[str]:
    """Which of the watched packages a fresh Python has loaded after the code."""
    report = (
        f"\nimport json, sys\nprint(json.dumps([m for m in {watched!r} if m in sys.modules]), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, timeout=timeout, check=True
    )
    return set(json.loads(run.stderr.strip().splitlines()[-1]))


def command(*arguments: str) -> str:
    """Code that runs the command line in the same Python."""
    return f"""
import sys
sys.argv = ["shoal", *{list(arguments)!r}]
from shoal.cli.main import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, None), end.code
"""


def test_shoal_alone():
    """Importing shoal loads NumPy and nothing heavy."""
    assert loaded_by("import shoal", "numpy", *HEAVY) <= {"numpy"}


def test_public_names_load_when_used():
    """Asking for an error type loads no more; asking for an estimator loads scikit-learn."""
    assert loaded_by("import shoal; shoal.InputError", *HEAVY) == set()
    assert {"sklearn", "numba"} <= loaded_by("import shoal; shoal.VotingEnsembleClassifier", *HEAVY)


def test_unknown_names():
    """A name that shoal does not have is an AttributeError that says so."""
    import shoal

    with pytest.raises(AttributeError, match="'shoal' has no attribute 'whale'"):
        _ = shoal.whale
    assert set(shoal.__all__) == set(dir(shoal))


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["compare", "--help"]])
def test_help(arguments):
    """Help loads neither numba nor scikit-learn."""
    assert loaded_by(command(*arguments), "numba", "sklearn", "scipy", "pyarrow") == set()


def test_evaluating_a_file(tmp_path):
    """Evaluating a file or a synthetic stream never loads scikit-learn."""
    path = tmp_path / "few.libsvm"
    path.write_text("".join(f"{t % 2} 1:{t / 7} 2:{t % 2}\n" for t in range(30)))
    for data in (str(path), "sea:n=30"):
        found = loaded_by(command("evaluate", data, "-n", "5", "-q"), "sklearn", "numba")
        assert found == {"numba"}
