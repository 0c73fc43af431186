"""What `compare` takes, made into what it runs: a fresh model from a seed, and rows in an order from a seed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shoal import datasets
from shoal.errors import InputError
from shoal.evaluation.order import Generated, Held, Source
from shoal.streams import Stream, open_stream

LARGEST_SEED = 2**32 - 1  # that scikit-learn's random_state takes


@dataclass(frozen=True)
class Copies:
    """Fresh copies of an estimator, each with a seed of its own where it takes one."""

    estimator: Any

    def __call__(self, seed: int) -> Any:
        from sklearn.base import clone

        fresh = clone(self.estimator)
        if "random_state" in fresh.get_params(deep=False):
            fresh.set_params(random_state=seed % LARGEST_SEED)
        return fresh


@dataclass(frozen=True)
class Named:
    """Fresh models of a method by its name, with its defaults."""

    method: str

    def __call__(self, seed: int) -> Any:
        from shoal.methods import make_model

        return make_model(self.method, {}, seed)


def as_maker(contestant: Any) -> Callable[[int], Any]:
    """A function from a seed to a fresh model, of an estimator, a method's name, or such a function."""
    if isinstance(contestant, str):
        named = Named(contestant)
        named(0)  # an unknown name is refused here
        return named
    if hasattr(contestant, "get_params"):
        return Copies(contestant)
    if callable(contestant):
        maker: Callable[[int], Any] = contestant
        return maker
    raise InputError(
        f"cannot compare a {type(contestant).__name__}; give an estimator, a method's name such as 'bayes', or a "
        "function that makes a fresh model from a seed."
    )


def as_source(source: Any) -> Source:
    """Rows in an order from a seed, of anything that `shoal.open_stream` opens."""
    if hasattr(source, "chunks") and hasattr(source, "ordered"):
        given: Source = source
        return given
    if isinstance(source, Stream):
        made = datasets.is_name(source.name) and datasets.describe(source.name).form == "synthetic"
        return Generated(source.name, lambda seed: source) if made else source_of(source)
    opened = open_stream(source)
    if not isinstance(source, str | os.PathLike):
        opened.name = "rows given"
    return source_of(opened)


def source_of(stream: Stream, keep_order: bool = False) -> Source:
    """What trials draw from. A made stream is made anew for each trial, unless its name holds a seed; one in
    order of time keeps it; any other is shuffled, and, being finite, its features are all known beforehand.
    """
    if datasets.is_name(stream.name) and datasets.describe(stream.name).form == "synthetic":
        return _made_anew(stream)
    if keep_order or (datasets.is_name(stream.name) and datasets.describe(stream.name).ordered):
        return Generated(stream.name, lambda seed: stream)
    held = Held.gather(stream.name, stream)
    return Held(held.name, held.chunk._replace(space=replace(held.chunk.space, open=False)))


def _made_anew(stream: Stream) -> Source:
    if "seed=" in stream.name:
        return Generated(stream.name, lambda seed: stream)
    glue = "," if ":" in stream.name else ":"
    return Generated(stream.name, lambda seed: datasets.load(f"{stream.name}{glue}seed={seed}"))
