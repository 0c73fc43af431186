"""The encoding of image patches, against its definition on a single image."""

import sys

import numpy as np
import pytest

from shoal.datasets.patches import Dictionary, PatchEncoder, hog, normalised
from shoal.errors import InputError
from shoal.estimators.reservoir import ReservoirBoostClassifier

SHAPE = (2, 7, 8)


def some_images(n: int = 30) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (n, int(np.prod(SHAPE)))).astype(float)


@pytest.mark.parametrize("activation", ["triangle", "threshold"])
def test_features_are_sums_over_quadrants(activation: str) -> None:
    """Every quadrant's features add up the answers of the patches whose corner lies in it."""
    encoder = PatchEncoder(SHAPE, n_words=5, patch=3, activation=activation)
    images = some_images()
    learned = encoder.learn(images, seed=1)
    expected = np.zeros((2, 2, 5))
    pixels = images[0].reshape(SHAPE)
    for i in range(5):
        for j in range(6):
            patch = pixels[:, i : i + 3, j : j + 3].reshape(1, -1)
            white = (normalised(patch) - learned.mean) @ learned.whitening
            distances = np.linalg.norm(white - learned.words, axis=1)
            triangle = np.maximum(distances.mean() - distances, 0.0)
            threshold = np.maximum(learned.words @ white[0] - encoder.alpha, 0.0)
            expected[i // 3, j // 3] += triangle if activation == "triangle" else threshold
    np.testing.assert_allclose(encoder.encode(learned, images[:1])[0], expected.ravel(), rtol=1e-9, atol=1e-9)


def test_same_seed_same_dictionary() -> None:
    """Learning is repeatable, and whitens: directions of much variance come out with variance near 1."""
    encoder = PatchEncoder(SHAPE, n_words=4, patch=2, n_patches=4000)
    one, other = (encoder.learn(some_images(), seed=3) for _ in range(2))
    assert isinstance(one, Dictionary)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_nonsense_is_refused() -> None:
    """Images of another shape and unknown activations are refused."""
    with pytest.raises(InputError, match="expected rows of 112 pixels"):
        PatchEncoder(SHAPE).learn(np.zeros((3, 10)))
    with pytest.raises(InputError, match="activation is 'step'"):
        PatchEncoder(SHAPE, activation="step").learn(some_images())
    with pytest.raises(InputError, match="patch is 9"):
        PatchEncoder(SHAPE, patch=9).learn(some_images())


def test_hog_tells_stripes_apart() -> None:
    """Images of a user's own, encoded by HOG: upright stripes and lying ones are learned from a stream of them."""
    pytest.importorskip("skimage")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    stripes = 100.0 * (np.arange(16) // 2 % 2)
    upright = np.broadcast_to(stripes, (16, 16))
    images = np.where(y[:, None, None] == 1, upright, upright.T) + rng.normal(0.0, 20.0, (120, 16, 16))
    features = hog(images.reshape(120, -1), (1, 16, 16), pixels_per_cell=(8, 8), cells_per_block=(1, 1))
    assert features.shape == (120, 36)
    as_they_are = hog(images, pixels_per_cell=(8, 8), cells_per_block=(1, 1))
    np.testing.assert_array_equal(features, as_they_are)
    with pytest.raises(InputError, match=r"have shape \(120, 256\) and `shape` is None"):
        hog(images.reshape(120, -1))
    model = ReservoirBoostClassifier(size=10, n_learners=20, random_state=0)
    assert model.fit(features[:80], y[:80]).score(features[80:], y[80:]) > 0.9


def test_hog_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-image the error says which extra to install."""
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    with pytest.raises(InputError, match="scikit-image: install shoal with the extra 'images'"):
        hog(some_images(), SHAPE)
