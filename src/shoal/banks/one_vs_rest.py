"""A learner of two classes for every class: any bank, made to learn each output apart from the others.

Learners that know K classes by themselves have one lesson per example. Boosters whose lessons differ
from output to output need K two-class learners in their place: N * K learners of the inner bank, of which
number i * K + c is learner i's for class c. For two classes this is the inner bank itself.

More classes come as further groups of learners: their number at most doubles, so that many classes
arriving one by one make few groups; those of classes still to come are given lessons of weight 0. The
learners of two classes, when more arrive, serve both: class 0 hears the opposite of their copy's votes
and teaches it the opposite.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import literal_unroll

from shoal.banks.stack import Stack, member_seed
from shoal.errors import InputError
from shoal.kernels.compiler import body, inlined
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Ints, Keys, Lesson, Row, Scores, Space, Task

BINARY = Task("classification", 1)


class Group(NamedTuple):
    """Some outputs and the inner bank that learns them."""

    bank: Any  # N * len(outputs) two-class learners
    outputs: Ints  # may run beyond the outputs there are, for classes to come
    sign: float  # -1 where the bank learns the opposite


class Known(NamedTuple):
    """The features known, so that learners for further classes can be made."""

    keys: Keys
    columns: Keys
    nominal: Flags
    open: bool


class OneVsRestState(NamedTuple):
    """Every output belongs to one group."""

    groups: tuple[Group, ...]
    known: Known
    seed: int


@dataclass(frozen=True)
class OneVsRest:
    """A bank of two-class learners, one for each class, made of any bank.

    bank: the inner bank, with the number of learners that the whole shall have.
    """

    bank: Any

    @property
    def n_learners(self) -> int:
        """As many as the inner bank has for two classes."""
        return int(self.bank.n_learners)

    def check(self) -> None:
        """Refuse a bank that cannot be made larger."""
        if not is_dataclass(self.bank) or "n_learners" not in {field.name for field in fields(self.bank)}:
            raise InputError(
                f"{type(self.bank).__name__} has a fixed number of learners, so it cannot have a learner for "
                "each class; expected a bank with a parameter n_learners."
            )

    def inner(self, n_outputs: int) -> Any:
        """The bank of a group of that many outputs."""
        return replace(self.bank, n_learners=self.n_learners * n_outputs)

    def group(self, first: int, stop: int, space: Space, seed: int) -> Group:
        """Learners for outputs [first, stop) that have seen nothing."""
        bank = self.inner(stop - first).init(space, BINARY, seed if first == 0 else member_seed(seed, first))
        return Group(bank, np.arange(first, stop, dtype=np.int64), 1.0)

    def init(self, space: Space, task: Task, seed: int) -> OneVsRestState:
        """Learners that have seen nothing."""
        self.check()
        return OneVsRestState((self.group(0, task.n_outputs, space, seed),), known_of(space), seed)

    def grow(self, state: OneVsRestState, space: Space) -> OneVsRestState:
        """Room for the features of a larger space."""
        groups = (g._replace(bank=self.inner(len(g.outputs)).grow(g.bank, space)) for g in state.groups)
        return state._replace(groups=tuple(groups), known=known_of(space))

    def reserve(self, state: OneVsRestState, n_rows: int) -> OneVsRestState:
        """Room for so many rows more, in banks that have to make room."""
        if not hasattr(self.bank, "reserve"):
            return state
        groups = (g._replace(bank=self.inner(len(g.outputs)).reserve(g.bank, n_rows)) for g in state.groups)
        return state._replace(groups=tuple(groups))

    def settle(self, state: OneVsRestState) -> OneVsRestState:
        """Without the room that was not needed, in banks that can give it back."""
        if not hasattr(self.bank, "settle"):
            return state
        groups = (g._replace(bank=self.inner(len(g.outputs)).settle(g.bank)) for g in state.groups)
        return state._replace(groups=tuple(groups))

    def widen(self, state: OneVsRestState, task: Task) -> OneVsRestState:
        """Room for more classes: those known go on as they are."""
        groups = list(state.groups)
        covered = sum(len(g.outputs) for g in groups)
        if covered == 1 and task.n_outputs > 1:
            groups = mirrored(groups[0])
            covered = 2
        while covered < task.n_outputs:
            groups.append(self.group(covered, 2 * covered, Space(*state.known), state.seed))
            covered *= 2
        return state._replace(groups=tuple(groups))


def known_of(space: Space) -> Known:
    """What a space says of its features."""
    return Known(space.keys, space.columns, space.nominal, space.open)


def mirrored(group: Group) -> list[Group]:
    """The learners of two classes as those of class 0, with the opposite sign, and of class 1."""
    zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    return [Group(copy.deepcopy(group.bank), zero, -1.0), group._replace(outputs=one)]


def one_vs_rest(bank: Any) -> Any:
    """The bank with a two-class learner for each class; of banks side by side, each by itself."""
    if isinstance(bank, Stack):
        return Stack(tuple(one_vs_rest(member) for member in bank.banks))
    return OneVsRest(bank)


@inlined
def inner_votes(group: Group, votes: Scores, first: int, last: int) -> Scores:
    """The votes of learners [first, last) as the group's bank cast them; other rows mean nothing."""
    width = len(group.outputs)
    inner = np.empty((votes.shape[0] * width, 1))
    for i in range(first, last):
        for k in range(width):
            c = group.outputs[k]
            inner[i * width + k, 0] = group.sign * votes[i, c] if c < votes.shape[1] else 0.0
    return inner


