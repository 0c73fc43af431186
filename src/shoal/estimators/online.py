"""What every online classifier of shoal is to its users: scikit-learn's methods, and row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.estimators.common import LARGEST_SEED, OUTER, OnlineEstimator, all_or_nothing, dicts_of, weights_of
from shoal.methods import build
from shoal.methods.parts import classes_of, with_labels
from shoal.model import Model, checked_weights
from shoal.settings import check_settings
from shoal.streams.rows import to_rows
from shoal.types import Chunk, Floats, Ints, Space

__all__ = ["LARGEST_SEED", "OUTER", "OnlineClassifier", "weights_in_order"]


class OnlineClassifier(ClassifierMixin, OnlineEstimator):
    """An ensemble that learns row by row, in chunks of any size, or from a whole array, all the same.

    A subclass stores its parameters, which are those of its method and the `OUTER` ones. After the first
    `fit`, `partial_fit` or `learn_one` all that was learned is in `model_`.
    """

    model_: Model

    def make_ensemble(self, classes: Sequence[Any] | None = None) -> Ensemble:
        """The ensemble that the parameters describe; parameters that fit nothing raise InputError."""
        settings = self.method_settings()
        if isinstance(settings.get("class_weight"), Mapping):
            check_settings({"class_weight": settings["class_weight"]})
            settings["class_weight"] = weights_in_order(settings["class_weight"], classes)
        return build(self.method, settings)

    # Learning from arrays

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineClassifier:
        """Forget everything, then learn the rows once, in the order given."""
        X, y = self._checked(X, y, reset=True)
        classes = np.unique(y)
        if len(classes) < 2:
            raise InputError(
                f"y holds one class only ({classes[0]!r}); expected at least two classes to tell apart."
            )
        if sample_weight is not None and not weights_of(sample_weight, len(y)).any():
            raise InputError("every sample_weight is zero: expected at least one row that counts.")
        if hasattr(self, "encoder_"):
            del self.encoder_
        return self._learn(X, y, sample_weight, self._new_model(classes))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> OnlineClassifier:
        """Learn some more rows. The first call must name all classes."""
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise InputError(
                "classes must be passed on the first call to partial_fit: all labels that will occur."
            )
        self._keep_form("array")
        if not first and classes is not None and set(np.unique(classes)) != set(self.classes_):
            raise InputError(f"classes is {classes!r}, not {self.classes_!r} as in the first call to partial_fit.")
        X, y = self._checked(X, y, reset=first)
        return self._learn(X, y, sample_weight, self._new_model(np.unique(classes)) if first else self.model_)

    def _learn(self, X: Any, y: NDArray[Any], sample_weight: Any, model: Model) -> OnlineClassifier:
        rows = to_rows(X)
        weights = None if sample_weight is None else weights_of(sample_weight, rows.n_rows)
        model.answer_and_learn(Chunk(rows, y, weights, Space.of_size(X.shape[1])))
        self.model_ = model
        return self

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=self.finite
        )
        check_classification_targets(y)
        return X, y

    # Learning one example

    @all_or_nothing
    def learn_one(self, x: Mapping[Any, Any] | Any, y: Any, sample_weight: float = 1.0) -> OnlineClassifier:
        """Learn one example: a dict of features, or a one-dimensional array. New classes are welcome
        unless `partial_fit` has named them all.
        """
        self._keep_form("dict" if isinstance(x, Mapping) else "array")
        weights = checked_weights(np.array([sample_weight]), 1)
        model, labels = self._model_for([y])
        rows, space = self._one(x, learn=True, model=model)
        model.answer_and_learn(Chunk(rows, labels, weights, space))
        self.model_ = model
        return self

    @all_or_nothing
    def learn_many(
        self, xs: Iterable[Mapping[Any, Any]], y: Sequence[Any], sample_weight: Any = None
    ) -> OnlineClassifier:
        """Learn several dicts of features, as `learn_one` would one after the other."""
        self._keep_form("dict")
        examples = dicts_of(xs, y)
        if not examples:
            return self
        weights = None if sample_weight is None else weights_of(sample_weight, len(examples))
        model, labels = self._model_for(y)
        rows, space = self._rows_of_dicts(examples, learn=True)
        model.answer_and_learn(Chunk(rows, labels, weights, space))
        self.model_ = model
        return self

    def _model_for(self, y: Iterable[Any]) -> tuple[Model, NDArray[Any]]:
        """The model, and labels that it takes: a class is refused before the encoder learns features."""
        model = self.model_ if hasattr(self, "model_") else self._new_model(None)
        given = [label.item() if isinstance(label, np.generic) else label for label in y]
        labels = np.empty(len(given), dtype=object)
        labels[:] = given
        _, new = model.positions_of(labels)
        if model.space is not None:
            model.make_room(model.space, len(new))
        return model, labels

    # Answering

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row."""
        return self._labels(self._answer(X)[0])

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class, in the order of `classes_`."""
        return self._answer(X)[1]

    def _answer(self, X: Any) -> tuple[Ints, Floats]:
        rows, space = self.rows_to_answer(X)
        return self.model_.predict(rows, space)

    def _labels(self, positions: Ints) -> NDArray[Any]:
        return self.classes_[positions]

    def predict_one(self, x: Mapping[Any, Any] | Any) -> Any:
        """The class of one example; None before anything was learned."""
        if not hasattr(self, "model_"):
            return None
        self._keep_form("dict" if isinstance(x, Mapping) else "array")
        positions, _ = self.model_.predict(*self._one(x, learn=False))
        return self.model_.classes[positions[0]] if self.model_.classes else None

    def predict_proba_one(self, x: Mapping[Any, Any] | Any) -> dict[Any, float]:
        """The probability of every class that is known."""
        if not hasattr(self, "model_"):
            return {}
        self._keep_form("dict" if isinstance(x, Mapping) else "array")
        _, proba = self.model_.predict(*self._one(x, learn=False))
        return dict(zip(self.model_.classes, proba[0].tolist(), strict=False))  # a class may just have come

    def predict_many(self, xs: Iterable[Mapping[Any, Any]]) -> list[Any]:
        """The class of several dicts of features, each as `predict_one` answers."""
        examples = dicts_of(xs)
        if not examples or not hasattr(self, "model_"):
            return [None] * len(examples)
        self._keep_form("dict")
        positions, _ = self.model_.predict(*self._rows_of_dicts(examples, learn=False))
        classes = self.model_.classes
        return [classes[k] if classes else None for k in positions.tolist()]

    def predict_proba_many(self, xs: Iterable[Mapping[Any, Any]]) -> Floats:
        """(n_examples, n_classes) the probability of every class, in the order of `classes_`."""
        examples = dicts_of(xs)
        if not examples or not hasattr(self, "model_"):
            return np.zeros((len(examples), len(self.model_.classes) if hasattr(self, "model_") else 0))
        self._keep_form("dict")
        return self.model_.predict(*self._rows_of_dicts(examples, learn=False))[1]

    # What the model knows

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels known by now, in the order of the columns of `predict_proba`."""
        if not hasattr(self, "model_"):
            raise AttributeError("classes_ are known after the first fit, partial_fit or learn_one")
        classes = self.model_.classes
        alike = len({isinstance(label, str) for label in classes}) <= 1
        return np.array(classes, dtype=None if alike else object)

    def evaluated_model(self) -> Model:
        """The model that `shoal.evaluate` drives: the fitted one, or a new one that takes classes as they come."""
        if hasattr(self, "model_"):
            return self.model_
        model = self._new_model(None)
        self.model_ = model
        return model

    # Keeping

    def _new_model(self, classes: Sequence[Any] | NDArray[Any] | None) -> Model:
        seed = self.new_seed()
        names = None if classes is None else [c.item() if isinstance(c, np.generic) else c for c in classes]
        ensemble = self.make_ensemble(names)
        if hasattr(ensemble, "bank"):  # a reservoir has none
            names = classes_of(ensemble.bank) if names is None else names
            ensemble = ensemble if names is None else replace(ensemble, bank=with_labels(ensemble.bank, names))
        return Model(ensemble, seed=seed, classes=names, max_pending=self.max_pending)


def weights_in_order(class_weight: Mapping[Any, float], classes: Sequence[Any] | None) -> tuple[float, ...]:
    """A weight for each class from a dict of them; classes it leaves out count 1."""
    if classes is None:
        raise InputError(
            "class_weight is a dict, which needs all classes to be known: begin with fit or partial_fit, or use "
            "'balanced'."
        )
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InputError(f"class_weight names {unknown[0]!r}, which is not among the classes {list(classes)!r}.")
    return tuple(float(class_weight.get(label, 1.0)) for label in classes)
