"""Exports of the models in `models/`, each made once, by the program that FERRICA names."""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FERRICA = os.environ.get("FERRICA", str(HERE.parent.parent / "target/debug/ferrica"))


def ferrica(*words, folder, code=0):
    """Runs the program and gives what it prints."""
    environment = {k: v for k, v in os.environ.items() if k != "MODELICAPATH"}
    done = subprocess.run([FERRICA, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def export(tmp_path_factory):
    """export("Ball", "--fmi", "3") → the path of the archive."""
    folder = tmp_path_factory.mktemp("fmus")
    made = {}

    def make(model, *words):
        if (model, words) not in made:
            path = folder / f"{model}{len(made)}.fmu"
            ferrica("export", "fmu", HERE / "models" / f"{model}.mo", *words, "-q", "-o", path, folder=folder)
            made[model, words] = str(path)
        return made[model, words]

    return make
