"""Features of images: the single-layer encoding of Coates and Ng, learned on patches; and HOG.

Coates, Lee and Ng 2011, Coates and Ng 2011: random patches are normalised for brightness and contrast and
whitened (ZCA); k-means finds a dictionary of them. Every patch of an image answers to word k with
max(0, mean distance to the words - distance to word k) ("triangle"), or with the part of its product with
word k beyond alpha ("threshold"); the answers are added up over the four quadrants of the image.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.types import Floats, Ints

CONTRAST_FLOOR = 10.0  # added to a patch's variance, of pixels from 0 to 255: Coates and Ng 2011
WHITENING_FLOOR = 0.1  # added to the variance of every direction: Coates and Ng 2011
ACTIVATIONS = ("triangle", "threshold")
PATCHES_PER_WORD = 50  # that the dictionary is learned on, at least
IMAGES_AT_A_TIME = 50
CIFAR_TRAINING = 4000  # images of the part of CIFAR-10 that are for training; they come first


class Dictionary(NamedTuple):
    """What was learned on patches."""

    mean: Floats
    whitening: Floats
    words: Floats  # (n_words, patch values)


@dataclass(frozen=True)
class PatchEncoder:
    """Encode images as 4 * n_words features.

    shape: channels, height, width; an image is a row of its channels, one after the other, as in CIFAR-10.
    n_words: size of the dictionary. patch: side of a patch in pixels. stride: pixels from patch to patch.
    activation: "triangle", or "threshold" at `alpha`. n_patches: that it is learned on; None for enough.
    """

    shape: tuple[int, int, int] = (3, 32, 32)
    n_words: int = 200
    patch: int = 6
    stride: int = 1
    activation: str = "triangle"
    alpha: float = 0.25
    n_patches: int | None = None

    def check(self, images: NDArray[Any]) -> None:
        """Refuse settings and images that do not fit."""
        if self.activation not in ACTIVATIONS:
            raise InputError(f"activation is {self.activation!r}; expected {' or '.join(ACTIVATIONS)}.")
        if images.ndim != 2 or images.shape[1] != int(np.prod(self.shape)):
            raise InputError(
                f"the images have shape {images.shape}; expected rows of {int(np.prod(self.shape))} pixels, "
                f"that is {self.shape[0]} channels of {self.shape[1]} by {self.shape[2]}."
            )
        if not 1 <= self.patch <= min(self.shape[1:]) or self.stride < 1 or self.n_words < 1:
            raise InputError(
                f"patch is {self.patch!r}, stride {self.stride!r}, n_words {self.n_words!r}; "
                "expected a patch within the image and whole numbers, 1 or more."
            )

    def learn(self, images: NDArray[Any], seed: int = 0) -> Dictionary:
        """The dictionary of random patches of these images, rows of pixels from 0 to 255."""
        self.check(images)
        rng = np.random.default_rng(seed)
        n = self.n_patches or PATCHES_PER_WORD * self.n_words
        chosen = np.sort(rng.integers(0, len(images), n))
        grids = self.patches(images[chosen])
        places = rng.integers(0, grids.shape[1] * grids.shape[2], n)
        flat = grids.reshape(n, -1, grids.shape[-1])
        patches = normalised(flat[np.arange(n), places])
        mean = patches.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov(patches - mean, rowvar=False))
        whitening = (vectors / np.sqrt(np.maximum(values, 0.0) + WHITENING_FLOOR)) @ vectors.T
        return Dictionary(mean, whitening, self.words((patches - mean) @ whitening, rng))

    def words(self, patches: Floats, rng: np.random.Generator) -> Floats:
        """Centres of the whitened patches; of unit length where answers are products."""
        from sklearn.cluster import MiniBatchKMeans

        seed = int(rng.integers(2**31))
        means = MiniBatchKMeans(self.n_words, n_init=1, batch_size=2048, random_state=seed).fit(patches)
        centres = np.asarray(means.cluster_centers_)
        if self.activation == "threshold":
            return centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        return centres

    def patches(self, images: NDArray[Any]) -> NDArray[Any]:
        """(n, rows of patches, columns of patches, values of a patch)."""
        pixels = images.reshape(-1, *self.shape)
        windows = sliding_window_view(pixels, (self.patch, self.patch), axis=(2, 3))
        windows = windows[:, :, :: self.stride, :: self.stride]
        n, _, rows, columns = windows.shape[:4]
        return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, rows, columns, -1)

    def encode(self, dictionary: Dictionary, images: NDArray[Any]) -> Floats:
        """(n, 4 * n_words) features of images."""
        self.check(images)
        parts = range(0, len(images), IMAGES_AT_A_TIME)
        encoded = [self.encode_some(dictionary, images[k : k + IMAGES_AT_A_TIME]) for k in parts]
        return np.concatenate(encoded) if encoded else np.zeros((0, 4 * self.n_words))

    def encode_some(self, dictionary: Dictionary, images: NDArray[Any]) -> Floats:
        """The same, all images at once."""
        grids = self.patches(images)
        n, rows, columns = grids.shape[:3]
        patches = normalised(grids.reshape(n * rows * columns, -1))
        answers = self.answers((patches - dictionary.mean) @ dictionary.whitening, dictionary.words)
        grid = answers.reshape(n, rows, columns, -1)
        top, left = slice(0, (rows + 1) // 2), slice(0, (columns + 1) // 2)
        low, right = slice((rows + 1) // 2, rows), slice((columns + 1) // 2, columns)
        quadrants = ((top, left), (top, right), (low, left), (low, right))
        return np.concatenate([grid[:, a, b].sum(axis=(1, 2)) for a, b in quadrants], axis=1)

    def answers(self, patches: Floats, words: Floats) -> Floats:
        """(n, n_words) answers of whitened patches."""
        products = patches @ words.T
        if self.activation == "threshold":
            return np.maximum(products - self.alpha, 0.0)
        squares = (patches**2).sum(axis=1, keepdims=True) - 2.0 * products + (words**2).sum(axis=1)
        distances = np.sqrt(np.maximum(squares, 0.0))
        return np.maximum(distances.mean(axis=1, keepdims=True) - distances, 0.0)


def normalised(patches: NDArray[Any]) -> Floats:
    """Every patch less its mean, over its contrast."""
    values = patches.astype(np.float64)
    values -= values.mean(axis=1, keepdims=True)
    return np.asarray(values / np.sqrt(values.var(axis=1, keepdims=True) + CONTRAST_FLOOR))


def hog(images: NDArray[Any], shape: tuple[int, int, int] | None = None, **settings: Any) -> Floats:
    """Histograms of oriented gradients by scikit-image; `settings` are those of `skimage.feature.hog`.

    images: (n, height, width) or (n, height, width, channels).
    shape: channels, height, width, where images are rows of their channels, one after the other.
    """
    try:
        hog_of = import_module("skimage.feature").hog
    except ImportError as error:
        raise InputError("HOG features need scikit-image: install shoal with the extra 'images'.") from error
    pixels = with_channels(np.asarray(images), shape)
    return np.stack([hog_of(image, channel_axis=-1, **settings) for image in pixels]).astype(np.float64)


def with_channels(images: NDArray[Any], shape: tuple[int, int, int] | None) -> NDArray[Any]:
    """Images as (n, height, width, channels)."""
    if shape is not None and images.ndim == 2 and images.shape[1] == int(np.prod(shape)):
        return images.reshape(-1, *shape).transpose(0, 2, 3, 1)
    if shape is None and images.ndim in (3, 4):
        return images.reshape(*images.shape[:3], -1)
    raise InputError(
        f"the images have shape {images.shape} and `shape` is {shape!r}; expected (n, height, width) or "
        "(n, height, width, channels) without `shape`, or a row for each image with `shape` given."
    )


def encoded_cifar(n_words: int = 200, seed: int = 0) -> tuple[Floats, Ints]:
    """(features, labels) of the part of CIFAR-10 there is, the dictionary learned on its training images."""
    from shoal.datasets.loading import load

    pixels, labels = load("cifar10-subset").arrays(dense=True)
    encoder = PatchEncoder(n_words=n_words)
    return encoder.encode(encoder.learn(pixels[:CIFAR_TRAINING], seed), pixels), labels.astype(np.int64)
