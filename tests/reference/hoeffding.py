"""Hoeffding trees: Domingos and Hulten 2000, with the adaptive leaves of Gama, Rocha and Medas 2003.

Readings where the papers leave a choice, or where the library departs from them.
- A numeric feature is tried at evenly spaced thresholds between its least and largest value, with a Gaussian
  per class (Pfahringer, Holmes and Kirkby 2008); outside a class's own range its weight is all on one side. A
  feature whose values are all 0 or 1, or an indicator of a nominal column, is tried once, exactly.
- Merit: impurity before less after, of the examples whose value is known, times their share. A side with no
  more than 1 % of the weight is no split. Not splitting has merit 0. Of merits within 1e-12 the first wins.
- The lead is over the best feature of another column. n in the bound is all the weight that the leaf answers
  from, its estimated first classes included (as in MOA); R is log2 of the classes observed, at least 2.
- A leaf is tested after `grace` of weight and at least a quarter as many examples.
- Naive Bayes: Gaussians with variance (M2 + v) / (n + 1), v the variance over all classes; zeros and ones
  (ones + 1) / (n + 2); an indicator that is 1 (ones + 1) / (n + categories), one that is 0 says nothing; a
  constant feature (variance up to 1e-24 of the squared mean) says nothing; priors as n + 1; evidence of one
  feature at most 50.
- A missing value is skipped, and at a branch goes where more weight went.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.reference.interfaces import Lesson, ReferenceBank, Vote, Votes

CLIP = 50.0
LEAST_BRANCH = 0.01
TIE = 1e-12
CONSTANT = 1e-24


@dataclass
class Moments:
    """Weighted moments and range of one feature in one class."""

    n: float = 0.0
    mean: float = 0.0
    M2: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, x: float, w: float) -> None:
        self.n += w
        before = x - self.mean
        self.mean += before * (w / self.n)  # exact for a first value, so that constants have no variance
        self.M2 += w * before * (x - self.mean)
        self.low, self.high = min(self.low, x), max(self.high, x)

    def up_to(self, threshold: float) -> float:
        """The weight of values up to a threshold, if they are Gaussian."""
        if threshold < self.low:
            return 0.0
        if threshold >= self.high:
            return self.n
        deviation = math.sqrt(self.M2 / self.n)
        return self.n * 0.5 * (1.0 + math.erf((threshold - self.mean) / (deviation * math.sqrt(2.0))))

    @property
    def ones(self) -> float:
        return self.n * self.mean


def pooled(parts: list[Moments]) -> Moments:
    """The moments of all classes together."""
    n = sum(part.n for part in parts)
    if n == 0.0:
        return Moments()
    mean = sum(part.n * part.mean for part in parts) / n
    M2 = sum(part.M2 + part.n * (part.mean - mean) ** 2 for part in parts)
    return Moments(n, mean, M2, min(part.low for part in parts), max(part.high for part in parts))


def entropy(classes: list[float]) -> float:
    total = sum(classes)
    return -sum(c / total * math.log2(c / total) for c in classes if c > 0.0)


def gini(classes: list[float]) -> float:
    total = sum(classes)
    return 1.0 - sum((c / total) ** 2 for c in classes)


@dataclass
class Setting:
    """What all trees share. columns[j]: the column that feature j is an indicator of, or None if numeric."""

    columns: list[int | None]
    n_classes: int
    grace: float = 200.0
    delta: float = 1e-7
    tau: float = 0.05
    criterion: str = "information"
    leaves: str = "adaptive"
    n_splits: int = 10

    def impurity(self, classes: list[float]) -> float:
        return entropy(classes) if self.criterion == "information" else gini(classes)

    def categories(self, j: int) -> int:
        return self.columns.count(self.columns[j])


@dataclass
class Node:
    """A leaf, until it has two children."""

    setting: Setting
    classes: list[float]
    weight: float = 0.0
    waited: float = 0.0
    examples: int = 0
    right_majority: float = 0.0
    right_naive: float = 0.0
    feature: int = -1
    threshold: float = 0.0
    children: list[Node] = field(default_factory=list)
    moments: list[list[Moments]] = field(default_factory=list)  # per feature, per class
    binary: list[bool] = field(default_factory=list)
    watched: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        d = len(self.setting.columns)
        self.moments = [[Moments() for _ in self.classes] for _ in range(d)]
        self.binary = [True] * d
        self.watched = [0.0] * len(self.classes)

    def child(self, x: list[float]) -> Node:
        lower, upper = self.children
        value = x[self.feature]
        if math.isnan(value):
            return lower if lower.weight >= upper.weight else upper
        return lower if value <= self.threshold else upper

    def is_exact(self, j: int) -> bool:
        return self.setting.columns[j] is not None or self.binary[j]

    # Answers

    def feature_logs(self, j: int, x: float) -> list[float]:
        """What one feature says of each class, in logs but for a constant."""
        parts, silent = self.moments[j], [0.0] * len(self.classes)
        everyone = pooled(parts)
        nominal = self.setting.columns[j] is not None
        if nominal or (self.binary[j] and x in (0.0, 1.0)):
            if not 0.0 < everyone.ones < everyone.n or (nominal and x <= 0.0):
                return silent
            size = self.setting.categories(j) if nominal else 2
            chosen = [part if part.n > 0.0 else everyone for part in parts]
            return [math.log(((c.ones if x > 0.0 else c.n - c.ones) + 1.0) / (c.n + size)) for c in chosen]
        common = everyone.M2 / everyone.n if everyone.n > 0.0 else 0.0
        if common <= CONSTANT * everyone.mean**2:
            return silent
        logs = []
        for part in parts:
            variance = (part.M2 + common) / (part.n + 1.0)
            mean = part.mean if part.n > 0.0 else everyone.mean
            logs.append(-0.5 * (math.log(variance) + (x - mean) ** 2 / variance))
        return logs

    def naive(self, x: list[float]) -> list[float]:
        logs = [math.log(c + 1.0) for c in self.classes]
        for j, value in enumerate(x):
            if not math.isnan(value):
                said = self.feature_logs(j, value)
                logs = [log + max(s - max(said), -CLIP) for log, s in zip(logs, said, strict=True)]
        odds = [math.exp(log - max(logs)) for log in logs]
        return [o / sum(odds) for o in odds]

    def shares(self, x: list[float]) -> list[float] | None:
        total = sum(self.classes)
        if total == 0.0:
            return None
        adaptive = self.setting.leaves == "adaptive" and self.right_naive >= self.right_majority
        if self.setting.leaves == "naive_bayes" or adaptive:
            return self.naive(x)
        return [c / total for c in self.classes]

    # Learning

    def learn(self, x: list[float], k: int, w: float) -> None:
        naive = self.naive(x)
        self.right_naive += w if naive.index(max(naive)) == k else 0.0
        self.right_majority += w if self.classes.index(max(self.classes)) == k else 0.0
        self.classes[k] += w
        self.watched[k] += w
        self.waited += w
        self.examples += 1
        for j, value in enumerate(x):
            if not math.isnan(value):
                self.moments[j][k].add(value, w)
                self.binary[j] = self.binary[j] and value in (0.0, 1.0)
        if self.waited >= self.setting.grace and self.examples >= math.ceil(self.setting.grace / 4.0):
            self.waited, self.examples = 0.0, 0
            self.consider_split()

    def sides(self, j: int, threshold: float) -> tuple[list[float], list[float]]:
        parts = self.moments[j]
        lower = [part.n - part.ones if self.is_exact(j) else part.up_to(threshold) for part in parts]
        return lower, [part.n - below for part, below in zip(parts, lower, strict=True)]

    def merit(self, j: int, threshold: float) -> float:
        lower, upper = self.sides(j, threshold)
        total = sum(lower) + sum(upper)
        if min(sum(lower), sum(upper)) <= LEAST_BRANCH * total:
            return -math.inf
        impurity = self.setting.impurity
        before = impurity([a + b for a, b in zip(lower, upper, strict=True)])
        after = (sum(lower) * impurity(lower) + sum(upper) * impurity(upper)) / total
        return (before - after) * total / sum(self.watched)

    def thresholds(self, j: int) -> list[float]:
        everyone = pooled(self.moments[j])
        if not everyone.low < everyone.high:
            return []
        if self.is_exact(j):
            return [0.5]
        n = self.setting.n_splits
        width = everyone.high - everyone.low
        return [everyone.low + width * (c + 1.0) / (n + 1.0) for c in range(n)]

    def consider_split(self) -> None:
        present = sum(w > 0.0 for w in self.watched)
        columns = self.setting.columns
        tried = [(self.merit(j, v), j, v) for j in range(len(columns)) for v in self.thresholds(j)]
        if present < 2 or not tried:
            return
        best, j, threshold = tried[0]
        for merit, feature, value in tried:
            if merit > best + TIE:
                best, j, threshold = merit, feature, value
        others = [m for m, o, _ in tried if o != j and (columns[j] is None or columns[o] != columns[j])]
        lead = best - max([0.0, *others])
        R = math.log2(max(2, present)) if self.setting.criterion == "information" else 1.0
        bound = R * math.sqrt(math.log(1.0 / self.setting.delta) / (2.0 * sum(self.classes)))
        if best > 0.0 and (lead > bound or bound < self.setting.tau):
            sides = self.sides(j, threshold)
            self.feature, self.threshold = j, threshold
            self.children = [Node(self.setting, side, sum(side)) for side in sides]


class ReferenceHoeffdingTrees(ReferenceBank):
    """Trees; they differ by the weights of their lessons."""

    def __init__(self, n_learners: int, setting: Setting) -> None:
        self.n_learners = n_learners
        self.n_outputs = 1 if setting.n_classes == 2 else setting.n_classes
        self.setting = setting
        self.roots = [self.fresh() for _ in range(n_learners)]

    def fresh(self) -> Node:
        return Node(self.setting, [0.0] * self.setting.n_classes)

    def path(self, i: int, x: list[float]) -> list[Node]:
        nodes = [self.roots[i]]
        while nodes[-1].children:
            nodes.append(nodes[-1].child(x))
        return nodes

    def predict_at(self, i: int, x: list[float]) -> Vote:
        shares = self.path(i, x)[-1].shares(x)
        if shares is None:
            return [0.0] * self.n_outputs
        if self.n_outputs == 1:
            return [shares[1] - shares[0]]
        return [2.0 * share - 1.0 for share in shares]

    def update_at(self, i: int, x: list[float], votes: Votes, lesson: Lesson) -> None:
        target, weight = lesson.target[i], lesson.weight[i]
        k = (1 if target[0] > 0.0 else 0) if self.n_outputs == 1 else target.index(max(target))
        w = weight[0] if self.n_outputs == 1 else weight[k]
        if w > 0.0:
            path = self.path(i, x)
            for node in path:
                node.weight += w
            path[-1].learn(x, k, w)

    def replace(self, i: int) -> None:
        self.roots[i] = self.fresh()

    def splits(self, i: int) -> list[tuple[int, float]]:
        """(feature, threshold) of every branch, a branch before its children, the lower side first."""
        found, waiting = [], [self.roots[i]]
        while waiting:
            node = waiting.pop()
            if node.children:
                found.append((node.feature, node.threshold))
                waiting += reversed(node.children)
        return found
