"""Class weights that balance the classes: section F.6. They multiply the example's weight."""

from __future__ import annotations

from tests.reference.losses import labels

BOUND = 20.0


class ReferenceClassWeights:
    """c_y = 1 / (K pi_y), at most 20; pi_y is the running share of class y with Laplace smoothing."""

    def __init__(self, n_outputs: int = 1) -> None:
        self.labels = labels(n_outputs)
        self.seen = [0.0] * len(self.labels)

    def weight(self, y: float) -> float:
        """The weight of an example of class y, from the classes of the examples before it."""
        pi = (self.seen[self.labels.index(y)] + 1.0) / (sum(self.seen) + len(self.labels))
        return min(BOUND, 1.0 / (len(self.labels) * pi))

    def update(self, y: float) -> None:
        self.seen[self.labels.index(y)] += 1.0
