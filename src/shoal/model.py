"""A model: an ensemble, what it remembers, the features and classes it knows. All that outer layers see.

Here labels become positions in a list of classes and back, new features and classes are given room, and
answers are held for labels that come late. Input is checked before anything changes: a model that
refuses an input is exactly as it was. While one thread teaches a model others may ask it: each answer is that
of the state after some whole number of examples.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.ensemble import Ensemble, EnsembleState
from shoal.errors import InputError
from shoal.locks import SharedLock
from shoal.pending import Pending, among_more_classes
from shoal.types import Answers, Chunk, Floats, Ints, Rows, Space, Task

if TYPE_CHECKING:
    from shoal.rules.posterior import Posterior

MANY_CLASSES = 100  # labels with fractions that are more than this are no classes
BLOCK = 1024  # rows that are learned before other threads, if any wait, are answered
CHANGING = ("state", "pending", "classes")  # what changes in place: all else is put in the place of what was
NO_CLASS = -1  # the answer of a model that knows no class yet; the truth of a row without a label


class Taught:
    """What models of every kind have in common: an ensemble, its state, the features it knows, held answers."""

    def __init__(self, ensemble: Ensemble, seed: int, max_pending: int, params: Mapping[str, Any] | None) -> None:
        self.ensemble = ensemble
        self.seed = seed
        self.pending = Pending(max_pending)
        self.params = dict(params or {})
        self.space: Space | None = None
        self.state: EnsembleState | None = None
        self.lock = SharedLock()

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: a copy, of one moment, however the model is taught meanwhile."""
        with self.lock.reading():
            kept = {name: value for name, value in vars(self).items() if name != "lock"}
            return kept | {name: copy.deepcopy(kept[name]) for name in CHANGING if name in kept}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        """Go on from what was pickled, even where its arrays are mapped from a file that may not change."""
        vars(self).update(saved)
        self.state = writable(self.state)
        self.lock = SharedLock()

    def blocks(self, rows: Rows) -> Iterator[tuple[slice, Rows]]:
        """The rows in parts of `BLOCK`, with readers let in between them."""
        for start in range(0, rows.n_rows, BLOCK):
            if start:
                self.lock.pause()
            stop = min(start + BLOCK, rows.n_rows)
            yield slice(start, stop), part_of(rows, start, stop)

    @property
    def n_seen(self) -> int:
        """How many examples were learned."""
        return 0 if self.state is None else int(self.state.seen[0])

    def check_space(self, space: Space) -> None:
        """Refuse rows of another width than those learned from, unless features may come and go."""
        if self.space is None or not space.settled or not self.space.settled:
            return
        if space.n_features != self.space.n_features:
            raise InputError(
                f"the rows have {space.n_features} features; the model was taught with {self.space.n_features}: "
                "give the same columns in the same order."
            )

    def hold_rows(self, rows: Rows) -> list[int]:
        """Ids under which the votes on these rows wait for their labels."""
        assert self.space is not None
        assert self.state is not None
        first = self.pending.next_id
        for t in range(rows.n_rows):
            self.pending.add(self.ensemble.hold(self.state, self.space.n_features, part_of(rows, t, t + 1)))
        return list(range(first, self.pending.next_id))

    def make_space(self, state: EnsembleState, space: Space) -> None:
        """Take the state as the model's, grown so that the features of the space have their place."""
        if self.space is None:
            self.space = space
        elif space.n_features > self.space.n_features:
            state = self.ensemble.grow(state, space)
            self.space = space
        self.state = state

    def learner_weights(self) -> Floats:
        """The share that each learner has in the answer, by rule and booster; their sizes sum to 1."""
        with self.lock.reading():
            assert self.state is not None
            shares = self.ensemble.shares(self.state)
        size = np.sum(np.abs(shares))
        return np.asarray(shares / size) if size > 0.0 else np.full(len(shares), 1.0 / len(shares))

    def posterior(self) -> Posterior:
        """The rule's posterior over the members' reliabilities."""
        rule = getattr(self.ensemble, "rule", self.ensemble)
        with self.lock.reading():
            if self.state is None or not hasattr(rule, "posterior"):
                raise InputError(f"{type(rule).__name__} keeps no posterior, or has seen nothing.")
            return rule.posterior(self.state.rule)


