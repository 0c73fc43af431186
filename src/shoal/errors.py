"""What shoal raises when it is given something that it cannot take."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Data or a parameter that shoal cannot use; the message says what was given, expected, and what to do."""


class DataFileError(InputError):
    """A file that cannot be read as what it claims to be; names the file and, where there is one, the line."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Words to end a message with: the name that was perhaps meant, or nothing where none is like it."""
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
