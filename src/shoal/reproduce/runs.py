"""A finished task, and the record that is kept of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.evaluation.result import jsonable
from shoal.reproduce.tables import Table
from shoal.types import Flags, Floats, Ints

PLACES = 100  # points of a curve: a chart hardly shows more
NEEDED = {"table", "dataset", "method", "trial", "seed", "n", "errors", "seconds", "params"}  # of a record

Record = Mapping[str, Any]  # what is kept of a run


@dataclass(frozen=True, eq=False)
class Run:
    """A finished task. errors: the mistakes, or the sum of the losses. bits: the mistakes, packed; None where they
    were not kept. marks: mistakes made up to each of the `places`, for a figure. n_rows: how many rows of the
    order were used; None for all.
    """

    dataset: str
    column: str
    trial: int
    seed: int
    n: int
    errors: float
    bits: Any
    seconds: float
    params: dict[str, Any]
    marks: tuple[int, ...] = ()
    n_rows: int | None = None

    @property
    def error(self) -> float:
        """The share of the examples that were answered wrongly, or the mean loss."""
        return self.errors / self.n

    @property
    def wrong(self) -> Flags:
        """(n,) whether each example was answered wrongly."""
        assert self.bits is not None
        return np.unpackbits(self.bits, count=self.n).astype(np.bool_)


def record_of(table: Table, run: Run) -> dict[str, Any]:
    """All that is told of a run but which examples it answered wrongly. rows: of its order; null for all."""
    record = {
        "table": table.name,
        "dataset": run.dataset,
        "method": run.column,
        "learner": run.params.get("learner"),
        "trial": run.trial,
        "seed": run.seed,
        "n": run.n,
        "rows": run.n_rows,
        "errors": run.errors,
        "error": run.error,
        "published": table.printed.get((run.dataset, run.column)),
        "seconds": run.seconds,
        "examples_per_second": run.n / max(run.seconds, 1e-9),
        "params": jsonable(run.params),
    }
    return {**record, "marks": list(run.marks)} if run.marks else record


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file; a last line that was cut off in writing is left out."""
    records, lines = [], path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and record.keys() >= NEEDED:
            records.append(record)
        elif number < len(lines) or number == 1:
            raise InputError(
                f"line {number} of {path} is no record of a table; give a file that `shoal reproduce --json` "
                "wrote, or another name."
            )
    return records


def run_of(row: Record) -> Run:
    """A run from its record."""
    who = (row["dataset"], row["method"], row["trial"], row["seed"])
    marks = tuple(row.get("marks", ()))
    return Run(*who, row["n"], row["errors"], None, row["seconds"], row["params"], marks, row.get("rows"))


def places(n: int) -> Ints:
    """Numbers of examples, up to n, at which a figure shows the mistakes so far."""
    return np.unique(np.linspace(1, n, min(n, PLACES)).astype(np.int64))


def marks_of(wrong: Flags | Floats) -> tuple[int, ...]:
    """The mistakes made up to each of the places."""
    return tuple(np.cumsum(wrong)[places(len(wrong)) - 1].tolist())