class Model(Taught):
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
        super().__init__(ensemble, seed, max_pending, params)
        self.open = classes is None
        self.classes: list[Any] = [] if classes is None else list(classes)

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
        if labels.ndim > 1:
            raise InputError(f"the labels have shape {labels.shape}; expected one class a row. Use a regressor.")
        with self.lock.writing():
            truth, new = self.positions_of(labels)
            self.check_space(chunk.space)
            self.make_room(chunk.space, len(new))
            return self._learn_in_runs(chunk.rows, truth, weights, new)

    def positions_of(self, labels: NDArray[Any]) -> tuple[Ints, list[tuple[int, Any]]]:
        """(position of every label, the classes that are new with the row of their first appearance)."""
        if (
            len(labels) == 1
            and labels.dtype.kind == "O"
            and not is_missing(labels[0])
            and labels[0] in self.classes
        ):
            return np.array([self.classes.index(labels[0])]), []  # what learning one example most often asks
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
                if len(known) > MANY_CLASSES and isinstance(label, float) and not label.is_integer():
                    raise InputError(
                        f"the labels have more than {MANY_CLASSES} different values, such as {label!r}: these are "
                        "numbers to predict, not classes. Use a regressor, such as shoal.OnlineEnsembleRegressor "
                        "or --method mixed-regressors; where they are classes, name them at the first partial_fit."
                    )
            positions[u] = known[label]
        return positions[which], new

    def _learn_in_runs(self, rows: Rows, truth: Ints, weights: Floats, new: list[tuple[int, Any]]) -> Answers:
        """Learn the rows, stopping where a class first appears: that row is answered by a model that does not
        know the class, and it makes no difference how rows are cut.
        """
        n = rows.n_rows
        cuts = sorted({0, n, *(row for row, _ in new)})
        predicted, proba = np.zeros(n, dtype=np.int64), np.zeros((n, max(2, len(self.classes) + len(new))))
        for start, stop in pairwise(cuts):
            appearing = [label for row, label in new if row == start]
            before = self._answer(part_of(rows, start, start + 1)) if appearing else None
            self.classes += appearing
            answers, chances = self._learn(part_of(rows, start, stop), truth[start:stop], weights[start:stop])
            predicted[start:stop], proba[start:stop, : chances.shape[1]] = answers, chances
            if before is not None:
                predicted[start], proba[start] = before[0][0], 0.0
                proba[start, : before[1].shape[1]] = before[1][0]
        return Answers(predicted, truth, proba)

    def _learn(self, rows: Rows, truth: Ints, weights: Floats) -> tuple[Ints, Floats]:
        """Answer the rows, each before it is learned."""
        labels = np.where(truth == NO_CLASS, np.nan, truth.astype(np.float64))
        self._make_ready(int(np.count_nonzero((truth != NO_CLASS) & (weights > 0.0))))
        answers = [self._run(part, labels[at], weights[at]) for at, part in self.blocks(rows)]
        assert self.state is not None
        self.state = self.ensemble.settle(self.state)
        return np.concatenate([a[0] for a in answers]), np.concatenate([a[1] for a in answers])

    def _answer(self, rows: Rows) -> tuple[Ints, Floats]:
        """Answer the rows, and learn nothing."""
        return self._run(rows, np.full(rows.n_rows, np.nan), np.ones(rows.n_rows))

    def _run(self, rows: Rows, labels: Floats, weights: Floats) -> tuple[Ints, Floats]:
        """Answer the rows and learn those with labels; a column for each class, and for two at least."""
        assert self.space is not None
        assert self.state is not None
        predicted, proba = self.ensemble.run(
            self.state, self.space.n_features, rows, labels, weights, self.n_classes
        )
        if not self.classes:
            predicted[:], proba[:] = NO_CLASS, 1.0 / proba.shape[1]
        elif len(self.classes) == 1:
            predicted[:], proba[:] = 0, np.eye(1, proba.shape[1])
        return predicted, proba

    def _make_ready(self, n_rows: int) -> None:
        """Room in the state for the classes known now, and for so many examples more."""
        assert self.state is not None
        if len(self.classes) > self.n_classes:
            self.state = self.ensemble.widen(self.state, task_of(len(self.classes)))
        self.state = self.ensemble.reserve(self.state, n_rows)

    # Answering

    def predict(self, rows: Rows, space: Space) -> tuple[Ints, Floats]:
        """(positions, probabilities) of the classes answered; nothing changes."""
        with self.lock.reading():
            if self.state is None or self.space is None:
                raise InputError("the model has learned nothing yet: teach it before asking it to predict.")
            self.check_space(space)
            predicted, proba = self._answer(within(rows, self.space.n_features))
            return predicted, proba[:, : len(self.classes)]

    def hold(self, rows: Rows, space: Space) -> list[int]:
        """Ids under which the votes on these rows wait for their labels."""
        with self.lock.writing():
            self.check_space(space)
            self.make_room(space)
            return self.hold_rows(rows)

    def learn_late(self, held_id: int, label: Any, weight: float = 1.0) -> None:
        """Learn the label of an example that was held."""
        checked = checked_weights(np.array([weight]), 1)
        with self.lock.writing():
            self._learn_late(held_id, label, checked)

    def _learn_late(self, held_id: int, label: Any, checked: Floats) -> None:
        held = self.pending.find(held_id)
        truth, new = self.positions_of(np.array([label], dtype=object))
        assert self.space is not None
        self.make_room(self.space, len(new))
        self.classes += [name for _, name in new]
        self._make_ready(1)
        assert self.state is not None
        if truth[0] != NO_CLASS and checked[0] > 0.0:
            held = among_more_classes(held, self._task().n_outputs)
            self.ensemble.learn_late(self.state, self.space.n_features, held, float(truth[0]), float(checked[0]))
        self.state = self.ensemble.settle(self.state)
        self.pending.remove(held_id)

    # Room for features and classes

    def make_room(self, space: Space, n_new_classes: int = 0) -> None:
        """Begin, or grow, so that the features of the space have their place. Classes about to be added that
        the ensemble cannot take are refused here, before anything changes.
        """
        state = self.state if self.state is not None else self.ensemble.init(space, self._task(), self.seed)
        n_classes = len(self.classes) + n_new_classes
        if n_classes > len(state.decision.fixed):
            self.ensemble.widen(state, task_of(n_classes))
        self.make_space(state, space)

    def _task(self) -> Task:
        return task_of(self.n_classes if self.state is not None else len(self.classes))


def task_of(n_classes: int) -> Task:
    """Classification with that many classes, two at least."""
    return Task("classification", n_classes if n_classes > 2 else 1)


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


def writable(state: Any) -> Any:
    """The same state in arrays of its own, which can be written to."""
    if isinstance(state, np.ndarray):
        return state if type(state) is np.ndarray and state.flags.writeable else np.array(state)
    if hasattr(state, "_fields"):
        return type(state)(*map(writable, state))
    return tuple(map(writable, state)) if type(state) is tuple else state
