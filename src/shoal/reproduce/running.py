"""Run tables: every (data set, order, column) is a task of its own, done by as many workers as are asked for.

All that is random in a task derives from the seed and the order's number, so results do not depend on who
does it, or with how many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.evaluation.compare import trial_seed
from shoal.evaluation.result import jsonable
from shoal.reproduce.data import reason_missing
from shoal.reproduce.protocols import STREAM_LENGTH, Outcome, find_protocol
from shoal.reproduce.runs import Record, Run, marks_of, record_of, run_of
from shoal.reproduce.tables import Column, Table, load_sources, load_table, table_names
from shoal.types import Floats

TUNING_ORDER = 2**31  # the number of the order that settings are tuned on: no trial has it

OnDone = Callable[[int, int, str], None]  # tasks done, of how many, what was done last
Tuned = Mapping[tuple[str, str], Mapping[str, Any]]  # settings chosen for (data set, column)


@dataclass(frozen=True)
class Task:
    """One method on one order of one data set. settings: on top of the column's."""

    table: Table
    dataset: str
    column: Column
    trial: int
    seed: int
    n_rows: int | None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Outcome:
        """Do it."""
        settings = {**self.column.settings, **self.settings}
        protocol = find_protocol("beyond" if self.column.beyond else self.table.protocol)
        return protocol(self.table, self.column, settings, self.dataset, self.seed, self.n_rows)

    @property
    def wants_marks(self) -> bool:
        """Whether its mistakes are to be told along the stream, for a figure."""
        return self.table.figure == "curves"

    def is_that_of(self, row: Record) -> bool:
        """Whether a record is of this task: of its order, rows and settings."""
        settings = jsonable({**self.column.settings, **self.settings})
        same = all(row["params"].get(name) == value for name, value in settings.items() if value != STREAM_LENGTH)
        part = self.table.rows_of(self.dataset, full=False, column=self.column)
        used = row.get("rows", part if row["n"] == part else None)
        return same and row["seed"] == self.seed and used == self.n_rows


@dataclass(frozen=True, eq=False)
class Measured:
    """A table as it was run. missing: data sets that could not be had, and why. shortened: rows used of those
    that were run on a part. interrupted: whether Ctrl-C ended it early.
    """

    table: Table
    runs: tuple[Run, ...]
    datasets: tuple[str, ...]
    missing: Mapping[str, str]
    shortened: Mapping[str, int]
    trials: int
    seed: int
    interrupted: bool = False

    def of(self, dataset: str, column: str) -> list[Run]:
        """The trials of a cell, in order."""
        return [run for run in self.runs if run.dataset == dataset and run.column == column]

    def tells_mistakes(self, dataset: str) -> bool:
        """Whether it is known of every run on a data set which examples were answered wrongly."""
        return all(run.bits is not None for run in self.runs if run.dataset == dataset)

    def errors(self, dataset: str, columns: Sequence[str]) -> Floats:
        """(n_trials, n_columns), over the orders that all these columns have finished."""
        found = [{run.trial: run.error for run in self.of(dataset, column)} for column in columns]
        shared = sorted(set.intersection(*(set(trials) for trials in found)))
        return np.array([[trials[t] for trials in found] for t in shared]).reshape(len(shared), len(columns))

    @staticmethod
    def read_back(table: Table, rows: Sequence[Mapping[str, Any]]) -> Measured:
        """A run from the records that `rows` gave; which examples were answered wrongly is not in them."""
        runs = tuple(run_of(row) for row in rows if row["table"] == table.name)
        names = {run.dataset for run in runs}
        found = tuple(name for name in table.datasets if name in names)
        sources = load_sources()
        missing = {
            name: sources[name].missing or "not in this run" for name in table.datasets if name not in names
        }
        papers = {column.name for column in table.paper_columns}
        shortened = {run.dataset: run.n_rows for run in runs if run.n_rows is not None and run.column in papers}
        trials = max((run.trial for run in runs), default=-1) + 1
        return Measured(table, runs, found, missing, shortened, trials, runs[0].seed if runs else 0)

    def rows(self) -> list[dict[str, Any]]:
        """One flat record for each trial of each cell."""
        return [record_of(self.table, run) for run in self.runs]


