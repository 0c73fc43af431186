"""What a Bayesian rule believes about its members, for people: means, intervals, comparisons, merging.

Two kinds of interval. The posterior's own quantiles take the likelihood at its word, which is a device: the
weights they are about are more or less certain than that. The sandwich interval, the default, is the mean
-+ z standard errors of the estimate as it would vary from stream to stream; for loss (8)

    lambda * (1 -+ z * CV / sqrt(t)),   CV = standard deviation of the losses / their mean

and for the others likewise from the spread of the gradient and its slope (specification F.4). A member with
fewer than two examples gets the posterior's interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from shoal.errors import InputError
from shoal.rules.bayes_exponential import BayesExponential, ExponentialState
from shoal.rules.bayes_gamma import BayesGamma, GammaState
from shoal.rules.bayes_gamma import law_of as gamma_law_of
from shoal.rules.bayes_gamma_shape import BayesGammaShape, GammaShapeState
from shoal.rules.bayes_gamma_shape import law_of as shape_law_of
from shoal.rules.laws import GammaLaw, Law, RateLaw, ShapeLaw, TwoParameterLaw
from shoal.rules.statistics import Sums
from shoal.types import Floats

LEAST_EXAMPLES = 2.0  # for a spread


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of every member's parameter, or parameters; arrays end in the members.

    parameters: what they are called; with two of them (loss (22)) all arrays have a last axis for them.
    With a posterior per true class, arrays are (n_classes, n_members).
    n_examples: how many (weighted, not forgotten) losses of each member it rests on.
    names: of the members.
    """

    rule: Any
    state: Any
    parameters: tuple[str, ...]
    laws: tuple[Law, ...]
    errors: tuple[Floats, ...]  # standard errors for the sandwich interval, one array per parameter
    n_examples: Floats
    names: tuple[str, ...]

    @property
    def mean(self) -> Floats:
        """Posterior means: the weights in use."""
        return self._joined([law.mean for law in self.laws])

    @property
    def variance(self) -> Floats:
        """Posterior variances."""
        return self._joined([law.variance for law in self.laws])

    @property
    def mode(self) -> Floats:
        """Where each parameter's density is highest."""
        return self._joined([law.mode for law in self.laws])

    def interval(self, level: float = 0.95, kind: str = "sandwich") -> tuple[Floats, Floats]:
        """Lower and upper ends that hold each parameter with the given probability."""
        if not 0.0 < level < 1.0:
            raise InputError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.95.")
        if kind not in ("sandwich", "posterior"):
            raise InputError(f"kind is {kind!r}; expected 'sandwich' or 'posterior'.")
        tail = 0.5 * (1.0 - level)
        known = self.n_examples >= LEAST_EXAMPLES if kind == "sandwich" else np.zeros(1, dtype=np.bool_)
        ends = [_ends(law, error, tail, known) for law, error in zip(self.laws, self.errors, strict=True)]
        return self._joined([low for low, _ in ends]), self._joined([high for _, high in ends])

    def probability_greater(self, i: int, j: int, parameter: str | None = None) -> Any:
        """The posterior probability that member i's parameter is above member j's, the two independent."""
        name = self.parameters[0] if parameter is None else parameter
        if name not in self.parameters:
            raise InputError(f"parameter is {name!r}; expected one of {', '.join(self.parameters)}.")
        for member in (i, j):
            if not 0 <= member < len(self.names):
                raise InputError(f"member {member} does not exist; expected 0 to {len(self.names) - 1}.")
        answer = self.laws[self.parameters.index(name)].probability_greater(i, j)
        return float(answer) if np.ndim(answer) == 0 else answer

    def merge(self, other: Posterior) -> Posterior:
        """The posterior of both streams, as if one had followed the other.

        Exact where the members are the same fixed learners and nothing is forgotten.
        """
        if self.rule != other.rule:
            raise InputError(
                f"cannot merge posteriors of different rules: {self.rule} and {other.rule}; "
                "give all shards the same parameters."
            )
        if self.names != other.names:
            raise InputError(
                f"cannot merge posteriors of different members: {len(self.names)} and {len(other.names)} "
                "of them, or other names; train all shards with the same learners."
            )
        answer: Posterior = self.rule.posterior(self.rule.merge(self.state, other.state), self.names)
        return answer

    def _joined(self, arrays: list[Floats]) -> Floats:
        return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=-1)


