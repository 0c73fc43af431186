"""Where the three parts meet: predict all, combine, decide; then the rule learns, and all are taught.

`learn_rows` is the only loop over examples in the library. Compiled, it serves every combination of
bank, booster and rule; as plain Python, combinations with parts that hold Python objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from shoal.boosters.independent import Independent
from shoal.decision import Decision
from shoal.drift import DriftDetector, NoDrift
from shoal.errors import InputError
from shoal.hearing import hear
from shoal.kernels.compiler import compiled, inlined, runs_in_python
from shoal.kernels.verbs import (
    bank_predict,
    booster_read,
    booster_teach,
    decision_answer,
    decision_count,
    decision_hear,
    decision_learn,
    drift_react,
    drift_watch,
    rule_combine,
    rule_learn,
)
from shoal.rules.uniform import Uniform
from shoal.scaling import Scaling, ScalingState, scale_row, scaling_update
from shoal.types import Floats, Ints, Lesson, Room, Row, Rows, Space, Task


class Bank(Protocol):
    """N weak learners. The verbs' bodies are found by the type of the state."""

    @property
    def n_learners(self) -> int:
        """How many."""
        ...

    def init(self, space: Space, task: Task, seed: int) -> Any:
        """Learners that have seen nothing."""
        ...

    def grow(self, state: Any, space: Space) -> Any:
        """The same learners, with room for the features of a larger space."""
        ...

    def widen(self, state: Any, task: Task) -> Any:
        """The same learners, for more classes."""
        ...


class Part(Protocol):
    """A booster or a rule, over the learners or over the members that the booster makes of them."""

    def init(self, n: int, task: Task, seed: int) -> Any:
        """A state that has seen nothing; a booster's has `n_members`."""
        ...

    def widen(self, state: Any, task: Task) -> Any:
        """The same state, for more classes."""
        ...


class Rule(Part, Protocol):
    """A part that can tell how much each member counts."""

    def weights(self, state: Any) -> Floats:
        """How much each member counts, in any unit, (n_members,)."""
        ...


class Answering(Protocol):
    """How scores become answers: classes (`shoal.decision`) or numbers (`shoal.regression`)."""

    def init(self, task: Task) -> Any:
        """Before any example."""
        ...

    def widen(self, state: Any, task: Task) -> Any:
        """Room for more classes."""
        ...

    def n_outputs(self, state: Any) -> int:
        """How many numbers a score has."""
        ...

    def blank_answers(self, n_rows: int, width: int) -> tuple[Any, Floats]:
        """Room for answers, and for the probabilities of so many classes."""
        ...

    def blank_lesson(self, n_learners: int, n_outputs: int) -> Lesson:
        """Room for a lesson."""
        ...


class Habits(NamedTuple):
    """How the parts work together. pretrain: examples that only the learners see; then, if `freeze`, no more."""

    pretrain: int
    freeze: bool


class EnsembleState(NamedTuple):
    """Everything that an ensemble remembers."""

    habits: Habits
    bank: Any
    booster: Any
    rule: Any
    scaling: ScalingState
    decision: Any
    seen: Ints  # (1,) examples learned
    drift: Any


