"""Masters of co-simulations by others, libcosimpy (FMI 2.0) and ecospy (both versions), give what FMPy gives with the same communication steps."""

import os

import pytest
from fmpy import read_model_description, simulate_fmu

STEP, STEPS = 0.01, 150
CASES = [("Ball", ["h", "v", "energy"]), ("Motor", ["i", "w", "tau"]), ("RLC", ["i", "v", "p"])]


def in_fmpy(path, names):
    """The values of each communication point."""
    result = simulate_fmu(path, fmi_type="CoSimulation", output=names, stop_time=STEP * STEPS, output_interval=STEP, step_size=STEP)
    assert len(result) == STEPS + 1
    return [[row[n] for n in names] for row in result]


def in_cosim(path, names):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(step_size=int(STEP * 1e9))
    index = execution.add_local_slave(CosimLocalSlave(fmu_path=path, instance_name="unit"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer=observer)
    references = {v.name: v.valueReference for v in read_model_description(path).modelVariables}
    wanted = [references[n] for n in names]
    rows = []
    for _ in range(STEPS):
        assert execution.step()
        rows.append(list(observer.last_real_values(slave_index=index, variable_references=wanted)))
    return rows


def in_ecos(path, names):
    try:
        from ecospy import EcosSimulation, EcosSimulationStructure
    except OSError as missing:
        # A library of the system that it is linked with.
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))

    rows = []
    with EcosSimulationStructure() as structure:
        structure.add_model("unit", path)
        with EcosSimulation(structure=structure, step_size=STEP) as simulation:
            simulation.init()
            for _ in range(STEPS):
                simulation.step(1)
                rows.append([simulation.get_real(f"unit::{n}") for n in names])
    return rows


@pytest.mark.parametrize("model, names", CASES)
@pytest.mark.parametrize("fmi, master", [("2", in_cosim), ("2", in_ecos), ("3", in_ecos)])
def test_masters_agree(export, fmi, master, model, names):
    path = export(model, "--fmi", fmi, "--type", "cs")
    expected = in_fmpy(path, names)
    found = master(path, names)
    assert len(found) == STEPS
    for row, known in zip(found, expected[1:]):
        # The same steps, but for rounding of the times at which they begin.
        assert row == pytest.approx(known, rel=1e-6, abs=1e-6)
