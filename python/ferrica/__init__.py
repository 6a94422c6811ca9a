"""Modelica in, trajectories out.

    m = ferrica.load("rc.mo")
    r = m.simulate(stop=1.0, params={"R.R": 50.0})
    r["C.v"]
"""

from __future__ import annotations

from ._analyses import Estimate, Fit, Influence, OperatingPoint, Sensitivities, Spectrum
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
from ._linear import Linear, Mode
from ._model import Model, Variable, bands, draw, load, loads
from ._plot import Plot
from ._result import Result
from ._stepper import Stepper

__all__ = [
    "Diagnostic",
    "Estimate",
    "FerricaError",
    "FileError",
    "Fit",
    "Influence",
    "Linear",
    "Mode",
    "Model",
    "ModelError",
    "OperatingPoint",
    "Plot",
    "Result",
    "Sensitivities",
    "SimulationError",
    "Spectrum",
    "Stepper",
    "UnknownNameError",
    "UsageError",
    "Variable",
    "__version__",
    "bands",
    "draw",
    "load",
    "loads",
    "solvers",
]
