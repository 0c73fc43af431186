"""Banks of different kinds side by side, as one bank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from shoal.errors import InputError
from shoal.kernels.compiler import FLAGS, body, compiled, inlined
from shoal.kernels.random import mix
from shoal.kernels.verbs import bank_predict, bank_predict_at, bank_replace, bank_update, bank_update_at
from shoal.types import Flags, Ints, Lesson, Row, Scores, Space, Task

MEMBER = np.uint64(0x537461636B000001)  # keeps the members' seeds apart from others made with the same seed
SEED_BITS = np.uint64(63)  # seeds are signed 64-bit numbers


class StackState(NamedTuple):
    """members: the states of the banks. starts: (n_banks + 1,) where the learners of each begin."""

    members: tuple[Any, ...]
    starts: Ints


@dataclass(frozen=True)
class Stack:
    """Several banks as one; its learners are theirs, in the order given.

    banks: any banks, at least one. A stack with a bank of outside estimators runs as plain Python.
    """

    banks: tuple[Any, ...]

    @property
    def n_learners(self) -> int:
        """Of all banks together."""
        return sum(int(bank.n_learners) for bank in self.banks)

    def init(self, space: Space, task: Task, seed: int) -> StackState:
        """Banks that have seen nothing, each with a seed of its own."""
        if not self.banks:
            raise InputError("banks is empty; expected at least one bank to stack.")
        sizes = [bank.n_learners for bank in self.banks]
        members = tuple(bank.init(space, task, member_seed(seed, b)) for b, bank in enumerate(self.banks))
        return StackState(members, np.cumsum([0, *sizes], dtype=np.int64))

    def grow(self, state: StackState, space: Space) -> StackState:
        """Room for the features of a larger space."""
        grown = (bank.grow(member, space) for bank, member in zip(self.banks, state.members, strict=True))
        return state._replace(members=tuple(grown))

    def widen(self, state: StackState, task: Task) -> StackState:
        """Room for more classes."""
        wider = (bank.widen(member, task) for bank, member in zip(self.banks, state.members, strict=True))
        return state._replace(members=tuple(wider))

    def reserve(self, state: StackState, n_rows: int) -> StackState:
        """Room for so many rows more, in the banks that have to make room."""
        pairs = zip(self.banks, state.members, strict=True)
        roomy = (bank.reserve(member, n_rows) if hasattr(bank, "reserve") else member for bank, member in pairs)
        return state._replace(members=tuple(roomy))

    def settle(self, state: StackState) -> StackState:
        """Without the room that was not needed, in the banks that can give it back."""
        pairs = zip(self.banks, state.members, strict=True)
        settled = (bank.settle(member) if hasattr(bank, "settle") else member for bank, member in pairs)
        return state._replace(members=tuple(settled))

    def merge(self, one: StackState, other: StackState) -> StackState:
        """Both streams' knowledge, where every bank can merge."""
        pairs = zip(self.banks, one.members, other.members, strict=True)
        return one._replace(members=tuple(bank.merge(mine, its) for bank, mine, its in pairs))


@compiled
def _member_seed(seed: int, b: int) -> np.uint64:
    return mix(mix(np.uint64(seed), MEMBER), np.uint64(b)) >> (np.uint64(64) - SEED_BITS)


def member_seed(seed: int, b: int) -> int:
    """The seed of bank b of a stack."""
    return int(_member_seed(seed, b))


# Members differ in type, so compiled code cannot loop over them: each helper below is a loop in Python,
# and in compiled code a function that handles the first member and calls itself on the rest.


def by_recursion(helper: Callable[..., None], one: Callable[..., None], more: Callable[..., None]) -> None:
    """Compile `helper` as `one` where a single member is left, as `more` before."""

    def choose(members: Any, *rest: Any) -> Callable[..., None]:
        return one if len(members) == 1 else more

    overload(helper, strict=False, jit_options=FLAGS)(choose)


def predict_members(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, live: Flags) -> None:
    """Every member votes, into its own rows."""
    for b, member in enumerate(members):
        own = slice(starts[b], starts[b + 1])
        bank_predict(member, row, votes[own], live[own])


def _predict_last(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, live: Flags) -> None:
    bank_predict(members[0], row, votes[starts[0] : starts[1]], live[starts[0] : starts[1]])


def _predict_on(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, live: Flags) -> None:
    bank_predict(members[0], row, votes[starts[0] : starts[1]], live[starts[0] : starts[1]])
    predict_members(members[1:], starts[1:], row, votes, live)


