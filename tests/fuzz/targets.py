"""What is fuzzed: each target takes bytes and must come back, or raise a documented error, in little time.

A reader must give canonical rows or `InputError`. A loader must give a model that answers, or `DataFileError`.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.altering import altered, load_parts
from tests.fuzz.choices import Choices
from tests.fuzz.tables import drawn_table, write_table

import shoal
from shoal.errors import DataFileError, InputError
from shoal.files.checkpoints import CheckpointFolder
from shoal.files.loading import load_as_saved
from shoal.streams.rows import slice_rows
from shoal.types import Rows, Space

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden" / "models"
MODELS = (
    "additive",
    "bayes",
    "composed",
    "geem",
    "hull",
    "mixed",
    "sag",
    "trees",
    "madaboost",
    "gradient-boosting",
)
FORMS = ("parquet", "arrow", "arrows", "csv")
MOST_ROWS = 2000  # read of one stream
FOLDER = Path(tempfile.mkdtemp(prefix="shoal-fuzz-"))


def in_file(data: bytes, suffix: str) -> Path:
    """The bytes as a file."""
    path = FOLDER / f"input{suffix}"
    path.write_bytes(data)
    return path


def read_stream(data: bytes, suffix: str, **options: Any) -> None:
    """All rows of these bytes, or the error that says what is wrong with them."""
    read_file(in_file(data, suffix), **options)


def read_file(path: Path, **options: Any) -> None:
    """All rows of a file, or the error that says what is wrong with it."""
    n_rows = 0
    try:
        with shoal.open_stream(str(path), **options) as stream:
            for chunk in stream:
                check_rows(chunk.rows, chunk.space)
                assert chunk.labels is None or len(chunk.labels) == chunk.rows.n_rows
                n_rows += chunk.rows.n_rows
                if n_rows > MOST_ROWS:
                    break
    except InputError as error:
        said = str(error)
    else:
        said = ""
    assert "\n" not in said.strip(), "an error is one line"


def check_rows(rows: Rows, space: Space) -> None:
    """Canonical rows: no zeros, rising indices that the space knows, nothing infinite."""
    assert rows.indptr[0] == 0
    assert rows.indptr[-1] == len(rows.indices) == len(rows.values)
    assert (rows.values != 0.0).all()
    assert not np.isinf(rows.values).any()
    for t in range(rows.n_rows):
        indices = slice_rows(rows, t, t + 1).indices
        assert (np.diff(indices) > 0).all()
        assert len(indices) == 0 or (indices[0] >= 0 and indices[-1] < space.n_features)


def libsvm(data: bytes) -> None:
    """LIBSVM text."""
    read_stream(data, ".libsvm", chunk_size=7)


def csv(data: bytes) -> None:
    """CSV with a header line."""
    read_stream(data, ".csv", chunk_size=7)


def parquet(data: bytes) -> None:
    """A Parquet file."""
    read_stream(data, ".parquet", chunk_size=7)


def arrow(data: bytes) -> None:
    """An Arrow file or stream."""
    read_stream(data, ".arrow", chunk_size=7)


def sniffed(data: bytes) -> None:
    """A file whose name says nothing: its form and its compression are told by its first bytes."""
    read_stream(data, "", chunk_size=7)


def table(data: bytes) -> None:
    """A table of columns of any types, in a sound file of some form, and columns called what they are not."""
    choices = Choices(data)
    form = choices.one_of(FORMS)
    path = FOLDER / f"table.{form}"
    drawn = drawn_table(choices)
    named = choices.one_of((None, *drawn.column_names))
    weight = choices.one_of((None, None, None, *drawn.column_names))
    if write_table(drawn, str(path), form):
        read_file(path, chunk_size=7, label=choices.one_of((None, False, named)), weight=weight)


def unlabelled(data: bytes) -> None:
    """LIBSVM text whose labels are not read."""
    read_stream(data, ".libsvm", chunk_size=7, label=False)


def checkpoint(data: bytes) -> None:
    """A sound checkpoint with something in it changed and the checksum made right."""
    folder = CheckpointFolder(FOLDER / "checkpoints")
    folder.path.mkdir(exist_ok=True)
    path = folder.path / "rows-000000000000040.checkpoint"
    path.write_bytes(altered(*sound_checkpoint(), Choices(data)))
    try:
        found = folder.load()
    except InputError:
        return
    assert found is not None
    assert all(isinstance(n, int) for n in found.place)


@cache
def sound_checkpoint() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(document, arrays) of a checkpoint of a small run."""
    from shoal.evaluation.progressive import evaluate
    from shoal.methods import make_model

    X = np.random.default_rng(0).normal(size=(40, 3))
    folder = FOLDER / "sound"
    stream = shoal.open_stream((X, X[:, 0] > 0))
    evaluate(make_model("bayes", {"n_learners": 2, "forgetting": "auto"}, 0), stream, checkpoint=folder)
    return load_parts(next(folder.glob("rows-*40.checkpoint")))


def model(data: bytes) -> None:
    """A model file, as bytes."""
    use_model(in_file(data, ".shoal"))


def altered_model(data: bytes) -> None:
    """A sound model file with something in it changed and the checksum made right."""
    choices = Choices(data)
    document, arrays = golden(choices.one_of(MODELS))
    use_model(in_file(altered(document, arrays, choices), ".shoal"))


@cache
def golden(name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(document, arrays) of a golden model file."""
    return load_parts(GOLDEN / f"{name}.shoal")


def use_model(path: Path) -> None:
    """Load a model; one that is taken answers and learns without reaching outside of its arrays."""
    try:
        found = load_as_saved(path)
    except DataFileError:
        return
    X = np.random.default_rng(0).normal(size=(3, 4))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = found.predict(X)
            if hasattr(found, "partial_fit"):
                found.partial_fit(X, answers)
    except IndexError as error:
        raise AssertionError(f"a place outside of an array: {error}") from error
    except (InputError, ArithmeticError, ValueError, AttributeError):
        pass  # numbers without meaning may have no answer; what is not fitted says so


TARGETS: dict[str, Callable[[bytes], None]] = {
    "libsvm": libsvm,
    "csv": csv,
    "parquet": parquet,
    "arrow": arrow,
    "sniffed": sniffed,
    "table": table,
    "unlabelled": unlabelled,
    "checkpoint": checkpoint,
    "model": model,
    "altered-model": altered_model,
}
