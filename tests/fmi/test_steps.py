"""FMI 3.0 Co-Simulation led by hand: event mode, early return, points inside of steps, and libraries that come and go."""

import math
import os
import subprocess
import sys

import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi3 import FMU3Model, FMU3Slave

FALL = math.sqrt(2 / 9.81)


class Led:
    """An instance with names in place of references."""

    def __init__(self, path, folder, **agreement):
        self.description = read_model_description(path)
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.unit = FMU3Slave(guid=self.description.guid, instanceName="led", unzipDirectory=extract(path, unzipdir=str(folder)),
                              modelIdentifier=self.description.coSimulation.modelIdentifier)
        self.unit.instantiate(**agreement)
        self.unit.enterInitializationMode(tolerance=1e-8)
        self.unit.exitInitializationMode()

    def get(self, name):
        return self.unit.getFloat64([self.references[name]])[0]


def test_what_the_description_promises(export):
    interface = read_model_description(export("Ball")).coSimulation
    assert interface.hasEventMode and interface.providesIntermediateUpdate
    assert interface.canReturnEarlyAfterIntermediateUpdate and interface.mightReturnEarlyFromDoStep


@pytest.mark.parametrize("solver", ["auto", "bdf", "radau", "liqss2"])
def test_a_step_ends_at_the_event(export, tmp_path, solver):
    led = Led(export("Ball", "--solver", solver), tmp_path, eventModeUsed=True, earlyReturnAllowed=True)
    assert led.unit.updateDiscreteStates()[0] is False
    led.unit.enterStepMode()
    event, ended, early, at = led.unit.doStep(0.0, 0.3)
    assert (event, ended, early) == (False, False, False) and at == 0.3
    event, ended, early, at = led.unit.doStep(0.3, 0.5)
    assert event and early and not ended
    assert abs(at - FALL) < 1e-6
    led.unit.enterEventMode()
    assert led.unit.updateDiscreteStates()[0] is False
    led.unit.enterStepMode()
    event, _, early, end = led.unit.doStep(at, 0.8 - at)
    if event and early and end - at < 1e-6:
        # The same bounce, met from its other side.
        event, _, early, end = led.unit.doStep(end, 0.8 - end)
    assert not event and not early and end == pytest.approx(0.8)
    v, t = 0.8 * 9.81 * FALL, 0.8 - FALL
    assert abs(led.get("h") - (v * t - 9.81 / 2 * t * t)) < 1e-4
    led.unit.terminate()
    led.unit.freeInstance()


def test_without_early_return_events_stay_inside(export, tmp_path):
    led = Led(export("Ball"), tmp_path, eventModeUsed=True)
    led.unit.enterStepMode()
    event, _, early, at = led.unit.doStep(0.0, 0.8)
    assert not event and not early and at == 0.8
    led.unit.freeInstance()


def test_inputs_jump_in_event_mode(export, tmp_path):
    """The condition of an input changes in event mode, between two steps."""
    led = Led(export("Types"), tmp_path, eventModeUsed=True, earlyReturnAllowed=True)
    hot = [led.references["hot"]]
    assert led.unit.getBoolean(hot) == [False]
    led.unit.setFloat64([led.references["T"]], [320.0])
    assert led.unit.updateDiscreteStates()[0] is False
    assert led.unit.getBoolean(hot) == [True]
    led.unit.enterStepMode()
    led.unit.freeInstance()


def test_points_inside_of_a_step(export, tmp_path):
    """At each point what is read is the value there; the importer returns at a time of its own."""
    seen, until = [], [None]

    def update(_, time, set_requested, get_allowed, finished, can_return, requested, early_time):
        assert get_allowed and finished and not set_requested
        seen.append((time, led.get("energy"), can_return))
        if until[0] is not None and time >= until[0]:
            requested[0], early_time[0] = True, time

    led = Led(export("Ball"), tmp_path, earlyReturnAllowed=True, intermediateUpdate=update)
    _, _, early, at = led.unit.doStep(0.0, 0.4)
    assert not early and at == 0.4
    times = [t for t, _, _ in seen]
    assert len(times) >= 8 and times == sorted(times) and times[-1] == 0.4
    # Without a bounce the energy stays g·h at the start.
    assert all(abs(e - 9.81) < 1e-5 for _, e, _ in seen) and all(c for _, _, c in seen)
    seen.clear()
    until[0] = 0.42
    _, _, early, at = led.unit.doStep(0.4, 0.04)
    assert early and 0.42 <= at < 0.44
    assert abs(led.get("h") - (1 - 9.81 / 2 * at * at)) < 1e-6
    led.unit.freeInstance()


