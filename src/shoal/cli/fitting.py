"""`shoal fit`: teach a model, and keep it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.cli.keeping import keeping_asked, save_model
from shoal.cli.work import (
    check_outputs,
    default_method,
    is_regression,
    learner_of,
    meant,
    result_table,
    show,
    write_json,
)
from shoal.errors import InputError
from shoal.methods import make_model
from shoal.registry import BATCH_METHODS
from shoal.streams import Stream, open_stream
from shoal.streams.matching import Matcher
from shoal.types import Chunk, Space


def fit_model(
    data: Sequence[str],
    save: str,
    method: str | None,
    begin: str | None,
    settings: Mapping[str, Any],
    seed: int,
    max_rows: int | None,
    reading: Mapping[str, Any],
    nominal: Sequence[str],
    json_path: str | None,
    checkpoints: tuple[str | None, float, bool],
    quiet: bool,
) -> bool:
    """Teach a new model, or one from a file, all the data in turn; whether Ctrl-C ended it."""
    check_outputs(json_path, save)
    if begin is None:
        stream = joined(data, reading, nominal, None)
        method = default_method(stream, settings) if method is None else meant(method, [stream])
        given: Any = make_model(method, settings, seed, stream.classes)
    else:
        if method is not None or settings:
            raise InputError("--from teaches a model on as it is: leave --method, --learner, -n and --set out.")
        given = model_from(begin)
        stream = joined(data, reading, nominal, space_of(given))
        method = type(given).__name__
    run = {"method": method, "settings": dict(settings), "seed": seed, "from": begin, **reading}
    keeping = keeping_asked(*checkpoints, run)
    if method in BATCH_METHODS:
        return fit_at_once(given, stream, save, max_rows, keeping, quiet)
    from shoal.evaluation.progress import ProgressBar
    from shoal.evaluation.progressive import evaluate

    numbers = getattr(getattr(given, "model_", given), "task", "") == "regression"
    with ProgressBar(f"{method} on {stream.name}", quiet=quiet) as bar:
        result = evaluate(
            given, stream, metrics=["r2"] if numbers else ["error"], max_rows=max_rows, on_progress=bar,
            checkpoint=keeping,
        )  # fmt: skip
    learner = learner_of(method, settings) if begin is None else None
    record = {
        "dataset": stream.name,
        "method": method,
        "learner": learner,
        "trial": 0,
        "seed": seed,
        **result.to_dict(),
        "params": dict(settings),
        "model": save,
    }
    write_json([record], json_path)
    if not quiet:
        show(result_table(result, f"{method} taught {stream.name}; error while it learned"), None)
    save_model(given, save, quiet)
    return result.interrupted


def fit_at_once(model: Any, stream: Stream, save: str, max_rows: int | None, keeping: Any, quiet: bool) -> bool:
    """Teach a method that needs all the data."""
    from shoal.evaluation.holdout import gathered

    if keeping is not None:
        raise InputError("this method learns all the rows at once, without checkpoints: leave --checkpoint out.")
    model.learn_all(gathered(stream, max_rows))
    save_model(model, save, quiet)
    return False


def model_from(path: str) -> Any:
    """The estimator or the model in a file, to be taught on."""
    from shoal.files.loading import load_as_saved

    found = load_as_saved(path)
    if not hasattr(getattr(found, "model_", found), "answer_and_learn"):
        raise InputError(
            f"{path} holds a {type(found).__name__} that learns no further: "
            "it was taught all at once, or nothing yet."
        )
    return found


def space_of(given: Any) -> Space | None:
    """The features that a model, or an estimator's model, knows."""
    space: Space | None = getattr(getattr(given, "model_", given), "space", None)
    return space


def joined(data: Sequence[str], reading: Mapping[str, Any], nominal: Sequence[str], known: Space | None) -> Stream:
    """Several streams as one, their features found by name."""
    streams = [open_stream(source, nominal=nominal, **reading) for source in data]
    if len(streams) == 1:
        return streams[0]
    if sum(stream.once for stream in streams) > 1:
        raise InputError("standard input can be read only once: name - once.")
    if 0 < sum(map(is_regression, streams)) < len(streams):
        raise InputError(f"of {', '.join(data)} some ask for numbers and some for classes.")

    def chunks() -> Iterator[Chunk]:
        matcher = Matcher(known, learning=True)
        for stream in streams:
            matcher.name = stream.name
            for chunk in stream:
                yield matcher.match(chunk)

    sizes = [stream.n_rows for stream in streams]
    n_rows = sum(n for n in sizes if n is not None) if None not in sizes else None
    classes = [stream.classes for stream in streams]
    return Stream(
        chunks, name=" + ".join(stream.name for stream in streams), n_rows=n_rows,
        classes=classes[0] if all(c == classes[0] for c in classes) else None,
        once=any(stream.once for stream in streams),
    )  # fmt: skip
