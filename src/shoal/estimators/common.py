"""What classifiers and regressors have in common: forms of input, labels that come late, weights."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from shoal.errors import InputError
from shoal.model import Taught, checked_weights
from shoal.settings import check_settings
from shoal.streams.encoder import DictEncoder
from shoal.streams.rows import rows_of_pairs, to_rows
from shoal.types import Floats, Rows, Space

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


class Saved:
    """What can be kept in a model file."""

    def save(self, path: str | os.PathLike[str], *, known: Iterable[type] = ()) -> None:
        """Write a model file, from which `shoal.load(path)` goes on as if it had never stopped.

        known: classes of your own that the model is made of; give them to `shoal.load` too.
        """
        from shoal.files import save

        save(self, path, known=known)


class OnlineEstimator(Saved, BaseEstimator):
    """What classifiers and regressors have in common: forms of input, labels that come late, weights."""

    method: ClassVar[str]  # its name in the registry of methods

    model_: Any
    encoder_: DictEncoder

    random_state: Any
    max_pending: int
    allow_missing: bool

    def method_settings(self) -> dict[str, Any]:
        """The parameters that are the method's."""
        return {k: v for k, v in self.get_params(deep=False).items() if k not in OUTER}

    def new_seed(self) -> int:
        """What all that is random derives from; checks the estimator's own settings."""
        check_settings({name: getattr(self, name) for name in ("allow_missing", "max_pending")})
        try:
            return int(check_random_state(self.random_state).randint(LARGEST_SEED))
        except ValueError as error:
            raise InputError(
                f"random_state is {self.random_state!r}; expected None, a whole number or a RandomState."
            ) from error

    @property
    def finite(self) -> bool | str:
        """What scikit-learn's checks shall make of missing values."""
        return "allow-nan" if self.allow_missing else True

    def rows_to_answer(self, X: Any) -> tuple[Rows, Space]:
        """Rows given as an array to a fitted estimator."""
        check_is_fitted(self, "model_")
        self._keep_form("array")
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=np.float64, ensure_all_finite=self.finite
        )
        return to_rows(X), Space.of_size(X.shape[1])

    def _one(self, x: Any, *, learn: bool, model: Taught | None = None) -> tuple[Rows, Space]:
        """One example as a row: a dict or a one-dimensional array."""
        if isinstance(x, Mapping):
            return self._rows_of_dicts([x], learn=learn)
        array = self._one_array(x)
        if model is not None:
            model.check_space(Space.of_size(array.shape[1]))
            self.n_features_in_ = array.shape[1]
        return to_rows(array), Space.of_size(array.shape[1])

    def _rows_of_dicts(self, xs: Sequence[Mapping[Any, Any]], *, learn: bool) -> tuple[Rows, Space]:
        """Examples as rows over the features met so far, these included if they are learned."""
        for x in xs:
            self._check_missing(x)
        encoder = getattr(self, "encoder_", None) or DictEncoder()
        if learn:
            encoder.learn(*xs)
            self.encoder_ = encoder
        return rows_of_pairs([encoder.encode(x) for x in xs]), encoder.space

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
        if array.dtype == np.float64 and len(array) > 0 and np.isfinite(array).all():
            return array[
                None, :
            ]  # nothing that scikit-learn's checks, which take longer than learning, would find
        return check_array(array[None, :], dtype=np.float64, ensure_all_finite=self.finite)

    def _keep_form(self, form: str) -> None:
        """One model takes dicts or arrays, not both."""
        given = "dict" if hasattr(self, "encoder_") else "array"
        if hasattr(self, "model_") and form != given:
            raise InputError(
                f"this model was taught with {given}s and is now given a {form}; use one form throughout."
            )

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
        return self.model_.hold(*self.rows_to_answer(X))

    def learn_label(self, held_id: int, y: Any, sample_weight: float = 1.0) -> Any:
        """Learn the label of a row that `predict_hold` answered: its loss is that of the answer given then."""
        check_is_fitted(self, "model_")
        self.model_.learn_late(held_id, y, sample_weight)
        return self

    @property
    def n_dropped_(self) -> int:
        """How many held rows were dropped because too many were waiting."""
        check_is_fitted(self, "model_")
        return self.model_.pending.dropped

    @property
    def learner_weights_(self) -> Floats:
        """The weight of each learner's vote, summing to 1; None of it depends on a row."""
        check_is_fitted(self, "model_")
        return self.model_.learner_weights()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled; the encoder after the model, so that it knows all of the model's features even where
        another thread teaches both meanwhile: it is taught first.
        """
        kept: dict[str, Any] = super().__getstate__()
        if "encoder_" in kept:
            kept = {name: value for name, value in kept.items() if name != "encoder_"} | {
                "encoder_": kept["encoder_"]
            }
        return kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.allow_missing
        return tags


def dicts_of(xs: Iterable[Mapping[Any, Any]], y: Any = None) -> list[Mapping[Any, Any]]:
    """Examples in a list, as many as there are labels."""
    examples = list(xs)
    wrong = next((x for x in examples if not isinstance(x, Mapping)), None)
    if wrong is not None:
        raise InputError(f"an example is a {type(wrong).__name__}; expected dicts. Give arrays to partial_fit.")
    if y is not None and len(y) != len(examples):
        raise InputError(f"{len(examples)} examples but {len(y)} labels; expected one label for each.")
    return examples


def weights_of(sample_weight: Any, n_rows: int) -> Floats:
    weights = np.asarray(sample_weight, dtype=np.float64)
    return checked_weights(np.full(n_rows, weights) if weights.ndim == 0 else weights, n_rows)


def dense(X: Any) -> Floats:
    """Rows as an array, for those who need all data at once."""
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)
