"""Every target of the fuzzer, with its first inputs and with many that are a little different."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz.corpus import FOLDER
from tests.fuzz.targets import TARGETS

EXAMPLES = 1000  # of each target: a minute for all of them
INPUTS = {name: [path.read_bytes() for path in sorted((FOLDER / name).iterdir())] for name in TARGETS}


@st.composite
def varied(draw: st.DrawFn, name: str) -> bytes:
    """One of the first inputs with some runs of bytes replaced, dropped or put in; or any bytes at all."""
    data = draw(st.sampled_from([b"", *INPUTS[name]]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 6))
        data = data[:start] + draw(st.binary(max_size=12)) + data[start + length :]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_first_inputs(name):
    """The inputs that the fuzzer begins with, among them all that once ended badly, end well."""
    for data in INPUTS[name]:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_varied_inputs(name):
    """So do inputs that are a little different, and any bytes."""

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(varied(name))
    def ends_well(data):
        TARGETS[name](data)

    ends_well()
