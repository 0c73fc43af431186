"""The first inputs of each target, made anew where they are not there: `python -m tests.fuzz.corpus`."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from shoal.files.container import packed

FOLDER = Path(__file__).parent / "corpus"
LIBSVM = "+1 1:0.5 3:-2e-3 7:nan # a comment\n-1 qid:3 2:1\n\n1 1:123456789012345678 2:5e-324\n"
CSV = 'age,colour,weight,label\n41,red,1.5,yes\n,"blue, or not",0,no\n3e1,?,2,yes\n'
TABLE = {
    "age": [41.0, None, 30.5], "colour": ["red", "blue", None], "n": [1, 2, 3], "sure": [True, False, None],
    "label": ["yes", "no", "yes"],
}  # fmt: skip


def arrow_bytes(*, stream: bool) -> bytes:
    table = pa.table(TABLE)
    sink = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet_bytes(**options: object) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(TABLE), sink, **options)
    return sink.getvalue()


def inputs() -> dict[str, dict[str, bytes]]:
    """Target by target, named inputs."""
    text, table = LIBSVM.encode(), CSV.encode()
    return {
        "libsvm": {"few": text, "words": b"yes 1:1\nno 2:0.5\n", "mark": b"\xef\xbb\xbf1 1:1\n-1 2:1e400\n"},
        "csv": {
            "few": table,
            "semicolons": table.replace(b",", b";"),
            "tabs": b"a\tb\tclass\r\n1\t2\tx\r\n2\t3\ty\r\n",
            "quotes": b'"a\nb",c,y\n"1",2,"x""y"\n',
        },
        "parquet": {
            "plain": parquet_bytes(compression="none"),
            "dictionaries": parquet_bytes(compression="snappy"),
            "pages": parquet_bytes(compression="none", use_dictionary=False, data_page_version="2.0"),
        },
        "arrow": {"file": arrow_bytes(stream=False), "stream": arrow_bytes(stream=True)},
        "sniffed": {
            "libsvm": text, "csv": table, "gzip": gzip.compress(text, mtime=0), "bz2": bz2.compress(table),
            "xz": lzma.compress(text), "zstd": pa.compress(text, "zstd", asbytes=True), "parquet": b"PAR1",
        },
        "unlabelled": {"few": text, "bare": b"1:0.5 3:2\n2:nan # none\n+1 1:1\n\nqid:1 1:2\n"},
        "checkpoint": {f"n{i}": bytes([i % 4, 1 + i, 9 * i, i]) + bytes(range(i, i + 30)) for i in range(8)},
        "model": {"nothing": packed('{"format": 1, "model": {}}', {}), "few": b"\x02\0\0\0\0\0\0\0{}"},
        "table": {f"n{i}": bytes([i % 4, 9, 2, 0, 1, i]) + bytes(range(i, i + 60)) for i in range(8)},
        "altered-model": {f"n{i}": bytes([i % 256, 1, i % 5]) + bytes(range(20)) for i in range(10)},
    }  # fmt: skip


def main() -> None:
    """Write what is not there."""
    for target, named in inputs().items():
        folder = FOLDER / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in named.items():
            if not (folder / name).exists():
                (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
