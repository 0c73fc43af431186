"""The file itself: named arrays and one JSON document, in the safetensors format.

    8 bytes   length of the header
    header    JSON: dtype, shape and place of every array, and our document as text under "shoal"
    the rest  the arrays

Written beside the target and renamed when it is safely on disk. A checksum over document and arrays tells
damage from what was saved; it does not tell who saved it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataFileError, InputError

FORMAT = 1
LONGEST_HEADER = 4 << 20  # bytes; arrays by the ten thousand, and what a parser can take in no time
LONGEST_DOCUMENT = 2 << 20
DOCUMENT, CHECKSUM = "shoal", "checksum"
DTYPES = {
    "F64": np.float64, "I64": np.int64, "I32": np.int32, "I8": np.int8, "U64": np.uint64, "U32": np.uint32,
    "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip

Arrays = Mapping[str, NDArray[Any]]
PathLike = str | os.PathLike[str]


def write(path: PathLike, document: Mapping[str, Any], arrays: Arrays) -> None:
    """Put document and arrays in a file; what was there stays until all of it is on disk."""
    text = json.dumps({"format": FORMAT, **document}, ensure_ascii=True)
    if len(text) > LONGEST_DOCUMENT:
        raise InputError(
            f"cannot save: the settings take {len(text):,} characters; a model file holds {LONGEST_DOCUMENT:,}."
        )
    write_whole(path, packed(text, arrays))


def packed(text: str, arrays: Arrays) -> bytes:
    """The bytes of a model file."""
    from safetensors.numpy import save

    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for name, array in plain.items():
        if array.dtype not in [np.dtype(kind) for kind in DTYPES.values()]:
            raise InputError(f"cannot save {name}: a model file holds no arrays of {array.dtype}.")
    metadata = {DOCUMENT: text, CHECKSUM: checksum(text, plain)}
    return save(plain, metadata)


def checksum(text: str, arrays: Arrays) -> str:
    """Of the document and all arrays."""
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def write_whole(path: PathLike, data: bytes) -> None:
    """Write a file so that at any moment, and after a crash, its name stands for all of the old or the new."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}; make it first.")
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; give the name of a file.")
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
        sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder outlasts a crash, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(path: PathLike) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """(document, arrays) of a model file; what is no sound one is refused."""
    name = Path(path).name
    with named(name):
        _check_header(path)
        metadata, arrays = _unpacked(path)
        text = metadata.get(DOCUMENT)
        if text is None:
            raise DataFileError("it holds arrays, but no shoal model")
        if len(text) > LONGEST_DOCUMENT:
            raise DataFileError(
                f"its settings take {len(text):,} characters; expected {LONGEST_DOCUMENT:,} at most"
            )
        if checksum(text, arrays) != metadata.get(CHECKSUM):
            raise DataFileError("its contents do not match its checksum: it was damaged, or altered")
        return document_of(text), arrays


def document_of(text: str) -> dict[str, Any]:
    """The JSON document, of a format that is known."""
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("format"), int):
        raise DataFileError("its settings are not those of a model")
    if not 1 <= document["format"] <= FORMAT:
        raise DataFileError(
            f"it is of format {document['format']}, and this version of shoal reads up to {FORMAT}: update shoal"
        )
    return document


def _check_header(path: PathLike) -> None:
    """Refuse what cannot be a model file before any memory is given to it."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if len(start) < 9 or start[8:] != b"{":
        raise DataFileError("it is no model file")
    if length > size - 8:
        raise DataFileError("it is cut short, or no model file")
    if length > LONGEST_HEADER:
        raise DataFileError(f"its header has {length:,} bytes; expected {LONGEST_HEADER:,} at most")


def _unpacked(path: PathLike) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    from safetensors import safe_open

    arrays: dict[str, NDArray[Any]] = {}
    with safe_open(path, framework="numpy") as file:
        for name in file.keys():  # noqa: SIM118 - it is no dictionary
            kind = file.get_slice(name).get_dtype()
            if kind not in DTYPES:
                raise DataFileError(f"array {name!r} is of type {kind}; expected one of {', '.join(DTYPES)}")
            arrays[name] = np.require(file.get_tensor(name), DTYPES[kind], ["C", "W", "O"])
        return dict(file.metadata() or {}), arrays


@contextmanager
def named(name: str) -> Iterator[None]:
    """Say of which file an error is, and make one kind of error of all that a bad file can cause."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataFileError(f"{name}: no such file; check the name and the folder") from error
    except IsADirectoryError as error:
        raise DataFileError(f"{name}: is a folder; expected a model file") from error
    except DataFileError as error:
        raise DataFileError(f"{name}: {error}".removesuffix(".") + ".") from error
    except Exception as error:
        kind = type(error).__name__
        told = " ".join(str(error).split())[:200]
        raise DataFileError(f"{name}: is no sound model file ({kind}: {told}).") from error
