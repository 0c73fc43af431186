"""Mini-batches, as River passes them around: frames of pandas or polars to dicts, and answers to their likes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import InputError
from shoal.types import Floats


def examples_of(X: Any) -> list[Mapping[Any, Any]]:
    """The rows of a frame as dicts."""
    if is_polars(X):
        return list(X.iter_rows(named=True))
    if not hasattr(X, "iloc") or not hasattr(X, "columns"):
        raise InputError(
            f"X is a {type(X).__name__}; expected a pandas or polars frame. Give a dict to learn_one."
        )
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise InputError(f"two columns are called {twice!r}; give each its own name.")
    return list(X.to_dict("records"))


def labels_of(y: Any) -> list[Any]:
    """The labels of a series, an array or a list."""
    return list(y.tolist() if hasattr(y, "tolist") else y)


def series_like(X: Any, values: list[Any]) -> Any:
    """One value for each row of the frame."""
    if is_polars(X):
        import polars

        return polars.Series(values)
    import pandas

    known = any(value is not None for value in values)
    return pandas.Series(values, index=X.index, dtype=None if known else object)


def table_like(X: Any, values: Floats, columns: list[Any]) -> Any:
    """Several values for each row of the frame. Polars takes text only as names of columns."""
    if is_polars(X):
        import polars

        return polars.DataFrame({str(name): values[:, k] for k, name in enumerate(columns)})
    import pandas

    return pandas.DataFrame(values, index=X.index, columns=pandas.Index(columns, dtype=object))


def is_polars(X: Any) -> bool:
    """Whether it is a frame of polars."""
    return hasattr(X, "iter_rows")
