import pytest
from scipy.stats import binomtest

from shoal.errors import InputError
from shoal.evaluation.intervals import wilson


@pytest.mark.parametrize(("errors", "n"), [(0, 10), (10, 10), (3, 17), (1234, 56789)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_wilson(errors: int, n: int, level: float) -> None:
    """The interval agrees with scipy's."""
    expected = binomtest(errors, n).proportion_ci(level, method="wilson")
    assert wilson(errors, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("errors", "n", "level"), [(2, 1, 0.95), (-1, 5, 0.95), (0, 0, 0.95), (1, 2, 95)])
def test_wilson_refuses(errors: int, n: int, level: float) -> None:
    """Impossible counts and levels are refused."""
    with pytest.raises(InputError):
        wilson(errors, n, level)
