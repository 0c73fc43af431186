"""Runs of the command line that are killed (kill -9) at random moments and gone on with."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.cli.main import app
from shoal.files.container import read

SHARE = 0.2  # of the time that a whole run takes: the longest that one is left to go on
TIMES = ("seconds", "total_seconds", "examples_per_second", "peak_memory")


def started(arguments: Sequence[str]) -> int:
    """A process of its own that runs `shoal` with these arguments; it has all modules already."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
        app(list(arguments), standalone_mode=False)
        status = 0
    finally:
        os._exit(status)


def ended(process: int) -> bool:
    """Whether a process came to its end by itself; one that failed is an error."""
    found, status = os.waitpid(process, os.WNOHANG)
    if found == 0:
        return False
    assert os.WIFEXITED(status)
    assert os.WEXITSTATUS(status) == 0, "the run failed"
    return True


def killed_after(process: int, seconds: float) -> bool:
    """Whether a process had to be killed, after so long."""
    time.sleep(seconds)
    if ended(process):
        return False
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


def found_by(folder: Path) -> tuple[Any, ...]:
    """(the final model's settings, and its arrays to the last bit; all that was measured but times) of a run."""
    (record,) = map(json.loads, (folder / "out.json").read_text(encoding="utf-8").splitlines())
    document, arrays = read(folder / "model.shoal")
    state = {name: (array.shape, array.dtype.str, array.tobytes()) for name, array in arrays.items()}
    return document, state, {k: v for k, v in record.items() if k not in TIMES}


def outputs(folder: Path) -> list[str]:
    """Where a run writes."""
    return ["--save", str(folder / "model.shoal"), "--json", str(folder / "out.json"), "--quiet"]


def kill_and_resume(run: Sequence[str], n_kills: int, folder: Path, seed: int) -> dict[str, Any]:
    """Run it once without a stop, then kill it so often, each time at a random moment, and go on each time. A run
    that ends before it was killed often enough is compared, and begun anew. Says how many ended the same.
    """
    chance = random.Random(seed)
    whole, cut = folder / "whole", folder / "cut"
    whole.mkdir(parents=True)
    app([*run, *outputs(whole)], standalone_mode=False)  # here, so that those begun later have it compiled
    expected = found_by(whole)
    took = time.perf_counter()
    os.waitpid(started([*run, *outputs(whole)]), 0)
    longest = SHARE * (time.perf_counter() - took)
    n_done, n_same, n_ends, places = 0, 0, 0, []
    while n_done < n_kills or cut.exists():
        cut.mkdir(exist_ok=True)
        kept = ["--checkpoint", str(cut / "kept"), "--checkpoint-every", "0", "--resume"]
        process = started([*run, *outputs(cut), *kept])
        if n_done < n_kills and killed_after(process, chance.uniform(0.0, longest)):
            n_done += 1
            files = sorted(path.name for path in (cut / "kept").glob("rows-*"))
            places.append(int(files[-1][5:20]) if files else 0)
            continue
        while n_done == n_kills and not ended(process):
            time.sleep(0.01)
        n_ends += 1
        n_same += found_by(cut) == expected
        shutil.rmtree(cut)
    return {
        "kills": n_done,
        "runs ended": n_ends,
        "the same to the last bit": n_same,
        "rows kept at kills": places,
    }
