"""Reservoir boosting (Lefakis and Fleuret 2014; specification D.1, D.8, F.7).

The first r + q examples, and then every q that come, make a round: of those kept and those new, a strategy
discards all but r; one stump is found on these with their weights, and its step. Filter() of the paper is
the stream. Several classes: one against the rest, each with a reservoir of its own, or all with one.

It goes on for ever: once there are as many stumps as planned, a new one takes the place of an old one, and
an example older than the oldest stump's first is dropped, so that what has changed is forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shoal.decision import Decision
from shoal.ensemble import Held
from shoal.errors import InputError
from shoal.reservoir.boost import STEPS, boosting_weights, step_by
from shoal.reservoir.state import (
    Batch,
    ReservoirState,
    answer_until,
    batch_kept,
    batch_waiting,
    no_examples_kept,
    no_examples_waiting,
    store,
    with_classes,
    with_features,
)
from shoal.reservoir.strategies import GEEM, Candidates, Selection, Strategy
from shoal.reservoir.stumps import answers_of, best_stump, keep_stump, no_stumps, scores_of
from shoal.types import Floats, Ints, Lesson, Room, Rows, Space, Task

REPLACED = ("oldest", "weakest")
FIRST_WARM_UP, NEXT_WARM_UP = 4, 1.5  # examples before the first trial ensemble, and how many times that next
WARM_UP_STUMPS = 25


@dataclass(frozen=True)
class ReservoirBoost:
    """An ensemble that boosts stumps on chosen examples; it has the face of `shoal.ensemble.Ensemble`.

    strategy: what to keep.
    size: r, examples kept. batch: q, new ones in a round; None for as many.
    n_learners: stumps of each class.
    shared: one reservoir for all classes, chosen for the sum of their objectives, with one inverse.
    step: "newton", which minimises the loss of what is kept, or "edge", AdaBoost's of the weights in the search.
    forgetting: factor in (0, 1] on an example's weight for each that came after it.
    shrinkage: factor in (0, 1] on the steps. What is chosen is few and hard: whole steps fit it too well, the
        scores run away, and in the end a handful of examples decide (on MNIST, 10 to 15 % more errors).
    replace: once all stumps are there, which goes: the "oldest", or the "weakest" with regard to age.
    warm_up: boost what has come, anew from time to time, until the first round is due; off in the paper.
    """

    strategy: Strategy = field(default_factory=GEEM)
    size: int = 250
    batch: int | None = None
    n_learners: int = 250
    shared: bool = False
    shrinkage: float = 0.1
    forgetting: float = 1.0
    replace: str = "oldest"
    warm_up: bool = True
    step: str = "newton"
    decision: Decision = field(default_factory=Decision)

    def check(self) -> None:
        """Refuse settings that have no meaning."""
        for name, value in (("size", self.size), ("batch", self.n_new), ("n_learners", self.n_learners)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; expected a whole number, 1 or more.")
        for name in ("shrinkage", "forgetting"):
            factor = getattr(self, name)
            if not (isinstance(factor, int | float) and 0.0 < factor <= 1.0):
                raise InputError(f"{name} is {factor!r}; expected a factor in (0, 1].")
        for name, known in (("replace", REPLACED), ("step", STEPS)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected {' or '.join(map(repr, known))}.")
        self.strategy.check()

    @property
    def n_new(self) -> int:
        """Examples that come between two rounds."""
        return self.size if self.batch is None else self.batch

    @property
    def oldest(self) -> int:
        """The age beyond which an example is dropped: none is, before all stumps are there."""
        return self.size + self.n_new * self.n_learners

    def init(self, space: Space, task: Task, seed: int) -> ReservoirState:
        """Nothing has come."""
        self.check()
        n_reservoirs = 1 if self.shared else task.n_outputs
        return ReservoirState(
            seed,
            np.zeros(1, dtype=np.int64),
            self.decision.init(task),
            no_examples_waiting(self.size + self.n_new, space.capacity),
            no_examples_kept(n_reservoirs, self.size, space.capacity),
            no_stumps(task.n_outputs, self.n_learners),
        )

    def grow(self, state: ReservoirState, space: Space) -> ReservoirState:
        """Room for the features of a larger space."""
        return with_features(state, space.capacity)

    def widen(self, state: ReservoirState, task: Task) -> ReservoirState:
        """Room for more classes."""
        wide = with_classes(state, task.n_outputs, 1 if self.shared else task.n_outputs)
        return wide._replace(decision=self.decision.widen(state.decision, task))

    def reserve(self, state: ReservoirState, n_rows: int) -> ReservoirState:
        """No room is needed beyond that of the first round."""
        return state

    def settle(self, state: ReservoirState) -> ReservoirState:
        """No room was made that could be given back."""
        return state

    def shares(self, state: ReservoirState) -> Floats:
        """How much each stump counts, the mean over the classes."""
        steps = np.abs(state.rule.step).mean(axis=0)
        return np.asarray(steps if steps.any() else np.ones(len(steps)))

    def run(
        self,
        state: ReservoirState,
        n_features: int,
        rows: Rows,
        labels: Floats,
        weights: Floats,
        n_classes: int,
    ) -> tuple[Ints, Floats]:
        """(class answered, probabilities) of every row, each answered before it is learned."""
        predicted, proba = np.zeros(rows.n_rows, dtype=np.int64), np.zeros((rows.n_rows, n_classes))
        start = 0
        while start < rows.n_rows:
            due = self.due(state)
            start = answer_until(state, rows, labels, weights, start, due, predicted, proba)
            if state.waiting.held[0] == due:
                self.learn(state)
        return predicted, proba

    def hold(self, state: ReservoirState, n_features: int, rows: Rows) -> Held:
        """Keep one row until its label comes; nothing but the row is needed then."""
        n_outputs = len(state.stumps.n_made)
        none, flags = np.zeros((0, n_outputs)), np.zeros(0, dtype=np.bool_)
        places, inputs = np.zeros(0, dtype=np.int32), np.zeros(0)
        score, lesson = np.zeros(n_outputs), Lesson(none, none)
        room = Room(False, places, inputs, none, none, flags, none, none, flags, score, lesson)
        return Held(rows, room, int(state.seen[0]))

    def learn_late(self, state: ReservoirState, n_features: int, held: Held, label: float, weight: float) -> None:
        """Learn a row that was held as one that comes now."""
        n_classes = len(state.decision.fixed)
        self.run(state, n_features, held.rows, np.array([label]), np.array([weight]), n_classes)

    # Rounds

    def due(self, state: ReservoirState) -> int:
        """How many examples must wait for something to be learned from them."""
        if state.kept.held.any():
            return self.n_new
        full = self.size + self.n_new
        return min((n for n in self.warm_ups() if n > state.waiting.held[0]), default=full)

    def warm_ups(self) -> Iterator[int]:
        """The numbers of first examples on which trial ensembles are boosted."""
        n = FIRST_WARM_UP
        while self.warm_up and n < self.size + self.n_new:
            yield n
            n = math.ceil(NEXT_WARM_UP * n)

    def learn(self, state: ReservoirState) -> None:
        """Learn from the examples that wait: by a round of boosting, or before the first one by a trial."""
        new = batch_waiting(state.waiting)
        if not state.kept.held.any() and len(new.labels) < self.size + self.n_new:
            for k in range(len(state.stumps.n_made)):
                self.boost_trial(state, k, new)
            return
        for p in range(len(state.kept.held)):
            self.boost_round(state, p, self.candidates(state, p, new))
        state.waiting.held[0] = 0

    def candidates(self, state: ReservoirState, p: int, new: Batch) -> Batch:
        """The examples of a reservoir and the new ones, less those that are too old."""
        every = batch_kept(state.kept, p).with_more(new)
        young = np.flatnonzero(state.seen[0] - every.born <= self.oldest)
        return every if len(young) == len(every.born) else every.part(young)

    def signs(self, state: ReservoirState, outputs: list[int], labels: Ints) -> Floats:
        """Labels as each output sees them: its class, which for two classes is the second, or another."""
        classes = np.array([1]) if len(state.stumps.n_made) == 1 else np.array(outputs)
        return np.where(labels == classes[:, None], 1.0, -1.0)

    def weighed(self, state: ReservoirState, p: int, batch: Batch) -> tuple[Floats, Candidates]:
        """(margins (K, n), the examples with their weights) for the classes of reservoir p."""
        outputs = self.outputs(state, p)
        signs = self.signs(state, outputs, batch.labels)
        margins = signs * np.stack([scores_of(state.stumps, k, batch.values) for k in outputs])
        faded = batch.weights * self.forgetting ** (state.seen[0] - 1 - batch.born)
        signed = signs * faded * boosting_weights(margins)
        return margins, Candidates(batch.values, batch.order, signs, signed)

    def boost_round(self, state: ReservoirState, p: int, batch: Batch) -> None:
        """Choose what the reservoir keeps, and find the next stump of its classes on that."""
        margins, candidates = self.weighed(state, p, batch)
        chosen = self.choose(candidates, np.random.default_rng([state.seed, int(state.seen[0]), p]))
        kept = batch.part(chosen.kept)
        store(state.kept, p, kept)
        signs, margins = candidates.labels[:, chosen.kept], margins[:, chosen.kept]
        for i, k in enumerate(self.outputs(state, p)):
            self.add_stump(state, k, kept, signs[i], chosen.signed[i], margins[i])

    def outputs(self, state: ReservoirState, p: int) -> list[int]:
        """The outputs that reservoir p serves."""
        return list(range(len(state.stumps.n_made))) if len(state.kept.held) == 1 else [p]

    def choose(self, candidates: Candidates, generator: np.random.Generator) -> Selection:
        """What the strategy keeps; everything where there is room for it."""
        n = candidates.signed.shape[1]
        if n <= self.size:
            return Selection(np.arange(n), candidates.signed)
        return self.strategy.select(candidates, self.size, generator)

    def add_stump(
        self,
        state: ReservoirState,
        k: int,
        batch: Batch,
        signs: Floats,
        signed: Floats,
        margins: Floats,
        constant: bool = False,
    ) -> None:
        """Find the stump of the largest edge, and its step, for output k."""
        feature, threshold, edge = best_stump(batch.values, batch.order, signed, constant)
        turned = 1.0 if edge >= 0.0 else -1.0
        agreement = signs * turned * answers_of(batch.values, feature, threshold)
        step = turned * self.shrinkage * step_by(self.step, agreement, signs * signed, margins)
        keep_stump(state.stumps, k, feature, threshold, step, weakest=self.replace == "weakest")

    def boost_trial(self, state: ReservoirState, k: int, batch: Batch) -> None:
        """Boost an ensemble for output k, in place of the one before, on the little there is."""
        state.stumps.step[k], state.stumps.n_made[k] = 0.0, 0
        signs = self.signs(state, [k], batch.labels)[0]
        for _ in range(min(WARM_UP_STUMPS, self.n_learners)):
            margins = signs * scores_of(state.stumps, k, batch.values)
            signed = signs * batch.weights * boosting_weights(margins)
            self.add_stump(state, k, batch, signs, signed, margins, constant=True)
