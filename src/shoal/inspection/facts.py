"""What is known of a model: what it is made of, what it has seen, and how much each learner counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.evaluation.result import jsonable
from shoal.files.container import FORMAT, named, read
from shoal.files.known import Known
from shoal.files.loading import unpacked
from shoal.files.unpacking import Unpacker
from shoal.registry import BANKS, REGRESSION_BANKS
from shoal.types import Floats

LONGEST = 60  # characters of a setting in a table
NAMES_SHOWN = 12
NAMES = {place.partition(":")[2]: name for name, place in {**REGRESSION_BANKS, **BANKS}.items()}


@dataclass(frozen=True)
class Belief:
    """One parameter of every member, as the posterior has it; arrays of one number per member."""

    name: str
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Facts:
    """What a model file tells.

    about: facts by name, in the order in which people are told. learners: what each learner is; weights: the share
    of each in the answer, or None where nothing was learned. beliefs: of the members of the rule, if it keeps a
    posterior; members are the learners where there are as many.
    """

    about: dict[str, Any]
    learners: tuple[str, ...]
    weights: Floats | None
    beliefs: tuple[Belief, ...]
    level: float
    replaced: tuple[int, ...] | None = None

    @property
    def order(self) -> list[int]:
        """The learners, the weightiest first."""
        if self.weights is None:
            return list(range(len(self.learners)))
        return np.argsort(-np.abs(self.weights), kind="stable").tolist()

    @property
    def of_learners(self) -> bool:
        """Whether every belief is about one of the learners."""
        return bool(self.beliefs) and len(self.beliefs[0].mean) == len(self.learners)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        learners = [
            {"learner": i, "kind": kind} | ({} if self.weights is None else {"weight": self.weights[i]})
            for i, kind in enumerate(self.learners)
        ]
        beliefs = [{"name": b.name, "mean": b.mean, "low": b.low, "high": b.high} for b in self.beliefs]
        more = {} if self.replaced is None else {"replaced": list(self.replaced)}
        found: dict[str, Any] = jsonable(
            {**self.about, "level": self.level, "learners": learners, "posterior": beliefs, **more}
        )
        return found


def facts_of(path: str, level: float = 0.95) -> Facts:
    """The facts of a model file or a checkpoint."""
    if not 0.0 < level < 1.0:
        raise InputError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.95.")
    document, arrays = read(path)
    with named(Path(path).name):
        of_model = {name: array for name, array in arrays.items() if not name.startswith("measured/")}
        found = unpacked(document, Unpacker(of_model, Known()))
    model = getattr(found, "model_", found)
    about = {
        "file": str(Path(path).resolve()),
        "bytes": Path(path).stat().st_size,
        "format": f"{document['format']} (this shoal writes {FORMAT})",
        "saved by shoal": document.get("shoal"),
        "numbers held": sum(array.size for array in of_model.values()),
        "is": what_it_is(found),
        **settings_of(found),
        **parts_of(model),
        **seen_by(model, found),
        **run_of(document),
    }
    with np.errstate(all="ignore"):
        return Facts(
            about, tuple(learners_of(model, found)), weights_of(model), tuple(beliefs_of(model, level)), level,
            replaced_in(model),
        )  # fmt: skip


def what_it_is(found: Any) -> str:
    """In a few words."""
    if hasattr(found, "get_params"):
        return type(found).__name__
    kind = "regressor" if getattr(found, "task", "") == "regression" else "classifier"
    return f"{kind} made by the command line"


def settings_of(found: Any) -> dict[str, Any]:
    """The settings that it was made from."""
    given = found.get_params(deep=False) if hasattr(found, "get_params") else found.params
    return {"settings": {name: short(value) for name, value in given.items()}}


def parts_of(model: Any) -> dict[str, Any]:
    """What an ensemble is made of."""
    ensemble = getattr(model, "ensemble", getattr(model, "booster", None))
    if ensemble is None or not is_dataclass(ensemble):
        return {}
    if not hasattr(ensemble, "bank"):
        return {"made of": short(ensemble, 4 * LONGEST)}
    values = {field.name: getattr(ensemble, field.name) for field in fields(ensemble)}
    return {"made of": {name: short(value, 4 * LONGEST) for name, value in values.items()}}


def seen_by(model: Any, found: Any) -> dict[str, Any]:
    """What it has learned from."""
    space, n = getattr(model, "space", None), getattr(found, "n_features_in_", getattr(model, "n_features", None))
    names = None if space is None else space.names
    if names is None and hasattr(found, "feature_names_in_"):
        names = tuple(map(str, found.feature_names_in_))
    seen: dict[str, Any] = {}
    if hasattr(model, "n_seen"):
        seen["examples learned"] = model.n_seen
    if getattr(model, "task", "") == "regression":
        seen["targets"] = model.n_outputs
    elif hasattr(model, "classes") or hasattr(found, "stumps_"):
        classes = model.classes if hasattr(model, "classes") else getattr(found, "classes_", np.zeros(0)).tolist()
        seen["classes"] = list(classes)
        if getattr(model, "open", False):
            seen["further classes"] = "welcome"
    seen["features"] = 0 if space is None and not n else (space.n_features if space is not None else n)
    if names:
        seen["named"] = ", ".join(names[:NAMES_SHOWN]) + (", ..." if len(names) > NAMES_SHOWN else "")
    if space is not None and not space.settled:
        seen["further features"] = "welcome"
    if hasattr(model, "pending"):
        seen["waiting for labels"] = len(model.pending.held)
        seen["dropped while waiting"] = model.pending.dropped
    return seen


def run_of(document: dict[str, Any]) -> dict[str, Any]:
    """Of a checkpoint: which run it is of, and where."""
    checkpoint = document.get("checkpoint")
    if not isinstance(checkpoint, dict):
        return {}
    run = {name: short(value) for name, value in checkpoint["run"].items() if name != "made of"}
    return {"checkpoint of": run, "rows passed": checkpoint["place"][0]}


def learners_of(model: Any, found: Any) -> Iterator[str]:
    """What each learner is."""
    ensemble = getattr(model, "ensemble", None)
    if ensemble is not None and hasattr(ensemble, "bank"):
        yield from kinds_in(ensemble.bank)
        return
    n = getattr(ensemble if ensemble is not None else getattr(model, "booster", found), "n_learners", 0)
    yield from ["stump"] * int(n)


def kinds_in(bank: Any) -> Iterator[str]:
    """The kind of each learner of a bank."""
    if hasattr(bank, "banks"):
        for part in bank.banks:
            yield from kinds_in(part)
    elif hasattr(bank, "bank"):
        yield from kinds_in(bank.bank)
    else:
        yield from [NAMES.get(type(bank).__name__, type(bank).__name__)] * int(bank.n_learners)


def weights_of(model: Any) -> Floats | None:
    """The share of every learner in the answer."""
    if getattr(model, "state", None) is None or not hasattr(model, "learner_weights"):
        return None
    weights: Floats = model.learner_weights()
    return weights


def beliefs_of(model: Any, level: float) -> Iterator[Belief]:
    """What the posterior says of every member, parameter by parameter, and class by class where it has several."""
    rule = getattr(getattr(model, "state", None), "rule", None)
    if hasattr(rule, "log_likelihood") and hasattr(rule, "covariance"):
        yield from log_odds_beliefs(rule, model.classes, level)
        return
    if not hasattr(model, "posterior"):
        return
    try:
        posterior = model.posterior()
        mean, (low, high) = posterior.mean, posterior.interval(level)
    except (InputError, AttributeError):  # a rule without one
        return
    names = posterior.parameters
    if len(names) == 1:
        mean, low, high = (table[..., None] for table in (mean, low, high))
    for k, name in enumerate(names):
        tables = [np.atleast_2d(table[..., k]) for table in (mean, low, high)]
        per_class = mean.ndim == 3
        for c, arrays in enumerate(zip(*tables, strict=True)):
            yield Belief(f"{name} of {model.classes[c]}" if per_class else name, *arrays)


def log_odds_beliefs(rule: Any, classes: Sequence[Any], level: float) -> Iterator[Belief]:
    """What `LogOddsPosterior` believes of the weights of log-odds, for two classes or for each of many: the
    mean over its prior variances, and an interval by the normal law with the variance over them.
    """
    heard = np.exp(rule.log_likelihood - rule.log_likelihood.max())
    heard /= heard.sum()
    squares = np.diagonal(rule.covariance, axis1=2, axis2=3) + rule.mean**2
    means = np.einsum("v,vcm->cm", heard, rule.mean)
    spreads = np.sqrt(np.maximum(np.einsum("v,vcm->cm", heard, squares) - means**2, 0.0))
    far = NormalDist().inv_cdf(0.5 + 0.5 * level)
    for c, (mean, spread) in enumerate(zip(means[:, :-1], spreads[:, :-1], strict=True)):
        name = "weight" if len(means) == 1 else f"weight for {classes[c]}"
        yield Belief(name, mean, mean - far * spread, mean + far * spread)


def replaced_in(model: Any) -> tuple[int, ...] | None:
    """How often drift had each learner begin anew."""
    replaced = getattr(getattr(getattr(model, "state", None), "drift", None), "replaced", None)
    return None if replaced is None else tuple(map(int, replaced))


def short(value: Any, longest: int = LONGEST) -> Any:
    """A value for a table."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= longest else text[: longest - 3] + "..."
