"""What a shell offers to complete: methods, learners, data sets."""

from __future__ import annotations

from collections.abc import Iterable


def starting(incomplete: str, names: Iterable[str], glue: str) -> list[str]:
    """The names that go on from what is typed, after what stands before the last `glue`."""
    before, found, last = incomplete.rpartition(glue)
    return [f"{before}{found}{name}" for name in names if name.startswith(last)]


def complete_method(incomplete: str) -> list[str]:
    """Methods; several are joined by commas."""
    from shoal.registry import EVERY_METHOD

    return starting(incomplete, EVERY_METHOD, ",")


def complete_learner(incomplete: str) -> list[str]:
    """Learners; several are joined by +."""
    from shoal.registry import BANKS, REGRESSION_BANKS

    return starting(incomplete, {**BANKS, **REGRESSION_BANKS}, "+")


def complete_data(incomplete: str) -> list[str]:
    """Data sets' names; where none fits, the shell offers files."""
    from shoal import datasets

    return starting(incomplete, datasets.names(), "\n") if incomplete else []


def complete_dataset(incomplete: str) -> list[str]:
    """Data sets' names."""
    from shoal import datasets

    return starting(incomplete, datasets.names(), "\n")


def complete_format(incomplete: str) -> list[str]:
    """What files may be."""
    from shoal.streams.opening import FORMATS

    return starting(incomplete, FORMATS, "\n")
