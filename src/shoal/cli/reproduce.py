"""`shoal reproduce`: run published tables again and hold them against what was printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.cli.consoles import error_console
from shoal.cli.work import check_outputs, command_line, write_json
from shoal.errors import InputError
from shoal.evaluation.formats import duration
from shoal.reproduce.comparing import Comparison, compare_with_published
from shoal.reproduce.printing import print_table
from shoal.reproduce.progress import TaskBar
from shoal.reproduce.running import Measured, run_table
from shoal.reproduce.runs import Run, read_records, record_of
from shoal.reproduce.tables import Table, load_tables

CELL = ("table", "dataset", "method", "trial", "seed")


def reproduce_tables(
    names: str,
    datasets: Sequence[str],
    trials: int,
    seed: int,
    full: bool,
    jobs: int,
    backend: str | None,
    json_path: str | None,
    html_path: str | None,
    quiet: bool,
    resume: bool = False,
) -> None:
    """Run the tables, print each as it is done, and write what was asked for. Every run is written as soon as it
    is done; with `resume`, those that the file holds are not done again.
    """
    check_outputs(json_path, html_path)
    kept = kept_records(json_path, resume)
    tables = load_tables(names)
    if len(tables) > 1 and datasets:
        tables = [table for table in tables if set(datasets) & set(table.datasets)] or tables[:1]
    done: list[tuple[Measured, Comparison]] = []
    console = error_console()
    for table in tables:
        began = perf_counter()
        chosen = [name for name in datasets if name in table.datasets] if len(tables) > 1 else datasets
        with TaskBar(table.name, quiet=quiet) as bar:
            measured = run_table(
                table,
                datasets=chosen,
                trials=trials,
                seed=seed,
                full=full,
                jobs=jobs,
                backend=backend,
                on_done=bar,
                kept=kept,
                earlier=[measured for measured, _ in done],
                on_run=keeper(table, json_path),
            )
        done.append((measured, compare_with_published(measured)))
        if not quiet:
            print_table(*done[-1], console)
            console.print(f"{table.name} took {duration(perf_counter() - began)}.\n", highlight=False)
        if measured.interrupted:
            break
    new = [row for measured, _ in done for row in measured.rows()]
    write_json([*untouched(kept, new), *new], json_path)
    if html_path:
        from shoal.reproduce.page import page_of

        Path(html_path).write_text(page_of(done, command_line()), encoding="utf-8")
        console.print(f"report: {Path(html_path).resolve()}", soft_wrap=True, markup=False)


def kept_records(path: str | None, resume: bool) -> list[dict[str, Any]]:
    """The records of a file that is to be gone on with; without `resume` the file is begun anew."""
    if path in (None, "-"):
        if resume:
            raise InputError("--resume goes on with a file of results; name it: --json FILE.")
        return []
    file = Path(path or "")
    if resume and file.exists():
        return read_records(file)
    file.write_text("", encoding="utf-8")
    return []


def keeper(table: Table, path: str | None) -> Callable[[Run], None]:
    """What writes a run to the end of the file as soon as it is done."""

    def keep(run: Run) -> None:
        if path not in (None, "-"):
            with Path(path or "").open("a", encoding="utf-8") as file:
                file.write(json.dumps(record_of(table, run)) + "\n")

    return keep


def untouched(kept: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of a file that no run of now has a record for."""
    cells = {tuple(row[name] for name in CELL) for row in new}
    return [row for row in kept if tuple(row[name] for name in CELL) not in cells]