def run_table(
    table: Table,
    *,
    datasets: Sequence[str] = (),
    trials: int = 5,
    seed: int = 0,
    full: bool = False,
    jobs: int = -1,
    backend: str | None = None,
    on_done: OnDone | None = None,
    kept: Sequence[Record] = (),
    earlier: Sequence[Measured] = (),
    on_run: Callable[[Run], None] | None = None,
) -> Measured:
    """Run a table's protocol on those of its data sets that can be had.

    datasets: only these. full: whole data sets where the table has a prefix. jobs: workers, -1 for one on each
    core. backend: joblib's name of who works, such as "loky", "threading" or a cluster's.
    kept: records of runs that need not be done again: those with the same order, rows and settings are not, also
    where they are another table's of the same protocol. earlier: tables just run, of the same use.
    on_run: is given every new run as soon as it is done.
    """
    if trials < 1:
        raise InputError(f"trials is {trials}; give a whole number of at least 1.")
    chosen = _chosen(table, datasets)
    sources = load_sources()
    missing = {name: reason for name in chosen if (reason := reason_missing(sources[name]))}
    found = tuple(name for name in chosen if name not in missing)
    parallel = (jobs, backend)
    tuned = _tune(table, found, full, seed, parallel)
    tasks = [
        Task(
            table, name, column, t, trial_seed(seed, t), table.rows_of(name, full, column),
            tuned.get((name, column.name), {}),
        )
        for name in found
        for t in range(trials)
        for column in table.columns
    ]  # fmt: skip
    known, tasks = _known(tasks, _usable(table, kept, earlier))
    done, interrupted = _collect(tasks, parallel, on_done, on_run)
    done = _in_order(table, [*known, *done])
    shortened = {name: n for name in found if (n := table.rows_of(name, full)) is not None}
    return Measured(table, tuple(done), found, missing, shortened, trials, seed, interrupted)


def _chosen(table: Table, datasets: Sequence[str]) -> list[str]:
    unknown = [name for name in datasets if name not in table.datasets]
    if unknown:
        raise InputError(
            f"{table.name} has no data set {unknown[0]!r}; expected some of {', '.join(table.datasets)}."
        )
    return [name for name in table.datasets if not datasets or name in datasets]


def _tune(
    table: Table,
    datasets: Iterable[str],
    full: bool,
    seed: int,
    parallel: tuple[int, str | None],
) -> Tuned:
    """The value with the fewest mistakes on an order that is used for nothing else."""
    own = trial_seed(seed, TUNING_ORDER)
    tasks = [
        Task(table, name, column, TUNING_ORDER, own, table.rows_of(name, full), {column.tune[0]: value})
        for name in datasets
        for column in table.columns
        if column.tune is not None
        for value in column.tune[1]
    ]
    best: dict[tuple[str, str], tuple[float, Mapping[str, Any]]] = {}
    for task, run in zip(tasks, perform(tasks, parallel), strict=True):
        key = (task.dataset, task.column.name)
        if key not in best or run.errors < best[key][0]:
            best[key] = (run.errors, task.settings)
    return {key: settings for key, (_, settings) in best.items()}


def _usable(table: Table, kept: Sequence[Record], earlier: Sequence[Measured]) -> list[tuple[Record, Run]]:
    """Runs that may stand for tasks of a table: its own, and those of tables with the same protocol."""
    shared = {name for name in table_names() if table.shares(load_table(name))} | {table.name}
    pairs = [(row, run_of(row)) for row in kept if row["table"] in shared]
    return pairs + [
        (record_of(measured.table, run), run)
        for measured in earlier
        if measured.table.name in shared
        for run in measured.runs
    ]


def _known(tasks: Sequence[Task], usable: Sequence[tuple[Record, Run]]) -> tuple[list[Run], list[Task]]:
    """The runs that are known of these tasks, and the tasks left."""
    pairs: dict[tuple[str, str, int], list[tuple[Record, Run]]] = {}
    for row, run in usable:
        pairs.setdefault((run.dataset, run.column, run.trial), []).append((row, run))
    known, left = [], []
    for task in tasks:
        fitting = pairs.get((task.dataset, task.column.name, task.trial), [])
        same = [run for row, run in fitting if task.is_that_of(row) and (run.marks or not task.wants_marks)]
        if same:
            known.append(max(same, key=lambda run: run.bits is not None))
        else:
            left.append(task)
    return known, left


def _in_order(table: Table, runs: Sequence[Run]) -> list[Run]:
    names = [column.name for column in table.columns]
    return sorted(runs, key=lambda run: (table.datasets.index(run.dataset), run.trial, names.index(run.column)))


def _collect(
    tasks: Sequence[Task],
    parallel: tuple[int, str | None],
    on_done: OnDone | None,
    on_run: Callable[[Run], None] | None,
) -> tuple[list[Run], bool]:
    done: list[Run] = []
    try:
        for run in perform(tasks, parallel):
            done.append(run)
            if on_run is not None:
                on_run(run)
            if on_done is not None:
                on_done(len(done), len(tasks), f"{run.column} on {run.dataset}, order {run.trial + 1}")
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False


def perform(tasks: Sequence[Task], parallel: tuple[int, str | None]) -> Iterator[Run]:
    """What the tasks found, in their order."""
    from joblib import Parallel, delayed

    jobs, backend = parallel
    workers = Parallel(n_jobs=jobs, backend=backend, return_as="generator")
    yield from workers(delayed(finish)(task) for task in tasks)


def finish(task: Task) -> Run:
    """Do a task and keep what is told of it."""
    outcome = task.run()
    wrong, total = outcome.wrong, outcome.wrong.sum()
    counted = wrong.dtype == np.bool_
    return Run(
        task.dataset,
        task.column.name,
        task.trial,
        task.seed,
        len(wrong),
        int(total) if counted else float(total),
        np.packbits(wrong.astype(np.bool_)) if counted else None,
        outcome.seconds,
        outcome.params,
        marks_of(wrong) if task.wants_marks else (),
        task.n_rows,
    )
