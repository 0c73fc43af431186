"""Which examples a reservoir keeps, and with what weights the next stump is searched (specification D.2).

A strategy is given the candidates with their signed weights c = y w, a row for each class, and answers
which to keep and the signed weights for the stump search. Where several classes share a reservoir, Max and
WSam go by the sum of an example's weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from shoal.errors import InputError
from shoal.reservoir.covariance import some_of, stump_covariance, varying
from shoal.reservoir.geem import choose, with_ridge
from shoal.reservoir.lattice import LATTICES, choose_by_lattice, draws
from shoal.reservoir.orders import TIES, Order, ranks_of
from shoal.reservoir.swaps import swap
from shoal.types import Floats, Ints

EDGES = ("ones", *LATTICES)
RIDGE = 0.3  # stumps that boosting picks are not drawn at random: see experiments/lefakis


class Candidates(NamedTuple):
    """Examples to choose among."""

    values: Floats  # (d, n)
    order: Order  # (d, n)
    labels: Floats  # (K, n) +1 or -1
    signed: Floats  # (K, n) label times weight

    @property
    def weights(self) -> Floats:
        """(n,) of all classes together."""
        return np.asarray(np.abs(self.signed).sum(axis=0))


class Selection(NamedTuple):
    """The examples kept, rising, and their signed weights (K, n_kept)."""

    kept: Ints
    signed: Floats


class Strategy(Protocol):
    """How to choose."""

    def check(self) -> None:
        """Refuse settings that have no meaning."""
        ...

    def select(self, candidates: Candidates, n_kept: int, generator: np.random.Generator) -> Selection:
        """Choose so many."""
        ...


def largest(keys: Floats, n: int, candidates: Candidates) -> Selection:
    """The candidates with the largest keys, their weights as they are."""
    kept = np.sort(np.argsort(-keys, kind="stable")[:n])
    return Selection(kept, candidates.signed[:, kept])


@dataclass(frozen=True)
class Max:
    """Keep the heaviest; ties at random."""

    def check(self) -> None:
        """Nothing to set."""

    def select(self, candidates: Candidates, n_kept: int, generator: np.random.Generator) -> Selection:
        """The largest weights."""
        shuffled = generator.permutation(len(candidates.weights))
        heaviest = shuffled[np.argsort(-candidates.weights[shuffled], kind="stable")[:n_kept]]
        kept = np.sort(heaviest)
        return Selection(kept, candidates.signed[:, kept])


@dataclass(frozen=True)
class Rand:
    """Keep any, all alike, without replacement."""

    def check(self) -> None:
        """Nothing to set."""

    def select(self, candidates: Candidates, n_kept: int, generator: np.random.Generator) -> Selection:
        """The largest of uniform numbers."""
        return largest(generator.random(len(candidates.weights)), n_kept, candidates)


@dataclass(frozen=True)
class WSam:
    """Draw one after the other without replacement, in proportion to weight.

    uniform: search the stump with equal weights, since weight has decided the drawing already.
    """

    uniform: bool = False

    def check(self) -> None:
        """Any truth value will do."""

    def select(self, candidates: Candidates, n_kept: int, generator: np.random.Generator) -> Selection:
        """The largest of log weight plus Gumbel noise, which is the same law."""
        with np.errstate(divide="ignore"):
            keys = np.log(candidates.weights) + generator.gumbel(size=len(candidates.weights))
        chosen = largest(keys, n_kept, candidates)
        return chosen._replace(signed=np.sign(chosen.signed)) if self.uniform else chosen


@dataclass(frozen=True)
class GEEM:
    """Discard those whose loss the others make up for best.

    ridge: added to the covariance's diagonal, as a share of it: how far the stumps to come are trusted to be
        like random ones. The literal method has the least that an inverse needs, 1e-6; without end it is Max.
    ties: "dense" gives equal values of a feature one rank, "position" ranks them as they stand.
    features: estimate the covariance from so many random features (but no fewer than examples); None: all.
    edges: the stump expected to be picked: "ones", always right; or the best of `n_draws` of a lattice,
        "stump", "sign-gauss" or "gibbs".
    swaps: exchanges tried after the removals, each dear; 0 as in the paper.
    """

    ridge: float = RIDGE
    ties: str = "dense"
    features: int | None = None
    edges: str = "ones"
    n_draws: int = 100
    swaps: int = 0

    def check(self) -> None:
        """Refuse settings that have no meaning."""
        for name, known in (("ties", TIES), ("edges", EDGES)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(known)}.")
        if not self.ridge > 0.0:
            raise InputError(f"ridge is {self.ridge!r}; expected a small number above 0, such as 1e-6.")
        if self.features is not None and self.features < 1:
            raise InputError(f"features is {self.features!r}; expected None or a whole number, 1 or more.")
        if self.n_draws < 1 or self.swaps < 0:
            raise InputError(f"n_draws is {self.n_draws!r}, swaps {self.swaps!r}; expected at least 1 and 0.")

    def select(self, candidates: Candidates, n_kept: int, generator: np.random.Generator) -> Selection:
        """The greedy choice, with its corrected weights."""
        if len(candidates.weights) <= n_kept:
            return Selection(np.arange(len(candidates.weights)), candidates.signed)
        covariance = self.covariance(candidates, generator)
        if self.edges == "ones":
            kept, signed = choose(covariance, candidates.labels, candidates.signed, n_kept)
        else:
            args = (self.edges, self.n_draws, candidates.values, candidates.order, covariance, generator)
            kept, signed = choose_by_lattice(covariance, draws(*args), candidates.signed, n_kept)
        if self.swaps:
            kept, signed = swap(covariance, candidates.labels, candidates.signed, kept, self.swaps)
        return Selection(kept, signed)

    def covariance(self, candidates: Candidates, generator: np.random.Generator) -> Floats:
        """Sigma_h of the candidates, ready to be inverted."""
        dense = self.ties == "dense"
        features = varying(candidates.values, candidates.order) if dense else np.arange(len(candidates.values))
        features = some_of(features, self.features, len(candidates.weights), generator)
        ranks = ranks_of(candidates.values, candidates.order, features, dense)
        return with_ridge(stump_covariance(ranks), self.ridge)


STRATEGIES: dict[str, Callable[[], Strategy]] = {"geem": GEEM, "max": Max, "rand": Rand, "wsam": WSam}


def strategy_named(name: str) -> Strategy:
    """The strategy of that name, with its defaults."""
    if name not in STRATEGIES:
        raise InputError(f"strategy is {name!r}; expected one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]()
