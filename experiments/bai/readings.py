"""What other readings of Bai et al., sections 5.1, 5.2 and 6, do to their tables.

    python experiments/bai/readings.py bai-1 features 5         # runs the readings of one study, over five orders
    python experiments/bai/readings.py                          # tells what is kept in readings.jsonl

A reading is a table with some settings changed, over the same orders. For each column `readings.jsonl` keeps the
errors of every order; told are how many data sets lie within 0.02 of the printed errors, how far away they are
on average, and how many would lie within 0.02 if what is printed were five other orders of the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from shoal.banks.naive_bayes import NaiveBayes
from shoal.reproduce.comparing import CLOSE, compare_with_published
from shoal.reproduce.running import run_table
from shoal.reproduce.runs import read_records
from shoal.reproduce.tables import Column, Table, load_table

KEPT = Path(__file__).with_name("readings.jsonl")
FEATURES = ("first-range", "published", "raw")
PRINTED_ORDERS = 5  # that a printed error is the mean of

SHARED = ("bias", "scaling", "vote", "forgetting")  # settings that every changed column takes

Reading = tuple[str, dict[str, Any], dict[str, Any]]  # its name, settings of methods, options of the protocol


def readings(study: str) -> Iterator[Reading]:
    """The readings of a study."""
    if study == "features":  # which form the features have, and how many examples teach the learners
        for features in FEATURES:
            yield from parts(features, (0.1, 0.05, 0.02))
    if study == "parts":
        yield from parts("first-range", (0.1, 0.05))
    if study == "subsets":
        for fraction in (0.2, 0.35, 0.7):
            yield f"{fraction:.0%} of the features each", {"feature_fraction": fraction}, {}
    if study == "likelihoods":
        for clip in (50.0, None):
            yield f"Gaussian, clip {clip}", {"bank": {"kind": "gaussian", "clip": clip}}, {}
    if study == "learning":  # learners that learn throughout, of section 5.2: what each sees, how it votes
        for fraction in (0.2, 0.35, 0.5, 0.7, 0.85):
            for vote in ("hard", "soft"):
                yield (
                    f"{fraction:.0%} of the features, {vote} votes",
                    {"feature_fraction": fraction, "vote": vote},
                    {},
                )
    if study == "inputs":  # the same learners: how their inputs are scaled
        for scaling in ("minmax", "standard"):
            for bias in (True, False):
                yield f"scaling {scaling}, {'a' if bias else 'no'} bias", {"scaling": scaling, "bias": bias}, {}
        for fraction in (0.35, 0.7):
            yield f"scaling standard, {fraction:.0%}", {"scaling": "standard", "feature_fraction": fraction}, {}
    if study == "forgetting":  # the same learners: early mistakes count less and less
        for forgetting in (0.99, 0.999):
            yield f"forgetting {forgetting}", {"forgetting": forgetting}, {}
    if study == "caps":
        yield "the paper's caps", {"cap": "naive"}, {}
        yield "rescaled caps", {"cap": "rescale"}, {}


def parts(features: str, shares: Sequence[float]) -> Iterator[Reading]:
    """Readings that differ in the size of the training part, with a bias and without."""
    for share in shares:
        options = {"features": features, "training_share": share}
        yield f"{features}, first {share:.0%}", {}, options
        yield f"{features}, first {share:.0%}, no bias", {"bias": False}, options


def changed(table: Table, settings: dict[str, Any], options: dict[str, Any]) -> Table:
    """The table under a reading."""
    columns = tuple(
        changed_column(column, settings) if is_ours(table, column) else column for column in table.paper_columns
    )
    return replace(table, columns=columns, options={**table.options, **options})


def is_ours(table: Table, column: Column) -> bool:
    """Whether a reading concerns a column: on whole streams only the Bayesian ensemble's, since the others are
    copied from Chen et al.
    """
    return table.protocol != "stream" or column.method == "bayes"


def changed_column(column: Column, settings: dict[str, Any]) -> Column:
    """A column with those of the settings that are its method's."""
    new = {**column.settings, **{name: settings[name] for name in SHARED if name in settings}}
    if "feature_fraction" in settings and new["n_learners"] > 1:
        new["feature_fraction"] = settings["feature_fraction"]
    if "cap" in settings and new.get("ensemble_loss") in ("gamma", "gamma-shape"):
        new["cap"] = settings["cap"]
    if "bank" in settings and new["learner"] == "naive_bayes":
        new["learner"] = NaiveBayes(new["n_learners"], new["feature_fraction"], **settings["bank"])
    return replace(column, settings=new)


def run(name: str, study: str, orders: int) -> None:
    """Run the readings of a study and keep what they gave."""
    for reading, settings, options in readings(study):
        table = changed(load_table(name), settings, options)
        same = table.options == load_table(name).options  # then columns that are not changed have been run
        earlier = KEPT.with_name(f"{name}.jsonl")
        kept = read_records(earlier) if same and earlier.exists() else ()
        measured = run_table(table, trials=orders, jobs=1, kept=kept)
        errors = {
            c.name: {d: measured.errors(d, [c.name])[:, 0].round(5).tolist() for d in measured.datasets}
            for c in table.columns
        }
        held = {
            verdict.claim.text: [len(verdict.holds), len(verdict.holds) + len(verdict.fails)]
            for verdict in compare_with_published(measured).verdicts
        }
        record = {"table": name, "study": study, "reading": reading, "errors": errors, "claims": held}
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        tell(record)


def expected_close(spreads: Sequence[float], orders: int) -> float:
    """On how many sets means over these orders and over the printed ones lie within 0.02 by chance alone."""
    off = np.array(spreads) * np.sqrt(1.0 / orders + 1.0 / PRINTED_ORDERS)
    return float((2.0 * norm.cdf(CLOSE / np.maximum(off, 1e-12)) - 1.0).sum())


def tell(record: dict[str, Any]) -> None:
    """The lines of a reading."""
    printed = load_table(record["table"]).printed
    print(record["table"], record["study"], f"{record['reading']}:")
    for column, of in record["errors"].items():
        away = np.array([abs(np.mean(errors) - printed[d, column]) for d, errors in of.items()])
        orders = len(next(iter(of.values())))
        told = f"    {column}: {np.sum(away <= CLOSE)} of {len(away)}, {away.mean():.3f} away over {orders} orders"
        spreads = [float(np.std(errors, ddof=1)) for errors in of.values()]
        print(told, f"(by chance alone {expected_close(spreads, orders):.1f})")
    for text, (holds, out_of) in record["claims"].items():
        print(f"    {text}: on {holds} of {out_of}", flush=True)


def main() -> None:
    """Run what is asked for, or tell what is kept."""
    if len(sys.argv) > 1:
        run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        return
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        tell(json.loads(line))


if __name__ == "__main__":
    main()
