"""Arrays are variables with dimensions in FMI 3.0 and scalars in FMI 2.0; both run alike."""

import casadi
import numpy
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi3 import FMU3Slave

A = numpy.array([[1.0, 2, 3], [4, 5, 6]])
T0, K, U = numpy.array([1.0, 2, 3]), numpy.array([1.0, 2, 3]), numpy.array([0.1, 0.2, 0.3])


def exact(t):
    """The Riccati equation dT/dt = u - k T² has a closed form."""
    fixed = numpy.sqrt(U / K)
    shift = (T0 - fixed) / (T0 + fixed) * numpy.exp(-2 * numpy.sqrt(U * K) * t)
    return fixed * (1 + shift) / (1 - shift)


def by_name(path):
    return {v.name: v for v in read_model_description(path).modelVariables}


def test_arrays_have_dimensions(export):
    variables = by_name(export("Plates"))
    shapes = {name: tuple(int(d.start) for d in v.dimensions) for name, v in variables.items()}
    for name, shape in {"k": (3,), "A": (2, 3), "n": (2,), "on": (2,), "u": (3,), "y": (2,), "hot": (3,), "T": (3,), "der(T)": (3,), "steps": (2,), "single": ()}.items():
        assert shapes[name] == shape
    assert not any(name.startswith(("k[", "T[", "u[")) for name in variables)
    assert variables["A"].start == "1.0 2.0 3.0 4.0 5.0 6.0"
    assert variables["der(T)"].derivative.name == "T"


def test_fmi2_has_scalars(export):
    variables = by_name(export("Plates", "--fmi", "2"))
    assert {"T[1]", "T[3]", "A[2,3]", "u[2]"} <= set(variables)


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_fmpy_runs_arrays(export, kind):
    result = simulate_fmu(export("Plates"), fmi_type=kind, stop_time=1, output_interval=0.01, relative_tolerance=1e-8, output=["T", "y", "hot", "steps"])
    last = result[-1]
    numpy.testing.assert_allclose(last["T"], exact(1), rtol=1e-6)
    numpy.testing.assert_allclose(last["y"], A @ exact(1), rtol=1e-6)
    assert list(last["hot"]) == [x > 0.5 for x in exact(1)]
    assert list(last["steps"]) == [33, 11]


def test_arrays_are_set_and_read_as_a_whole(export, tmp_path):
    path = export("Plates")
    d, v = read_model_description(path), by_name(path)
    unit = FMU3Slave(guid=d.guid, instanceName="i", unzipDirectory=extract(path, unzipdir=str(tmp_path)), modelIdentifier=d.coSimulation.modelIdentifier)
    unit.instantiate()
    unit.enterInitializationMode()
    unit.setFloat64([v["A"].valueReference], [2, 0, 0, 0, 0, 1])
    unit.setFloat64([v["T"].valueReference, v["single"].valueReference], [4, 5, 6, 7])
    unit.exitInitializationMode()
    assert unit.getFloat64([v["y"].valueReference], 2) == [8, 6]
    assert unit.getFloat64([v["single"].valueReference, v["T"].valueReference], 4) == [7, 4, 5, 6]
    assert unit.getInt32([v["n"].valueReference], 2) == [3, 4]
    # An element has no reference of its own, and a wrong number of values is an error.
    with pytest.raises(Exception):
        unit.getFloat64([v["T"].valueReference + 1])
    with pytest.raises(Exception):
        unit.getFloat64([v["T"].valueReference], 2)
    unit.terminate()
    unit.freeInstance()


def test_casadi_knows_the_dimensions(export):
    builder = casadi.DaeBuilder("m", export("Plates"))
    assert builder.x() == ["T", "single"] and builder.u() == ["u"]
    assert builder.dimension("T") == [3] and builder.dimension("A") == [2, 3] and builder.numel("A") == 6


@pytest.mark.parametrize("words", [["--fmi", "2"], ["--scalars"]])
def test_casadi_has_the_jacobian_of_elements(export, words):
    """Its functions ask for one number of each variable."""
    builder = casadi.DaeBuilder("m", export("Plates", *words))
    f = builder.create("f", ["x", "u"], ["ode", "y"])
    jacobian = f.factory("J", ["x", "u"], ["jac:ode:x", "jac:ode:u"])
    T = [0.5, 0.7, 0.9]
    a, b = (numpy.array(m) for m in jacobian([*T, 1.0], list(U)))
    numpy.testing.assert_allclose(a, numpy.diag([*(-2 * K * T), -1.0]), atol=1e-10)
    numpy.testing.assert_allclose(b, numpy.vstack([numpy.eye(3), numpy.zeros((1, 3))]), atol=1e-10)
