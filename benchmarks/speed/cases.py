"""What is measured: who, on which streams, with how many learners; and what is asked of the ratios."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.speed.contestants import CONTESTANTS, TREES
from benchmarks.speed.streams import DENSE, SPARSE, Shape

OURS = ("shoal OSBoost", "shoal Bayesian")
SWEPT = (
    *OURS,
    "River AdaBoost, perceptrons",
    "Vowpal Wabbit boosting, BBM",
    "MOA OnlineSmoothBoost, perceptrons",
    "scikit-learn, voting SGD in chunks",
)
WIDE = Shape(10_000, 50)  # rows for the sweep over non-zeros


@dataclass(frozen=True)
class Case:
    """One measurement. sweep: the question that it belongs to; size: where on that question's axis it lies."""

    sweep: str
    size: int
    shape: Shape
    n_learners: int = 100
    most: int = 20_000

    def for_worker(self, budget: float) -> dict[str, Any]:
        return {**asdict(self), "budget": budget}


def main_cases() -> list[Case]:
    """The two streams of the table."""
    return [Case("table", 100, DENSE), Case("table", 100, SPARSE)]


def swept_cases() -> list[Case]:
    """Learners, features, non-zeros, classes, rows: one varies, the others stay."""
    learners = [Case("learners", n, DENSE, n_learners=n) for n in (10, 30, 100, 300, 1000)]
    features = [Case("features", d, Shape(d, d), most=8000) for d in (10, 30, 100, 300)]
    stored = [Case("non-zeros", n, replace(WIDE, n_stored=n), most=8000) for n in (5, 15, 50, 150, 500)]
    declared = [Case("declared features", d, Shape(d, 50), most=4000) for d in (1000, 10_000, 100_000, 1_000_000)]
    classes = [Case("classes", k, replace(DENSE, n_classes=k)) for k in (2, 5, 10, 26)]
    rows = [Case("rows", n, DENSE, most=n) for n in (1000, 10_000, 100_000)]
    return learners + features + stored + declared + classes + rows


def cases_of(name: str, rows: int | None, swept: bool) -> list[Case]:
    """What one contestant is measured at. rows: at most so many; swept: whether also along the questions."""
    contestant = CONTESTANTS[name]
    cases = [
        case for case in main_cases() if contestant.wide or name != "one matrix product" or case.shape.is_dense
    ]
    if name in TREES:
        cases = [replace(case, most=5000) for case in cases]
    if name in SWEPT and swept:
        cases += [case for case in swept_cases() if fits(name, case)]
    return [replace(case, most=min(case.most, rows)) for case in cases] if rows is not None else cases


def fits(name: str, case: Case) -> bool:
    """Whether a contestant can be asked this, in reasonable time."""
    contestant = CONTESTANTS[name]
    if case.sweep in ("declared features", "rows") and name not in OURS:
        return False
    if case.shape.n_classes > 2 and not contestant.many:
        return False
    return contestant.wide or case.shape.n_features <= 1000


@dataclass(frozen=True)
class Asked:
    """That `name` be at least `least` times as fast as the fastest of `than`, on dense and on sparse rows."""

    name: str
    than: tuple[str, ...]
    dense: float
    sparse: float | None


VOWPAL_WABBIT = tuple(name for name in CONTESTANTS if name.startswith("Vowpal"))
ASKED = (
    Asked("shoal OSBoost", ("River AdaBoost, perceptrons",), 300.0, 300.0),
    Asked("shoal OSBoost", VOWPAL_WABBIT, 25.0, 20.0),
    Asked("shoal OSBoost", ("MOA OnlineSmoothBoost, perceptrons",), 60.0, 100.0),
    Asked("shoal Bayesian", ("shoal OSBoost",), 1.0 / 1.2, 1.0 / 1.2),
    Asked("shoal Bayesian, frozen", ("one matrix product",), 1.0 / 3.0, None),
    Asked("shoal OzaBoost, Hoeffding trees", ("MOA OzaBoost, Hoeffding trees",), 3.0, 3.0),
)
LEARN_ONE = ("shoal Bayesian, learn_one", 20_000.0)
LINEAR = ("learners", "non-zeros", "rows")  # sweeps in which time is to grow linearly
