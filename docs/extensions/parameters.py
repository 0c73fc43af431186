"""Docstrings say `name: what it is` under a heading; the reference shows them as lists of parameters."""

from __future__ import annotations

import re
from typing import Any

HEADINGS = ("Parameters", "Examples")
ENTRY = re.compile(r"^([a-z_]\w*(?:, [a-z_]\w*)*):(?: (.*))?$")


def as_fields(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of one docstring in place."""
    out: list[str] = []
    within = False
    for number, line in enumerate(lines):
        underline = lines[number + 1] if number + 1 < len(lines) else ""
        if line.strip() in HEADINGS and set(underline.strip()) == {"-"}:
            within = line.strip() == "Parameters"
            continue
        if number == 0:
            out.append(line)  # the summary
            continue
        if line and set(line.strip()) == {"-"} and number and lines[number - 1].strip() in HEADINGS:
            out.append("")
            continue
        entry = ENTRY.match(line)
        if entry and (within or starts_block(lines, number)):
            within = True
            names = ", ".join(f"**{each}**" for each in entry.group(1).split(", "))
            if out and out[-1].strip() and not out[-1].startswith(("* ", "  ")):
                out.append("")
            out.append(f"* {names} – {entry.group(2) or ''}")
            continue
        if not line.strip():
            within = within and next_is_entry(lines, number)
        out.append(f"  {line.strip()}" if within and line.strip() else line)
    lines[:] = out


def starts_block(lines: list[str], number: int) -> bool:
    """Whether an entry stands first in its paragraph, or after another."""
    return not lines[number - 1].strip() or ENTRY.match(lines[number - 1]) is not None


def next_is_entry(lines: list[str], number: int) -> bool:
    """Whether the next paragraph begins with an entry."""
    rest = [line for line in lines[number + 1 :] if line.strip()]
    return bool(rest) and ENTRY.match(rest[0]) is not None


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("autodoc-process-docstring", as_fields)
    return {"parallel_read_safe": True}
