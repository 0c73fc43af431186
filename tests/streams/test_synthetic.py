import itertools

import numpy as np
import pytest
from tests.streams.stream_helpers import assert_canonical, assert_same, dense, whole

from shoal import datasets
from shoal.errors import InputError
from shoal.streams import open_stream

KINDS = ("sea", "hyperplane", "stagger", "rbf", "led", "gaussians")


def arrays(kind, n_rows, **parameters):
    return datasets.synthetic(kind, n_rows, **parameters).arrays(dense=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [7, 1000, 5000])
def test_chunk_size_changes_nothing(kind, size):
    """The rows of a synthetic stream do not depend on the chunk size."""
    reference = whole(datasets.synthetic(kind, 9001, seed=2))
    chunks = list(datasets.synthetic(kind, 9001, seed=2, chunk_size=size))
    assert [c.rows.n_rows for c in chunks[:-1]] == [size] * (len(chunks) - 1)
    assert_canonical(chunks[0])
    assert_same(whole(datasets.synthetic(kind, 9001, seed=2, chunk_size=size)), reference)


@pytest.mark.parametrize("kind", KINDS)
def test_seed_decides(kind):
    """The same seed gives the same rows at each pass and in a longer stream; another gives others."""
    stream = datasets.synthetic(kind, 500, seed=5)
    first = whole(stream)
    assert_same(whole(stream), first)
    other = whole(datasets.synthetic(kind, 500, seed=6))
    assert (
        first.rows.values.tobytes() != other.rows.values.tobytes()
        or first.labels.tolist() != other.labels.tolist()
    )
    longer = whole(datasets.synthetic(kind, 700, seed=5))
    assert longer.labels[:500].tolist() == first.labels.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_endless_stream(kind):
    """A stream without end gives as many rows as one cares to take, and each class occurs."""
    stream = datasets.synthetic(kind, None, seed=1)
    chunks = list(itertools.islice(stream, 10))
    assert stream.n_rows is None
    assert sum(c.rows.n_rows for c in chunks) == 10 * 1024
    assert sorted({y for c in chunks for y in c.labels}) == stream.classes


@pytest.mark.parametrize("kind", KINDS)
def test_names_with_parameters(kind):
    """A synthetic stream can be opened by a name that carries its parameters."""
    named = open_stream(f"{kind}:n=300,seed=4,noise=0")
    assert_same(whole(named), whole(datasets.synthetic(kind, 300, seed=4, noise=0)))
    assert named.n_rows == 300
    assert named.name == f"{kind}:n=300,seed=4,noise=0"


def test_sea_concepts():
    """SEA labels say whether the first two features sum to at most the concept's threshold."""
    X, y = arrays("sea", 4000, noise=0.0, drifts=[1000, 2000, 3000])
    for concept, threshold in enumerate((8.0, 9.0, 7.0, 9.5)):
        rows = slice(1000 * concept, 1000 * (concept + 1))
        assert np.array_equal(y[rows] == 1, X[rows, 0] + X[rows, 1] <= threshold)
    assert X.min() >= 0.0
    assert X.max() <= 10.0


def test_drift_at_even_distances():
    """drift_every changes the concept at its multiples, from the concept asked for."""
    X, y = arrays("sea", 300, noise=0.0, drift_every=100, concept=2)
    for start, threshold in ((0, 7.0), (100, 9.5), (200, 8.0)):
        rows = slice(start, start + 100)
        assert np.array_equal(y[rows] == 1, X[rows, 0] + X[rows, 1] <= threshold)


def test_noise_is_the_share_of_wrong_labels():
    """About the given share of labels is flipped, and the features stay the same."""
    clean, noisy = (whole(datasets.synthetic("sea", 20_000, noise=p)) for p in (0.0, 0.2))
    assert np.array_equal(clean.rows.values, noisy.rows.values)
    assert abs(np.mean(clean.labels != noisy.labels) - 0.2) < 0.015


