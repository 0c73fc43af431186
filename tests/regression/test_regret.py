"""The regret that is proved, with the regret that the learners were measured to have: never exceeded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.regression.hedging import Run, run

from shoal.boosters.gradient_hull import GradientHull
from shoal.boosters.gradient_span import GradientSpan
from shoal.boosters.regression_losses import RegressionLoss, loss_at, slope_at
from shoal.types import Floats

T, M = 120, 5
SMOOTH = [
    RegressionLoss("linear"),
    RegressionLoss("squared"),
    RegressionLoss("p-norm", 3.0),
    RegressionLoss("modified-least-squares"),
    RegressionLoss("logistic"),
    RegressionLoss("logistic", labels="signs"),
    RegressionLoss("huber", 0.5),
]
AT_THE_END = [RegressionLoss("absolute"), RegressionLoss("quantile", 0.8), RegressionLoss("huber", 0.1)]
STEPS = [(1, 1.0), (6, 0.3), (20, 0.15)]


def functions(seed: int) -> Floats:
    """(T, 2 M + 1) a class that is symmetric and holds 0."""
    values = np.random.default_rng(seed).uniform(-1.0, 1.0, (T, M))
    return np.hstack([values, -values, np.zeros((T, 1))])


def labels(kind: str, values: Floats, loss: RegressionLoss, seed: int) -> Callable[[int, float], float]:
    """A function of the class with noise; or, against the answer, its opposite."""
    rng = np.random.default_rng(seed)
    if kind == "adversarial":
        return lambda t, answer: -1.0 if answer > 0.0 else 1.0
    y = np.clip(values[:, 0] - 0.5 * values[:, 1] + 0.2 * rng.normal(size=T), -1.0, 1.0)
    y = np.where(y >= 0.0, 1.0, -1.0) if loss.labels == "signs" else y
    return lambda t, answer: float(y[t])


def total(loss: RegressionLoss, y: Floats, p: Floats) -> float:
    """The sum of losses."""
    return sum(loss_at(int(loss.kind), loss.value_of_parameter, *pair) for pair in zip(y, p, strict=True))


def tangent(loss: RegressionLoss, played: Run, f: Floats) -> float:
    """-sum of slope(answer) * f: what the linearised losses say of f against 0."""
    pairs = zip(played.y, played.answers, f, strict=True)
    return -sum(slope_at(int(loss.kind), loss.value_of_parameter, y, p) * v for y, p, v in pairs)


def rivals(seed: int) -> list[Floats]:
    """Coefficients of functions of the span: one of the class, some short, some long."""
    rng = np.random.default_rng(seed)
    chosen = [np.eye(2 * M + 1)[0], np.zeros(2 * M + 1)]
    return chosen + [size * rng.dirichlet(np.ones(2 * M + 1)) for size in (0.5, 1.0, 2.0, 4.0)]


@pytest.mark.parametrize("stream", ["random", "adversarial"])
@pytest.mark.parametrize(("n", "eta"), STEPS)
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_regret_against_the_span(loss: RegressionLoss, n: int, eta: float, stream: str) -> None:
    """The regret of C.2, and of C.7 with scaled learners, holds against functions of any length."""
    for scale, radius in ((1.0, "paper"), (2.0, "exact")):
        values = functions(n)
        booster = GradientSpan(loss, eta, scale, gradient_at="partial", radius=radius)
        played = run(booster, values, n, labels(stream, values, loss, n))
        B, L = played.booster.radius, played.booster.lipschitz
        assert (np.abs(played.answers) <= B + 1e-12).all()
        suffered, nothing = total(loss, played.y, played.answers), total(loss, played.y, np.zeros(T))
        for w in rivals(n):
            f, length = values @ w, max(1.0, float(np.abs(w).sum()) / scale)
            against = total(loss, played.y, f)
            bound = (
                (1.0 - eta / length) ** n * (nothing - against)
                + 3.0 * eta * loss.smoothness(B) * B**2 * length * T
                + L * length * scale * played.regret
                + 2.0 * L * B * length * np.sqrt(T)
            )
            assert suffered - against <= bound + 1e-9


@pytest.mark.parametrize("stream", ["random", "adversarial"])
@pytest.mark.parametrize("n", [1, 6, 20])
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_regret_against_the_hull(loss: RegressionLoss, n: int, stream: str) -> None:
    """The regret of C.3 holds against averages of functions of the class."""
    values = functions(n)
    played = run(GradientHull(loss, gradient_at="partial"), values, n, labels(stream, values, loss, n))
    suffered = total(loss, played.y, played.answers)
    for w in rivals(n)[:4]:
        bound = 8.0 * loss.smoothness(1.0) * T / (n + 1.0) + loss.lipschitz(1.0) * played.regret
        assert suffered - total(loss, played.y, values @ w) <= bound + 1e-9


@pytest.mark.parametrize("stream", ["random", "adversarial"])
@pytest.mark.parametrize("loss", AT_THE_END, ids=lambda loss: loss.name)
def test_regret_with_gradients_at_the_end(loss: RegressionLoss, stream: str) -> None:
    """The regret of C.5, for losses that are not smooth, holds against span and hull."""
    for n, eta in STEPS:
        values = functions(n)
        played = run(GradientSpan(loss, eta), values, n, labels(stream, values, loss, n))
        B, L = played.booster.radius, played.booster.lipschitz
        assert pytest.approx(eta * n) == B
        suffered = total(loss, played.y, played.answers)
        for w in rivals(n):
            f, length = values @ w, max(1.0, float(np.abs(w).sum()))
            bound = (1.0 - eta / length) ** n * tangent(loss, played, f) + L * length * played.regret
            bound += 2.0 * L * B * length * np.sqrt(T)
            assert suffered - total(loss, played.y, f) <= bound + 1e-9
        played = run(GradientHull(loss), values, n, labels(stream, values, loss, n))
        suffered = total(loss, played.y, played.answers)
        for w in rivals(n)[:4]:
            assert suffered - total(loss, played.y, values @ w) <= L * played.regret + 1e-9


@pytest.mark.parametrize("loss", SMOOTH + AT_THE_END, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_constants_bound_the_losses(loss: RegressionLoss) -> None:
    """Slopes, their changes, and what a projection costs stay within L_b, beta_b and eps_b."""
    kind, parameter = int(loss.kind), loss.value_of_parameter
    marks = [-1.0, 1.0] if loss.labels == "signs" else np.linspace(-1.0, 1.0, 41)
    for b in (0.6, 1.0, 1.7, 4.0):
        inside, outside = np.linspace(-b, b, 101), b + np.linspace(1e-3, 3.0, 60)
        for y in marks:
            slopes = np.array([slope_at(kind, parameter, y, p) for p in inside])
            assert np.abs(slopes).max() <= loss.lipschitz(b) + 1e-12
            if loss.name not in ("absolute", "quantile"):
                assert np.abs(np.diff(slopes)).max() <= loss.smoothness(b) * (inside[1] - inside[0]) + 1e-12
            for p in (*outside, *-outside):
                kept = np.clip(p, -b, b)
                gain = loss_at(kind, parameter, y, kept) - loss_at(kind, parameter, y, p)
                assert gain <= loss.projection(b) * abs(p - kept) + 1e-12


def test_slopes_are_derivatives() -> None:
    """Every loss's slope is its derivative."""
    h = 1e-6
    for loss in SMOOTH + AT_THE_END:
        kind, parameter = int(loss.kind), loss.value_of_parameter
        for y in (-1.0, -0.3, 0.7, 1.0):
            for p in np.linspace(-1.93, 1.97, 37):
                ahead, behind = loss_at(kind, parameter, y, p + h), loss_at(kind, parameter, y, p - h)
                assert slope_at(kind, parameter, y, p) == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-4)