@dataclass(frozen=True)
class Ensemble:
    """A bank, a booster and a rule.

    vote: "soft" hands votes in [-1, 1] to booster and rule, "hard" their signs.
    pretrain: the number of first examples that only the learners learn from.
    freeze: whether the learners stop learning after those.
    drift: what watches for changes of the stream and replaces learners; None for nothing.
    """

    bank: Bank
    booster: Part = field(default_factory=Independent)
    rule: Rule = field(default_factory=Uniform)
    scaling: Scaling = field(default_factory=Scaling)
    decision: Answering = field(default_factory=Decision)
    vote: str = "soft"
    pretrain: int = 0
    freeze: bool = False
    drift: DriftDetector | None = None

    def init(self, space: Space, task: Task, seed: int) -> EnsembleState:
        """An ensemble that has seen nothing."""
        if self.vote not in ("soft", "hard"):
            raise InputError(f"vote is {self.vote!r}; expected 'soft' or 'hard'.")
        booster = self.booster.init(self.bank.n_learners, task, seed)
        return EnsembleState(
            Habits(self.pretrain, self.freeze),
            self.bank.init(space, task, seed),
            booster,
            self.rule.init(booster.n_members, task, seed),
            self.scaling.init(space.capacity),
            self.decision.init(task),
            np.zeros(1, dtype=np.int64),
            NoDrift(True) if self.drift is None else self.drift.init(self.bank.n_learners, seed),
        )

    def grow(self, state: EnsembleState, space: Space) -> EnsembleState:
        """Room for the features of a larger space."""
        scaling = self.scaling.grow(state.scaling, space.capacity)
        return state._replace(bank=self.bank.grow(state.bank, space), scaling=scaling)

    def widen(self, state: EnsembleState, task: Task) -> EnsembleState:
        """Room for more classes."""
        return state._replace(
            bank=self.bank.widen(state.bank, task),
            booster=self.booster.widen(state.booster, task),
            rule=self.rule.widen(state.rule, task),
            decision=self.decision.widen(state.decision, task),
        )

    def reserve(self, state: EnsembleState, n_rows: int) -> EnsembleState:
        """Room for so many examples more, for parts that remember each."""
        to_pretrain = max(0, self.pretrain - int(state.seen[0]))
        for name, part, n in (("bank", self.bank, n_rows), ("rule", self.rule, n_rows - to_pretrain)):
            if hasattr(part, "reserve"):
                state = state._replace(**{name: part.reserve(getattr(state, name), max(0, n))})
        return state

    def settle(self, state: EnsembleState) -> EnsembleState:
        """The same state without the room that was reserved and not needed, so that nothing in it depends on
        how rows were cut into chunks.
        """
        settle = getattr(self.bank, "settle", None)
        return state if settle is None else state._replace(bank=settle(state.bank))

    def run(
        self,
        state: EnsembleState,
        n_features: int,
        rows: Rows,
        labels: Floats,
        weights: Floats,
        n_classes: int = 0,
    ) -> tuple[Any, Floats]:
        """(class or number answered, probabilities) of every row, each answered before it is learned.

        labels: (n_rows,) positions of classes, or (n_rows, n_outputs) targets. A row whose label is NaN, or
        whose weight is 0, is answered and changes nothing.
        """
        width = n_classes or self.decision.n_outputs(state.decision)
        predicted, proba = self.decision.blank_answers(rows.n_rows, width)
        missing = np.isnan(labels) if labels.ndim == 1 else np.isnan(labels).any(axis=1)
        weights = np.where(missing, 0.0, weights)
        loop = learn_rows if runs_in_python(state) else _learn_rows
        room = self.room(state, self.scaling.most_inputs(state.scaling, n_features, rows))
        loop(state, room, n_features, rows, labels, weights, predicted, proba)
        return predicted, proba

    def hold(self, state: EnsembleState, n_features: int, rows: Rows) -> Held:
        """Answer one row whose label will come later, keeping what is needed to be honest then."""
        room = self.room(state, self.scaling.most_inputs(state.scaling, n_features, rows))
        hold = answer_first_row if runs_in_python(state) else _answer_first_row
        hold(state, room, n_features, rows)
        return Held(rows, room, int(state.seen[0]))

    def learn_late(self, state: EnsembleState, n_features: int, held: Held, label: Any, weight: float) -> None:
        """Learn from a label that has come: the rule from the votes cast then, the learners from now."""
        room = self.room(state, self.scaling.most_inputs(state.scaling, n_features, held.rows))
        age = float(state.seen[0] - held.seen)
        learn = learn_held if runs_in_python(state) else _learn_held
        labels = np.array([label], dtype=np.float64)
        learn(state, held.room, room, n_features, held.rows, labels, weight, age)

    def shares(self, state: EnsembleState) -> Floats:
        """How much each learner counts in the answer, by rule and booster, in any unit."""
        shares = self.rule.weights(state.rule)
        if getattr(self.rule, "over_parts", False) and hasattr(self.booster, "weights"):
            shares = shares * self.booster.weights(state.booster)
        if hasattr(self.booster, "spread"):
            shares = self.booster.spread(state.booster, shares)
        return np.asarray(shares)

    def room(self, state: EnsembleState, n_inputs: int) -> Room:
        """Room for one example of at most so many inputs."""
        n_outputs = self.decision.n_outputs(state.decision)
        n_learners, n_members = self.bank.n_learners, state.booster.n_members
        return Room(
            self.vote == "hard",
            np.zeros(n_inputs, dtype=np.int32),
            np.zeros(n_inputs),
            np.zeros((n_learners, n_outputs)),
            np.zeros((n_learners, n_outputs)),
            np.ones(n_learners, dtype=np.bool_),
            np.zeros((n_members, n_outputs)),
            np.zeros((n_members, n_outputs)),
            np.ones(n_members, dtype=np.bool_),
            np.zeros(n_outputs),
            self.decision.blank_lesson(n_learners, n_outputs),
            np.zeros(n_outputs),
        )


