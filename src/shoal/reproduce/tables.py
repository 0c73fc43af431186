"""What a published table is: its data sets, its columns and their settings, what its paper claims.

Everything is read from `settings/NAME.toml`; numbers as printed come from `published/*.csv`.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from shoal.errors import InputError

ALL = "all"
STANDARD_ERROR = "standard error"
DEVIATION = "deviation"
NOT_TABLES = frozenset({"data"})  # settings files that describe something else


@dataclass(frozen=True)
class Column:
    """One method of a table.

    settings: what is given to the method. tune: a setting and the values it is chosen from, on an order of its
    own. beyond: whether the paper does not have it; it is then held against the best that was printed.
    prefix: rows used of each order of large sets, where they are fewer than the table's.
    """

    name: str
    method: str
    settings: Mapping[str, Any]
    tune: tuple[str, tuple[Any, ...]] | None = None
    beyond: bool = False
    prefix: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """What a paper says of its table, checked on every data set that was run.

    best: the column that is best of all columns or of `among` some; by how much says `margin`: "tied", within one
    standard error of the best counts; "not-behind", within one deviation does; "ahead", only further ahead than
    one deviation, the larger of the two methods', does. better, than: one column below another.
    exceptions: on how many data sets it may fail and still count as reproduced.
    """

    text: str
    best: str | None = None
    among: tuple[str, ...] = ()
    better: str | None = None
    than: str | None = None
    exceptions: int = 0
    margin: str = "tied"


@dataclass(frozen=True)
class DataSource:
    """A data set of the papers, and where its rows come from here.

    load: the name that `shoal.datasets` knows. repeat: how often all its rows occur. scaled: whether the form in
    [-1, 1] is used where a table asks for it.
    missing: why it cannot be had. unpublished: that no printed number belongs to it. note: what else to know.
    """

    name: str
    load: str = ""
    repeat: int = 1
    scaled: bool = True
    missing: str = ""
    unpublished: bool = False
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a paper, ready to be run.

    figure: "", "curves" or "sweep" for what is a figure in the paper.
    spread: what stands behind a mean: "standard error", or "deviation" where the paper prints that.
    prefix: for large data sets, how many rows of each order are used unless all are asked for.
    printed: (data set, column) to the published error; printed_deviations: to its deviation, where one is printed.
    best: the least error printed for a data set in all the tables that share the protocol.
    reasons: why columns differ from the printed ones, as found by experiment.
    """

    name: str
    title: str
    protocol: str
    columns: tuple[Column, ...]
    datasets: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    prefix: Mapping[str, int] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    figure: str = ""
    printed: Mapping[tuple[str, str], float] = field(default_factory=dict)
    spread: str = STANDARD_ERROR
    printed_deviations: Mapping[tuple[str, str], float] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def paper_columns(self) -> tuple[Column, ...]:
        """The columns that the paper has."""
        return tuple(column for column in self.columns if not column.beyond)

    def shares(self, other: Table) -> bool:
        """Whether a column of the same name, settings and data is the same run in both tables."""
        return self.protocol == other.protocol and self.options == other.options

    def column(self, name: str) -> Column:
        """A column by its name."""
        return next(column for column in self.columns if column.name == name)

    def rows_of(self, dataset: str, full: bool, column: Column | None = None) -> int | None:
        """How many rows of an order a column uses, or all that have no prefix of their own; None for all rows."""
        own = {} if column is None else column.prefix
        return None if full else own.get(dataset, self.prefix.get(dataset))


def table_names() -> list[str]:
    """Every table and figure that can be run."""
    names = [file.name.removesuffix(".toml") for file in _folder("settings") if file.name.endswith(".toml")]
    return sorted(name for name in names if name not in NOT_TABLES)


def load_tables(names: str) -> list[Table]:
    """The tables that a name, several joined by commas, or "all" stand for."""
    wanted = [name.strip() for name in names.split(",")]
    known = table_names()
    for name in wanted:
        if name != ALL and name not in known:
            raise InputError(f"no table is called {name!r}; expected one of {', '.join(known)}, or {ALL}.")
    return [load_table(name) for name in (known if ALL in wanted else wanted)]


