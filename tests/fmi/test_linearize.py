"""A, B, C, D of `ferrica linearize` against programs of others.

CasADi differentiates the same equations, written in its own symbols, and, through its interface to FMUs, the exported model. python-control has the poles
and the frequency response of the matrices, which have closed forms.
"""

import json
import pathlib
import zipfile

import casadi
import control
import numpy as np
import pytest

from conftest import ferrica

LIMIT = 1e-9

TEXTS = {
    "Rlc": """model Rlc "u to the voltage of C"
  parameter Real R = 2; parameter Real L = 1e-2; parameter Real C = 1e-3;
  input Real u(start = 1); output Real v(start = 0, fixed = true); Real i(start = 0, fixed = true);
equation
  L*der(i) = u - R*i - v; C*der(v) = i;
end Rlc;""",
    "Drive": """model Drive "Motor with a load"
  parameter Real R = 0.5; parameter Real L = 2e-3; parameter Real k = 0.08; parameter Real J = 4e-4; parameter Real d = 1e-4;
  input Real v(start = 12); input Real load(start = 0.1);
  output Real w(start = 0, fixed = true); output Real i(start = 0, fixed = true);
equation
  L*der(i) = v - R*i - k*w; J*der(w) = k*i - d*w - load;
end Drive;""",
    "Servo": """model Servo "Valve and cylinder: a nonlinear orifice"
  parameter Real K = 2; parameter Real V = 1e-2; parameter Real m = 5; parameter Real A = 0.3; parameter Real c = 4;
  input Real x(start = 0.5); output Real y(start = 0, fixed = true); Real v(start = 0.1, fixed = true); Real p(start = 1, fixed = true);
  output Real q = K*x*sqrt(10 - p);
equation
  der(p) = (q - A*v)/V; m*der(v) = A*p - c*v; der(y) = v;
end Servo;""",
    "Loop": """model Loop "An algebraic loop, and a constraint between two masses: index reduction comes before the derivative"
  parameter Real k = 3; parameter Real J1 = 2; parameter Real J2 = 5;
  input Real tau(start = 0.4); output Real phi(start = 0.2, fixed = true); Real w1(start = 0.3, fixed = true); Real w2; Real f; Real y(start = 1);
equation
  der(phi) = w1; J1*der(w1) = tau - f - y; J2*der(w2) = f; w2 = 2*w1; y + 0.1*y^3 = k*phi + 0.5*w1 + 0.2*tau;
end Loop;""",
}


def in_symbols(name):
    """States, inputs, their derivatives and outputs, by name, as CasADi's expressions: the equations above, solved by hand."""
    s = casadi.MX.sym
    if name == "Rlc":
        v, i, u = s("v"), s("i"), s("u")
        return {"v": v, "i": i}, {"u": u}, {"v": i / 1e-3, "i": (u - 2 * i - v) / 1e-2}, {"v": v}
    if name == "Drive":
        w, i, v, load = s("w"), s("i"), s("v"), s("load")
        rates = {"i": (v - 0.5 * i - 0.08 * w) / 2e-3, "w": (0.08 * i - 1e-4 * w - load) / 4e-4}
        return {"w": w, "i": i}, {"v": v, "load": load}, rates, {"w": w, "i": i}
    if name == "Servo":
        y, v, p, x = s("y"), s("v"), s("p"), s("x")
        q = 2 * x * casadi.sqrt(10 - p)
        rates = {"y": v, "v": (0.3 * p - 4 * v) / 5, "p": (q - 0.3 * v) / 1e-2}
        return {"y": y, "v": v, "p": p}, {"x": x}, rates, {"y": y, "q": q}
    phi, w1, tau, y = s("phi"), s("w1"), s("tau"), s("y")
    around = casadi.vertcat(phi, w1, tau)
    loop = casadi.Function("g", [y, around], [y + 0.1 * y**3 - 3 * phi - 0.5 * w1 - 0.2 * tau])
    solved = casadi.rootfinder("y", "newton", loop, {"abstol": 1e-14})(1.0, around)
    rates = {"phi": w1, "w1": (tau - solved) / (2 + 2 * 5)}
    return {"phi": phi, "w1": w1}, {"tau": tau}, rates, {"phi": phi}


