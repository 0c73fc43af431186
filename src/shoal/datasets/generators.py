"""Endless streams made from a seed: SEA, a rotating hyperplane, STAGGER, random RBF, LED and Gaussians.

Rows are made in blocks of a fixed size, each from a generator of its own, keyed by seed and block. So
memory is bounded, a stream can be read again, and its rows do not depend on the size of the chunks.
Abrupt drift happens every `drift_every` rows, or at the rows listed in `drifts`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.streams.rows import rows_of_array, slice_chunk
from shoal.types import Chunk, Floats, Ints, Space

BLOCK_ROWS = 4096
CONCEPT_KEY, BLOCK_KEY = 0, 1  # keep the draws that define a stream apart from those of its rows

Generator = np.random.Generator


@dataclass(frozen=True)
class Source:
    """What the generators share. A subclass makes the features and labels of rows start..start + n."""

    seed: int = 0
    noise: float = 0.0

    @property
    def n_classes(self) -> int:
        return 2

    def space(self) -> Space:
        raise NotImplementedError

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        """Features and labels of the rows at `times`."""
        raise NotImplementedError

    def random(self, *key: int) -> Generator:
        """The generator of one block, or of one thing that defines the stream."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def flipped(self, random: Generator, labels: Ints) -> Ints:
        """The labels, a share `noise` of them replaced by another class."""
        wrong = random.random(len(labels)) < self.noise
        shift = random.integers(1, self.n_classes, len(labels))
        return np.where(wrong, (labels + shift) % self.n_classes, labels)

    def blocks(self, n_rows: int | None) -> Iterator[Chunk]:
        """The stream's rows, block by block; without end if n_rows is None."""
        space = self.space()
        for number in count():
            start = number * BLOCK_ROWS
            if n_rows is not None and start >= n_rows:
                return
            times = np.arange(start, start + BLOCK_ROWS)
            X, labels = self.block(self.random(BLOCK_KEY, number), times)
            chunk = Chunk(rows_of_array(X), labels.astype(np.float64), None, space)
            yield chunk if n_rows is None else slice_chunk(chunk, 0, min(BLOCK_ROWS, n_rows - start))


@dataclass(frozen=True)
class Drifting(Source):
    """A generator whose concept changes at once, every `drift_every` rows or at the rows in `drifts`."""

    concept: int = 0
    drift_every: int | None = None
    drifts: tuple[int, ...] | None = None

    def concepts(self, times: Ints) -> Ints:
        """The number of the concept in force at each time."""
        if self.drifts is not None:
            changes = np.array([bisect_right(sorted(self.drifts), t) for t in times.tolist()], dtype=np.int64)
        elif self.drift_every is not None:
            changes = times // self.drift_every
        else:
            changes = np.zeros(len(times), dtype=np.int64)
        return changes + self.concept


@dataclass(frozen=True)
class Sea(Drifting):
    """SEA concepts (Street and Kim 2001): x1 + x2 <= a threshold that drifts; x3 is irrelevant."""

    noise: float = 0.1  # the paper's
    drift_every: int | None = 15_000  # the paper's 60,000 rows hold four concepts
    THRESHOLDS: ClassVar[tuple[float, ...]] = (8.0, 9.0, 7.0, 9.5)

    def space(self) -> Space:
        return Space.of_size(3)

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        X = random.uniform(0.0, 10.0, (len(times), 3))
        threshold = np.array(self.THRESHOLDS)[self.concepts(times) % len(self.THRESHOLDS)]
        return X, self.flipped(random, (X[:, 0] + X[:, 1] <= threshold).astype(np.int64))


@dataclass(frozen=True)
class Hyperplane(Source):
    """A hyperplane through the middle of the unit cube that turns steadily (after Hulten et al. 2001).

    turn_rows: rows for one full turn; 0 stands still.
    """

    noise: float = 0.05  # as usual since Hulten et al.
    n_features: int = 10
    turn_rows: int = 100_000

    @cached_property
    def _plane(self) -> Floats:
        """Two orthonormal directions, between which the normal turns."""
        return np.linalg.qr(self.random(CONCEPT_KEY).normal(size=(self.n_features, 2)))[0]

    def space(self) -> Space:
        return Space.of_size(self.n_features)

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        X = random.random((len(times), self.n_features))
        angle = 2.0 * np.pi * times / self.turn_rows if self.turn_rows else np.zeros(len(times))
        along = (X - 0.5) @ self._plane
        side = np.cos(angle) * along[:, 0] + np.sin(angle) * along[:, 1]
        return X, self.flipped(random, (side >= 0.0).astype(np.int64))


