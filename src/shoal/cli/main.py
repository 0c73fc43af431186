"""`shoal`: evaluate and compare online ensembles on streams, from the shell."""

from __future__ import annotations

import sys
from typing import Annotated, Any, NoReturn

import typer

from shoal.errors import InputError

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it

app = typer.Typer(
    name="shoal",
    help="Online ensembles: many weak learners, taught one example at a time, that swim as one.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

Learner = Annotated[
    str | None,
    typer.Option(
        "--learner",
        "-l",
        help="Weak learner, with settings as NAME:SETTING=VALUE,... if need be; or several joined by +.",
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
Format = Annotated[str | None, typer.Option(help="libsvm, csv, parquet or arrow, where the name does not tell.")]
KeepOrder = Annotated[
    bool, typer.Option("--keep-order", help="Do not shuffle the rows: trials vary the seed only.")
]
Holdout = Annotated[
    float | None,
    typer.Option(help="Teach on the first rows and test on this last share; 0.3 if a method needs all the data."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no table.")]


@app.command()
def evaluate(
    data: Annotated[str, typer.Argument(help="A file, a data set's name, or - for standard input.")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", help="See `shoal methods`; the default, or bayes or ogb-span of a given learner."
        ),
    ] = None,
    learner: Learner = None,
    n_learners: Size = None,
    settings: Settings = None,
    trials: Annotated[int, typer.Option(help="Above 1: that many random orders of the rows.")] = 1,
    seed: Seed = 0,
    metrics: Metrics = None,
    max_rows: MaxRows = None,
    label: LabelName = None,
    weight: WeightName = None,
    nominal: Nominal = None,
    format: Format = None,
    holdout: Holdout = None,
    json: Json = None,
    html: Html = None,
    quiet: Quiet = False,
) -> None:
    """Test a method on a stream, then teach it, example by example.

    Each example is predicted before its label is learned, so the error is that of a model in use.

        shoal evaluate clicks.libsvm.xz --method bayes --learner naive_bayes

        shoal evaluate sea:n=100000 --set forgetting=0.999 --html report.html
    """
    from shoal.cli.work import default_method, evaluate_once, evaluate_trials, meant, opened

    chosen = _settings(settings, learner, n_learners)
    stream = opened(data, label, weight, format, _names(nominal))
    method = default_method(stream, chosen) if method is None else meant(method, [stream])
    names = _names(metrics)
    if trials > 1:
        evaluate_trials(stream, method, chosen, trials, seed, names, max_rows, json, html, quiet, holdout)
    else:
        evaluate_once(stream, method, chosen, seed, names, max_rows, json, html, quiet, holdout)


@app.command()
def compare(
    data: Annotated[list[str], typer.Argument(help="Files and data sets' names.")],
    methods: Annotated[str, typer.Option("--methods", "-m", help="Joined by commas; see `shoal methods`.")] = "",
    learner: Learner = None,
    n_learners: Size = None,
    settings: Settings = None,
    trials: Annotated[int, typer.Option(help="Random orders of the rows of each data set.")] = 5,
    seed: Seed = 0,
    metrics: Metrics = None,
    max_rows: MaxRows = None,
    label: LabelName = None,
    weight: WeightName = None,
    nominal: Nominal = None,
    format: Format = None,
    holdout: Holdout = None,
    keep_order: KeepOrder = False,
    json: Json = None,
    html: Html = None,
    quiet: Quiet = False,
) -> None:
    """Compare methods on the same orders of the same rows: a table, ranks, significance, one HTML report.

        shoal compare australian german --methods single,voting,bayes --trials 5 --html report.html

    A setting given with `--set` goes to every method that has it. wss, madaboost and fixed need all the data at
    once: with them, or with --holdout, every method is taught the first rows and tested on the last.
    """
    from shoal.cli.work import compare_methods, opened

    streams = [opened(d, label, weight, format, _names(nominal)) for d in data]
    chosen = _settings(settings, learner, n_learners)
    compare_methods(
        streams,
        _names(methods),
        chosen,
        trials,
        seed,
        _names(metrics),
        max_rows,
        json,
        html,
        quiet,
        keep_order,
        holdout,
    )


@app.command()
def reproduce(
    name: Annotated[
        str, typer.Argument(help="A table, such as bai-1 or chen-2; several joined by commas; or all.")
    ],
    datasets: Annotated[str | None, typer.Option(help="Only these data sets, joined by commas.")] = None,
    trials: Annotated[int, typer.Option(help="Random orders of each data set.")] = 5,
    seed: Seed = 0,
    full: Annotated[bool, typer.Option("--full", help="Whole data sets, where a prefix is the default.")] = False,
    jobs: Annotated[int, typer.Option(help="Workers; -1 for one on each core.")] = -1,
    backend: Annotated[str | None, typer.Option(help="Who works: a back end that joblib knows.")] = None,
    json: Json = None,
    html: Html = None,
    resume: Annotated[bool, typer.Option("--resume", help="Do not do again what the --json file holds.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run a published table again, and show measured and published errors side by side.

        shoal reproduce bai-1 --trials 5 --html bai-1.html

        shoal reproduce lefakis-3 --datasets MNIST --json kept.jsonl --resume

    Data sets that cannot be found are named, large ones run on a stated part unless --full.
    """
    from shoal.cli.reproduce import reproduce_tables

    reproduce_tables(name, _names(datasets), trials, seed, full, jobs, backend, json, html, quiet, resume)


@app.command()
def methods() -> None:
    """List the methods, what each is, and its settings."""
    from shoal.cli.listing import print_methods

    print_methods()


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="One data set, to see all that is known of it.")] = None,
) -> None:
    """List the data sets, which can be had without a download, and where the others come from."""
    from shoal.cli.listing import print_dataset, print_datasets

    if name is None:
        print_datasets()
    else:
        print_dataset(name)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _settings(pairs: list[str] | None, learner: str | None, n_learners: int | None) -> dict[str, Any]:
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


def main() -> None:
    """Run the command line: one clear line and status 2 for bad usage or bad input, no traceback."""
    try:
        status = app(standalone_mode=False)
    except (InputError, OSError, MemoryError) as error:
        complain(str(error), BAD_INPUT)
    except Exception as error:
        if not hasattr(error, "format_message"):  # what the parser refuses, of whatever class typer makes it
            raise
        complain(error.format_message(), BAD_INPUT)
    if status == INTERRUPTED:
        complain("interrupted before there was a result", INTERRUPTED)
    sys.exit(status or 0)


def complain(message: str, status: int) -> NoReturn:
    """Say in one line what was wrong, if there is something to say, and end."""
    if message:
        print("shoal:", " ".join(message.split()), file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
