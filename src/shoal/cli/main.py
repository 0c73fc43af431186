"""`shoal`: evaluate and compare online ensembles on streams, from the shell."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from shoal.cli import models
from shoal.cli.completion import complete_data, complete_dataset, complete_method
from shoal.cli.options import (
    INTERRUPTED,
    CheckpointFolder,
    Data,
    Every,
    Format,
    Holdout,
    Html,
    Json,
    KeepOrder,
    LabelName,
    Learner,
    MaxRows,
    Method,
    Metrics,
    Nominal,
    Quiet,
    Resume,
    Save,
    Seed,
    Settings,
    Size,
    WeightName,
    Width,
    end,
    names_in,
    settings_in,
)  # fmt: skip
from shoal.errors import InputError
from shoal.evaluation.keeping import EVERY

BAD_INPUT = 2

app = typer.Typer(
    name="shoal",
    help="""Online ensembles: many weak learners, taught one example at a time, that swim as one.

    A first look, without any data of your own:

        shoal evaluate sea:n=20000 --html report.html

    Your own stream, as LIBSVM, CSV, Parquet or Arrow, packed or not:

        zcat clicks.csv.gz | shoal evaluate - --label clicked

        shoal compare clicks.csv --methods shoal,bayes,osboost,ozaboost --trials 3 --html report.html

    A model that stays, and what it knows:

        shoal fit clicks.csv --label clicked --save clicks.shoal

        shoal predict clicks.shoal new.csv --proba > answers.csv

        shoal inspect clicks.shoal

    Every command has --help, with examples.
    """,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


@app.command()
def evaluate(
    data: Data,
    method: Method = None,
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
    width: Width = None,
    holdout: Holdout = None,
    json: Json = None,
    html: Html = None,
    save: Save = None,
    checkpoint: CheckpointFolder = None,
    every: Every = EVERY,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Test a method on a stream, then teach it, example by example.

    Each example is predicted before its label is learned, so the error is that of a model in use.

        shoal evaluate clicks.libsvm.xz --method bayes --learner naive_bayes

        shoal evaluate sea:n=100000 --set forgetting=0.999 --html report.html

        zcat log.gz | shoal evaluate - --format csv --label clicked --save model.shoal

    A run that keeps checkpoints may be killed at any moment: the same command with --resume goes on, and ends with
    the same model and the same curve. Standard input must then be given again from its start; what was learned
    is passed over. Ctrl-C ends a run with what it has, and exit status 130.

        shoal evaluate clicks.parquet --checkpoint run/ --resume
    """
    from shoal.cli.keeping import keeping_asked
    from shoal.cli.work import default_method, evaluate_once, evaluate_trials, meant, opened

    chosen = settings_in(settings, learner, n_learners)
    stream = opened(data, label, weight, format, names_in(nominal), width)
    method = default_method(stream, chosen) if method is None else meant(method, [stream])
    names = names_in(metrics)
    asked = {"method": method, "settings": chosen, "seed": seed, "label": label, "weight": weight}
    keeping = keeping_asked(checkpoint, every, resume, asked)
    if trials > 1:
        if save is not None:
            raise InputError("--save writes the model of one pass, and --trials makes several: leave one out.")
        interrupted = evaluate_trials(
            stream, method, chosen, trials, seed, names, max_rows, json, html, quiet, holdout, keeping
        )
    else:
        interrupted = evaluate_once(
            stream, method, chosen, seed, names, max_rows, json, html, quiet, holdout, save, keeping
        )
    end(interrupted)


@app.command()
def compare(
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA...", help="Files and data sets' names.", autocompletion=complete_data),
    ],
    methods: Annotated[
        str,
        typer.Option(
            "--methods", "-m", help="Joined by commas; see `shoal methods`.", autocompletion=complete_method
        ),
    ] = "",
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
    checkpoint: CheckpointFolder = None,
    every: Every = EVERY,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Compare methods on the same orders of the same rows: a table, ranks, significance, one HTML report.

    A setting given with `--set` goes to every method that has it. wss, madaboost and fixed need all the data at
    once: with them, or with --holdout, every method is taught the first rows and tested on the last.

        shoal compare australian german --methods single,voting,bayes --trials 5 --html report.html

    With --checkpoint DIR and --resume, trials that were finished are not run again, and the one that was under way
    goes on where it was.
    """
    from shoal.cli.keeping import keeping_asked
    from shoal.cli.work import compare_methods, opened

    streams = [opened(d, label, weight, format, names_in(nominal)) for d in data]
    chosen = settings_in(settings, learner, n_learners)
    keeping = keeping_asked(checkpoint, every, resume, {"settings": chosen, "label": label, "weight": weight})
    interrupted = compare_methods(
        streams,
        names_in(methods),
        chosen,
        trials,
        seed,
        names_in(metrics),
        max_rows,
        json,
        html,
        quiet,
        keep_order,
        holdout,
        keeping,
    )
    end(interrupted)


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

    reproduce_tables(name, names_in(datasets), trials, seed, full, jobs, backend, json, html, quiet, resume)


app.command()(models.fit)
app.command()(models.predict)
app.command()(models.inspect)


@app.command()
def methods() -> None:
    """List the methods, what each is, and its settings."""
    from shoal.cli.listing import print_methods

    print_methods()


@app.command()
def datasets(
    name: Annotated[
        str | None,
        typer.Argument(help="One data set, to see all that is known of it.", autocompletion=complete_dataset),
    ] = None,
) -> None:
    """List the data sets, which can be had without a download, and where the others come from."""
    from shoal.cli.listing import print_dataset, print_datasets

    if name is None:
        print_datasets()
    else:
        print_dataset(name)


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