def _ends(law: Law, error: Floats, tail: float, known: Any) -> tuple[Floats, Floats]:
    half = -special.ndtri(tail) * error
    low, high = law.mean - half, law.mean + half
    if not np.all(known):
        low = np.where(known, low, law.quantile(tail))
        high = np.where(known, high, law.quantile(1.0 - tail))
    return np.maximum(low, 0.0), high


def _named(names: tuple[str, ...] | None, n_members: int) -> tuple[str, ...]:
    return tuple(names) if names is not None else tuple(f"learner {i}" for i in range(n_members))


def _moments(rounds: Floats, *sums: Sums) -> list[Floats]:
    """Means over the stream; NaN where there were no examples."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return [part.value().reshape(rounds.shape) / rounds for part in sums]


def _spread(square: Floats, one: Floats, other: Floats) -> Floats:
    """A covariance from means."""
    return square - one * other


def of_exponential(rule: BayesExponential, state: ExponentialState, names: tuple[str, ...] | None) -> Posterior:
    """Under loss (8)."""
    rounds, losses = state.rounds.value(), state.losses.value()
    if len(rounds) == 1:
        rounds, losses = rounds[0], losses[0]
    law = GammaLaw(rule.alpha + rounds, rule.beta + rule.theta * losses)
    mean_g, mean_square = _moments(rounds, state.losses, state.squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(np.maximum(_spread(mean_square, mean_g, mean_g), 0.0)) / mean_g
        # A member that never erred has losses without spread: its CV is taken as 0.
        error = law.mean * np.where(mean_g > 0.0, variation, 0.0) / np.sqrt(rounds)
    return Posterior(rule, state, ("weight",), (law,), (error,), rounds, _named(names, rounds.shape[-1]))


def of_gamma_shape(rule: BayesGammaShape, state: GammaShapeState, names: tuple[str, ...] | None) -> Posterior:
    """Under loss (19)."""
    laws = np.array([shape_law_of(state, i) for i in range(len(state.means))])
    law = ShapeLaw(laws[:, 0], laws[:, 1])
    rounds = state.rounds.value()[0]
    mean_log, mean_square = _moments(rounds, state.logs, state.log_squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.maximum(_spread(mean_square, mean_log, mean_log), 0.0)
        error = np.sqrt(spread / rounds) / special.polygamma(1, law.mean)
    return Posterior(rule, state, ("shape",), (law,), (error,), rounds, _named(names, len(rounds)))


def of_gamma(rule: BayesGamma, state: GammaState, names: tuple[str, ...] | None) -> Posterior:
    """Under loss (22)."""
    columns = np.array([gamma_law_of(state, i) for i in range(len(state.modes))]).T
    shape = TwoParameterLaw(*columns)
    rate = RateLaw(shape)
    rounds = state.sums.rounds.value()[0]
    errors = _gamma_errors(state, rounds, shape.mean, rate.mean)
    parameters = ("shape", "rate")
    return Posterior(rule, state, parameters, (shape, rate), errors, rounds, _named(names, len(rounds)))


def _gamma_errors(state: GammaState, rounds: Floats, shape: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """Standard errors of shape and rate: the diagonal of H**-1 V H**-1 / t.

    The gradient of (22) is (digamma(shape) - log rate - log g, g - shape / rate); H is its slope and V the
    covariance of (-log g, g).
    """
    sums = state.sums
    log_g, g, log_square, square, product = _moments(
        rounds, sums.logs, sums.losses, sums.log_squares, sums.squares, sums.products
    )
    covariance = np.array(
        [
            [_spread(log_square, log_g, log_g), -_spread(product, g, log_g)],
            [-_spread(product, g, log_g), _spread(square, g, g)],
        ]
    ).transpose(2, 0, 1)
    slope = np.array([[special.polygamma(1, shape), -1.0 / rate], [-1.0 / rate, shape / rate**2]])
    inverse = np.linalg.inv(slope.transpose(2, 0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = np.diagonal(inverse @ covariance @ inverse, axis1=1, axis2=2) / rounds[:, None]
        errors = np.sqrt(np.maximum(errors, 0.0))
    return errors[:, 0], errors[:, 1]
