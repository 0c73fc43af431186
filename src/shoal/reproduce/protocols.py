"""How the papers measured: one function for each protocol, from a trial's seed to the mistakes made.

A protocol takes (table, column, settings, data set, seed of the order, rows used or None) and answers which
examples were answered wrongly, in order. The settings are the column's, with what was tuned filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from time import process_time
from typing import Any, NamedTuple

from shoal.methods import build
from shoal.model import Model
from shoal.reproduce.data import (
    Examples,
    examples_of,
    in_order,
    in_range_of_first,
    split,
    with_both_classes_early,
)
from shoal.reproduce.tables import Column, Table
from shoal.types import Chunk, Flags, Floats

STREAM_LENGTH = "stream"  # a setting of this value stands for the number of examples to come
PUBLISHED, FIRST_RANGE = (
    "published",
    "first-range",
)  # option `features`: files in [-1, 1], or by a first part's range


class Outcome(NamedTuple):
    """What one method did on one order. wrong: (n,) whether each example was answered wrongly, or its loss."""

    wrong: Flags | Floats
    seconds: float
    params: dict[str, Any]


Protocol = Callable[[Table, Column, Mapping[str, Any], str, int, int | None], Outcome]

PROTOCOLS: dict[str, str] = {
    "static": "shoal.reproduce.protocols:static",
    "stream": "shoal.reproduce.protocols:stream",
    "beyond": "shoal.reproduce.protocols:beyond",
    "improvement": "shoal.reproduce.improvement:improvement",
    "images": "shoal.reproduce.images:images",
}


def find_protocol(name: str) -> Protocol:
    """The function of a protocol."""
    module, _, attribute = PROTOCOLS[name].partition(":")
    found: Protocol = getattr(import_module(module), attribute)
    return found


def static(
    table: Table, column: Column, settings: Mapping[str, Any], dataset: str, seed: int, n_rows: int | None
) -> Outcome:
    """Bai et al. 5.1 and 6: learners taught on a first part and frozen; only their weights learn on the rest."""
    features = table.options["features"]
    examples = examples_of(dataset, scaled=features == PUBLISHED)
    n_first = int(table.options["training_share"] * examples.n)
    chunk = with_both_classes_early(examples, seed, n_first)
    if features == FIRST_RANGE:
        chunk = in_range_of_first(chunk, n_first)
    chosen = filled(settings, examples.n - n_first) | {"frozen": n_first}
    model = fresh_model(column.method, chosen, examples, seed)
    first, rest = split(chunk, n_first)
    model.answer_and_learn(first)
    return answered(model, rest, chosen)


def stream(
    table: Table, column: Column, settings: Mapping[str, Any], dataset: str, seed: int, n_rows: int | None
) -> Outcome:
    """Chen et al., and Bai et al. 5.2: the whole set is the stream, and learners learn throughout."""
    examples = examples_of(dataset, scaled=True)
    chunk = in_order(examples, seed, n_rows)
    chosen = filled(settings, chunk.rows.n_rows)
    return answered(fresh_model(column.method, chosen, examples, seed), chunk, chosen)


def beyond(
    table: Table, column: Column, settings: Mapping[str, Any], dataset: str, seed: int, n_rows: int | None
) -> Outcome:
    """A method that is not the paper's, on the same orders: it learns throughout, from files as they are, scales
    for itself, and is judged on the rows that the paper's methods are judged on.
    """
    examples = examples_of(dataset, scaled=False)
    model = fresh_model(column.method, settings, examples, seed)
    if table.protocol != "static":
        return answered(model, in_order(examples, seed, n_rows), dict(settings))
    n_first = int(table.options["training_share"] * examples.n)
    outcome = answered(model, with_both_classes_early(examples, seed, n_first), dict(settings))
    return outcome._replace(wrong=outcome.wrong[n_first:])


def filled(settings: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The settings with the length of the stream put where it is asked for."""
    return {name: n if value == STREAM_LENGTH else value for name, value in settings.items()}


def fresh_model(method: str, settings: Mapping[str, Any], examples: Examples, seed: int) -> Model:
    """A model that has seen nothing."""
    return Model(build(method, settings), seed=seed, classes=examples.classes)


def answered(model: Model, chunk: Chunk, params: dict[str, Any]) -> Outcome:
    """Test, then train, on every row."""
    began = process_time()
    answers = model.answer_and_learn(chunk)
    return Outcome(answers.predicted != answers.truth, process_time() - began, params)
