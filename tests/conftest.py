"""What every test can ask for."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shoal_data() -> Path:
    """The folder of benchmark data; in CI its absence is a failure, elsewhere a reason to skip."""
    folder = os.environ.get("SHOAL_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder)
    reason = "SHOAL_DATA does not name a folder: set it to the folder of benchmark data to run this test"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
