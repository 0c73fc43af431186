"""Outside estimators, each made to answer and learn one row in the same way.

An estimator has `partial_fit` and `predict` as scikit-learn's have, or `learn_one` and `predict_one` as
River's have; what else it offers (probabilities, weights, a seed) is used where it is there.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.types import Floats


class Terms(NamedTuple):
    """What estimators are given and asked.

    labels: what they call the classes, in the order of the classes.
    width: columns of a dense row. taught: whether they learn, or are fitted already.
    """

    labels: tuple[Any, ...]
    width: int
    taught: bool


class Sight(NamedTuple):
    """One row as one learner sees it: positions and values, missing ones left out, and as a dict by name."""

    indices: list[int]
    values: Floats
    named: dict[Any, float]


def adapter(prototype: Any) -> type[Outside]:
    """How to deal with an estimator, or an error that says what it lacks."""
    if isinstance(prototype, type):
        raise InputError(f"{prototype.__name__} is a class; expected an estimator, as {prototype.__name__}(...).")
    if hasattr(prototype, "learn_one") and hasattr(prototype, "predict_one"):
        return OneByOne
    if hasattr(prototype, "partial_fit") and hasattr(prototype, "predict"):
        return ByRows
    raise InputError(
        f"{type(prototype).__name__} cannot learn from a stream; expected an estimator with partial_fit and "
        "predict (scikit-learn) or learn_one and predict_one (River)."
    )


def accepts(function: Callable[..., Any], name: str) -> bool:
    """Whether the function has a parameter of that name."""
    return name in inspect.signature(function).parameters


class Outside:
    """An estimator under its terms. It abstains until it was taught."""

    def __init__(self, prototype: Any, terms: Terms, seed: int) -> None:
        self.prototype = prototype
        self.terms = terms
        self.model = self.fresh(seed) if terms.taught else prototype
        self.met = not terms.taught
        self.weighs = terms.taught and self.takes_weights()

    def renewed(self, seed: int) -> Outside:
        """One that was taught nothing; an estimator that came fitted stays what it is."""
        return type(self)(self.prototype, self.terms, seed)

    def widened(self, terms: Terms) -> Outside:
        """The same estimator, for more classes."""
        changed = copy.copy(self)
        changed.terms = terms
        return changed

    def fresh(self, seed: int) -> Any:
        """A clone of the prototype, seeded where its own seed is None."""
        raise NotImplementedError

    def takes_weights(self) -> bool:
        """Whether it can be told how much an example counts."""
        raise NotImplementedError

    def learn(self, x: Sight, target: float, weight: float) -> None:
        """Be taught that x is of that class, or that number; the weight is 1 for those that take none."""
        raise NotImplementedError

    def called(self, target: float) -> Any:
        """What the estimator calls the class of that number."""
        return self.terms.labels[int(target)]

    def vote(self, x: Sight) -> Floats | None:
        """A number in [-1, 1] for every class, or None to abstain."""
        raise NotImplementedError

    def spread(self, shares: Mapping[Any, float]) -> Floats:
        """A vote per class from probabilities by label."""
        return np.array([2.0 * float(shares.get(label, 0.0)) - 1.0 for label in self.terms.labels])


class OneByOne(Outside):
    """An estimator in River's manner, given dicts."""

    def fresh(self, seed: int) -> Any:
        """A clone."""
        clone = getattr(self.prototype, "clone", None)
        if clone is None:
            return copy.deepcopy(self.prototype)
        unseeded = getattr(self.prototype, "seed", 0) is None
        return clone({"seed": seed}) if unseeded else clone()

    def takes_weights(self) -> bool:
        """A parameter `w`."""
        return accepts(self.prototype.learn_one, "w")

    def learn(self, x: Sight, target: float, weight: float) -> None:
        """One call of learn_one."""
        extra = {"w": weight} if self.weighs else {}
        self.model.learn_one(dict(x.named), self.called(target), **extra)
        self.met = True

    def vote(self, x: Sight) -> Floats | None:
        """Its probabilities; without them its class; None while it knows no class."""
        if not self.met:
            return None
        try:
            shares = self.model.predict_proba_one(dict(x.named))
        except (AttributeError, NotImplementedError):
            answer = self.model.predict_one(dict(x.named))
            shares = {} if answer is None else {answer: 1.0}
        return self.spread(shares) if shares else None

    def widened(self, terms: Terms) -> Outside:
        """Further classes are learned as they come, if the estimator can take more than two."""
        refuse_two_class(self.prototype)
        return super().widened(terms)


