"""A model: an ensemble, what it remembers, the features and classes it knows. All that outer layers see.

Here labels become positions in a list of classes and back, new features and classes are given room, and
answers are held for labels that come late. Input is checked before anything changes: a model that
refuses an input is exactly as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.ensemble import Ensemble, EnsembleState, Held
from shoal.errors import InputError
from shoal.types import Answers, Chunk, Floats, Ints, Rows, Space, Task

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior

NO_CLASS = -1  # the answer of a model that knows no class yet; the truth of a row without a label


@dataclass
class Pending:
    """Examples that wait for their labels; beyond `limit` the oldest are dropped and counted."""

    limit: int
    held: dict[int, Held] = field(default_factory=dict)
    next_id: int = 0
    dropped: int = 0

    def add(self, held: Held) -> int:
        """Keep an example; answers its id."""
        self.held[self.next_id] = held
        self.next_id += 1
        while len(self.held) > self.limit:
            del self.held[next(iter(self.held))]
            self.dropped += 1
        return self.next_id - 1


class Model:
    """An ensemble at work on classification.

    ensemble: what it is made of.
    seed: what all that is random in it derives from.
    classes: the labels, where they are known beforehand: any other is then refused. None takes classes
        as they come, numbered in order of appearance.
    max_pending: how many examples may wait for their labels.
    params: the settings that it was made from, for reports.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        *,
        seed: int = 0,
        classes: Sequence[Any] | None = None,
        max_pending: int = 10_000,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        if classes is not None and len(set(classes)) < 2:
            raise InputError(f"classes is {list(classes)!r}; expected at least two different labels.")
        self.ensemble = ensemble
        self.seed = seed
        self.open = classes is None
        self.classes: list[Any] = [] if classes is None else list(classes)
        self.pending = Pending(max_pending)
        self.params = dict(params or {})
        self.space: Space | None = None
        self.state: EnsembleState | None = None

    @property
    def n_seen(self) -> int:
        """How many examples were learned."""
        return 0 if self.state is None else int(self.state.seen[0])

    @property
    def n_classes(self) -> int:
        """How many classes the state has room for."""
        return 2 if self.state is None else len(self.state.decision.fixed)

    # Learning

    def answer_and_learn(self, chunk: Chunk) -> Answers:
        """Answer every row of the chunk, each before it is learned."""
        n = chunk.rows.n_rows
        if n == 0:
            raise InputError("an empty chunk: expected at least one row.")
        weights = checked_weights(chunk.weights, n)
        labels = np.full(n, np.nan) if chunk.labels is None else chunk.labels
        truth, new = self.positions_of(labels)
        self.check_space(chunk.space)
        self.make_room(chunk.space)
        return self._learn_in_runs(chunk.rows, truth, weights, new)

    def positions_of(self, labels: NDArray[Any]) -> tuple[Ints, list[tuple[int, Any]]]:
        """(position of every label, the classes that are new with the row of their first appearance)."""
        known = {label: k for k, label in enumerate(self.classes)}
        found, first_row, which = distinct(labels)
        positions = np.full(len(found), NO_CLASS, dtype=np.int64)
        new: list[tuple[int, Any]] = []
        for u in np.argsort(first_row, kind="stable"):
            label = found[u]
            if is_missing(label):
                continue
            if label not in known:
                if not self.open:
                    raise InputError(
                        f"label {label!r} (row {first_row[u]}) is not among the classes {self.classes!r}: "
                        "name all at the first partial_fit, or begin with learn_one to take them as they come."
                    )
                known[label] = len(known)
                new.append((int(first_row[u]), label))
            positions[u] = known[label]
        return positions[which], new

    def _learn_in_runs(self, rows: Rows, truth: Ints, weights: Floats, new: list[tuple[int, Any]]) -> Answers:
        """Learn the rows, stopping where a new class appears so that it makes no difference how rows are cut."""
        n = rows.n_rows
        cuts = [0, *(row for row, _ in new if row > 0), n]
        predicted, proba = np.zeros(n, dtype=np.int64), np.zeros((n, 0))
        for start, stop in pairwise(cuts):
            known_before = len(self.classes)
            self.classes += [label for row, label in new if row == start]
            answers, chances = self._run(part_of(rows, start, stop), truth[start:stop], weights[start:stop])
            if known_before < 2:
                first = slice(0, 1) if len(self.classes) >= 2 else slice(0, None)
                answers[first], chances[first] = self._without_choice(known_before, chances.shape[1])
                if len(self.classes) == 1:
                    answers[1:], chances[1:] = self._without_choice(1, chances.shape[1])
            proba = with_columns(proba, chances.shape[1])
            predicted[start:stop], proba[start:stop] = answers, chances
        return Answers(predicted, truth, proba[:, : max(len(self.classes), 1)])

    @staticmethod
    def _without_choice(n_known: int, n_columns: int) -> tuple[int, Floats]:
        """What is answered while fewer than two classes are known."""
        if n_known == 0:
            return NO_CLASS, np.full(n_columns, 1.0 / n_columns)
        return 0, np.eye(1, n_columns)[0]

    def _run(self, rows: Rows, truth: Ints, weights: Floats) -> tuple[Ints, Floats]:
        assert self.space is not None
        assert self.state is not None
        if len(self.classes) > self.n_classes:
            self.state = self.ensemble.widen(self.state, self._task())
        self.state = self.ensemble.reserve(self.state, rows.n_rows)
        labels = np.where(truth == NO_CLASS, np.nan, truth.astype(np.float64))
        return self.ensemble.run(self.state, self.space.n_features, rows, labels, weights, self.n_classes)

    # Answering

    def predict(self, rows: Rows, space: Space) -> tuple[Ints, Floats]:
        """(positions, probabilities) of the classes answered; nothing changes."""
        if self.state is None or self.space is None:
            raise InputError("the model has learned nothing yet: teach it before asking it to predict.")
        self.check_space(space)
        nothing = np.full(rows.n_rows, np.nan)
        rows = within(rows, self.space.n_features)
        predicted, proba = self.ensemble.run(
            self.state, self.space.n_features, rows, nothing, np.ones(rows.n_rows), self.n_classes
        )
        if len(self.classes) < 2:
            predicted[:], proba[:] = self._without_choice(len(self.classes), proba.shape[1])
        return predicted, proba[:, : max(len(self.classes), 1)]

    def hold(self, rows: Rows, space: Space) -> list[int]:
        """Ids under which the votes on these rows wait for their labels."""
        self.check_space(space)
        self.make_room(space)
        assert self.space is not None
        assert self.state is not None
        return [
            self.pending.add(self.ensemble.hold(self.state, self.space.n_features, part_of(rows, t, t + 1)))
            for t in range(rows.n_rows)
        ]

    def learn_late(self, held_id: int, label: Any, weight: float = 1.0) -> None:
        """Learn the label of an example that was held."""
        if held_id not in self.pending.held:
            raise InputError(
                f"no example with id {held_id} waits for its label: it was learned before, or dropped because "
                f"more than max_pending = {self.pending.limit} were waiting."
            )
        checked = checked_weights(np.array([weight]), 1)
        truth, new = self.positions_of(np.array([label], dtype=object))
        self.classes += [name for _, name in new]
        assert self.space is not None
        assert self.state is not None
        held = self.pending.held[held_id]
        if len(self.classes) > self.n_classes:
            self.state = self.ensemble.widen(self.state, self._task())
        self.state = self.ensemble.reserve(self.state, 1)
        if truth[0] != NO_CLASS and checked[0] > 0.0:
            self.ensemble.learn_late(self.state, self.space.n_features, held, float(truth[0]), float(checked[0]))
        del self.pending.held[held_id]

    # What it knows

    def learner_weights(self) -> Floats:
        """The share that each member has in the answer, by the rule; they sum to 1."""
        assert self.state is not None
        weights = self.ensemble.rule.weights(self.state.rule)
        return np.asarray(weights / np.sum(weights))

    def posterior(self) -> Posterior:
        """The rule's posterior over the members' reliabilities."""
        if self.state is None or not hasattr(self.ensemble.rule, "posterior"):
            raise InputError(
                f"the rule {type(self.ensemble.rule).__name__} keeps no posterior, or has seen nothing."
            )
        return self.ensemble.rule.posterior(self.state.rule)  # type: ignore[no-any-return]

    # Room for features and classes

    def check_space(self, space: Space) -> None:
        """Refuse rows of another width than those learned from, unless features may come and go."""
        if self.space is None or space.open or self.space.open:
            return
        if space.n_features != self.space.n_features:
            raise InputError(
                f"the rows have {space.n_features} features; the model was taught with {self.space.n_features}: "
                "give the same columns in the same order."
            )

    def make_room(self, space: Space) -> None:
        """Begin, or grow, so that the features of the space have their place."""
        if self.state is None:
            self.state = self.ensemble.init(space, self._task(), self.seed)
            self.space = space
        elif self.space is not None and space.n_features > self.space.n_features:
            self.state = self.ensemble.grow(self.state, space)
            self.space = space

    def _task(self) -> Task:
        n = len(self.classes)
        return Task("classification", n if n > 2 else 1)


