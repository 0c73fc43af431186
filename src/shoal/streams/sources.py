"""Bytes from a file or standard input, decompressed on the way, with what is read so far counted.

Compression is known by the suffix (.gz .bz2 .xz .zst) or, where there is none, by the first bytes.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from shoal.errors import DataFileError

STANDARD_INPUT = "-"
COMPRESSION_OF_SUFFIX = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
# The first bytes of each container, from its specification (RFC 1952, bzip2, xz format 1.2, RFC 8878).
COMPRESSION_OF_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
LONGEST_MAGIC = max(map(len, COMPRESSION_OF_MAGIC))
BLOCK = 1 << 20  # bytes asked for at a time while looking ahead


def without_compression(path: str | os.PathLike[str]) -> Path:
    """The path less a suffix that names a compression."""
    plain = Path(path)
    return plain.with_suffix("") if plain.suffix.lower() in COMPRESSION_OF_SUFFIX else plain


class CountedFile:
    """A binary file that counts the bytes taken from it, and can be looked into ahead."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ahead = b""
        self.n_read = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        if size < 0:
            data, self._ahead = self._ahead + self._file.read(), b""
        else:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            if len(data) < size:
                data += self._file.read(size - len(data))
        self.n_read += len(data)
        return data

    def look(self, size: int) -> bytes:
        """The next bytes, which a later read will return again; fewer only at the end."""
        while len(self._ahead) < size and (more := self._file.read(max(size - len(self._ahead), 1))):
            self._ahead += more
        return self._ahead[:size]

    def close(self) -> None:
        """Close the file."""
        self.closed = True
        self._file.close()

    # What the standard library's decompressors ask of a file.
    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """No: what is read is gone."""
        return False


class ByteSource:
    """The decompressed bytes of a file, or of standard input for "-"; damage raises DataFileError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = name_of(path)
        self._owned = os.fspath(path) != STANDARD_INPUT
        self._raw = CountedFile(open_binary(path))
        self._n_bytes = Path(path).stat().st_size if self._owned else None
        suffix = Path(path).suffix.lower() if self._owned else ""
        try:
            self.compression = COMPRESSION_OF_SUFFIX.get(suffix) or _compression_of(self._raw.look(LONGEST_MAGIC))
            self._plain = CountedFile(_decompressed(self._raw, self.compression))
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether the source has been closed."""
        return self._raw.closed

    def fraction_read(self) -> float | None:
        """The part of the file consumed so far, if its size is known."""
        return min(1.0, self._raw.n_read / self._n_bytes) if self._n_bytes else None

    def read(self, size: int = -1) -> bytes:
        """Up to `size` decompressed bytes; fewer only at the end."""
        return self._guarded(self._plain.read, size)

    def look(self, size: int) -> bytes:
        """The next decompressed bytes, without taking them."""
        return self._guarded(self._plain.look, size)

    def _guarded(self, read: Any, size: int) -> bytes:
        try:
            return bytes(read(size))
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> DataFileError:
        if isinstance(error, EOFError) or "truncated" in str(error).lower():
            return DataFileError(
                f"{self.name}: the {self.compression} archive is cut short; fetch or make it again"
            )
        if self.compression is None:
            return DataFileError(f"{self.name}: cannot be read: {error}")
        return DataFileError(f"{self.name}: is not a sound {self.compression} archive ({error}); fetch it again")

    def close(self) -> None:
        """Close the file; standard input is left open, for it is not ours."""
        if self._owned:
            self._raw.close()

    def __enter__(self) -> ByteSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def reason_of(error: Exception) -> str:
    """What an error of a library says, in one line."""
    return str(error).strip().splitlines()[0] if str(error).strip() else "it is damaged"


def name_of(path: str | os.PathLike[str]) -> str:
    """What messages call the source."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)


def open_binary(path: str | os.PathLike[str]) -> IO[bytes]:
    """The file at `path`, or standard input; DataFileError when there is none."""
    if os.fspath(path) == STANDARD_INPUT:
        return sys.stdin.buffer
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        raise DataFileError(f"{path}: no such file; check the name and the folder") from error
    except OSError as error:
        raise DataFileError(f"{path}: cannot be opened: {error.strerror}") from error


def _compression_of(head: bytes) -> str | None:
    return next((name for magic, name in COMPRESSION_OF_MAGIC.items() if head.startswith(magic)), None)


def _decompressed(raw: CountedFile, compression: str | None) -> Any:
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw)  # type: ignore[call-overload]
    if compression == "bz2":
        return bz2.BZ2File(raw)  # type: ignore[call-overload]
    if compression == "xz":
        return lzma.LZMAFile(raw)  # type: ignore[arg-type]
    if compression == "zstd":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
    return raw
