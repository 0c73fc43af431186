"""These run in a process of their own, as plain Python: see `tests/cli/test_model_commands.py`."""

import os

collect_ignore_glob = [] if os.environ.get("NUMBA_DISABLE_JIT") == "1" else ["test_*.py"]
