"""Arrow tables of any types drawn from a fuzzer's bytes: what files of sound form may hold."""

from __future__ import annotations

import decimal
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from tests.fuzz.choices import Choices

WORDS = ("red", "", " blue", "?", "1", "-0.0", "1e400", "nan", "inf", 'é\n,"', "0x1p3", "1_0", "\x00", "x" * 300)
NUMBERS = (0.0, -0.0, 1.5, -2.0, 5e-324, 1.7976931348623157e308, float("nan"), float("inf"), 2.0**53 + 1)
NAMES = ("a", "label", "", "y", "é", "a=b", "column 1", "weight", "a\nb", "Class")
TYPES: tuple[tuple[Any, Any], ...] = (
    (pa.float64(), lambda c: c.one_of(NUMBERS)),
    (pa.string(), lambda c: c.one_of(WORDS)),
    (pa.int64(), lambda c: c.number(2**64) - 2**63),
    (pa.bool_(), lambda c: bool(c.number(2))),
    (pa.float32(), lambda c: 1.5),
    (pa.float16(), lambda c: 0.5),
    (pa.uint64(), lambda c: c.number(2**64)),
    (pa.decimal128(10, 2), lambda c: decimal.Decimal(c.number(10**6)) / 4),
    (pa.date32(), lambda c: c.number(2**20)),
    (pa.date64(), lambda c: c.number(2**20) * 86400000),
    (pa.timestamp("ns", tz="UTC"), lambda c: c.number(2**62)),
    (pa.duration("us"), lambda c: c.number(2**40)),
    (pa.time32("s"), lambda c: c.number(86400)),
    (pa.time64("ns"), lambda c: c.number(10**12)),
    (pa.large_string(), lambda c: c.one_of(WORDS)),
    (pa.string_view(), lambda c: c.one_of(WORDS)),
    (pa.binary(), lambda c: c.some()),
    (pa.null(), lambda c: None),
    (pa.dictionary(pa.int8(), pa.string()), lambda c: c.one_of(WORDS)),
    (pa.dictionary(pa.int32(), pa.int64()), lambda c: c.number(5)),
    (pa.list_(pa.int64()), lambda c: [1, 2]),
    (pa.struct([("f", pa.int64())]), lambda c: {"f": 1}),
    (pa.month_day_nano_interval(), lambda c: (1, 2, 3)),
)


def drawn_table(choices: Choices) -> pa.Table:
    """Up to five columns of up to 40 rows."""
    n_rows = choices.number(41)
    columns, names = [], []
    for _ in range(choices.number(5) + 1):
        kind, value = choices.one_of(TYPES)
        cells = [None if choices.number(8) == 7 else value(choices) for _ in range(n_rows)]
        columns.append(pa.array(cells, type=kind))
        names.append(choices.one_of(NAMES))
    return pa.Table.from_arrays(columns, names=names)


def write_table(table: pa.Table, path: str, form: str) -> bool:
    """Write it in a form; whether that form can hold it."""
    try:
        if form == "parquet":
            pa.parquet.write_table(table, path)
        elif form == "csv":
            pa.csv.write_csv(table, path)
        else:
            with pa.OSFile(path, "wb") as sink:
                make = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
                with make(sink, table.schema) as writer:
                    writer.write_table(table)
    except (pa.ArrowException, ValueError):
        return False
    return True
