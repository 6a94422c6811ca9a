"""A, B, C, D of `ferrica linearize` against CasADi on the exported FMU, and against closed forms in python-control.

    pip install numpy casadi control
    python bench/linear/compare.py --ferrica target/release/ferrica

CasADi loads the FMU (FMI 2, model exchange) and differentiates it through its directional derivatives; python-control takes
the matrices and gives poles and frequency responses. All must agree within LIMIT of the largest entry. Exit code 1 if not.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import casadi
import control
import numpy as np

LIMIT = 1e-9

# Name: text, and the closed form of a transfer function from the first input to the first output (numerator, denominator).
MODELS = {
    "Rlc": (
        """model Rlc "u to the voltage of C: 1/(L C s² + R C s + 1)"
  parameter Real R = 2; parameter Real L = 1e-2; parameter Real C = 1e-3;
  input Real u(start = 1); output Real v(start = 0, fixed = true); Real i(start = 0, fixed = true);
equation
  L*der(i) = u - R*i - v; C*der(v) = i;
end Rlc;""",
        ([1.0], [1e-2 * 1e-3, 2 * 1e-3, 1.0]),
    ),
    "Drive": (
        """model Drive "Motor with the equations of the standard components"
  parameter Real R = 0.5; parameter Real L = 2e-3; parameter Real k = 0.08; parameter Real J = 4e-4; parameter Real d = 1e-4;
  input Real v(start = 12); input Real load(start = 0.1);
  output Real w(start = 0, fixed = true); output Real i(start = 0, fixed = true);
equation
  L*der(i) = v - R*i - k*w; J*der(w) = k*i - d*w - load;
end Drive;""",
        ([0.08], [2e-3 * 4e-4, 0.5 * 4e-4 + 2e-3 * 1e-4, 0.5 * 1e-4 + 0.08**2]),
    ),
    "Servo": (
        """model Servo "Valve and cylinder: a nonlinear orifice, differentiated at a flow of 3"
  parameter Real K = 2; parameter Real V = 1e-2; parameter Real m = 5; parameter Real A = 0.3; parameter Real c = 4;
  input Real x(start = 0.5); output Real y(start = 0, fixed = true); Real v(start = 0.1, fixed = true); Real p(start = 1, fixed = true);
  output Real q = K*x*sqrt(10 - p);
equation
  der(p) = (q - A*v)/V; m*der(v) = A*p - c*v; der(y) = v;
end Servo;""",
        None,
    ),
    "Loop": (
        """model Loop "An algebraic loop and a constraint between two masses: index reduction before the derivative"
  parameter Real k = 3; parameter Real J1 = 2; parameter Real J2 = 5;
  input Real tau(start = 0.4); output Real phi(start = 0.2, fixed = true); Real w1(start = 0.3, fixed = true); Real w2; Real f; Real y(start = 1);
equation
  der(phi) = w1; J1*der(w1) = tau - f - y; J2*der(w2) = f; w2 = 2*w1; y + 0.1*y^3 = k*phi + 0.5*w1;
end Loop;""",
        None,
    ),
}


def by_ferrica(program: str, folder: pathlib.Path, name: str) -> dict:
    file = folder / f"{name}.mo"
    file.write_text(MODELS[name][0])
    out = folder / f"{name}.json"
    subprocess.run([program, "linearize", str(file), "-q", "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    fmu = folder / f"{name}.fmu"
    subprocess.run([program, "export", "fmu", str(file), "-q", "--fmi", "2", "-o", str(fmu)], check=True)
    zipfile.ZipFile(fmu).extractall(folder / f"{name}_fmu")
    return json.loads(out.read_text())


def by_casadi(folder: pathlib.Path, name: str, ours: dict) -> dict:
    """Derivatives of the FMU with respect to its states and inputs, in our order of names."""
    model = casadi.DaeBuilder(name, str(folder / f"{name}_fmu"))
    states, inputs, outputs = list(model.x()), list(model.u()), list(model.y())
    f = model.create("f", ["x", "u"], ["ode", "y"])
    parts = f.factory("d", ["x", "u"], ["jac:ode:x", "jac:ode:u", "jac:y:x", "jac:y:u"])
    order = [states.index(s) for s in ours["states"]]
    ins = [inputs.index(u) for u in ours["inputs"]]
    outs = [outputs.index(y) for y in ours["outputs"]]
    x, u = np.zeros(len(states)), np.zeros(len(inputs))
    x[order], u[ins] = ours["x"], ours["u"]
    a, b, c, d = (np.array(m) for m in parts(x, u))
    return {
        "A": a[np.ix_(order, order)],
        "B": b[np.ix_(order, ins)],
        "C": c[np.ix_(outs, order)],
        "D": d[np.ix_(outs, ins)],
    }


def apart(ours: np.ndarray, other: np.ndarray) -> float:
    return float(np.max(np.abs(ours - other)) / max(np.max(np.abs(other)), 1.0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferrica", default="ferrica")
    program = str(pathlib.Path(parser.parse_args().ferrica).resolve())
    worst = 0.0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, (_, form) in MODELS.items():
            ours = by_ferrica(program, folder, name)
            theirs = by_casadi(folder, name, ours)
            matrices = {k: np.array(ours[k], dtype=float).reshape(theirs[k].shape) for k in "ABCD"}
            differ = {k: apart(matrices[k], theirs[k]) for k in "ABCD"}
            system = control.ss(*(matrices[k] for k in "ABCD"))
            poles = apart(
                np.sort_complex(system.poles()), np.sort_complex(np.array([complex(*e) for e in ours["eigenvalues"]]))
            )
            texts = [f"{k} {v:.1e}" for k, v in differ.items()] + [f"poles {poles:.1e}"]
            found = [*differ.values(), poles]
            if form is not None:
                at = np.logspace(-1, 4, 40) * 1j
                exact = np.polyval(form[0], at) / np.polyval(form[1], at)
                response = np.array([system(s, squeeze=False)[0, 0] for s in at])
                found.append(apart(response, exact))
                texts.append(f"transfer function {found[-1]:.1e}")
            worst = max(worst, *found)
            print(f"{name:8} {', '.join(texts)}", flush=True)
    print(f"largest difference {worst:.1e}, limit {LIMIT:.0e}: {'agree' if worst <= LIMIT else 'DIFFER'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
