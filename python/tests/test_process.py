"""What needs processes of its own: the program, signals, clusters, examples."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ferrica

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples" / "python").glob("*.ipynb"))


def test_bit_equal_to_the_program(tmp_path: pathlib.Path) -> None:
    program = os.environ.get("FERRICA")
    if not program:
        if os.environ.get("CI") == "true":
            pytest.fail("FERRICA names no program")
        pytest.skip("FERRICA names no program")
    text = "model M Real x(start = 1, fixed = true); Real y = -x; equation der(x) = -x; when x < 0.5 then reinit(x, 2); end when; end M;"
    (tmp_path / "m.mo").write_text(text)
    command = [program, "run", "m.mo", "--stop", "3", "-o", "out.mat"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ferrica.load(tmp_path / "m.mo").simulate(stop=3.0).write(tmp_path / "own.mat")
    assert (tmp_path / "out.mat").read_bytes() == (tmp_path / "own.mat").read_bytes()


LONG = """
import ferrica
m = ferrica.loads("model M Real x(start = 1, fixed = true); Real y(start = 0, fixed = true); equation der(x) = y; der(y) = -1e6*x; end M;")
print("ready", flush=True)
m.simulate(stop=1e6, interval=1e3)
"""


def test_ctrl_c_ends_a_run() -> None:
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in error


def test_dask_carries_models_and_results() -> None:
    distributed = pytest.importorskip("distributed")
    model = ferrica.loads("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        futures = [client.submit(_run, model, k) for k in (1.0, 2.0)]
        ends = [f.result()["x"][-1] for f in futures]
    assert np.allclose(ends, np.exp([-1, -2]), rtol=1e-5)


def _run(model: ferrica.Model, k: float) -> ferrica.Result:
    return model.simulate(stop=1.0, params={"k": k})


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda p: p.name)
def test_examples(script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks(notebook: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(notebook, as_version=4)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_there_are_examples() -> None:
    assert EXAMPLES and NOTEBOOKS
