"""FMPy runs our FMUs to closed forms."""

import math

import numpy
import pytest
from fmpy import simulate_fmu

KINDS = ["ModelExchange", "CoSimulation"]


def height(t, e=0.8, g=9.81):
    """Of the ball: parabolas between the bounces."""
    v, t0 = math.sqrt(2 * g), math.sqrt(2 / g)
    if t < t0:
        return 1 - g * t * t / 2
    while True:
        v *= e
        if t < t0 + 2 * v / g:
            return v * (t - t0) - g * (t - t0) ** 2 / 2
        t0 += 2 * v / g


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("kind", KINDS)
def test_ball(export, fmi, kind):
    result = simulate_fmu(export("Ball", "--fmi", fmi), fmi_type=kind, stop_time=2.0, output_interval=0.01,
                          relative_tolerance=1e-9, start_values={"e": 0.7}, output=["h"])
    worst = max(abs(row["h"] - height(row["time"], e=0.7)) for row in result)
    assert worst < 1e-5


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("kind", KINDS)
def test_types(export, fmi, kind):
    """Σ exp(−k·t) with parameters, integers that count, a condition of an input, an enumeration."""
    result = simulate_fmu(export("Types", "--fmi", fmi), fmi_type=kind, stop_time=1.0, output_interval=0.05,
                          relative_tolerance=1e-8, start_values={"order": 3, "n": 4, "T": 320.0},
                          output=["y", "count", "hot"])
    for row in result[::2]:
        t = row["time"]
        expected = 4 * 3 * sum(math.exp(-k * t) for k in (1, 2, 3))
        assert abs(row["y"] - expected) < 1e-5 * expected
        assert row["hot"] == 1
    assert result[-1]["count"] == 4 * 11
    counts = numpy.unique(result["count"])
    assert list(counts) == [4 * k for k in range(1, 12)]