def load_table(name: str) -> Table:
    """A table from its settings file."""
    given = _read_toml(name)
    columns = _columns(given)
    published = given.get("published")
    printed = _printed(published, {column.name for column in columns}) if published else {}
    return Table(
        name,
        given["title"],
        given["protocol"],
        columns,
        tuple(given["datasets"]),
        given.get("options", {}),
        given.get("prefix", {}),
        tuple(Claim(**{**claim, "among": tuple(claim.get("among", ()))}) for claim in given.get("claims", ())),
        given.get("figure", ""),
        printed,
        given.get("spread", STANDARD_ERROR),
        _printed_deviations(published, {column.name for column in columns}) if published else {},
        best_printed() if given["protocol"] == "stream" else _least(printed),
        given.get("reasons", {}),
    )


@cache
def best_printed() -> dict[str, float]:
    """The least error printed for each data set, over every method and learner of the tables on whole streams."""
    streams = [given for given in map(_read_toml, table_names()) if given["protocol"] == "stream"]
    return _least(
        {
            (dataset, f"{given['published']} {column}"): error
            for given in streams
            for (dataset, column), error in _printed(given["published"], set(given["columns"])).items()
        }
    )


def _least(printed: Mapping[tuple[str, str], float]) -> dict[str, float]:
    least: dict[str, float] = {}
    for (dataset, _), error in printed.items():
        least[dataset] = min(error, least.get(dataset, error))
    return least


def load_sources() -> dict[str, DataSource]:
    """The data sets of all tables."""
    return {name: DataSource(name, **given) for name, given in _read_toml("data").items()}


def _columns(given: Mapping[str, Any]) -> tuple[Column, ...]:
    """The columns with the settings that all share; of a sweep, one for each value."""
    shared = given.get("settings", {})
    columns = [_column(name, shared, own) for name, own in given["columns"].items()]
    sweep = given.get("sweep")
    if sweep is None:
        return tuple(columns)
    (base,), setting = columns, sweep["setting"]
    return tuple(
        Column(f"{setting}={value:g}", base.method, {**base.settings, setting: value}) for value in sweep["values"]
    )


def _column(name: str, shared: Mapping[str, Any], own: Mapping[str, Any]) -> Column:
    settings = dict(own) if own.get("beyond") else {**shared, **own}
    method, tune = settings.pop("method"), settings.pop("tune", None)
    beyond, prefix = settings.pop("beyond", False), settings.pop("prefix", {})
    if tune is None:
        return Column(name, method, settings, None, beyond, prefix)
    (setting, values), *_ = tune.items()
    return Column(name, method, settings, (setting, tuple(values)), beyond, prefix)


def _printed(file: str, columns: set[str]) -> dict[tuple[str, str], float]:
    """The published errors; what is printed as accuracy in per cent is turned into one."""
    found = _cells(file, columns)
    for cell, accuracy in _cells(file, columns, "_acc_pct").items():
        found[cell] = 1.0 - accuracy / 100.0
    return found


def _printed_deviations(file: str, columns: set[str]) -> dict[tuple[str, str], float]:
    return {cell: deviation / 100.0 for cell, deviation in _cells(file, columns, "_std_pct").items()}


def _cells(file: str, columns: set[str], ending: str = "") -> dict[tuple[str, str], float]:
    """(data set, column) to the number in the file's column of that name and ending."""
    text = _read("published", file)
    return {
        (row["dataset"], column): float(row[column + ending])
        for row in csv.DictReader(text.splitlines())
        for column in columns
        if "dataset" in row and column + ending in row
    }


def _read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads(_read("settings", f"{name}.toml"))


def _read(folder: str, file: str) -> str:
    return files("shoal.reproduce").joinpath(folder, file).read_text(encoding="utf-8")


def _folder(name: str) -> list[Any]:
    return list(files("shoal.reproduce").joinpath(name).iterdir())
