"""Print the tables from kept results: measured and published errors, agreement, claims.

python experiments/summary.py experiments/bai/bai-1.jsonl ...
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from shoal.reproduce.comparing import claimed_columns, compare_with_published
from shoal.reproduce.printing import print_table
from shoal.reproduce.running import Measured
from shoal.reproduce.runs import read_records
from shoal.reproduce.tables import Table, load_table

WIDTH = 160


def columns_run(table: Table, names: set[str]) -> Table:
    """A table less the columns that were not run, and the claims about these."""
    claims = [
        c for c in table.claims if set(claimed_columns(c, [column.name for column in table.columns])) <= names
    ]
    return replace(table, columns=tuple(c for c in table.columns if c.name in names), claims=tuple(claims))


def main() -> None:
    """Print each file's tables."""
    console = Console(width=WIDTH, color_system=None)
    for path in sys.argv[1:]:
        rows = read_records(Path(path))
        for name in dict.fromkeys(row["table"] for row in rows):
            table = columns_run(load_table(name), {row["method"] for row in rows if row["table"] == name})
            measured = Measured.read_back(table, rows)
            print_table(measured, compare_with_published(measured), console)


if __name__ == "__main__":
    main()
