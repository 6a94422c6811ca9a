"""States that are kept, written to bytes and set again, and instances on threads: the same bits."""

import threading

import pytest
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

STEP = 0.01
SOLVERS = ["auto", "bdf", "radau", "rk4", "liqss2"]


def made(path, folder, name="i"):
    d = read_model_description(path)
    kind = FMU2Slave if d.fmiVersion == "2.0" else FMU3Slave
    unit = kind(guid=d.guid, instanceName=name, unzipDirectory=str(folder), modelIdentifier=d.coSimulation.modelIdentifier)
    unit.instantiate()
    return unit, {v.name: v.valueReference for v in d.modelVariables}


def started(unit):
    if isinstance(unit, (FMU2Slave, FMU2Model)):
        unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()


def heights(unit, names, first, count):
    """As bits: nearly equal is not equal."""
    read = unit.getReal if isinstance(unit, FMU2Slave) else unit.getFloat64
    out = []
    for k in range(first, first + count):
        unit.doStep(k * STEP, STEP)
        out.append(tuple(x.hex() for x in read([names["h"], names["v"]])))
    return out


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_serialized_state_goes_on_with_the_same_bits(export, tmp_path, solver, fmi):
    path = export("Ball", "--solver", solver, "--fmi", fmi)
    folder = extract(path, unzipdir=str(tmp_path))
    unit, names = made(path, folder)
    started(unit)
    heights(unit, names, 0, 30)
    if fmi == "2":
        state = unit.getFMUstate()
        data = unit.serializeFMUstate(state)
        unit.freeFMUstate(state)
    else:
        state = unit.getFMUState()
        data = unit.serializeFMUState(state)
        unit.freeFMUState(state)
    after = heights(unit, names, 30, 30)
    unit.terminate()
    unit.freeInstance()
    other, names = made(path, folder, "other")
    # FMI allows it in every state that was allowed when it was taken: a new instance has just been made.
    state = other.deSerializeFMUstate(data) if fmi == "2" else other.deserializeFMUState(data)
    (other.setFMUstate if fmi == "2" else other.setFMUState)(state)
    assert heights(other, names, 30, 30) == after
    other.terminate()
    other.freeInstance()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_step_again_gives_the_same_bits(export, tmp_path, solver):
    path = export("Ball", "--solver", solver)
    folder = extract(path, unzipdir=str(tmp_path))
    unit, names = made(path, folder)
    started(unit)
    heights(unit, names, 0, 44)
    state = unit.getFMUState()
    first = heights(unit, names, 44, 3)
    unit.setFMUState(state)
    assert heights(unit, names, 44, 3) == first
    unit.terminate()
    unit.freeInstance()


def test_two_threads_equal_one_after_the_other(export, tmp_path):
    path = export("Ball")
    folder = extract(path, unzipdir=str(tmp_path))

    def run(name, out):
        unit, names = made(path, folder, name)
        started(unit)
        out[name] = heights(unit, names, 0, 200)
        unit.terminate()
        unit.freeInstance()

    alone, together = {}, {}
    for name in "ab":
        run(name, alone)
    threads = [threading.Thread(target=run, args=(name, together)) for name in "ab"]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert together == alone and together["a"] == together["b"]


@pytest.mark.parametrize("when", ["before the event", "in event mode", "after the event"])
@pytest.mark.parametrize("fmi", ["2", "3"])
def test_an_event_that_is_due_is_in_the_state(export, tmp_path, fmi, when):
    """Model Exchange at 0.5: the second sample and, behind it, the condition `time > 0.5`. They happen once, in whichever instance."""
    path = export("Counter", "--fmi", fmi)
    folder = extract(path, unzipdir=str(tmp_path))
    d = read_model_description(path)
    names = {v.name: v.valueReference for v in d.modelVariables}

    def fresh(name):
        kind = FMU2Model if fmi == "2" else FMU3Model
        unit = kind(guid=d.guid, instanceName=name, unzipDirectory=str(folder), modelIdentifier=d.modelExchange.modelIdentifier)
        unit.instantiate()
        return unit

    def settle(unit):
        """Until nothing is asked for any more; the time of the next event."""
        for _ in range(10):
            again, _, _, _, defined, following = unit.newDiscreteStates() if fmi == "2" else unit.updateDiscreteStates()
            if not again:
                return following if defined else None
        raise AssertionError("the event does not end")

    def event(unit, at):
        unit.setTime(at)
        unit.enterEventMode()
        return settle(unit)

    def go_on(unit):
        """From where the state was taken."""
        if when == "before the event":
            unit.enterEventMode()
        following = settle(unit) if when != "after the event" else None
        unit.enterContinuousTimeMode()
        there = values(unit)
        return following, there, event(unit, 0.75), values(unit)

    def values(unit):
        if fmi == "2":
            return unit.getInteger([names["n"]])[0], unit.getBoolean([names["late"]])[0]
        return unit.getInt32([names["n"]])[0], unit.getBoolean([names["late"]])[0]

    unit = fresh("one")
    started(unit)
    assert settle(unit) == 0.25
    unit.enterContinuousTimeMode()
    assert event(unit, 0.25) == 0.5
    unit.enterContinuousTimeMode()
    unit.setTime(0.5)
    if when != "before the event":
        unit.enterEventMode()
    if when == "after the event":
        assert settle(unit) == 0.75
    state = unit.getFMUState()
    data = unit.serializeFMUState(state)
    unit.freeFMUState(state)
    expected = (None if when == "after the event" else 0.75, (2, True), 1.0, (3, True))
    assert go_on(unit) == expected
    other = fresh("other")
    other.setFMUState(other.deserializeFMUState(data))
    assert go_on(other) == expected
    unit.freeInstance()
    other.freeInstance()