def refuse_two_class(prototype: Any) -> None:
    """River says of a classifier whether it takes several classes."""
    if not getattr(prototype, "_multiclass", True):
        raise InputError(
            f"{type(prototype).__name__} takes two classes only; for more, wrap it, "
            "as in river.multiclass.OneVsRestClassifier(...)."
        )


class ByRows(Outside):
    """An estimator in scikit-learn's manner, given dense arrays of one row; it is told all classes at once."""

    def fresh(self, seed: int) -> Any:
        """A clone; parameters called random_state, its own or its parts', are seeded where they are None."""
        if not hasattr(self.prototype, "get_params"):
            return copy.deepcopy(self.prototype)
        from sklearn.base import clone

        model = clone(self.prototype)
        parameters = model.get_params()
        unseeded = [key for key, value in parameters.items() if value is None and key.endswith("random_state")]
        return model.set_params(**dict.fromkeys(unseeded, seed)) if unseeded else model

    def takes_weights(self) -> bool:
        """A parameter `sample_weight`."""
        return accepts(self.prototype.partial_fit, "sample_weight")

    def dense(self, x: Sight) -> Floats:
        """The row as an array; features beyond its width share columns, or are unknown to a fitted estimator."""
        width = self.terms.width if self.terms.taught else getattr(self.model, "n_features_in_", self.terms.width)
        array = np.zeros((1, width))
        for j, value in zip(x.indices, x.values, strict=True):
            if self.terms.taught or j < width:
                array[0, j % width] += value
        return array

    def learn(self, x: Sight, target: float, weight: float) -> None:
        """One call of partial_fit."""
        extra: dict[str, Any] = {"sample_weight": np.array([weight])} if self.weighs else {}
        if not self.met and accepts(self.model.partial_fit, "classes"):
            extra["classes"] = np.array(self.terms.labels)
        with np.errstate(all="ignore"):
            self.model.partial_fit(self.dense(x), np.array([self.called(target)]), **extra)
        self.met = True

    def vote(self, x: Sight) -> Floats | None:
        """Its probabilities; without them tanh of half its decision function; without that its class."""
        if not self.met:
            return None
        with np.errstate(all="ignore"):
            votes = self.opinion(self.dense(x))
        return votes if np.isfinite(votes).all() else None

    def opinion(self, x: Floats) -> Floats:
        """What it says of a dense row."""
        if hasattr(self.model, "predict_proba"):
            shares = self.model.predict_proba(x)[0]
            return self.spread(dict(zip(self.model.classes_, shares, strict=True)))
        if hasattr(self.model, "decision_function"):
            score = np.tanh(0.5 * np.atleast_1d(self.model.decision_function(x)[0]))
            both = np.array([-score[0], score[0]]) if len(score) == 1 else score
            return self.spread(dict(zip(self.model.classes_, 0.5 * (both + 1.0), strict=True)))
        return self.spread({self.model.predict(x)[0]: 1.0})

    def widened(self, terms: Terms) -> Outside:
        """Only before it was told its classes."""
        if self.met:
            raise InputError(
                f"{type(self.prototype).__name__} cannot take another class once it has learned; "
                "name all classes at the first partial_fit (classes=...)."
            )
        return super().widened(terms)


class NumbersOneByOne(OneByOne):
    """A regressor in River's manner."""

    def called(self, target: float) -> Any:
        """A number is called what it is."""
        return target

    def vote(self, x: Sight) -> Floats | None:
        """Its number, if it has one."""
        answer = self.model.predict_one(dict(x.named)) if self.met else None
        return None if answer is None or not np.isfinite(answer) else np.array([answer], dtype=np.float64)


class NumbersByRows(ByRows):
    """A regressor in scikit-learn's manner."""

    def called(self, target: float) -> Any:
        """A number is called what it is."""
        return target

    def opinion(self, x: Floats) -> Floats:
        """What it says of a dense row."""
        return np.ravel(self.model.predict(x)).astype(np.float64)


def regression_adapter(prototype: Any) -> type[Outside]:
    """How to deal with a regressor, or an error that says what it lacks."""
    kind = adapter(prototype)
    if classifies(prototype):
        name = type(prototype).__name__
        raise InputError(f"{name} is a classifier; expected a regressor, since targets are numbers.")
    return NumbersOneByOne if kind is OneByOne else NumbersByRows


def classifies(prototype: Any) -> bool:
    """Whether an estimator, or the last step of a pipeline, is of scikit-learn's or River's classifiers."""
    steps = getattr(prototype, "steps", None)
    last = list(steps.values())[-1] if isinstance(steps, dict) else prototype
    return any(base.__name__ in ("ClassifierMixin", "Classifier") for base in type(last).__mro__)
