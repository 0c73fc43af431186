"""Ridge regression over all examples so far, by its normal equations; what recursive least squares must equal."""

from __future__ import annotations

Vector = list[float]


def solve(matrix: list[Vector], right: Vector) -> Vector:
    """Gauss's elimination, the largest pivot first."""
    n = len(right)
    rows = [[*matrix[a], right[a]] for a in range(n)]
    for a in range(n):
        pivot = max(range(a, n), key=lambda r: abs(rows[r][a]))
        rows[a], rows[pivot] = rows[pivot], rows[a]
        for r in range(n):
            if r != a:
                factor = rows[r][a] / rows[a][a]
                rows[r] = [u - factor * v for u, v in zip(rows[r], rows[a], strict=True)]
    return [rows[a][n] / rows[a][a] for a in range(n)]


class ReferenceRidge:
    """The w of least sum of weight * (target - offset - step * <w, x>)^2, plus |w|^2 / (2 prior)."""

    def __init__(self, size: int, prior: float) -> None:
        self.matrix = [[1.0 / prior if a == b else 0.0 for b in range(size)] for a in range(size)]
        self.right = [0.0] * size

    def answer(self, x: Vector) -> float:
        return sum(w * v for w, v in zip(solve(self.matrix, self.right), x, strict=True))

    def update(self, x: Vector, target: float, weight: float, offset: float, step: float) -> None:
        curvature = 2.0 * weight * step**2
        for a, v in enumerate(x):
            self.right[a] += curvature * v * (target - offset) / step
            for b, u in enumerate(x):
                self.matrix[a][b] += curvature * v * u
