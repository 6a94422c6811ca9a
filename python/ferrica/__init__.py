"""Modelica in, trajectories out.

    m = ferrica.load("rc.mo")
    r = m.simulate(stop=1.0, params={"R.R": 50.0})
    r["C.v"]
"""

from __future__ import annotations

from ._analyses import Estimate, Fit, Influence, OperatingPoint, Sensitivities
from ._errors import (
    Diagnostic,
    FerricaError,
    FileError,
    ModelError,
    SimulationError,
    UnknownNameError,
    UsageError,
)
from ._ferrica import __version__, solvers
from ._linear import Linear
from ._model import Model, Variable, load, loads
from ._result import Plot, Result
from ._stepper import Stepper

__all__ = [
    "Diagnostic",
    "Estimate",
    "FerricaError",
    "FileError",
    "Fit",
    "Influence",
    "Linear",
    "Model",
    "ModelError",
    "OperatingPoint",
    "Plot",
    "Result",
    "Sensitivities",
    "SimulationError",
    "Stepper",
    "UnknownNameError",
    "UsageError",
    "Variable",
    "__version__",
    "load",
    "loads",
    "solvers",
]