@dataclass(frozen=True)
class Stagger(Drifting):
    """STAGGER concepts (Schlimmer and Granger 1986): three nominal features, three rules in turn."""

    drift_every: int | None = 1_000  # the paper's 40 leave no time to settle
    FEATURES: ClassVar[dict[str, tuple[str, ...]]] = {
        "size": ("small", "medium", "large"),
        "color": ("red", "green", "blue"),
        "shape": ("square", "circle", "triangle"),
    }

    def space(self) -> Space:
        return Space.of_columns([(column, value) for column, values in self.FEATURES.items() for value in values])

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        size, color, shape = random.integers(0, 3, (3, len(times)))
        rules = np.stack([(size == 0) & (color == 0), (color == 1) | (shape == 1), size > 0])
        labels = rules[self.concepts(times) % len(rules), np.arange(len(times))]
        X = np.concatenate([np.eye(3)[size], np.eye(3)[color], np.eye(3)[shape]], axis=1)
        return X, self.flipped(random, labels.astype(np.int64))


@dataclass(frozen=True)
class RandomRbf(Source):
    """Classes spread around random centres in the unit cube, which wander and bounce off its walls.

    speed: how far a centre moves per row; 0 stands still. (The usual generator of MOA, with drift.)
    """

    n_features: int = 10
    classes: int = 2
    n_centres: int = 50
    speed: float = 0.0

    @property
    def n_classes(self) -> int:
        return self.classes

    @cached_property
    def _centres(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Position, direction, spread and share of each centre."""
        random = self.random(CONCEPT_KEY)
        shape = (self.n_centres, self.n_features)
        position, direction = random.random(shape), _directions(random, *shape)
        share = random.random(self.n_centres)
        return position, direction, random.random(self.n_centres), share / share.sum()

    def space(self) -> Space:
        return Space.of_size(self.n_features)

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        position, direction, spread, share = self._centres
        centre = random.choice(self.n_centres, len(times), p=share)
        moved = position[centre] + self.speed * times[:, np.newaxis] * direction[centre]
        folded = 1.0 - np.abs(moved % 2.0 - 1.0)  # a path that bounces between 0 and 1
        distance = random.normal(size=len(times)) * spread[centre]
        X = folded + distance[:, np.newaxis] * _directions(random, len(times), self.n_features)
        return X, self.flipped(random, centre % self.classes)


@dataclass(frozen=True)
class Led(Drifting):
    """The digit on a seven-segment display, among irrelevant lamps (Breiman et al. 1984).

    noise: the chance that a lamp is wrong. n_irrelevant: lamps that say nothing: 17, or 0 for the small form.
    n_drifting: how many segments change places with other lamps at each drift.
    """

    noise: float = 0.1  # the book's
    n_irrelevant: int = 17
    n_drifting: int = 4
    SEGMENTS: ClassVar[tuple[str, ...]] = (
        "1110111", "0010010", "1011101", "1011011", "0111010",
        "1101011", "1101111", "1010010", "1111111", "1111011",
    )  # fmt: skip

    @property
    def n_classes(self) -> int:
        return len(self.SEGMENTS)

    def space(self) -> Space:
        return Space.of_size(7 + self.n_irrelevant)

    def _places(self, concept: int) -> Ints:
        """Which lamp each place shows under a concept."""
        places = np.arange(7 + self.n_irrelevant)
        if concept:
            random = self.random(CONCEPT_KEY, concept)
            moved = random.choice(7, self.n_drifting, replace=False)
            others = random.choice(np.setdiff1d(places, moved), self.n_drifting, replace=False)
            places[moved], places[others] = others, moved
        return places

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        segments = np.array([[float(lamp) for lamp in digit] for digit in self.SEGMENTS])
        digits = random.integers(0, len(segments), len(times))
        others = random.integers(0, 2, (len(times), self.n_irrelevant)).astype(np.float64)
        wrong = random.random((len(times), 7)) < self.noise
        lamps = np.concatenate([np.abs(segments[digits] - wrong), others], axis=1)
        concepts = self.concepts(times)
        for concept in np.unique(concepts):
            rows = concepts == concept
            lamps[rows] = lamps[rows][:, self._places(int(concept))]
        return lamps, digits


@dataclass(frozen=True)
class Gaussians(Source):
    """Classes that are Gaussian, of unit variance, around random means.

    separation: the spread of the means along each feature.
    """

    n_features: int = 10
    classes: int = 2
    separation: float = 1.0

    @property
    def n_classes(self) -> int:
        return self.classes

    @cached_property
    def _means(self) -> Floats:
        return self.separation * self.random(CONCEPT_KEY).normal(size=(self.classes, self.n_features))

    def space(self) -> Space:
        return Space.of_size(self.n_features)

    def block(self, random: Generator, times: Ints) -> tuple[Floats, Ints]:
        labels = random.integers(0, self.classes, len(times))
        X = self._means[labels] + random.normal(size=(len(times), self.n_features))
        return X, self.flipped(random, labels)


KINDS: dict[str, type[Source]] = {
    "sea": Sea,
    "hyperplane": Hyperplane,
    "stagger": Stagger,
    "rbf": RandomRbf,
    "led": Led,
    "gaussians": Gaussians,
}


def _directions(random: Generator, n: int, n_features: int) -> NDArray[np.float64]:
    """Random directions of length one."""
    vectors = random.normal(size=(n, n_features))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