class Held(NamedTuple):
    """An example that waits for its label: its row, the votes cast on it, and how much was learned by then."""

    rows: Rows
    room: Room
    seen: int


@inlined
def answer_row(state: EnsembleState, row: Row, room: Room) -> None:
    """All learners vote, the rule makes one score of it."""
    bank_predict(state.bank, row, room.votes, room.live)
    hear(room.votes, room.hard, room.heard)
    booster_read(state.booster, room.heard, room.live, room.members, room.present, room.parts)
    rule_combine(state.rule, room.members, room.parts, room.present, room.score)


@inlined
def scaled(state: EnsembleState, room: Room, n_features: int, rows: Rows, t: int) -> Row:
    """Row t as learners see it."""
    start, stop = rows.indptr[t], rows.indptr[t + 1]
    indices, values = rows.indices[start:stop], rows.values[start:stop]
    n = scale_row(state.scaling, n_features, indices, values, room.input_indices, room.inputs)
    return Row(indices, values, room.input_indices[:n], room.inputs[:n])


@inlined
def learn_score(state: EnsembleState, room: Room, y: float, weight: float, counted: float, age: float) -> None:
    """Decision and rule learn from the votes in the room, unless only the learners learn as yet."""
    if state.seen[0] >= state.habits.pretrain:
        decision_learn(state.decision, room, y, weight, counted)
        rule_learn(state.rule, room, y, counted, age)
        drift_watch(state.drift, room, y)


@inlined
def teach(state: EnsembleState, row: Row, room: Room, y: float, counted: float) -> None:
    """The learners and the scaling learn, unless they are frozen."""
    if state.seen[0] < state.habits.pretrain or not state.habits.freeze:
        booster_teach(state.booster, state.bank, row, room, y, counted)
        scaling_update(state.scaling, row)
        drift_react(state.drift, state.bank, state.booster, state.rule)
    state.seen[0] += 1


def learn_rows(
    state: EnsembleState,
    room: Room,
    n_features: int,
    rows: Rows,
    labels: Floats,
    weights: Floats,
    predicted: Any,
    proba: Floats,
) -> None:
    """Answer each row, then learn it."""
    for t in range(len(rows.indptr) - 1):
        row = scaled(state, room, n_features, rows, t)
        answer_row(state, row, room)
        decision_answer(state.decision, room.score, predicted, proba, t)
        if weights[t] > 0.0:
            y = decision_hear(state.decision, room, labels, t)
            counted = decision_count(state.decision, y, weights[t])
            learn_score(state, room, y, weights[t], counted, 0.0)
            teach(state, row, room, y, counted)


def answer_first_row(state: EnsembleState, room: Room, n_features: int, rows: Rows) -> None:
    """Leave in the room the votes on the one row."""
    answer_row(state, scaled(state, room, n_features, rows, 0), room)


def learn_held(
    state: EnsembleState,
    then: Room,
    room: Room,
    n_features: int,
    rows: Rows,
    labels: Floats,
    weight: float,
    age: float,
) -> None:
    """Learn the one row: score and losses from the votes cast then, the lesson from what learners say now."""
    y = decision_hear(state.decision, room, labels, 0)
    for c in range(len(then.target)):  # copying a whole array would ask for room
        then.target[c] = room.target[c]
    counted = decision_count(state.decision, y, weight)
    learn_score(state, then, y, weight, counted, age)
    row = scaled(state, room, n_features, rows, 0)
    answer_row(state, row, room)
    teach(state, row, room, y, counted)


_learn_rows = compiled(learn_rows, allocates=False)
_answer_first_row = compiled(answer_first_row, allocates=False)
_learn_held = compiled(learn_held, allocates=False)
