"""What an evaluation found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from shoal.evaluation.curve import Curve


class Words(NamedTuple):
    """What the error is called in tables, on axes, in a sentence after a method's name, and what it is."""

    name: str
    axis: str
    verdict: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of one run over a stream.

    error: errors / n, each labelled example counted once; `metrics` take the examples' weights.
    interval: Wilson's 95 % interval of the error; see `shoal.evaluation.intervals.wilson` for its meaning.
    class_counts: how often each class came.
    seconds: time taken by the model; total_seconds: reading and measuring included.
    peak_memory: the most bytes the process has held so far, or None where the system does not say.
    interrupted: whether Ctrl-C ended the run early.
    """

    words: ClassVar[Words] = Words(
        "error",
        "error, %",
        "errs on {} % of the examples",
        "Share of the examples so far that were answered wrongly",
    )

    error: float
    errors: int
    n: int
    interval: tuple[float, float]
    metrics: dict[str, float]
    curve: Curve
    seconds: float
    total_seconds: float
    examples_per_second: float
    peak_memory: int | None
    class_counts: dict[str, int] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Everything as numbers, text, lists and dictionaries, ready for JSON (NaN becomes None)."""
        plain = asdict(self)
        plain["curve"] = self.curve._asdict()
        return {name: jsonable(value) for name, value in plain.items()}

    def plot(
        self, path: str | PathLike[str], *, title: str = "Progressive evaluation", command: str | None = None
    ) -> None:
        """Write the error curve and all numbers as one HTML file; `command` is how to make it again.

        A path that ends in .svg gets the curve alone, as a picture.
        """
        from shoal.evaluation.report import result_page, result_picture

        svg = Path(path).suffix == ".svg"
        Path(path).write_text(result_picture(self) if svg else result_page(self, title, command), encoding="utf-8")

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals of metrics, beside that of the error."""
        return {}

    def __repr__(self) -> str:
        low, high = self.interval
        metrics = ", ".join(f"{name} {value:.4g}" for name, value in self.metrics.items() if name != "error")
        early = ", interrupted" if self.interrupted else ""
        return (
            f"<Result: error {self.error:.2%} ({self.errors:,} of {self.n:,}; 95% {low:.2%} to {high:.2%})"
            f"{'; ' if metrics else ''}{metrics}; {self.examples_per_second:,.0f} examples/s{early}>"
        )

    def _repr_html_(self) -> str:
        from shoal.evaluation.report import result_fragment

        return result_fragment(self)


def jsonable(value: Any) -> Any:
    """A value as JSON can hold it; what it cannot hold is given as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
