"""Lists for people: methods and data sets, on standard output."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import fields
from functools import partial
from typing import Any, Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal import datasets
from shoal.datasets.files import find as find_file
from shoal.methods.learners import OF_THE_METHOD
from shoal.registry import BANKS, EVERY_METHOD, find

COMMON = (
    "learner", "n_learners", "feature_fraction", "vote", "frozen",
    "scaling", "bias", "class_weight", "threshold", "drift",
)  # fmt: skip


def print_methods() -> None:
    """Every method and learner with its first line, and its own settings; the settings that all have once."""
    console = Console()
    builders = {name: find("method", EVERY_METHOD, name) for name in EVERY_METHOD}
    console.print("Settings of most methods, given with --set NAME=VALUE:", style="bold")
    console.print(Padding(Text(_defaults(builders["voting"], ()), style="dim"), (0, 0, 1, 2)))
    for name, builder in builders.items():
        console.print(Text.assemble((name, "bold"), "  ", _summary(builder)))
        own = "" if isinstance(builder, partial) else _defaults(builder, COMMON)
        if own:
            console.print(Padding(Text(own, style="dim"), (0, 0, 0, 4)))
    console.print("\nLearners, and their own settings, given with --learner NAME:SETTING=VALUE,...:", style="bold")
    for name in BANKS:
        bank = find("learner", BANKS, name)
        console.print(Text.assemble((name, "bold"), "  ", _summary(bank)))
        if own := _defaults(bank, OF_THE_METHOD):
            console.print(Padding(Text(own, style="dim"), (0, 0, 0, 4)))


def _summary(builder: Any) -> str:
    if isinstance(builder, partial):
        given = ", ".join(f"{k}={v!r}" for k, v in builder.keywords.items())
        return f"{builder.func.__name__} with {given}"
    return (inspect.getdoc(builder) or "").split("\n\n")[0].replace("\n", " ")


def _defaults(builder: Any, without: Iterable[str]) -> str:
    parameters = inspect.signature(builder).parameters.values()
    return ", ".join(f"{p.name}={p.default!r}" for p in parameters if p.name not in without)


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
