"""Find a data set's file: in $SHOAL_DATA, in the user's cache, or at the data set's own site.

What is downloaded is checked before it is kept: whoever finds a file in the cache finds all of it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import urlopen

from shoal.datasets.catalogue import Part
from shoal.errors import DataFileError
from shoal.streams.sources import COMPRESSION_OF_SUFFIX, ByteSource

DATA_VARIABLE = "SHOAL_DATA"
TIMEOUT = 60.0  # seconds without a byte after which a site counts as silent
BINARY_SUFFIXES = ("ubyte", ".bin")


def file_of(part: Part, dataset: str) -> Path:
    """Where the file is on this machine; it is downloaded if need be."""
    found = find(part)
    if found is None:
        _download(part, dataset)
        found = cache_folder() / part.path
    return found


def find(part: Part) -> Path | None:
    """Where the file is on this machine, plain or compressed, if it is there."""
    for folder in _folders():
        for suffix in ("", *COMPRESSION_OF_SUFFIX):
            path = folder / f"{part.path}{suffix}"
            if path.is_file():
                return path
    return None


def cache_folder() -> Path:
    """Where downloads are kept."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "shoal" / "datasets"


def _folders() -> list[Path]:
    given = os.environ.get(DATA_VARIABLE)
    return [*([Path(given)] if given else []), cache_folder()]


def _download(part: Part, dataset: str) -> None:
    place = f"put {part.path} (or .xz, .gz, ...) into the folder that {DATA_VARIABLE} names"
    if part.url is None:
        raise DataFileError(f"{dataset}: {part.path} is not here and no site offers this form of it; {place}")
    site = urlparse(part.url).hostname
    try:
        with urlopen(part.url, timeout=TIMEOUT) as response:
            packed = response.read()
    except HTTPError as error:
        error.close()
        raise DataFileError(f"{dataset}: {part.url} answers {error.code} {error.reason}; {place}") from error
    except HTTPException as error:
        raise DataFileError(f"{dataset}: the download from {site} was cut short; try again, or {place}") from error
    except (URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise DataFileError(f"{dataset}: cannot reach {site} ({reason}); go online, or {place}") from error
    _keep(_unpacked(packed, part.url, binary=part.path.endswith(BINARY_SUFFIXES)), part, dataset)


def _unpacked(packed: bytes, url: str, *, binary: bool) -> bytes:
    """The file's contents: decompressed, and text with Unix line ends and one final newline."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(urlparse(url).path).name
        file.write_bytes(packed)
        with ByteSource(file) as source:
            data = source.read()
    return data if binary else data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"


def _keep(data: bytes, part: Part, dataset: str) -> None:
    """Put checked contents into the cache, all at once."""
    digest = hashlib.sha256(data).hexdigest()
    if not part.sha256 or not digest.startswith(part.sha256):
        raise DataFileError(
            f"{dataset}: {part.url} has the checksum {digest[:12]}, expected {part.sha256}: "
            "the file was changed or damaged on its way; it was not kept"
        )
    path = cache_folder() / part.path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
