"""Data sets by name, as streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from shoal.datasets import naming
from shoal.datasets.catalogue import DATASETS, DataSet
from shoal.datasets.files import file_of
from shoal.datasets.generators import KINDS
from shoal.errors import InputError, did_you_mean
from shoal.streams.memory import chunks_of_arrays
from shoal.streams.opening import CHUNK_SIZE, open_stream
from shoal.streams.rows import cut
from shoal.streams.stream import Stream
from shoal.types import Chunk

BINARY_FORMS = ("idx", "cifar")


def names() -> list[str]:
    """The names that `load` takes; synthetic ones may carry parameters, as in "sea:n=1000,seed=3"."""
    return [*DATASETS, *KINDS]


def is_name(name: str) -> bool:
    """Whether `load` takes the name: a data set's, one of its files', or a synthetic stream's."""
    return name in DATASETS or naming.is_synthetic(name) or _file_named(name) is not None


def describe(name: str) -> DataSet:
    """What is known of a data set or a synthetic stream: task, rows, features, classes, files."""
    if naming.is_synthetic(name):
        return _describe_synthetic(name)
    found = DATASETS.get(name) or _file_named(name)
    if found is None:
        raise InputError(
            f"no data set is called {name!r}; there are {', '.join(names())}.{did_you_mean(name, names())}"
        )
    return found


def load(name: str, *, scaled: bool = False, chunk_size: int = CHUNK_SIZE) -> Stream:
    """A data set as a stream; `load(name).arrays()` is all of it as (X, y).

    scaled: the form whose features lie in [-1, 1] or [0, 1], where there is one.

    >>> X, y = load("iris").arrays(dense=True)
    >>> X.shape
    (150, 4)
    """
    dataset = describe(name)
    if dataset.form == "synthetic":
        return naming.of_name(name, chunk_size)
    if scaled and not dataset.scaled and dataset.form not in BINARY_FORMS:
        raise InputError(f"{name}: no scaled form is known; load it with scaled=False and scale it")
    return Stream(
        _reader(dataset, scaled, chunk_size),
        name=name,
        n_rows=dataset.n_rows or None,
        classes=list(dataset.classes) or None,
    )


def _reader(dataset: DataSet, scaled: bool, chunk_size: int) -> Callable[[], Iterator[Chunk]]:
    if chunk_size < 1:
        raise InputError(f"chunk_size={chunk_size}: expected at least 1")
    if dataset.form == "sklearn":
        return partial(_bundled, dataset, chunk_size)
    parts = dataset.scaled if scaled and dataset.scaled else dataset.parts
    files = [file_of(part, dataset.name) for part in parts]
    return partial(_read_files, dataset, files, scaled, chunk_size)


def _read_files(dataset: DataSet, files: list[Path], scaled: bool, chunk_size: int) -> Iterator[Chunk]:
    """The files one after the other, as one stream."""
    if dataset.form == "idx":
        from shoal.datasets.images import read_idx

        pairs = zip(files[::2], files[1::2], strict=True)
        return cut(chain.from_iterable(read_idx(x, y, scaled=scaled) for x, y in pairs), chunk_size)
    if dataset.form == "cifar":
        from shoal.datasets.images import read_cifar

        return cut(chain.from_iterable(read_cifar(file, scaled=scaled) for file in files), chunk_size)
    n_features = dataset.n_features if dataset.form == "libsvm" else None
    streams = (open_stream(f, format=dataset.form, n_features=n_features, chunk_size=chunk_size) for f in files)
    chunks = chain.from_iterable(streams)
    return chunks if len(files) == 1 else cut(chunks, chunk_size)


def _bundled(dataset: DataSet, chunk_size: int) -> Iterator[Chunk]:
    """What scikit-learn ships."""
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, dataset.note)(return_X_y=True)
    return chunks_of_arrays(X, y, chunk_size)


def _file_named(name: str) -> DataSet | None:
    """One file of a data set, such as heart_scale or a9a.t, as a data set of its own."""
    for dataset in DATASETS.values():
        for part in (*dataset.parts, *dataset.scaled):
            if dataset.form == "libsvm" and part.path == f"{name}.libsvm":
                n_rows = dataset.n_rows if len(dataset.parts) == 1 else 0
                return replace(dataset, name=name, n_rows=n_rows, parts=(part,), scaled=())
    return None


def _describe_synthetic(name: str) -> DataSet:
    stream = naming.of_name(name, CHUNK_SIZE)
    n_features = next(iter(stream)).space.n_features
    classes = tuple(stream.classes or ())
    kind = name.partition(":")[0]
    note = ", ".join(f"{key}={value}" for key, value in naming.parameters_of(kind).items())
    return DataSet(name, "classification", stream.n_rows or 0, n_features, classes, "synthetic", note=note)
