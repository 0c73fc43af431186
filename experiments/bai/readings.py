"""What other readings of Bai et al., sections 5.1 and 6, do to their tables.

python experiments/bai/readings.py bai-1 parts          # runs the readings of one study
python experiments/bai/readings.py                                 # tells what is kept in readings.jsonl

A reading is a table with some settings changed, over the same orders. For each column `readings.jsonl` keeps the
mean error on every data set; told are how many lie within 0.02 of the printed ones, and how far away they are on
average.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.banks.naive_bayes import NaiveBayes
from shoal.reproduce import protocols
from shoal.reproduce.comparing import compare_with_published
from shoal.reproduce.running import run_table
from shoal.reproduce.tables import Table, load_table

KEPT = Path(__file__).with_name("readings.jsonl")
RAW = "raw"  # not a setting of a method: features as the files have them


def readings(study: str) -> Iterator[tuple[str, dict[str, Any], float, int]]:
    """(name, settings, share of the training part, orders) of every reading of a study."""
    if study == "parts":  # how much the learners are trained on, and whether they have a bias
        for share in (0.1, 0.05, 0.02, 0.01):
            yield f"first {share:.0%}", {}, share, 5
            yield f"first {share:.0%}, no bias", {"bias": False}, share, 5
    if study == "orders":  # how much of the distance is that of five orders
        yield "first 10%, 40 orders", {}, 0.1, 40
    if study == "subsets":
        yield "a fifth of the features each", {"feature_fraction": 0.2}, 0.1, 5
    if study == "likelihoods":
        yield "as shoal has it", {}, 0.1, 5
        yield "raw features", {RAW: True}, 0.1, 5
        for clip in (50.0, None):
            bank = {"kind": "gaussian", "clip": clip}
            yield f"Gaussian, clip {clip}", {"bank": bank}, 0.1, 5
        for share in (0.05, 0.02):
            yield f"first {share:.0%}", {}, share, 5
            yield f"Gaussian, first {share:.0%}", {"bank": {"kind": "gaussian"}}, share, 5
            yield f"Gaussian, raw, first {share:.0%}", {"bank": {"kind": "gaussian"}, RAW: True}, share, 5
    if study == "caps":
        yield "exact", {}, 0.1, 5
        yield "the paper's caps", {"cap": "naive"}, 0.1, 5
        yield "rescaled caps", {"cap": "rescale"}, 0.1, 5


def changed(table: Table, settings: dict[str, Any], share: float) -> Table:
    """The table under a reading."""
    own = {k: v for k, v in settings.items() if k not in (RAW, "bank", "feature_fraction", "cap")}
    columns = []
    for column in table.paper_columns:
        new = {**column.settings, **own}
        single = new["n_learners"] == 1
        if "feature_fraction" in settings and not single:
            new["feature_fraction"] = settings["feature_fraction"]
        if "cap" in settings and new.get("ensemble_loss") in ("gamma", "gamma-shape"):
            new["cap"] = settings["cap"]
        if "bank" in settings and new["learner"] == "naive_bayes":
            new["learner"] = NaiveBayes(new["n_learners"], new["feature_fraction"], **settings["bank"])
        columns.append(replace(column, settings=new))
    return replace(table, columns=tuple(columns), options={**table.options, "training_share": share})


def run(name: str, study: str, only: list[str]) -> None:
    """Run the readings of a study and keep what they gave."""
    scale = protocols.in_range_of_first
    for reading, settings, share, orders in readings(study):
        table = changed(load_table(name), settings, share)
        if only:
            table = replace(table, columns=tuple(c for c in table.columns if c.name in only), claims=())
        protocols.in_range_of_first = (lambda chunk, n: chunk) if settings.get(RAW) else scale
        comparison = compare_with_published(run_table(table, trials=orders, jobs=1))
        errors = {
            c.name: {d: comparison.cells[d, c.name].error for d in comparison.agreement} for c in table.columns
        }
        record = {"table": name, "study": study, "reading": reading, "orders": orders, "errors": errors}
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        tell(record)
        for verdict in comparison.verdicts:
            print("   ", verdict.claim.text, len(verdict.holds), "of", len(verdict.holds) + len(verdict.fails))


def tell(record: dict[str, Any]) -> None:
    """A line for a reading."""
    printed = load_table(record["table"]).printed
    told = []
    for column, errors in record["errors"].items():
        away = np.array([abs(error - printed[d, column]) for d, error in errors.items()])
        told.append(f"{column} {np.sum(away <= 0.02)} ({away.mean():.3f})")
    print(record["table"], record["study"], f"{record['reading']}:", ", ".join(told), flush=True)


def main() -> None:
    """Run what is asked for, or tell what is kept."""
    if len(sys.argv) > 2:
        run(sys.argv[1], sys.argv[2], sys.argv[3].split(",") if len(sys.argv) > 3 else [])
        return
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        tell(json.loads(line))


if __name__ == "__main__":
    main()