@pytest.mark.parametrize("mode", [False, True])
def test_parameters_are_tuned_between_steps(export, tmp_path, mode):
    """R of the circuit changes at 0.1: with i held by the inductance, p = R·i² jumps with it; then a damped oscillation."""
    led = Led(export("RLC"), tmp_path, eventModeUsed=mode)
    assert {v.name: v.variability for v in led.description.modelVariables}["R"] == "tunable"
    if mode:
        led.unit.enterStepMode()
    led.unit.doStep(0.0, 0.1)
    before = led.get("i")
    if mode:
        led.unit.enterEventMode()
    led.unit.setFloat64([led.references["R"]], [30.0])
    if mode:
        led.unit.updateDiscreteStates()
        led.unit.enterStepMode()
    assert led.get("i") == before and abs(led.get("p") - 30.0 * before**2) < 1e-12
    state = led.unit.getFMUState()
    led.unit.doStep(0.1, 0.05)
    after = led.get("i")
    # The closed form of a damped oscillation: i'' + (R/L) i' + i/(LC) = 0 from i and i' right after the change.
    R, L, C, u = 30.0, 0.1, 1e-3, 1.0
    led.unit.setFMUState(state)
    v = led.get("v")
    slope = (u - R * before - v) / L
    a = R / (2 * L)
    roots = [(-a + s * complex(a * a - 1 / (L * C)) ** 0.5) for s in (1, -1)]
    second = (slope - roots[0] * before) / (roots[1] - roots[0])
    first = before - second
    expected = sum(c * complex(math.e) ** (r * 0.05) for c, r in ((first, roots[0]), (second, roots[1]))).real
    assert abs(after - expected) < 1e-6
    led.unit.freeInstance()


def test_parameters_are_tuned_at_events(export, tmp_path):
    """Gravity changes in event mode of Model Exchange, and what is computed from it; between events that is refused."""
    path = export("Ball")
    d = read_model_description(path)
    r = {v.name: v.valueReference for v in d.modelVariables}
    assert {v.name: v.variability for v in d.modelVariables}["weight"] == "tunable"
    unit = FMU3Model(guid=d.guid, instanceName="tuned", unzipDirectory=extract(path, unzipdir=str(tmp_path)),
                     modelIdentifier=d.modelExchange.modelIdentifier)
    unit.instantiate()
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.setFloat64([r["g"]], [1.62])
    unit.updateDiscreteStates()
    unit.enterContinuousTimeMode()
    assert unit.getFloat64([r["der(v)"], r["weight"], r["h"]]) == [-1.62, 3.24, 1.0]
    with pytest.raises(Exception):
        unit.setFloat64([r["g"]], [9.81])
    unit.freeInstance()


def test_fmpy_uses_event_mode(export):
    result = simulate_fmu(export("Ball"), fmi_type="CoSimulation", stop_time=0.8, output_interval=0.1, use_event_mode=True,
                          early_return_allowed=True, output=["h"])
    assert any(abs(t - FALL) < 1e-5 for t in result["time"])
    assert abs(result[-1]["time"] - 0.8) < 1e-9


LIFE = """
import ctypes, os, sys, psutil
from fmpy import read_model_description
path, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
d = read_model_description(path)
binary = os.path.join(folder, "binaries", "x86_64-linux", d.modelExchange.modelIdentifier + ".so")
log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)(lambda *a: None)
libc = ctypes.CDLL(None)
libc.dlclose.argtypes = [ctypes.c_void_p]

def life():
    library = ctypes.CDLL(binary)
    make = library.fmi3InstantiateModelExchange
    make.restype = ctypes.c_void_p
    make.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_bool] * 2 + [ctypes.c_void_p, type(log)]
    this = make(b"i", d.guid.encode(), os.path.join(folder, "resources", "").encode(), False, False, None, log)
    assert this
    library.fmi3EnterInitializationMode.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_double, ctypes.c_double, ctypes.c_bool, ctypes.c_double]
    assert library.fmi3EnterInitializationMode(this, False, 0, 0, False, 0) == 0
    library.fmi3ExitInitializationMode.argtypes = [ctypes.c_void_p]
    assert library.fmi3ExitInitializationMode(this) == 0
    library.fmi3FreeInstance.argtypes = [ctypes.c_void_p]
    library.fmi3FreeInstance(this)
    libc.dlclose(library._handle)

own = psutil.Process()
for _ in range(rounds // 5):
    life()
before = own.memory_info().rss
for _ in range(rounds):
    life()
print((own.memory_info().rss - before) / rounds)
"""


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="reads the memory of a process of Linux")
def test_loading_and_unloading_leaves_nothing(export, tmp_path):
    """What stays of a round is far below what one of our tables would be: 10 kB stayed once."""
    path = export("RLC")
    folder = extract(path, unzipdir=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", LIFE, path, folder, "1000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1000, f"{done.stdout} bytes stay of each round"