def test_stagger_rules():
    """STAGGER labels follow the rule in force, on three nominal features."""
    chunk = whole(datasets.synthetic("stagger", 300, drift_every=100))
    X = dense(chunk) == 1
    small, medium, large, red, green, circle = (
        X[:, chunk.space.names.index(n)]
        for n in ("size=small", "size=medium", "size=large", "color=red", "color=green", "shape=circle")
    )
    rules = (small & red, green | circle, medium | large)
    for concept, rule in enumerate(rules):
        rows = slice(100 * concept, 100 * (concept + 1))
        assert np.array_equal(chunk.labels[rows] == 1, rule[rows])
    assert chunk.space.nominal.all()
    assert len(set(chunk.space.columns.tolist())) == 3
    assert (X.sum(axis=1) == 3).all()


def test_hyperplane_turns_half_way():
    """A hyperplane separates its classes without error and, half a turn later, with the sides exchanged."""
    X, y = arrays("hyperplane", 8192, noise=0.0, turn_rows=0, n_features=4)
    assert 0.45 < y.mean() < 0.55
    signs = np.where(y == 1, 1.0, -1.0)
    normal = np.linalg.lstsq(X - 0.5, signs, rcond=None)[0]
    assert np.mean(((X - 0.5) @ normal > 0) == (y == 1)) > 0.97
    turned, labels = arrays("hyperplane", 8192, noise=0.0, turn_rows=8192, n_features=4)
    ends, middle = slice(0, 400), slice(4096, 4496)
    assert np.mean(((turned[ends] - 0.5) @ normal > 0) == (labels[ends] == 1)) > 0.9
    assert np.mean(((turned[middle] - 0.5) @ normal > 0) == (labels[middle] == 1)) < 0.1


def test_led_shows_the_digit():
    """Without noise the first seven lamps tell the digit, and a drift moves them elsewhere."""
    X, y = arrays("led", 2000, noise=0.0, drifts=[1000])
    patterns = {tuple(row[:7]): digit for row, digit in zip(X[:1000], y[:1000], strict=True)}
    assert len(patterns) == 10
    assert all(patterns[tuple(row[:7])] == digit for row, digit in zip(X[:1000], y[:1000], strict=True))
    wrong = np.mean([patterns.get(tuple(row[:7])) != digit for row, digit in zip(X[1000:], y[1000:], strict=True)])
    assert wrong > 0.5
    assert whole(datasets.synthetic("led", 10, n_irrelevant=0, n_drifting=0)).space.n_features == 7


def test_rbf_centres_wander():
    """Moving centres change where the classes are; still ones do not."""

    def drift(speed):
        X, _ = arrays("rbf", 40_960, speed=speed, n_centres=1, classes=2)
        return np.abs(X[:4096].mean(axis=0) - X[-4096:].mean(axis=0)).max()

    assert drift(0.0) < 0.1
    assert drift(1e-5) > 0.05


def test_gaussians_lie_around_their_means():
    """Classes far apart are told apart by the nearest mean."""
    X, y = arrays("gaussians", 3000, separation=10.0, classes=3)
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = np.argmin(((X[:, None] - means) ** 2).sum(axis=2), axis=1)
    assert np.array_equal(nearest, y)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sea:n=x", "n='x': expected a number"),
        ("sea:n=0", "n_rows=0"),
        ("sea:n=1.5", "n_rows=1.5"),
        ("sea:loud", "'loud' is no parameter"),
        ("sea:speed=1", "'sea' has no parameter 'speed'"),
        ("sea:noise=2", "noise=2: expected a share"),
        ("sea:seed=-1", "seed=-1"),
        ("sea:drift_every=0", "drift_every=0"),
        ("led:n_drifting=8", "n_drifting=8"),
        ("rbf:n_features=1", "n_features=1"),
        ("sea:drifts=1+x", "drifts="),
    ],
)
def test_parameters_out_of_range(name, message):
    """A parameter that is unknown or out of range is an error that says what is expected."""
    with pytest.raises(InputError, match=message):
        open_stream(name)


def test_unknown_kind():
    """An unknown kind is an error that lists the kinds there are."""
    with pytest.raises(InputError, match="there are sea, hyperplane, stagger, rbf, led, gaussians"):
        datasets.synthetic("waves")


def test_drifts_in_a_name():
    """Drift positions in a name are joined by plus signs."""
    named = whole(open_stream("sea:n=300,drifts=100+200"))
    assert_same(named, whole(datasets.synthetic("sea", 300, drifts=[100, 200])))
