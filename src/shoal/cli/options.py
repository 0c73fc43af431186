"""The options that several commands have, and how what is typed is understood."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from shoal.cli.completion import complete_data, complete_format, complete_learner, complete_method
from shoal.errors import InputError

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

Learner = Annotated[
    str | None,
    typer.Option(
        "--learner",
        "-l",
        help="Weak learner, with settings as NAME:SETTING=VALUE,... if need be; or several joined by +.",
        autocompletion=complete_learner,
    ),
]
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file, a data set's name, or - for standard input.",
        autocompletion=complete_data,
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        help="See `shoal methods`; the default, or bayes or ogb-span of a given learner.",
        autocompletion=complete_method,
    ),
]
Size = Annotated[int | None, typer.Option("--learners", "-n", help="How many weak learners.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the method; may be repeated.")
]
Seed = Annotated[int, typer.Option(min=0, help="What all that is random derives from.")]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write one object per trial; - for stdout.")
]
Html = Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a report, one file.")]
Metrics = Annotated[str | None, typer.Option(help="Metrics, joined by commas.")]
MaxRows = Annotated[int | None, typer.Option(help="Stop after so many rows.")]
LabelName = Annotated[str | None, typer.Option("--label", help="The label's column, in a table.")]
WeightName = Annotated[str | None, typer.Option("--weight", help="The column of example weights, in a table.")]
Nominal = Annotated[str | None, typer.Option(help="Columns of a table whose numbers are names, joined by commas.")]
Format = Annotated[
    str | None,
    typer.Option(
        help="libsvm, csv, parquet or arrow, where the name does not tell.", autocompletion=complete_format
    ),
]
KeepOrder = Annotated[
    bool, typer.Option("--keep-order", help="Do not shuffle the rows: trials vary the seed only.")
]
Holdout = Annotated[
    float | None,
    typer.Option(help="Teach on the first rows and test on this last share; 0.3 if a method needs all the data."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no table.")]
Width = Annotated[
    int | None, typer.Option("--features", min=1, help="How many features LIBSVM text has, where that is known.")
]
Save = Annotated[str | None, typer.Option("--save", metavar="MODEL", help="Write the model that was taught.")]
CheckpointFolder = Annotated[
    str | None,
    typer.Option("--checkpoint", metavar="DIR", help="Keep there where the run is, so that --resume can go on."),
]
Every = Annotated[
    float, typer.Option("--checkpoint-every", min=0.0, help="Seconds between checkpoints; 0: after every chunk.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from the checkpoints, if there are any, as if never stopped.")
]


def names_in(text: str | None) -> list[str]:
    """Names joined by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def settings_in(pairs: list[str] | None, learner: str | None, n_learners: int | None) -> dict[str, Any]:
    """The settings given as NAME=VALUE, the learner and their number among them."""
    from shoal.methods.values import value_of

    settings: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise InputError(f"--set {pair!r}; expected NAME=VALUE, such as --set theta=0.1.")
        settings[name.strip()] = value_of(text)
    if learner is not None:
        settings["learner"] = learner.split("+") if "+" in learner else learner
    if n_learners is not None:
        settings["n_learners"] = n_learners
    return settings


def end(interrupted: bool) -> None:
    """After all is written: say by the exit status whether Ctrl-C ended the run before its end."""
    if interrupted:
        sys.exit(INTERRUPTED)
