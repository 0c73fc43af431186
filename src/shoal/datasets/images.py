"""Images as rows of pixels: the idx files of MNIST and the binary files of CIFAR-10."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataFileError
from shoal.streams.rows import rows_of_array
from shoal.streams.sources import ByteSource
from shoal.types import Chunk, Space

IDX_BYTES = 8  # the idx code of unsigned bytes
CIFAR_PIXELS = 3 * 32 * 32
LARGEST_PIXEL = 255.0
IMAGES_AT_A_TIME = 1024

Bytes = NDArray[np.uint8]


def read_idx(images: Path, labels: Path, *, scaled: bool) -> Iterator[Chunk]:
    """Chunks of images and their labels, from two idx files."""
    with ByteSource(images) as pixel_source, ByteSource(labels) as label_source:
        n_images, *size = _idx_shape(pixel_source)
        (n_labels,) = _idx_shape(label_source)
        if n_images != n_labels:
            raise DataFileError(f"{images}: {n_images} images, but {labels}: {n_labels} labels")
        n_pixels = int(np.prod(size))
        for start in range(0, n_images, IMAGES_AT_A_TIME):
            n = min(IMAGES_AT_A_TIME, n_images - start)
            pixels = _bytes(pixel_source, n * n_pixels).reshape(n, n_pixels)
            yield _chunk(pixels, _bytes(label_source, n), scaled)


def read_cifar(path: Path, *, scaled: bool) -> Iterator[Chunk]:
    """Chunks of a CIFAR-10 file: per image a label byte, then its red, green and blue pixels."""
    record = 1 + CIFAR_PIXELS
    with ByteSource(path) as source:
        while data := source.read(IMAGES_AT_A_TIME * record):
            if len(data) % record:
                raise DataFileError(f"{source.name}: is cut short within an image; fetch it again")
            images = np.frombuffer(data, dtype=np.uint8).reshape(-1, record)
            yield _chunk(images[:, 1:], images[:, 0], scaled)


def _idx_shape(source: ByteSource) -> list[int]:
    zeros, kind, n_dimensions = np.frombuffer(_bytes(source, 4), dtype=">u2,u1,u1")[0]
    if zeros != 0 or kind != IDX_BYTES:
        raise DataFileError(f"{source.name}: is no idx file of bytes; fetch it again")
    return [int(n) for n in _bytes(source, 4 * int(n_dimensions)).view(">i4")]


def _bytes(source: ByteSource, n: int) -> Bytes:
    data = source.read(n)
    if len(data) < n:
        raise DataFileError(f"{source.name}: ends too early; fetch it again")
    return np.frombuffer(data, dtype=np.uint8)


def _chunk(pixels: Bytes, labels: Bytes, scaled: bool) -> Chunk:
    X = pixels.astype(np.float64)
    rows = rows_of_array(X / LARGEST_PIXEL if scaled else X)
    return Chunk(rows, labels.astype(np.float64), None, Space.of_size(pixels.shape[1]))
