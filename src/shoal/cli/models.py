"""The commands that make model files and use them: fit, predict, inspect."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.completion import complete_data
from shoal.cli.options import (
    CheckpointFolder,
    Data,
    Every,
    Format,
    Json,
    LabelName,
    Learner,
    MaxRows,
    Method,
    Nominal,
    Quiet,
    Resume,
    Seed,
    Settings,
    Size,
    WeightName,
    Width,
    end,
    names_in,
    settings_in,
)
from shoal.evaluation.keeping import EVERY

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or a checkpoint.")]


def fit(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files, data sets' names, or - for standard input, learned in turn.",
            autocompletion=complete_data,
        ),
    ],
    save: Annotated[str, typer.Option("--save", metavar="MODEL", help="Where the model goes.")],
    method: Method = None,
    begin: Annotated[
        str | None, typer.Option("--from", metavar="MODEL", help="Teach this model on, instead of a new one.")
    ] = None,
    learner: Learner = None,
    n_learners: Size = None,
    settings: Settings = None,
    seed: Seed = 0,
    max_rows: MaxRows = None,
    label: LabelName = None,
    weight: WeightName = None,
    nominal: Nominal = None,
    format: Format = None,
    width: Width = None,
    json: Json = None,
    checkpoint: CheckpointFolder = None,
    every: Every = EVERY,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Teach a model, and write it to a file that `shoal predict`, `shoal inspect` and Python read.

    A table's columns are found by their names, in any order. The file is whole or not there: what was there before
    stays until the new model is on disk. Ctrl-C saves what was learned so far, and the exit status is 130.

        shoal fit monday.csv tuesday.csv --label clicked --save clicks.shoal

        shoal fit wednesday.csv --label clicked --from clicks.shoal --save clicks.shoal
    """
    from shoal.cli.fitting import fit_model

    chosen = settings_in(settings, learner, n_learners)
    reading = {"label": label, "weight": weight, "format": format, "n_features": width}
    interrupted = fit_model(
        data, save, method, begin, chosen, seed, max_rows, reading, names_in(nominal), json,
        (checkpoint, every, resume), quiet,
    )  # fmt: skip
    end(interrupted)


def predict(
    model: ModelFile,
    data: Data,
    proba: Annotated[
        bool, typer.Option("--proba", help="A column for the probability of each class too.")
    ] = False,
    max_rows: MaxRows = None,
    label: LabelName = None,
    weight: WeightName = None,
    nominal: Nominal = None,
    format: Format = None,
) -> None:
    """Answer the rows of DATA: CSV on standard output, a line for each row, in the order of the rows.

    DATA may have labels or not; they are not looked at. Columns are found by their names, and those that the model
    does not know are left out. The model stays as it is.

        shoal predict clicks.shoal thursday.csv > answers.csv

        zcat thursday.libsvm.gz | shoal predict clicks.shoal - --proba
    """
    from shoal.cli.predicting import predict_rows

    predict_rows(model, data, proba, max_rows, label, weight, names_in(nominal), format)


def inspect(
    model: ModelFile,
    top: Annotated[int, typer.Option(min=1, help="How many learners the table shows, the weightiest first.")] = 20,
    level: Annotated[float, typer.Option(help="The probability that an interval holds its weight with.")] = 0.95,
    json: Annotated[str | None, typer.Option("--json", metavar="FILE", help="All of it; - for stdout.")] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="A page with a picture.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No table.")] = False,
) -> None:
    """Show what a model is, what it has seen, and how much each of its learners counts.

    Bayesian models say how sure they are: every weight has its interval. Nothing in the file is run.

        shoal inspect clicks.shoal --html clicks.html
    """
    from shoal.cli.inspecting import inspect_model

    inspect_model(model, top, level, json, html, quiet)
