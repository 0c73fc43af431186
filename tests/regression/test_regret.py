"""The regret that is proved, with the regret that the learners were measured to have: never exceeded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.regression.hedging import Run, run

from shoal.boosters.gradient_hull import GradientHull
from shoal.boosters.gradient_span import GradientSpan
from shoal.boosters.regression_losses import (
    RegressionLoss,
    gradient_at,
    is_of_product,
    loss_at,
    loss_of_product,
    loss_of_residual,
    slope_at,
)
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


def span_bound(loss: RegressionLoss, played: Run, length: float, ahead: float, n: int, eta: float) -> float:
    """The bound of C.2 for learners of size 1; ahead: by how much the rival beats answering nothing."""
    B, L, rounds = played.booster.radius, played.booster.lipschitz, len(played.answers)
    smooth = 0.0 if played.booster.final else loss.smoothness(B)
    first = (1.0 - eta / length) ** n * ahead + 3.0 * eta * smooth * B**2 * length * rounds
    return float(first + L * length * played.regret + 2.0 * L * B * length * np.sqrt(rounds))


NEAR = [
    (RegressionLoss("linear"), 0.5),
    (RegressionLoss("squared"), 0.2),
    (RegressionLoss("p-norm", 3.0), 0.05),
    (RegressionLoss("modified-least-squares"), 0.2),
    (RegressionLoss("logistic"), 0.3),
    (RegressionLoss("logistic", labels="signs"), 0.3),
    (RegressionLoss("huber", 0.5), 0.2),
    (RegressionLoss("absolute"), 0.5),
    (RegressionLoss("quantile", 0.8), 0.3),
]


@pytest.mark.parametrize(("loss", "share"), NEAR, ids=lambda x: getattr(x, "name", ""))
def test_the_bound_of_the_span_is_near(loss: RegressionLoss, share: float) -> None:
    """Against four times a function of size 1/4 the regret comes to a good share of the bound, and not beyond."""
    n, eta, rounds = 100, 0.01, 1000
    y = np.random.default_rng(0).choice([-1.0, 1.0], rounds)
    values = 0.25 * np.column_stack([y, -y, 0.0 * y])
    played = run(GradientSpan(loss, eta), values, n, lambda t, answer: y[t])
    nothing = tangent(loss, played, y) if played.booster.final else total(loss, y, 0.0 * y) - total(loss, y, y)
    bound = span_bound(loss, played, 4.0, nothing, n, eta)
    assert share * bound <= total(loss, y, played.answers) - total(loss, y, y) <= bound


@pytest.mark.parametrize("stream", ["random", "adversarial"])
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_regret_with_the_loss_itself(loss: RegressionLoss, stream: str) -> None:
    """The regret of C.6, of learners taught the loss at their offsets, holds against span and hull."""
    for n, eta in STEPS[1:]:
        values = functions(n)
        told = labels(stream, values, loss, n)
        played = run(GradientSpan(loss, eta, fit="actual", gradient_at="partial"), values, n, told)
        hull = run(GradientHull(loss, fit="actual"), values, n, labels(stream, values, loss, n))
        i = np.arange(1.0, n + 1.0)
        slack = 8.0 * loss.smoothness(1.0) * T / (n + 1.0)
        slack += float(i * (i + 1.0) @ np.maximum(hull.regrets, 0.0)) / (n * (n + 1.0))
        for w in rivals(n):
            f, length = values @ w, max(1.0, float(np.abs(w).sum()))
            against = total(loss, played.y, f)
            bound = span_bound(loss, played, length, total(loss, played.y, 0.0 * f) - against, n, eta)
            bound += (length / eta - played.booster.lipschitz * length) * played.regret  # of losses, not slopes
            assert total(loss, played.y, played.answers) - against <= bound + 1e-9
            if np.abs(w).sum() <= 1.0 + 1e-12:
                excess = total(loss, hull.y, hull.answers) - total(loss, hull.y, f)
                assert excess <= slack + 1e-9


def loss_of_vectors(loss: RegressionLoss, y: Floats, p: Floats) -> float:
    """The sum of losses of several targets."""
    kind, parameter = int(loss.kind), loss.value_of_parameter
    if loss.name == "quantile":
        return total(loss, y.ravel(), p.ravel())
    if is_of_product(kind):
        return sum(loss_of_product(kind, float(z)) for z in (y * p).sum(axis=1))
    return sum(loss_of_residual(kind, parameter, float(r)) for r in np.linalg.norm(p - y, axis=1))


@pytest.mark.parametrize("stream", ["random", "adversarial"])
@pytest.mark.parametrize("loss", [*SMOOTH[:5], *AT_THE_END], ids=lambda loss: loss.name)
def test_regret_with_several_targets(loss: RegressionLoss, stream: str) -> None:
    """With targets in the plane the regrets of C.2, C.3 and C.5 hold as they do on the line."""
    n, eta, rng = 6, 0.3, np.random.default_rng(1)
    values = rng.uniform(-1.0, 1.0, (60, 3, 2)) / np.sqrt(2.0)
    values = np.concatenate([values, -values, np.zeros((60, 1, 2))], axis=1)
    y = 0.6 * values[:, 0] - 0.4 * values[:, 1]

    def told(t: int, answer: Floats) -> Floats:
        size = float(np.linalg.norm(answer))
        return y[t] if stream == "random" else (-answer / size if size > 0.0 else np.array([1.0, 0.0]))

    for booster in (GradientSpan(loss, eta), GradientHull(loss)):
        played = run(booster, values, n, told)
        suffered = loss_of_vectors(loss, played.y, played.answers)
        for w in (np.eye(7)[0], *(size * rng.dirichlet(np.ones(7)) for size in (0.5, 1.0, 3.0))):
            f, length = np.einsum("tmd,m->td", values, w), max(1.0, float(w.sum()))
            against = loss_of_vectors(loss, played.y, f)
            if isinstance(booster, GradientSpan):
                ahead = tangent_of_vectors(loss, played, f) if played.booster.final else -against
                bound = span_bound(loss, played, length, ahead, n, eta)
            elif length > 1.0 + 1e-12:
                continue
            else:
                smooth = 0.0 if played.booster.final else loss.smoothness(1.0)
                bound = 8.0 * smooth * len(y) / (n + 1.0) + played.booster.lipschitz * played.regret
            assert suffered - against <= bound + 1e-9


def tangent_of_vectors(loss: RegressionLoss, played: Run, f: Floats) -> float:
    """What the linearised losses say of f against nothing."""
    out, sum_of = np.zeros(f.shape[1]), 0.0
    for y, p, v in zip(played.y, played.answers, f, strict=True):
        gradient_at(int(loss.kind), loss.value_of_parameter, y, p, out)
        sum_of -= float(out @ v)
    return sum_of


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


@pytest.mark.parametrize("loss", SMOOTH + AT_THE_END, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_constants_are_as_small_as_they_can_be(loss: RegressionLoss) -> None:
    """L_b, beta_b and eps_b are what a search over labels and predictions finds, not more."""
    kind, parameter = int(loss.kind), loss.value_of_parameter
    marks = [-1.0, 1.0] if loss.labels == "signs" else np.linspace(-1.0, 1.0, 401)
    for b in (0.6, 1.0, 1.7, 4.0):
        inside = np.linspace(-b, b, 2001)
        slopes = np.array(
            [[slope_at(kind, parameter, y, p) for p in inside] for y in marks[:: max(1, len(marks) // 4)]]
        )
        assert np.abs(slopes).max() == pytest.approx(loss.lipschitz(b), rel=1e-3)
        if loss.name not in ("absolute", "quantile"):
            steepest = np.abs(np.diff(slopes)).max() / (inside[1] - inside[0])
            assert steepest == pytest.approx(loss.smoothness(b), rel=5e-3)
            gains = [
                (loss_at(kind, parameter, y, b) - loss_at(kind, parameter, y, p)) / (p - b)
                for y in marks
                for p in (b + 1e-5, b + 1.0)
            ]
            assert max(0.0, *gains) == pytest.approx(loss.projection(b), rel=1e-2, abs=1e-4)


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: f"{loss.name}-{loss.labels}")
def test_radii_are_the_least_that_suffice(loss: RegressionLoss) -> None:
    """The exact B is the first point of a fine grid where projecting costs too little to matter, or eta N D."""
    for n, eta, scale in ((10, 0.1, 1.0), (40, 0.05, 1.0), (300, 0.02, 1.0), (20, 0.3, 0.4), (20, 1.0, 2.0)):
        grid = np.arange(scale, eta * n * scale, 1e-3)
        enough = [eta * loss.smoothness(b) * b**2 >= loss.projection(b) * scale for b in grid]
        least = grid[int(np.argmax(enough))] if any(enough) else eta * n * scale
        assert loss.radius(n, eta, scale, "exact") == pytest.approx(least, abs=2e-3)
        assert loss.radius(n, eta, scale, "exact") <= loss.radius(n, eta, scale) + 1e-12


@pytest.mark.parametrize("loss", [*SMOOTH, RegressionLoss("p-norm", 5.0)], ids=lambda loss: loss.name)
def test_constants_bound_the_losses_of_several_targets(loss: RegressionLoss) -> None:
    """In the plane too, gradients, their changes and what a projection costs stay within the constants."""
    kind, parameter, rng = int(loss.kind), loss.value_of_parameter, np.random.default_rng(3)

    def gradient(y: Floats, p: Floats) -> Floats:
        out = np.zeros(2)
        gradient_at(kind, parameter, y, p, out)
        return out

    for b in (0.35, 0.6, 1.0, 1.7, 4.0):
        for angle in rng.uniform(0.0, np.pi, 150):
            y = np.array([np.cos(angle), np.sin(angle)])
            p = rng.normal(size=2)
            p *= b * np.sqrt(rng.random()) / np.linalg.norm(p)
            near = p + 1e-4 * rng.normal(size=2)
            assert np.linalg.norm(gradient(y, p)) <= loss.lipschitz(b, 2) + 1e-9
            change = np.linalg.norm(gradient(y, p) - gradient(y, near)) / np.linalg.norm(p - near)
            assert change <= loss.smoothness(b) * (1.0 + 1e-2) + 1e-9
            for r in (b, b + 0.1, b + 2.0):  # further out, the loss falls by no more than eps_b a unit
                assert -gradient(y, np.array([r, 0.0]))[0] <= loss.projection(b, 2) + 1e-9


def test_slopes_are_derivatives() -> None:
    """Every loss's slope is its derivative."""
    h = 1e-6
    for loss in SMOOTH + AT_THE_END:
        kind, parameter = int(loss.kind), loss.value_of_parameter
        for y in (-1.0, -0.3, 0.7, 1.0):
            for p in np.linspace(-1.93, 1.97, 37):
                ahead, behind = loss_at(kind, parameter, y, p + h), loss_at(kind, parameter, y, p - h)
                assert slope_at(kind, parameter, y, p) == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-4)


def test_gradients_of_several_targets_are_derivatives() -> None:
    """In the plane too the gradient is the loss's own."""
    h, rng, out = 1e-6, np.random.default_rng(4), np.zeros(2)
    for loss in SMOOTH + AT_THE_END:
        for _ in range(20):
            y, p = rng.uniform(-0.7, 0.7, (2, 2))
            gradient_at(int(loss.kind), loss.value_of_parameter, y, p, out)
            for c, step in enumerate(h * np.eye(2)):
                ahead, behind = (loss_of_vectors(loss, y[None], q[None]) for q in (p + step, p - step))
                assert out[c] == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-4)
