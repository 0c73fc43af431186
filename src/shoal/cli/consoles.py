"""Where tables for people are drawn."""

from __future__ import annotations

from rich.console import Console

LOG_WIDTH = 120  # columns, where the output is a file or a pipe and no terminal says how wide it is


def error_console() -> Console:
    """Standard error, as wide as the terminal, or wide enough for tables in a log."""
    console = Console(stderr=True)
    return console if console.is_terminal else Console(stderr=True, width=max(console.width, LOG_WIDTH))