def by_symbols(name, ours):
    states, inputs, rates, outputs = in_symbols(name)
    assert set(states) == set(ours["states"])
    x = casadi.vertcat(*(states[n] for n in ours["states"]))
    u = casadi.vertcat(*(inputs[n] for n in ours["inputs"]))
    f = casadi.vertcat(*(rates[n] for n in ours["states"]))
    y = casadi.vertcat(*(outputs[n] for n in ours["outputs"]))
    parts = [casadi.jacobian(f, x), casadi.jacobian(f, u), casadi.jacobian(y, x), casadi.jacobian(y, u)]
    found = casadi.Function("d", [x, u], parts)(ours["x"], ours["u"])
    return dict(zip("ABCD", (np.array(casadi.DM(m)) for m in found)))


def by_fmu(folder, name, fmi, ours):
    """The exported model in CasADi, in our order of names."""
    fmu = folder / f"{name}.fmu"
    ferrica("export", "fmu", folder / f"{name}.mo", "-q", "--fmi", fmi, "-o", fmu, folder=folder)
    zipfile.ZipFile(fmu).extractall(folder / f"{name}_fmu")
    model = casadi.DaeBuilder(name, str(folder / f"{name}_fmu"))
    states, inputs, outputs = list(model.x()), list(model.u()), list(model.y())
    parts = model.create("f", ["x", "u"], ["ode", "y"]).factory("d", ["x", "u"], ["jac:ode:x", "jac:ode:u", "jac:y:x", "jac:y:u"])
    order = [states.index(n) for n in ours["states"]]
    ins = [inputs.index(n) for n in ours["inputs"]]
    outs = [outputs.index(n) for n in ours["outputs"]]
    x, u = np.zeros(len(states)), np.zeros(len(inputs))
    x[order], u[ins] = ours["x"], ours["u"]
    a, b, c, d = (np.array(m) for m in parts(x, u))
    return {"A": a[np.ix_(order, order)], "B": b[np.ix_(order, ins)], "C": c[np.ix_(outs, order)], "D": d[np.ix_(outs, ins)]}


def linearized(folder: pathlib.Path, name: str) -> dict:
    (folder / f"{name}.mo").write_text(TEXTS[name])
    ferrica("linearize", f"{name}.mo", "-q", "-o", f"{name}.json", folder=folder)
    return json.loads((folder / f"{name}.json").read_text())


def same(ours, theirs):
    for key in "ABCD":
        matrix = np.array(ours[key], dtype=float).reshape(theirs[key].shape)
        size = max(np.max(np.abs(theirs[key]), initial=0.0), 1.0)
        np.testing.assert_allclose(matrix, theirs[key], rtol=0, atol=LIMIT * size, err_msg=key)


@pytest.mark.parametrize("name", TEXTS)
def test_casadi_differentiates_the_equations(tmp_path, name):
    ours = linearized(tmp_path, name)
    same(ours, by_symbols(name, ours))


@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("name", TEXTS)
def test_casadi_differentiates_the_exported_model(tmp_path, name, fmi):
    ours = linearized(tmp_path, name)
    same(ours, by_fmu(tmp_path, name, fmi, ours))


# Numerator and denominator from the first input to the first output.
TRANSFER = {
    "Rlc": ([1.0], [1e-2 * 1e-3, 2 * 1e-3, 1.0]),
    "Drive": ([0.08], [2e-3 * 4e-4, 0.5 * 4e-4 + 2e-3 * 1e-4, 0.5 * 1e-4 + 0.08**2]),
}


@pytest.mark.parametrize("name", TRANSFER)
def test_control_has_the_poles_and_the_response(tmp_path, name):
    ours = linearized(tmp_path, name)
    system = control.ss(*(np.array(ours[k], dtype=float) for k in "ABCD"))
    numerator, denominator = TRANSFER[name]
    exact = np.sort_complex(np.roots(denominator))
    for poles in (system.poles(), np.array([complex(*e) for e in ours["eigenvalues"]])):
        np.testing.assert_allclose(np.sort_complex(poles), exact, rtol=LIMIT)
    for s in np.logspace(-1, 4, 40) * 1j:
        response = system(s, squeeze=False)[0, 0]
        assert abs(response - np.polyval(numerator, s) / np.polyval(denominator, s)) < LIMIT
