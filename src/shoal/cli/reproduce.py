"""`shoal reproduce`: run published tables again and hold them against what was printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from shoal.cli.consoles import error_console
from shoal.cli.work import check_outputs, command_line, write_json
from shoal.evaluation.formats import duration
from shoal.reproduce.comparing import Comparison, compare_with_published
from shoal.reproduce.printing import print_table
from shoal.reproduce.progress import TaskBar
from shoal.reproduce.running import Measured, run_table
from shoal.reproduce.tables import load_tables


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
) -> None:
    """Run the tables, print each as it is done, and write what was asked for."""
    check_outputs(json_path, html_path)
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
            )
        done.append((measured, compare_with_published(measured)))
        if not quiet:
            print_table(*done[-1], console)
            console.print(f"{table.name} took {duration(perf_counter() - began)}.\n", highlight=False)
        if measured.interrupted:
            break
    write_json([row for measured, _ in done for row in measured.rows()], json_path)
    if html_path:
        from shoal.reproduce.page import page_of

        Path(html_path).write_text(page_of(done, command_line()), encoding="utf-8")
        console.print(f"report: {Path(html_path).resolve()}", soft_wrap=True, markup=False)
