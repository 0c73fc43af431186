"""Random votes, and the same votes played to a rule and to its reference twin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tests.reference.interfaces import ReferenceRule, answers, winner

from shoal.kernels.verbs import rule_combine, rule_update
from shoal.types import Task


class Step(NamedTuple):
    """One example: the members' votes (N, C), who votes, the class, its weight, how late its label is."""

    votes: Any
    present: Any
    y: int
    weight: float
    age: int


def votes_of(
    n_examples: int,
    n_members: int = 5,
    n_outputs: int = 1,
    seed: int = 0,
    hard: bool = False,
    awake: float = 1.0,
    weighted: bool = False,
    late: bool = False,
) -> list[Step]:
    """Members that are right more often than not, each with its own skill."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.1, 1.0, n_members)[:, None]
    steps = []
    for _ in range(n_examples):
        y = int(rng.integers(max(2, n_outputs)))
        truth = np.full(n_outputs, -1.0)
        truth[y if n_outputs > 1 else 0] = 1.0 if n_outputs > 1 or y == 1 else -1.0
        votes = np.clip(skill * truth * 0.5 + rng.normal(0.0, 0.5, (n_members, n_outputs)), -1.0, 1.0)
        if hard:
            votes = np.where(votes >= 0.0, 1.0, -1.0)
        present = rng.random(n_members) < awake
        weight = float(rng.choice([0.5, 1.0, 3.0])) if weighted else 1.0
        steps.append(Step(votes, present, y, weight, int(rng.integers(4)) if late else 0))
    return steps


def score(state: Any, step: Step) -> Any:
    """What the rule says of one example."""
    out = np.zeros(step.votes.shape[1])
    rule_combine(state, step.votes, np.zeros_like(step.votes), step.present, out)
    return out


def learn(state: Any, step: Step) -> None:
    """The label of one example arrives."""
    parts = np.zeros_like(step.votes)
    rule_update(state, step.votes, parts, step.present, float(step.y), step.weight, float(step.age))


def started(rule: Any, steps: list[Step], seed: int = 0) -> Any:
    """The rule's state before any of the steps."""
    n_members, n_outputs = steps[0].votes.shape
    return rule.init(n_members, Task("classification", n_outputs), seed)


def played(rule: Any, steps: list[Step], seed: int = 0) -> tuple[Any, Any]:
    """The state after all steps, and the scores given before each."""
    state = started(rule, steps, seed)
    if hasattr(rule, "reserve"):
        state = rule.reserve(state, len(steps))
    scores = []
    for step in steps:
        scores.append(score(state, step))
        learn(state, step)
    return state, np.array(scores)


def played_to_reference(rule: ReferenceRule, steps: list[Step]) -> Any:
    """The scores that the twin gives before each step."""
    scores = []
    for step in steps:
        votes, present = step.votes.tolist(), step.present.tolist()
        scores.append(rule.combine(votes, [], present))
        y = float(step.y) if step.votes.shape[1] > 1 else 2.0 * step.y - 1.0
        rule.update(votes, [], present, y, step.weight, step.age)
    return np.array(scores)


def same_answers(mine: Any, twins: Any) -> None:
    """Assert that both say the same class at every step; a score of 0 up to rounding may be either."""
    assert len(mine) == len(twins)
    for m, t in zip(mine, twins, strict=True):
        clear = abs(t[0]) > 1e-9 if len(t) == 1 else np.diff(np.sort(t))[-1] > 1e-9
        if not clear:
            continue
        if len(t) == 1:
            assert answers(list(m), 1.0) == answers(list(t), 1.0)
        else:
            assert winner(list(m)) == winner(list(t))
