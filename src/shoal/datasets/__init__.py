"""Data sets by name: the papers', scikit-learn's, and synthetic streams that drift.

`load` looks in the folder that $SHOAL_DATA names, then in the user's cache, and else downloads from the
data set's own site and verifies a checksum.
"""

from __future__ import annotations

from shoal.datasets.catalogue import DataSet
from shoal.datasets.loading import describe, is_name, load, names
from shoal.datasets.naming import synthetic

__all__ = ["DataSet", "describe", "is_name", "load", "names", "synthetic"]
