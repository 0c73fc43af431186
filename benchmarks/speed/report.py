"""The table and the picture of one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.speed.cases import ASKED, LEARN_ONE, LINEAR, OURS, Asked
from benchmarks.speed.contestants import CONTESTANTS
from benchmarks.speed.picture import picture
from benchmarks.speed.streams import DENSE, SPARSE, Shape

Result = dict[str, Any]


def of(found: dict[str, Any], sweep: str, name: str | None = None) -> list[Result]:
    """What was measured of one question, of one contestant or of all."""
    return [r for r in found["results"] if r["sweep"] == sweep and name in (None, r["contestant"])]


def rate(found: dict[str, Any], name: str, shape: Shape) -> float | None:
    """Examples a second in the table's own case."""
    rows = [r for r in of(found, "table", name) if Shape(**r["shape"]) == shape]
    return rows[-1]["per_second"] if rows else None


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float | None) -> str:
    """Three digits that count, or a dash."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"


def rates(found: dict[str, Any]) -> str:
    """Examples a second of all on the two streams, and their share of mistakes."""
    rows = []
    for name in CONTESTANTS:
        cells = [name]
        for shape in (DENSE, SPARSE):
            own = [r for r in of(found, "table", name) if Shape(**r["shape"]) == shape]
            error = own[-1]["error"] if own else None
            cells += [number(own[-1]["per_second"] if own else None), "–" if error is None else f"{error:.3f}"]
        missing = found["missing"].get(name)
        rows.append(cells if missing is None else [f"{name} ({missing})", *cells[1:]])
    return table(("100 learners", str(DENSE), "error", str(SPARSE), "error"), rows)


def ratio(found: dict[str, Any], asked: Asked, shape: Shape) -> float | None:
    """How many times as fast as the fastest of the others."""
    own = rate(found, asked.name, shape)
    others = [r for r in (rate(found, name, shape) for name in asked.than) if r is not None]
    return own / max(others) if own is not None and others else None


def said(found: dict[str, Any], asked: Asked, shape: Shape, least: float | None) -> str:
    """A ratio beside the one asked, both turned round where what is asked is to be within so many times."""
    value = ratio(found, asked, shape)
    if least is None or value is None:
        return "–"
    if least < 1.0:
        return f"{1.0 / value:.2f} x as long (asked: within {1.0 / least:.3g} x)"
    return f"{number(value)} x as fast (asked: {least:.0f} x)"


def ratios(found: dict[str, Any]) -> str:
    """What is asked, and what was measured."""
    rows = []
    for asked in ASKED:
        than = asked.than[0] if len(asked.than) == 1 else f"the fastest of {asked.than[0].partition(',')[0]}"
        cells = [said(found, asked, DENSE, asked.dense), said(found, asked, SPARSE, asked.sparse)]
        rows.append([f"{asked.name} against {than}", *cells])
    name, least = LEARN_ONE
    value = rate(found, name, DENSE)
    rows.append([f"{name}, dense rows", f"{number(value)} a second (asked: {least:,.0f})", ""])
    return table(("", str(DENSE), str(SPARSE)), rows)


def exponent(results: Sequence[Result]) -> float:
    """The power of the size with which the time of an example (or, along rows, of all) grows."""
    per_run = results[0]["sweep"] == "rows"
    times = [r["seconds"] if per_run else r["seconds"] / r["rows"] for r in results]
    sizes = [r["rows"] if per_run else r["size"] for r in results]
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def exponents(found: dict[str, Any]) -> str:
    """Fitted exponents of all sweeps; the last column fits only the larger half, where the fixed cost of an
    example weighs less.
    """
    rows = []
    for sweep in (*LINEAR, "features", "declared features", "classes"):
        for name in OURS:
            own = of(found, sweep, name)
            if len(own) > 2:
                upper = own[len(own) // 2 :]
                spread = f"{own[0]['size']:,} to {own[-1]['size']:,}"
                rows.append([f"{name}, {sweep}", spread, f"{exponent(own):.2f}", f"{exponent(upper):.2f}"])
    return table(("time grows with the power", "sizes", "all", "upper half"), rows)


def sweeps(found: dict[str, Any]) -> str:
    """Examples a second, and microseconds, along every question."""
    parts = []
    for sweep in dict.fromkeys(r["sweep"] for r in found["results"] if r["sweep"] != "table"):
        sizes = sorted({r["size"] for r in of(found, sweep)})
        rows = []
        for name in CONTESTANTS:
            own = {r["size"]: r["per_second"] for r in of(found, sweep, name)}
            if own:
                rows.append([name, *(number(own.get(size)) for size in sizes)])
        parts.append(f"Examples a second against {sweep}:\n\n" + table(("", *(f"{s:,}" for s in sizes)), rows))
    return "\n\n".join(parts)


def memory(found: dict[str, Any]) -> str:
    """Memory that the model and its runs took, and how much more after many rows."""
    rows = [
        [f"{name}, {r['rows']:,} rows", f"{r['megabytes']:.1f}", f"{r['megabytes_grown']:.1f}"]
        for name in OURS
        for r in of(found, "rows", name)
    ]
    return table(("megabytes", "in all", "since the first rows"), rows)


def first(found: dict[str, Any]) -> str:
    """Seconds until the first prediction."""
    rows = [
        [name, *(f"{times[when]['wall']:.1f} ({times[when]['processor']:.1f})" for when in ("cold", "warm"))]
        for name, times in found["first"].items()
    ]
    return table(("seconds from start to first prediction (of the processor)", "cold", "warm"), rows)


def write_report(found: dict[str, Any], folder: Path) -> str:
    """Write table.md and picture.svg; answers with the table."""
    told = found["machine"]
    parts = [
        "# Speed",
        f"Written by `make bench` on {told['cores']} cores of {told['processor']}, Python {told['python']}, "
        f"load {told['load']:.1f} at the start. Examples for each second of the processor.",
        rates(found),
        "Ratios within this run:",
        ratios(found),
    ]
    if any(r["sweep"] != "table" for r in found["results"]):
        parts += [exponents(found), sweeps(found), memory(found)]
        (folder / "picture.svg").write_text(picture(found))
    if found["first"]:
        parts.append(first(found))
    text = "\n\n".join(parts) + "\n"
    (folder / "table.md").write_text(text)
    return text
