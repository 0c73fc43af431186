"""Model files: arrays in safetensors, parameters and format as JSON; nothing in them is ever run.

`save` writes a file that is either whole or not there. `load` makes an estimator, or a model from the command
line, that goes on as if it had never stopped, to the last bit. A file that is damaged, foreign or made to do
harm is refused with `DataFileError`.
"""

from __future__ import annotations

from shoal.files.loading import load
from shoal.files.saving import save

__all__ = ["load", "save"]
