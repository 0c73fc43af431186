"""What shoal raises when it is given something that it cannot take."""

from __future__ import annotations


class InputError(ValueError):
    """Data or a parameter that shoal cannot use; the message says what was given, expected, and what to do."""


class DataFileError(InputError):
    """A file that cannot be read as what it claims to be; names the file and, where there is one, the line."""
