"""Time what a user waits for: importing shoal beside NumPy, the help text, a first and a second evaluation.

    python benchmarks/startup.py [--repeats 7]

Each is the median of several fresh processes, numpy and shoal in turn, so that their ratio can be trusted.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = {
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import shoal": [sys.executable, "-c", "import shoal"],
    "shoal --help": [str(Path(sys.executable).with_name("shoal")), "--help"],
    "shoal evaluate sea:n=1000": [
        str(Path(sys.executable).with_name("shoal")), "evaluate", "sea:n=1000", "--method", "bayes", "--quiet",
    ],
}  # fmt: skip


def seconds(command: list[str]) -> float:
    """How long a fresh process takes."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    for command in COMMANDS.values():
        seconds(command)  # warm: byte code, kernels and file caches
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(repeats):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, median in medians.items():
        print(f"{name:<28}{median:7.3f} s")
    print(f"import shoal takes {medians['import shoal'] / medians['import numpy']:.2f} times import numpy")


if __name__ == "__main__":
    main()
