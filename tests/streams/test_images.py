import numpy as np
import pytest
from tests.streams.stream_helpers import assert_canonical, dense

from shoal.datasets.images import read_cifar, read_idx
from shoal.errors import DataFileError


def idx(array, kind=8):
    """An array of bytes as an idx file."""
    shape = np.array(array.shape, dtype=">i4").tobytes()
    return bytes([0, 0, kind, array.ndim]) + shape + array.astype(np.uint8).tobytes()


@pytest.fixture
def files(tmp_path):
    """Writes an images' and a labels' file and gives their paths."""

    def write(images, labels):
        paths = tmp_path / "images", tmp_path / "labels"
        for path, data in zip(paths, (images, labels), strict=True):
            path.write_bytes(data)
        return paths

    return write


IMAGES = np.arange(24).reshape(4, 2, 3)
LABELS = np.array([3, 0, 1, 2])


def test_idx_files_are_rows_of_pixels(files):
    """Each image is a row of its pixels, with its label."""
    (chunk,) = read_idx(*files(idx(IMAGES), idx(LABELS)), scaled=False)
    assert_canonical(chunk)
    assert np.array_equal(dense(chunk), IMAGES.reshape(4, 6))
    assert chunk.labels.tolist() == LABELS.tolist()


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (idx(IMAGES)[:-1], idx(LABELS), "ends too early"),
        (idx(IMAGES), idx(LABELS)[:-1], "ends too early"),
        (b"", idx(LABELS), "ends too early"),
        (idx(IMAGES, kind=13), idx(LABELS), "is no idx file of bytes"),
        (idx(IMAGES), idx(LABELS[:3]), "4 images"),
    ],
)
def test_damaged_idx_files(files, images, labels, message):
    """An idx file that is cut short, of another kind or of another length is an error."""
    with pytest.raises(DataFileError, match=message):
        list(read_idx(*files(images, labels), scaled=False))


def test_cifar_file(tmp_path):
    """A CIFAR file holds a label and 3072 pixels per image; scaled ones lie between 0 and 1."""
    path = tmp_path / "images.bin"
    records = np.random.default_rng(0).integers(0, 256, (5, 3073)).astype(np.uint8)
    path.write_bytes(records.tobytes())
    (chunk,) = read_cifar(path, scaled=True)
    assert np.array_equal(dense(chunk), records[:, 1:] / 255.0)
    assert chunk.labels.tolist() == records[:, 0].tolist()
    path.write_bytes(records.tobytes()[:-1])
    with pytest.raises(DataFileError, match="cut short within an image"):
        list(read_cifar(path, scaled=False))
