"""Programs that check FMUs find nothing in ours."""

import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

MODELS = sorted(p.stem for p in (Path(__file__).parent / "models").glob("*.mo"))


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("model", MODELS)
def test_fmpy_validates(export, model, fmi):
    assert validate_fmu(export(model, "--fmi", fmi)) == []


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_a_black_box_is_valid(export, fmi):
    assert validate_fmu(export("Ball", "--fmi", fmi, "--black-box")) == []


@pytest.mark.parametrize("model, words", [("Types", ["--fmi", "2"]), ("Types", ["--fmi", "3"]), ("Ball", ["--black-box"])])
def test_fmutool_finds_nothing(export, model, words):
    tool = Path(sys.executable).with_name("fmutool")
    done = subprocess.run([tool, "-input", export(model, *words), "-check"], capture_output=True, text=True)
    told = done.stdout + done.stderr
    assert done.returncode == 0 and "CRITICAL" not in told and "ERROR" not in told and "WARNING" not in told, told


def dependencies(unknowns):
    return {u.variable.name: {d.name for d in u.dependencies} for u in unknowns}


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_dependencies_are_those_of_the_equations(export, fmi):
    """As one reads them in the model: in initialization on parameters and exact start values too."""
    d = read_model_description(export("Ball", "--fmi", fmi))
    assert dependencies(d.outputs) == {"energy": {"h", "v"}}
    assert dependencies(d.derivatives) == {"der(h)": {"v"}, "der(v)": set()}
    assert dependencies(d.initialUnknowns) == {
        "weight": {"g"}, "energy": {"g", "h", "v"}, "der(h)": {"v"}, "der(v)": {"g"}}
