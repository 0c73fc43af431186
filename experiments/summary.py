"""Print the tables from kept results: measured and published errors, agreement, claims.

python experiments/summary.py experiments/bai/bai-1.jsonl ...
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from shoal.reproduce.comparing import compare_with_published
from shoal.reproduce.printing import print_table
from shoal.reproduce.running import Measured
from shoal.reproduce.runs import read_records
from shoal.reproduce.tables import load_table

WIDTH = 160


def main() -> None:
    """Print each file's tables."""
    console = Console(width=WIDTH, color_system=None)
    for path in sys.argv[1:]:
        rows = read_records(Path(path))
        for name in dict.fromkeys(row["table"] for row in rows):
            measured = Measured.read_back(load_table(name), rows)
            print_table(measured, compare_with_published(measured), console)


if __name__ == "__main__":
    main()
