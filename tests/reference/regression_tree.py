"""One regression tree of one output, node by node, after FIMT-DD; histograms as lists of bins."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

BINS, FADING, LEAST_SIDE, PENALTY, ROUNDING = 24, 0.98, 0.02, 3.0, 1e-9

Sums = list[float]  # weight, sum and sum of squares of targets


def cut(a: float) -> float:
    return min(1.0, max(-1.0, a))


def plus(a: Sums, b: Sums) -> Sums:
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a: Sums, b: Sums) -> Sums:
    return [x - y for x, y in zip(a, b, strict=True)]


def spread(sums: Sums) -> float:
    return max(sums[2] - sums[1] ** 2 / sums[0], 0.0) if sums[0] > 0.0 else 0.0


class Leaf:
    def __init__(self, n_features: int) -> None:
        self.weight = self.mean = self.waited = self.mean_error = self.linear_error = 0.0
        self.line, self.squares = [0.0] * (n_features + 1), [0.0] * (n_features + 1)
        self.forget(n_features)

    def forget(self, n_features: int) -> None:
        self.watched: Sums = [0.0] * 3
        self.bins: list[list[tuple[float, Sums]]] = [[] for _ in range(n_features)]
        self.missing: list[Sums] = [[0.0] * 3 for _ in range(n_features)]


class ReferenceRegressionTree:
    def __init__(
        self, n_features: int, grace: float, delta: float, tau: float, rate: float, max_leaves: int
    ) -> None:
        self.n_features, self.grace, self.rate, self.max_leaves = n_features, grace, rate, max_leaves
        self.delta, self.tau, self.n_leaves = delta, tau, 1
        self.root: dict[str, Any] = {"leaf": Leaf(n_features), "passed": 0.0}
        self.largest = [0.0] * (n_features + 1)

    def path(self, x: list[float]) -> list[dict[str, Any]]:
        """The nodes from the root to a leaf; x is raw, without the bias, NaN where missing."""
        nodes = [self.root]
        while "leaf" not in nodes[-1]:
            node = nodes[-1]
            value, children = x[node["feature"]], node["children"]
            if math.isnan(value):
                up = int(children[0]["passed"] < children[1]["passed"])
            else:
                up = int(value > node["threshold"])
            nodes.append(children[up])
        return nodes

    def inputs(self, x: list[float]) -> list[float]:
        given = [1.0, *(0.0 if math.isnan(v) else v for v in x)]
        return [v / m if m > 0.0 else 0.0 for v, m in zip(given, self.largest, strict=True)]

    def answer(self, x: list[float]) -> float:
        leaf = self.path(x)[-1]["leaf"]
        if leaf.linear_error < leaf.mean_error:
            return cut(sum(w * z for w, z in zip(leaf.line, self.inputs(x), strict=True)))
        return cut(leaf.mean)

    def update(self, x: list[float], target: float, weight: float) -> None:
        for j, v in enumerate([1.0, *x]):
            if not math.isnan(v):
                self.largest[j] = max(self.largest[j], abs(v))
        nodes = self.path(x)
        for node in nodes:
            node["passed"] += weight
        leaf, z = nodes[-1]["leaf"], self.inputs(x)
        said = sum(w * v for w, v in zip(leaf.line, z, strict=True))
        leaf.mean_error = FADING * leaf.mean_error + weight * (cut(leaf.mean) - target) ** 2
        leaf.linear_error = FADING * leaf.linear_error + weight * (cut(said) - target) ** 2
        leaf.weight += weight
        leaf.mean += weight / leaf.weight * (target - leaf.mean)
        self.learn_line(leaf, z, said - target, weight)
        if self.n_leaves < self.max_leaves:
            self.observe(leaf, x, target, weight)
            leaf.waited += weight
            if leaf.waited >= self.grace:
                leaf.waited = 0.0
                self.consider(nodes[-1])

    def learn_line(self, leaf: Leaf, z: list[float], off: float, weight: float) -> None:
        slope = 2.0 * weight * off
        if slope == 0.0:
            return
        for j, v in enumerate(z):
            leaf.squares[j] += (slope * v) ** 2
        roots = [math.sqrt(s) if s > 0.0 else math.inf for s in leaf.squares]
        q = 2.0 * weight * self.rate * sum(v * v / r for v, r in zip(z, roots, strict=True))
        step = self.rate * slope * (-math.expm1(-q) / q if q > 1e-9 else 1.0)
        leaf.line = [w - step * v / r for w, v, r in zip(leaf.line, z, roots, strict=True)]

    def observe(self, leaf: Leaf, x: list[float], target: float, weight: float) -> None:
        one = [weight, weight * target, weight * target**2]
        leaf.watched = plus(leaf.watched, one)
        for j, v in enumerate(x):
            if math.isnan(v):
                leaf.missing[j] = plus(leaf.missing[j], one)
            elif v != 0.0:
                same = [b for b, (centre, _) in enumerate(leaf.bins[j]) if centre == v]
                if same:
                    leaf.bins[j][same[0]] = (v, plus(leaf.bins[j][same[0]][1], one))
                else:
                    leaf.bins[j] = sorted([*leaf.bins[j], (v, one)], key=lambda cell: cell[0])
                if len(leaf.bins[j]) > BINS:
                    self.merge_closest(leaf.bins[j])

    def merge_closest(self, bins: list[tuple[float, Sums]]) -> None:
        gaps = [after[0] - before[0] for before, after in pairwise(bins)]
        b = gaps.index(min(gaps))
        (one, sums), (other, more) = bins[b], bins.pop(b + 1)
        bins[b] = (one + (other - one) * more[0] / (sums[0] + more[0]), plus(sums, more))

    def cuts(self, leaf: Leaf, j: int) -> tuple[float, float, Sums, Sums]:
        """The best (merit, threshold, sums of both sides) of feature j."""
        known = minus(leaf.watched, leaf.missing[j])
        zeros = known
        for _, sums in leaf.bins[j]:
            zeros = minus(zeros, sums)
        cells = list(leaf.bins[j])
        if zeros[0] > ROUNDING * leaf.watched[0]:
            cells = sorted([*cells, (0.0, zeros)], key=lambda cell: cell[0])
        best, left = (0.0, 0.0, [0.0] * 3, [0.0] * 3), [0.0] * 3
        for (low, sums), (high, _) in pairwise(cells):
            left = plus(left, sums)
            right = minus(known, left)
            if min(left[0], right[0]) > LEAST_SIDE * known[0]:
                merit = spread(known) - spread(left) - spread(right)
                if merit > best[0]:
                    best = (merit, low + 0.5 * (high - low), left, right)
        return best

    def consider(self, node: dict[str, Any]) -> None:
        leaf = node["leaf"]
        found = [self.cuts(leaf, j) for j in range(self.n_features)]
        order = sorted(range(self.n_features), key=lambda j: -found[j][0])
        merit, threshold, *sides = found[order[0]]
        second = found[order[1]][0] if len(order) > 1 else 0.0
        n, before = leaf.watched[0], spread(leaf.watched)
        if merit <= 0.0 or n <= 1.0:
            return
        chance = math.sqrt(math.log(1.0 / self.delta) / (2.0 * n))
        gained = n * math.log(before / max(before - merit, 1e-12 * before))
        if gained > PENALTY * math.log(n) and (1.0 - second / merit > chance or chance < self.tau):
            children = []
            for side in sides:
                child = Leaf(self.n_features)
                child.weight, child.mean = side[0], side[1] / side[0]
                child.mean_error, child.linear_error = leaf.mean_error, leaf.linear_error
                child.line, child.squares = list(leaf.line), list(leaf.squares)
                children.append({"leaf": child, "passed": side[0]})
            del node["leaf"]
            node.update(feature=order[0], threshold=threshold, children=children)
            self.n_leaves += 1