def checked_weights(weights: Floats | None, n_rows: int) -> Floats:
    """Weights of the examples, finite and not below 0; all 1 if there are none."""
    if weights is None:
        return np.ones(n_rows)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InputError(f"the weights have shape {weights.shape}; expected one for each of {n_rows} rows.")
    bad = ~(np.isfinite(weights) & (weights >= 0.0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"the weight of row {row} is {weights[row]}; expected a finite number, 0 or more.")
    return weights


def distinct(labels: NDArray[Any]) -> tuple[list[Any], Ints, Ints]:
    """(labels that differ, row of the first of each, which of them each row has)."""
    labels = np.asarray(labels)
    if labels.dtype.kind != "O":
        values, first, which = np.unique(labels, return_index=True, return_inverse=True)
        return values.tolist(), first, which
    places: dict[Any, int] = {}
    which = np.zeros(len(labels), dtype=np.int64)
    first_rows: list[int] = []
    for row, label in enumerate(labels.tolist()):
        key = None if is_missing(label) else label
        if key not in places:
            places[key] = len(places)
            first_rows.append(row)
        which[row] = places[key]
    return list(places), np.array(first_rows, dtype=np.int64), which


def is_missing(label: Any) -> bool:
    """Whether a label says that there is none."""
    return label is None or (isinstance(label, float) and np.isnan(label))


def part_of(rows: Rows, start: int, stop: int) -> Rows:
    """Rows from `start` to before `stop`."""
    if start == 0 and stop == rows.n_rows:
        return rows
    first, last = rows.indptr[start], rows.indptr[stop]
    return Rows(rows.indptr[start : stop + 1] - first, rows.indices[first:last], rows.values[first:last])


def within(rows: Rows, n_features: int) -> Rows:
    """The rows without features that are not known."""
    keep = rows.indices < n_features
    if keep.all():
        return rows
    ends = np.concatenate([[0], np.cumsum(keep)])
    return Rows(ends[rows.indptr].astype(np.int64), rows.indices[keep], rows.values[keep])


def with_columns(table: Floats, n_columns: int) -> Floats:
    """The table with columns of zeros up to that many."""
    more = n_columns - table.shape[1]
    return table if more <= 0 else np.concatenate([table, np.zeros((len(table), more))], axis=1)