@inlined
def lesson_part(lesson: Lesson, start: int, stop: int) -> Lesson:
    """What is meant for the learners from `start` to before `stop`."""
    own = slice(start, stop)
    return Lesson(lesson.target[own], lesson.weight[own], lesson.offset[own], lesson.step[own], lesson.loss)


def update_members(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every member learns, from its own rows."""
    for b, member in enumerate(members):
        own = slice(starts[b], starts[b + 1])
        bank_update(member, row, votes[own], lesson_part(lesson, starts[b], starts[b + 1]))


def _update_last(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, lesson: Lesson) -> None:
    own = lesson_part(lesson, starts[0], starts[1])
    bank_update(members[0], row, votes[starts[0] : starts[1]], own)


def _update_on(members: tuple[Any, ...], starts: Ints, row: Row, votes: Scores, lesson: Lesson) -> None:
    own = lesson_part(lesson, starts[0], starts[1])
    bank_update(members[0], row, votes[starts[0] : starts[1]], own)
    update_members(members[1:], starts[1:], row, votes, lesson)


def owner(starts: Ints, i: int) -> int:
    """The member to which learner i belongs."""
    return int(np.searchsorted(starts, i, side="right")) - 1


def predict_owner(members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    b = owner(starts, i)
    bank_predict_at(members[b], i - starts[b], row, votes[starts[b] : starts[b + 1]])


def _predict_owner_last(members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores) -> None:
    bank_predict_at(members[0], i - starts[0], row, votes[starts[0] : starts[1]])


def _predict_owner_on(members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores) -> None:
    if i < starts[1]:
        bank_predict_at(members[0], i - starts[0], row, votes[starts[0] : starts[1]])
    else:
        predict_owner(members[1:], starts[1:], i, row, votes)


def update_owner(members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    b = owner(starts, i)
    own = slice(starts[b], starts[b + 1])
    bank_update_at(members[b], i - starts[b], row, votes[own], lesson_part(lesson, starts[b], starts[b + 1]))


def _update_owner_last(
    members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores, lesson: Lesson
) -> None:
    own = lesson_part(lesson, starts[0], starts[1])
    bank_update_at(members[0], i - starts[0], row, votes[starts[0] : starts[1]], own)


def _update_owner_on(
    members: tuple[Any, ...], starts: Ints, i: int, row: Row, votes: Scores, lesson: Lesson
) -> None:
    if i < starts[1]:
        own = lesson_part(lesson, starts[0], starts[1])
        bank_update_at(members[0], i - starts[0], row, votes[starts[0] : starts[1]], own)
    else:
        update_owner(members[1:], starts[1:], i, row, votes, lesson)


def replace_owner(members: tuple[Any, ...], starts: Ints, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    b = owner(starts, i)
    bank_replace(members[b], i - starts[b], seed)


def _replace_owner_last(members: tuple[Any, ...], starts: Ints, i: int, seed: int) -> None:
    bank_replace(members[0], i - starts[0], seed)


def _replace_owner_on(members: tuple[Any, ...], starts: Ints, i: int, seed: int) -> None:
    if i < starts[1]:
        bank_replace(members[0], i - starts[0], seed)
    else:
        replace_owner(members[1:], starts[1:], i, seed)


by_recursion(predict_members, _predict_last, _predict_on)
by_recursion(update_members, _update_last, _update_on)
by_recursion(predict_owner, _predict_owner_last, _predict_owner_on)
by_recursion(update_owner, _update_owner_last, _update_owner_on)
by_recursion(replace_owner, _replace_owner_last, _replace_owner_on)


@body(bank_predict, StackState)
def predict(bank: StackState, row: Row, votes: Scores, live: Flags) -> None:
    """Every learner of every bank votes."""
    predict_members(bank.members, bank.starts, row, votes, live)


@body(bank_update, StackState)
def update(bank: StackState, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Every learner of every bank learns."""
    update_members(bank.members, bank.starts, row, votes, lesson)


@body(bank_predict_at, StackState)
def predict_at(bank: StackState, i: int, row: Row, votes: Scores) -> None:
    """Learner i votes."""
    predict_owner(bank.members, bank.starts, i, row, votes)


@body(bank_update_at, StackState)
def update_at(bank: StackState, i: int, row: Row, votes: Scores, lesson: Lesson) -> None:
    """Learner i learns."""
    update_owner(bank.members, bank.starts, i, row, votes, lesson)


@body(bank_replace, StackState)
def replace(bank: StackState, i: int, seed: int) -> None:
    """A fresh learner in place of i."""
    replace_owner(bank.members, bank.starts, i, seed)
