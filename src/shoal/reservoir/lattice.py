"""GEEM's lattice rule: the stump to be picked is the best of many drawn at random (specification D.5).

Draw S vectors of stump answers on the candidates. For every set of kept examples the one with the largest
edge on them stands for the stump that boosting will pick, so the objective is

    J(B) = max over s with the largest <h_s, c>_B of <h_s, c~>_B

and each removal is chosen for it, with all sums kept up: O(S) an example and step.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiler import compiled
from shoal.reservoir.geem import Removal, corrected, removal, sweep
from shoal.reservoir.orders import Order
from shoal.reservoir.stumps import between
from shoal.types import Floats, Ints

LATTICES = ("stump", "sign-gauss", "gibbs")
GIBBS_SWEEPS = 20  # over all examples, before the first draw and between draws a tenth of it
SWEEPS_BETWEEN = 2


def draws(
    rule: str, n_draws: int, values: Floats, order: Order, covariance: Floats, generator: np.random.Generator
) -> Floats:
    """(n_draws, n) vectors of signs: of real stumps, of normal draws, or of the lattice's own law."""
    n = len(covariance)
    if rule == "stump":
        return stump_answers(values, order, n_draws, generator)
    if rule == "sign-gauss":
        normal = generator.standard_normal((n_draws, n)) @ np.linalg.cholesky(covariance).T
        return np.where(normal >= 0.0, 1.0, -1.0)
    precision = removal(covariance, 0).inverse
    n_sweeps = GIBBS_SWEEPS + SWEEPS_BETWEEN * n_draws
    first = np.where(generator.random(n) < 0.5, -1.0, 1.0)
    return gibbs(precision, first, generator.random((n_sweeps, n)), n_draws)


def stump_answers(values: Floats, order: Order, n_draws: int, generator: np.random.Generator) -> Floats:
    """Answers of stumps drawn alike from all that tell the examples apart."""
    n = order.shape[1]
    ordered = np.take_along_axis(values, order, axis=1)
    where = np.flatnonzero(ordered[:, 1:] > ordered[:, :-1])
    answers = np.ones((n_draws, n))
    if len(where):
        for s, place in enumerate(generator.choice(where, n_draws)):
            j, k = divmod(int(place), n - 1)
            theta = between(float(ordered[j, k]), float(ordered[j, k + 1]))
            answers[s] = np.where(values[j] >= theta, 1.0, -1.0)
    return np.asarray(answers * generator.choice([-1.0, 1.0], (n_draws, 1)))


@compiled
def gibbs(precision: Floats, signs: Floats, uniform: Floats, n_draws: int) -> Floats:
    """Draws of exp(-e' P e / 2) on the lattice, one sign after the other given the others."""
    n = len(signs)
    answers = np.empty((n_draws, n))
    for turn in range(len(uniform)):
        for i in range(n):
            pull = 0.0
            for k in range(n):
                pull += precision[i, k] * signs[k]
            pull -= precision[i, i] * signs[i]
            signs[i] = 1.0 if uniform[turn, i] * (1.0 + np.exp(2.0 * pull)) < 1.0 else -1.0
        drawn = (turn + 1 - len(uniform)) + SWEEPS_BETWEEN * n_draws
        if drawn > 0 and drawn % SWEEPS_BETWEEN == 0:
            answers[drawn // SWEEPS_BETWEEN - 1] = signs
    return answers


@compiled
def remove_by_lattice(work: Removal, answers: Floats, vectors: Floats, weights: Floats) -> int:
    """As `geem.remove`. vectors: (S + K, n) the rows P h_s, then the signed weights of every class."""
    n_draws, n = answers.shape
    n_classes = vectors.shape[0] - n_draws
    v, signed = vectors[:n_draws], vectors[n_draws:]
    first = signed.copy()
    on_kept = answers @ first.T  # <h_s, c> over the examples kept
    expected = on_kept.copy()  # <h_s, c~>
    for step in range(len(work.columns)):
        chosen, most = -1, -np.inf
        for j in range(n):
            if work.kept[j]:
                objective = 0.0
                for k in range(n_classes):
                    best, top = 0, -np.inf
                    for s in range(n_draws):
                        kept_edge = on_kept[s, k] - answers[s, j] * first[k, j]
                        if kept_edge > top:
                            best, top = s, kept_edge
                    objective += expected[best, k] - v[best, j] * signed[k, j] / work.diagonal[j]
                if chosen < 0 or objective > most or (objective == most and weights[j] < weights[chosen]):
                    chosen, most = j, objective
        before, taken = v[:, chosen].copy(), signed[:, chosen].copy()
        if not sweep(work, step, chosen, vectors):
            return step
        pivot = work.columns[step, chosen] ** 2
        for s in range(n_draws):
            for k in range(n_classes):
                on_kept[s, k] -= answers[s, chosen] * first[k, chosen]
                expected[s, k] -= before[s] * taken[k] / pivot
    return len(work.columns)


def choose_by_lattice(covariance: Floats, answers: Floats, signed: Floats, n_kept: int) -> tuple[Ints, Floats]:
    """As `geem.choose`, with (S, n) answers drawn for all classes."""
    weights = np.abs(signed).sum(axis=0)
    work = removal(covariance, len(covariance) - n_kept)
    vectors = np.concatenate([answers @ work.inverse, signed])
    n_removed = remove_by_lattice(work, answers, vectors, weights)
    left = np.flatnonzero(work.kept)
    if n_removed < len(work.columns):  # P is worn out: the lightest of the rest go
        left = np.sort(left[np.argsort(-weights[left], kind="stable")[:n_kept]])
    return left, corrected(covariance, signed, left)
