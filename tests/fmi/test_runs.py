"""FMPy runs our FMUs to closed forms."""

import math

import numpy
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

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


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_that_begins_at_zero(export, fmi, kind):
    """An indicator of exactly 0 has no sign: CVode never saw it become positive, and `up` stayed false until the second half-wave."""
    result = simulate_fmu(export("Gate", "--fmi", fmi), fmi_type=kind, stop_time=5, output_interval=0.01, relative_tolerance=1e-8, output=["on"])
    assert abs(result[-1]["on"] - math.pi) < 1e-6


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_integrators_are_told_where_to_begin_anew(export, tmp_path, fmi):
    """Some importers go on with their history after an event unless the states are said to have changed: a jump of derivatives counts."""
    path = export("Gate", "--fmi", fmi)
    d = read_model_description(path)
    kind = FMU2Model if fmi == "2" else FMU3Model
    unit = kind(guid=d.guid, instanceName="i", unzipDirectory=extract(path, unzipdir=str(tmp_path)), modelIdentifier=d.modelExchange.modelIdentifier)
    unit.instantiate()
    if fmi == "2":
        unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    update = unit.newDiscreteStates if fmi == "2" else unit.updateDiscreteStates
    update()
    unit.enterContinuousTimeMode()
    unit.setTime(0.5)
    unit.enterEventMode()
    assert update()[3] is True
    unit.terminate()
    unit.freeInstance()


def gears():
    """Inputs that jump at 0.5 and at 1: rows on both sides."""
    rows = [(0, 0.5, 1, False), (0.5, 0.5, 1, False), (0.5, 2.0, 1, True), (1, 2.0, 1, True), (1, 2.0, 3, True), (3, 2.0, 3, True)]
    return numpy.array(rows, dtype=[("time", "f8"), ("u", "f8"), ("gear", "i4"), ("on", "?")])


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("kind", KINDS)
def test_discrete_inputs_jump(export, fmi, kind):
    """FMPy sets all inputs at every point that CVode looks at, those that may change at events only too. x rises by 2 from 0.5 on and by 6 from 1 on, and the
    model ends the run at x = 3."""
    result = simulate_fmu(export("Gears", "--fmi", fmi), fmi_type=kind, stop_time=3.0, output_interval=0.05, relative_tolerance=1e-8, input=gears(),
                          output=["x", "changes"])
    end = 1 + 2 / 6
    for t, x, _ in result:
        expected = min(0 if t < 0.5 else 2 * (t - 0.5) if t < 1 else 1 + 6 * (t - 1), 3.0)
        assert abs(x - expected) < 1e-6, t
    assert result[-1]["changes"] == 2
    # In FMI 3.0 FMPy takes the row of the communication point behind the end.
    assert abs(result[-1]["time"] - end) < (0.05 if (fmi, kind) == ("3", "CoSimulation") else 1e-6)
