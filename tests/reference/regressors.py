"""Regressors, one learner of one output at a time: section C.9. Inputs are the row, bias in front.

A lesson is (target, weight, offset, step): the answer a costs weight * loss(target, offset + step * a).
Answers are cut to [-1, 1]; a slope that pushes one further out of the interval is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes
from tests.reference.regression_losses import PNorm, RegressionLoss

Told = tuple[float, float, float, float]


def cut(a: float) -> float:
    return min(1.0, max(-1.0, a))


class ReferenceRegressor:
    def __init__(self, n_inputs: int, loss: RegressionLoss, rate: float) -> None:
        self.n_inputs, self.loss, self.rate = n_inputs, loss, rate

    def answer(self, x: list[float]) -> float:
        raise NotImplementedError

    def update(self, x: list[float], told: Told) -> None:
        raise NotImplementedError

    def cost(self, told: Told, a: float) -> float:
        target, weight, offset, step = told
        return weight * self.loss.value(target, offset + step * a)

    def slope(self, told: Told, a: float) -> float:
        target, weight, offset, step = told
        slope = weight * step * self.loss.slope(target, offset + step * a)
        outward = (a >= 1.0 and slope < 0.0) or (a <= -1.0 and slope > 0.0)
        return 0.0 if outward else slope

    def damping(self, told: Told, moved: float) -> float:
        """For the squared loss: the share of the way to the target that infinitely many small steps go, over
        that of one large step. moved: by how much the step moves the answer, over the slope.
        """
        _, weight, _, step = told
        if not isinstance(self.loss, PNorm) or self.loss.p != 2.0 or moved == 0.0:
            return 1.0
        q = 2.0 * weight * step**2 * moved
        return (1.0 - math.exp(-q)) / q


class ReferenceRegressors(ReferenceBank):
    """Several, side by side."""

    def __init__(self, learners: Sequence[ReferenceRegressor]) -> None:
        self.learners, self.n_learners, self.n_outputs = learners, len(learners), 1

    def predict_at(self, i: int, x: list[float]) -> Vote:
        return [self.learners[i].answer(x)]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        told = (lesson.target[i][0], lesson.weight[i][0], lesson.offset[i][0], lesson.step[i][0])
        self.learners[i].update(x, told)


class ReferenceLinear(ReferenceRegressor):
    """Descent with a step for each input, over the largest size that the input had so far."""

    def __init__(self, n_inputs: int, loss: RegressionLoss, rate: float) -> None:
        super().__init__(n_inputs, loss, rate)
        self.w, self.squares, self.largest = ([0.0] * n_inputs for _ in range(3))
        self.sizes: list[float] = []

    def units(self, x: list[float]) -> list[float]:
        return [v / m if m > 0.0 else 0.0 for v, m in zip(x, self.largest, strict=True)]

    def answer(self, x: list[float]) -> float:
        return cut(sum(w * z for w, z in zip(self.w, self.units(x), strict=True)))

    def update(self, x: list[float], told: Told) -> None:
        slope = self.slope(told, self.answer(x))
        self.largest = [max(m, abs(v)) for v, m in zip(x, self.largest, strict=True)]
        z = self.units(x)
        self.sizes.append(sum(v * v for v in z))
        rate = self.rate / math.sqrt(sum(self.sizes) / len(self.sizes))
        self.squares = [s + (slope * v) ** 2 for s, v in zip(self.squares, z, strict=True)]
        along = [v / math.sqrt(s) if s > 0.0 else 0.0 for s, v in zip(self.squares, z, strict=True)]
        rate *= self.damping(told, rate * sum(a * v for a, v in zip(along, z, strict=True)))
        self.w = [w - rate * slope * a for w, a in zip(self.w, along, strict=True)]


class Line:
    """The stump of one input: w z + b."""

    def __init__(self) -> None:
        self.w = self.b = self.w_squares = self.b_squares = self.largest = 0.0
        self.costs: list[float] = []

    def answer(self, v: float) -> float:
        return cut(self.w * v / self.largest + self.b)


class ReferenceStumpRegressor(ReferenceRegressor):
    """A line for every input; answers by the one of least mean cost, less that of 0, among the inputs not 0."""

    def __init__(self, n_inputs: int, loss: RegressionLoss, rate: float) -> None:
        super().__init__(n_inputs, loss, rate)
        self.lines = [Line() for _ in range(n_inputs)]

    def answer(self, x: list[float]) -> float:
        awake = [j for j in range(self.n_inputs) if x[j] != 0.0 and self.lines[j].costs]
        if not awake:
            return 0.0
        best = min(awake, key=lambda j: sum(self.lines[j].costs) / len(self.lines[j].costs))
        return self.lines[best].answer(x[best])

    def update(self, x: list[float], told: Told) -> None:
        for j in range(self.n_inputs):
            if x[j] != 0.0:
                self.learn_line(self.lines[j], x[j], told, with_shift=j > 0)

    def learn_line(self, line: Line, v: float, told: Told, with_shift: bool) -> None:
        line.largest = max(line.largest, abs(v))
        z, a = v / line.largest, line.answer(v)
        line.costs.append(self.cost(told, a) - self.cost(told, 0.0))
        slope = self.slope(told, a)
        if slope == 0.0:
            return
        line.w_squares += (slope * z) ** 2
        line.b_squares += slope**2
        by_w = z / math.sqrt(line.w_squares)
        by_b = 1.0 / math.sqrt(line.b_squares) if with_shift else 0.0
        rate = self.rate * self.damping(told, self.rate * (by_w * z + by_b))
        line.w -= rate * slope * by_w
        line.b -= rate * slope * by_b


class ReferenceNetwork(ReferenceRegressor):
    """One layer of sigmoid units and a linear output. first: (inputs, units) first weights."""

    def __init__(self, n_inputs: int, loss: RegressionLoss, rate: float, first: list[list[float]]) -> None:
        super().__init__(n_inputs, loss, rate)
        self.U = [list(row) for row in first]
        self.n_units = len(first[0])
        self.v = [0.0] * (self.n_units + 1)
        self.U_squares = [[0.0] * self.n_units for _ in range(n_inputs)]
        self.v_squares = [0.0] * (self.n_units + 1)

    def said(self, x: list[float]) -> list[float]:
        """What the units say; the last is the constant."""
        sums = [sum(x[j] * self.U[j][h] for j in range(self.n_inputs)) for h in range(self.n_units)]
        return [1.0 / (1.0 + math.exp(-s)) for s in sums] + [1.0]

    def answer(self, x: list[float]) -> float:
        return cut(sum(v * s for v, s in zip(self.v, self.said(x), strict=True)))

    def update(self, x: list[float], told: Told) -> None:
        said, slope = self.said(x), self.slope(told, self.answer(x))
        back = [slope * self.v[h] * said[h] * (1.0 - said[h]) for h in range(self.n_units)]
        for h in range(self.n_units + 1):
            self.v[h] -= self.adapted(self.v_squares, h, slope * said[h])
        for j in range(self.n_inputs):
            for h in range(self.n_units):
                self.U[j][h] -= self.adapted(self.U_squares[j], h, back[h] * x[j])

    def adapted(self, squares: list[float], at: int, slope: float) -> float:
        """A step over the root of the sum of squared slopes."""
        squares[at] += slope**2
        return self.rate * slope / math.sqrt(squares[at]) if slope != 0.0 else 0.0


class ReferencePair:
    """p a - (1 - p) b with p by Hedge on the costs of a and of -b, in adaptive steps: section C.1."""

    def __init__(self) -> None:
        self.lead = self.squares = 0.0

    def share(self) -> float:
        rate = math.sqrt(math.log(2.0) / self.squares) if self.squares > 0.0 else 0.0
        return 1.0 / (1.0 + math.exp(-rate * self.lead))

    def answer(self, a: float, b: float) -> float:
        return self.share() * a - (1.0 - self.share()) * b

    def update(self, cost_of_a: float, cost_of_negated_b: float) -> None:
        difference = cost_of_negated_b - cost_of_a
        self.lead += difference
        self.squares += difference**2