@inlined
def inner_lesson(group: Group, lesson: Lesson, first: int, last: int) -> Lesson:
    """Their lessons for the group's bank; of weight 0 for classes to come."""
    n, n_outputs = lesson.target.shape
    width = len(group.outputs)
    shape = (n * width, 1)
    inner = Lesson(np.empty(shape), np.empty(shape), lesson.offset, lesson.step, lesson.loss)
    for i in range(first, last):
        for k in range(width):
            c = group.outputs[k]
            inner.target[i * width + k, 0] = group.sign * lesson.target[i, c] if c < n_outputs else -1.0
            inner.weight[i * width + k, 0] = lesson.weight[i, c] if c < n_outputs else 0.0
    return inner


# Groups may differ in type, so compiled code unrolls the loops over them; each has to stand alone.


@inlined
def predict_groups(groups: tuple[Group, ...], row: Row, votes: Scores, live: Flags) -> None:
    """All vote, each for its outputs."""
    for group in literal_unroll(groups):
        width = len(group.outputs)
        inner = np.zeros((votes.shape[0] * width, 1))
        alive = np.ones(votes.shape[0] * width, dtype=np.bool_)
        bank_predict(group.bank, row, inner, alive)
        for k in range(width):
            c = group.outputs[k]
            if c < votes.shape[1]:
                for i in range(votes.shape[0]):
                    votes[i, c] = group.sign * inner[i * width + k, 0]
                    live[i] = live[i] and alive[i * width + k]


@inlined
def predict_groups_at(groups: tuple[Group, ...], i: int, row: Row, votes: Scores) -> None:
    """Learner i's part in every group votes."""
    for group in literal_unroll(groups):
        width = len(group.outputs)
        inner = np.empty((votes.shape[0] * width, 1))
        for k in range(width):
            c = group.outputs[k]
            if c < votes.shape[1]:
                bank_predict_at(group.bank, i * width + k, row, inner)
                votes[i, c] = group.sign * inner[i * width + k, 0]


@inlined
def update_groups(groups: tuple[Group, ...], row: Row, votes: Scores, lesson: Lesson) -> None:
    """All learn."""
    for group in literal_unroll(groups):
        inner = inner_votes(group, votes, 0, votes.shape[0])
        bank_update(group.bank, row, inner, inner_lesson(group, lesson, 0, votes.shape[0]))


@inlined
def update_groups_at(groups: tuple[Group, ...], i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i's part in every group learns."""
    for group in literal_unroll(groups):
        width = len(group.outputs)
        inner, lessons = inner_votes(group, votes, i, i + 1), inner_lesson(group, lesson, i, i + 1)
        for k in range(width):
            bank_update_at(group.bank, i * width + k, row, inner, lessons)


@inlined
def replace_in_groups(groups: tuple[Group, ...], i: int, seed: int) -> None:
    """Fresh learners in place of learner i's part in every group."""
    for group in literal_unroll(groups):
        width = len(group.outputs)
        for k in range(width):
            bank_replace(group.bank, i * width + k, seed)


@body(bank_predict, OneVsRestState)
def predict(bank: OneVsRestState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner votes; it abstains where its part for any class does."""
    live[:] = True
    predict_groups(bank.groups, row, votes, live)


@body(bank_predict_at, OneVsRestState)
def predict_at(bank: OneVsRestState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    predict_groups_at(bank.groups, i, row, votes)


@body(bank_update, OneVsRestState)
def update(bank: OneVsRestState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner learns."""
    update_groups(bank.groups, row, votes, lesson)


@body(bank_update_at, OneVsRestState)
def update_at(bank: OneVsRestState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    update_groups_at(bank.groups, i, row, votes, lesson)


@body(bank_replace, OneVsRestState)
def replace_learner(bank: OneVsRestState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    replace_in_groups(bank.groups, i, seed)
