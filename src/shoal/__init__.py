"""shoal: online ensembles. Many weak learners, taught one example at a time, that swim as one."""

from __future__ import annotations

__version__ = "0.1.0"
