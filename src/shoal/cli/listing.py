"""Lists for people: methods and data sets, on standard output."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from shoal import datasets
from shoal.datasets.files import find as find_file
from shoal.registry import METHODS, find


def print_methods() -> None:
    """Every method with its first line and its settings."""
    table = Table(title="Methods")
    for heading in ("method", "what it is", "settings and their defaults"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "method")
    for name in METHODS:
        builder = find("method", METHODS, name)
        table.add_row(name, _summary(builder), _defaults(builder))
    Console().print(table)


def _summary(builder: Any) -> str:
    text = inspect.getdoc(getattr(builder, "func", builder)) or ""
    chosen = getattr(builder, "keywords", {})
    given = "; ".join(f"{k} {v!r}" for k, v in chosen.items())
    return text.split("\n\n")[0].replace("\n", " ") + (f" With {given}." if given else "")


def _defaults(builder: Any) -> str:
    return ", ".join(f"{p.name}={p.default!r}" for p in inspect.signature(builder).parameters.values())


def print_datasets() -> None:
    """Every data set in a line."""
    table = Table(title="Data sets")
    for heading in ("name", "task", "rows", "features", "classes", "where"):
        side: Literal["left", "right"] = "right" if heading in ("rows", "features", "classes") else "left"
        table.add_column(heading, justify=side, no_wrap=heading == "name")
    for name in datasets.names():
        known = datasets.describe(name)
        rows = f"{known.n_rows:,}" if known.n_rows else "any"
        table.add_row(name, known.task, rows, str(known.n_features), str(len(known.classes) or "-"), where(known))
    Console().print(table)


def where(known: datasets.DataSet) -> str:
    """Where a data set comes from, as things stand on this machine."""
    if known.form == "sklearn":
        return "with scikit-learn"
    if known.form == "synthetic":
        return "made as needed"
    if all(find_file(part) is not None for part in known.parts):
        return "on this machine"
    return "to download" if all(part.url for part in known.parts) else "put it in $SHOAL_DATA"


def print_dataset(name: str) -> None:
    """All that is known of one data set."""
    known = datasets.describe(name)
    table = Table(title=name, show_header=False)
    for field in fields(known):
        value = getattr(known, field.name)
        if field.name in ("parts", "scaled"):
            value = "\n".join(f"{part.path}  {part.url or ''}".rstrip() for part in value)
        table.add_row(field.name.replace("_", " "), str(value) if value != "" else "-")
    table.add_row("where", where(known))
    Console().print(table)
