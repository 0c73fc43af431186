"""What every online classifier of shoal is to its users: scikit-learn's methods, and row by row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.methods import build
from shoal.model import Model, checked_weights
from shoal.settings import check_settings
from shoal.streams.encoder import DictEncoder
from shoal.streams.rows import rows_of_pairs, to_rows
from shoal.types import Chunk, Floats, Ints, Rows, Space

OUTER = ("allow_missing", "max_pending", "random_state")  # settings of the estimator, not of the ensemble
LARGEST_SEED = np.iinfo(np.int32).max
FITTED = ("model_", "encoder_", "n_features_in_", "feature_names_in_")

Learning = TypeVar("Learning", bound=Callable[..., Any])


def all_or_nothing(learning: Learning) -> Learning:
    """A method that, when it refuses its input, leaves the estimator as it was."""

    @functools.wraps(learning)
    def learn(self: Any, *args: Any, **named: Any) -> Any:
        before = {name: value for name, value in vars(self).items() if name in FITTED}
        try:
            return learning(self, *args, **named)
        except Exception:
            for name in FITTED:
                vars(self).pop(name, None)
            vars(self).update(before)
            raise

    return learn  # type: ignore[return-value]


class OnlineClassifier(ClassifierMixin, BaseEstimator):
    """An ensemble that learns row by row, in chunks of any size, or from a whole array, all the same.

    A subclass stores its parameters, which are those of its method and the `OUTER` ones. After the first
    `fit`, `partial_fit` or `learn_one` all that was learned is in `model_`.
    """

    method: ClassVar[str]  # its name in the registry of methods

    model_: Model
    encoder_: DictEncoder

    random_state: Any
    max_pending: int
    allow_missing: bool

    def make_ensemble(self, classes: Sequence[Any] | None = None) -> Ensemble:
        """The ensemble that the parameters describe; parameters that fit nothing raise InputError."""
        settings = {k: v for k, v in self.get_params(deep=False).items() if k not in OUTER}
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
        if sample_weight is not None and not _weights(sample_weight, len(y)).any():
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
        weights = None if sample_weight is None else _weights(sample_weight, rows.n_rows)
        model.answer_and_learn(Chunk(rows, y, weights, Space.of_size(X.shape[1])))
        self.model_ = model
        return self

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        finite: bool | str = "allow-nan" if self.allow_missing else True
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite
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
        model = self.model_ if hasattr(self, "model_") else self._new_model(None)
        weights = checked_weights(np.array([sample_weight]), 1)
        label = np.array([y.item() if isinstance(y, np.generic) else y], dtype=object)
        _, new = model.positions_of(label)
        if model.space is not None:
            model.make_room(model.space, len(new))  # refuses a class before the encoder learns features
        rows, space = self._one(x, learn=True, model=model)
        model.answer_and_learn(Chunk(rows, label, weights, space))
        self.model_ = model
        return self

    def _one(self, x: Any, *, learn: bool, model: Model | None = None) -> tuple[Rows, Space]:
        if not isinstance(x, Mapping):
            array = self._one_array(x)
            if model is not None:
                model.check_space(Space.of_size(array.shape[1]))
                self.n_features_in_ = array.shape[1]
            return to_rows(array), Space.of_size(array.shape[1])
        self._check_missing(x)
        encoder = getattr(self, "encoder_", None) or DictEncoder()
        if learn:
            encoder.learn(x)
            self.encoder_ = encoder
        return rows_of_pairs([encoder.encode(x)]), encoder.space

    def _check_missing(self, x: Mapping[Any, Any]) -> None:
        missing = [name for name, v in x.items() if v is None or (isinstance(v, float) and math.isnan(v))]
        if missing and not self.allow_missing:
            raise InputError(
                f"feature {missing[0]!r} is missing; leave it out where it is 0, or set allow_missing=True to let "
                "each learner treat missing values by its rule."
            )

    def _one_array(self, x: Any) -> Floats:
        array = np.asarray(x)
        if array.ndim != 1:
            raise InputError(f"x has {array.ndim} dimensions; expected a dict or one row as a 1-d array.")
        finite: bool | str = "allow-nan" if self.allow_missing else True
        return check_array(array[None, :], dtype=np.float64, ensure_all_finite=finite)

    def _keep_form(self, form: str) -> None:
        """One model takes dicts or arrays, not both."""
        given = "dict" if hasattr(self, "encoder_") else "array"
        if hasattr(self, "model_") and form != given:
            raise InputError(
                f"this model was taught with {given}s and is now given a {form}; use one form throughout."
            )

    # Answering

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row."""
        return self._labels(self._answer(X)[0])

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class, in the order of `classes_`."""
        return self._answer(X)[1]

    def _answer(self, X: Any) -> tuple[Ints, Floats]:
        check_is_fitted(self, "model_")
        self._keep_form("array")
        finite: bool | str = "allow-nan" if self.allow_missing else True
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite)
        return self.model_.predict(to_rows(X), Space.of_size(X.shape[1]))

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
        return dict(zip(self.model_.classes, proba[0].tolist(), strict=True))

    # Labels that come late

    def predict_hold(self, X: Any) -> list[int]:
        """Answer rows whose labels will come later; give each label to `learn_label` with its row's id.

        Scores and rows are held, at most `max_pending`; the oldest are dropped and counted in
        `n_dropped_`. What was answered is `predict(X)` at this moment.
        """
        check_is_fitted(self, "model_")
        if isinstance(X, Mapping):
            self._keep_form("dict")
            return self.model_.hold(*self._one(X, learn=True))
        self._keep_form("array")
        finite: bool | str = "allow-nan" if self.allow_missing else True
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite)
        return self.model_.hold(to_rows(X), Space.of_size(X.shape[1]))

    def learn_label(self, held_id: int, y: Any, sample_weight: float = 1.0) -> OnlineClassifier:
        """Learn the label of a row that `predict_hold` answered: its loss is that of the answer given then."""
        check_is_fitted(self, "model_")
        self.model_.learn_late(held_id, y, sample_weight)
        return self

    @property
    def n_dropped_(self) -> int:
        """How many held rows were dropped because too many were waiting."""
        check_is_fitted(self, "model_")
        return self.model_.pending.dropped

    # What the model knows

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels known by now, in the order of the columns of `predict_proba`."""
        if not hasattr(self, "model_"):
            raise AttributeError("classes_ are known after the first fit, partial_fit or learn_one")
        classes = self.model_.classes
        alike = len({isinstance(label, str) for label in classes}) <= 1
        return np.array(classes, dtype=None if alike else object)

    @property
    def learner_weights_(self) -> Floats:
        """The weight of each learner's vote, summing to 1; None of it depends on a row."""
        check_is_fitted(self, "model_")
        return self.model_.learner_weights()

    def evaluated_model(self) -> Model:
        """The model that `shoal.evaluate` drives: the fitted one, or a new one that takes classes as they come."""
        if hasattr(self, "model_"):
            return self.model_
        model = self._new_model(None)
        self.model_ = model
        return model

    # Keeping

    def _new_model(self, classes: Sequence[Any] | NDArray[Any] | None) -> Model:
        check_settings({name: getattr(self, name) for name in ("allow_missing", "max_pending")})
        names = None if classes is None else [c.item() if isinstance(c, np.generic) else c for c in classes]
        ensemble = self.make_ensemble(names)
        try:
            seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        except ValueError as error:
            raise InputError(
                f"random_state is {self.random_state!r}; expected None, a whole number or a RandomState."
            ) from error
        return Model(ensemble, seed=seed, classes=names, max_pending=self.max_pending)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.allow_missing
        return tags


def _weights(sample_weight: Any, n_rows: int) -> Floats:
    weights = np.asarray(sample_weight, dtype=np.float64)
    return checked_weights(np.full(n_rows, weights) if weights.ndim == 0 else weights, n_rows)


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
