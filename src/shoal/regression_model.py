"""A model of numbers: an ensemble of regressors, what it remembers, the features it knows.

The counterpart of `shoal.model.Model` for one target or several; a row without a number for each of them is
answered and not learned. Input is checked before anything changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from shoal.ensemble import Ensemble
from shoal.errors import InputError
from shoal.model import Taught, checked_weights, within
from shoal.types import Chunk, Floats, RegressionAnswers, Rows, Space, Task


class RegressionModel(Taught):
    """An ensemble at work on regression.

    n_outputs: how many targets there are; None takes as many as the first labels have.
    """

    task: ClassVar[str] = "regression"
    classes: ClassVar[tuple[Any, ...]] = ()

    def __init__(
        self,
        ensemble: Ensemble,
        *,
        seed: int = 0,
        n_outputs: int | None = None,
        max_pending: int = 10_000,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(ensemble, seed, max_pending, params)
        self.n_outputs = n_outputs

    def answer_and_learn(self, chunk: Chunk) -> RegressionAnswers:
        """Answer every row of the chunk, each before it is learned."""
        n = chunk.rows.n_rows
        if n == 0:
            raise InputError("an empty chunk: expected at least one row.")
        weights = checked_weights(chunk.weights, n)
        with self.lock.writing():
            targets = self.targets_of(chunk.labels, n)
            self.check_space(chunk.space)
            self.make_room(chunk.space, targets.shape[1])
            return RegressionAnswers(self._learn(chunk.rows, targets, weights), targets)

    def _learn(self, rows: Rows, targets: Floats, weights: Floats) -> Floats:
        """Answer the rows, each before it is learned."""
        assert self.state is not None
        assert self.space is not None
        learned = int(np.count_nonzero(~np.isnan(targets).any(axis=1) & (weights > 0.0)))
        state = self.state = self.ensemble.reserve(self.state, learned)
        run, n = self.ensemble.run, self.space.n_features
        answers = [run(state, n, part, targets[at], weights[at])[0] for at, part in self.blocks(rows)]
        self.state = self.ensemble.settle(state)
        return np.concatenate(answers)

    def targets_of(self, labels: Any, n_rows: int) -> Floats:
        """Targets as (n_rows, n_outputs), NaN for those that are missing."""
        if labels is None:
            return np.full((n_rows, self.n_outputs or 1), np.nan)
        try:
            targets = np.array(labels, dtype=np.float64)
        except (TypeError, ValueError) as error:
            first = np.ravel(np.asarray(labels, dtype=object))[0]
            raise InputError(
                f"labels begin with {first!r}; expected numbers to predict. For classes use a classifier."
            ) from error
        targets = targets.reshape(n_rows, -1)
        if self.n_outputs is not None and targets.shape[1] != self.n_outputs:
            raise InputError(f"the labels have {targets.shape[1]} targets; the model was taught {self.n_outputs}.")
        if np.isinf(targets).any():
            row = int(np.argmax(np.isinf(targets).any(axis=1)))
            raise InputError(f"the label of row {row} is infinite; expected finite numbers.")
        return targets

    def predict(self, rows: Rows, space: Space) -> Floats:
        """(n_rows, n_outputs) the numbers answered; nothing changes."""
        with self.lock.reading():
            if self.state is None or self.space is None or self.n_outputs is None:
                raise InputError("the model has learned nothing yet: teach it before asking it to predict.")
            self.check_space(space)
            rows = within(rows, self.space.n_features)
            unknown = np.full((rows.n_rows, self.n_outputs), np.nan)
            answers = self.ensemble.run(self.state, self.space.n_features, rows, unknown, np.ones(rows.n_rows))[0]
        return np.nan_to_num(answers, copy=False)  # 0 where no target has been seen yet

    def hold(self, rows: Rows, space: Space) -> list[int]:
        """Ids under which the votes on these rows wait for their labels."""
        with self.lock.writing():
            self.check_space(space)
            self.make_room(space, self.n_outputs or 1)
            return self.hold_rows(rows)

    def learn_late(self, held_id: int, label: Any, weight: float = 1.0) -> None:
        """Learn the label of an example that was held."""
        checked = checked_weights(np.array([weight]), 1)
        with self.lock.writing():
            self._learn_late(held_id, label, checked)

    def _learn_late(self, held_id: int, label: Any, checked: Floats) -> None:
        held = self.pending.find(held_id)
        targets = self.targets_of([label], 1)
        assert self.space is not None
        assert self.state is not None
        if not np.isnan(targets).any() and checked[0] > 0.0:
            self.state = self.ensemble.reserve(self.state, 1)
            self.ensemble.learn_late(self.state, self.space.n_features, held, targets[0], float(checked[0]))
            self.state = self.ensemble.settle(self.state)
        self.pending.remove(held_id)

    def make_room(self, space: Space, n_outputs: int) -> None:
        """Begin, or grow, so that the features of the space have their place."""
        task = Task("regression", n_outputs)
        state = self.state if self.state is not None else self.ensemble.init(space, task, self.seed)
        self.n_outputs = n_outputs
        self.make_space(state, space)
