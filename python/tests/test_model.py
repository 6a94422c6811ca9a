"""Models and errors. Expected numbers are closed forms."""

from __future__ import annotations

import cmath
import math
import pathlib
import pickle
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferrica

RC = """
model RC "A capacitor that discharges"
  Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true));
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p);
end RC;
"""


@pytest.fixture(scope="module")
def rc() -> ferrica.Model:
    return ferrica.loads(RC)


def test_values_of_a_run(rc: ferrica.Model) -> None:
    r = rc.simulate(stop=0.1, params={"R.R": 50.0}, tol=1e-9)
    assert math.isclose(r["C.v"][-1], math.exp(-2), rel_tol=1e-7)
    assert r.unit("C.v") == "V" and r.time[-1] == 0.1
    assert "C.v" in r and r.names("C.*")[0].startswith("C.")
    assert math.isclose(r.at(0.05, "C.v"), math.exp(-1), rel_tol=1e-5)
    assert r.at(0.1)["R.R"] == 50.0


def test_views_share_memory_and_outlive_the_result(rc: ferrica.Model) -> None:
    r = rc.simulate(stop=0.1)
    a, b = r["C.v"], r["C.v"]
    assert np.shares_memory(a, b)
    assert not a.flags.writeable
    before = a.copy()
    del r, b
    assert np.array_equal(a, before)


def test_what_a_model_has(rc: ferrica.Model) -> None:
    assert rc.name == "RC"
    assert rc.parameters["R.R"] == 100.0
    assert rc.set({"R.R": 7.0}).parameters["R.R"] == 7.0
    assert rc.parameters["R.R"] == 100.0
    assert rc.states == ["C.v"]
    assert "C.v" in rc.flat()
    graph = rc.bond_graph()
    assert graph.svg.startswith("<svg") and graph.text
    picture = rc.diagram()
    assert picture.svg.startswith("<svg") and ">R<" in picture.svg


def test_models_and_results_pickle(rc: ferrica.Model) -> None:
    changed = rc.set({"R.R": 50.0})
    again = pickle.loads(pickle.dumps(changed))
    first, second = changed.simulate(stop=0.1), again.simulate(stop=0.1)
    assert np.allclose(first["C.v"], second["C.v"], rtol=0, atol=1e-12)
    copy = pickle.loads(pickle.dumps(first))
    assert np.array_equal(copy["C.v"], first["C.v"]) and copy.unit("C.v") == "V"


def test_batch_is_a_list_of_runs(rc: ferrica.Model) -> None:
    rs = rc.batch([{"R.R": r} for r in (50.0, 100.0, 200.0)], stop=0.1, tol=1e-9, threads=2)
    ends = [r["C.v"][-1] for r in rs]
    assert np.allclose(ends, np.exp([-2, -1, -0.5]), rtol=1e-6)
    kept = rc.batch([{"R.R": 50.0}, {"R.R": float("nan")}], errors="keep", stop=0.1)
    assert isinstance(kept[1], ferrica.UsageError) and kept[1].code == "E0732"
    assert ferrica.bands(kept, "C.v").svg.startswith("<svg")
    with pytest.raises(ferrica.UsageError):
        rc.batch([{"R.R": float("nan")}], stop=0.1)


def test_errors_have_code_place_and_hint(rc: ferrica.Model) -> None:
    with pytest.raises(ferrica.ModelError) as caught:
        ferrica.loads("model M\n  Real x = y;\nend M;")
    error = caught.value
    assert (error.code, error.line, error.column) == ("E0201", 2, 12)
    assert error.hint and "y" in error.message
    with pytest.raises(KeyError, match="did you mean `C.v`"):
        rc.simulate(stop=0.1)["c.v"]
    with pytest.raises(KeyError, match="did you mean `R.R`"):
        rc.simulate(stop=0.1, params={"R.r": 1.0})
    with pytest.raises(KeyError, match="solver"):
        rc.simulate(solver="rk5")
    with pytest.raises(ferrica.UsageError):
        rc.simulate(stop=-1.0)
    with pytest.raises(TypeError):
        rc.simulate(params={"R.R": object()})  # type: ignore[dict-item]
    pickled = pickle.loads(pickle.dumps(error))
    assert pickled.code == "E0201"


def test_inputs_are_numbers_arrays_and_callables() -> None:
    m = ferrica.loads("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;")
    assert m.inputs == ["u"]
    assert math.isclose(m.simulate(inputs={"u": 3.0})["x"][-1], 3.0, rel_tol=1e-6)
    t = np.array([0.0, 0.5, 1.0])
    r = m.simulate(inputs={"u": (t, np.array([0.0, 1.0, 0.0]))})
    assert math.isclose(r["x"][-1], 0.5, rel_tol=1e-6)
    r = m.simulate(inputs={"u": lambda t: math.cos(t)})
    assert math.isclose(r["x"][-1], math.sin(1.0), rel_tol=1e-5)
    with pytest.raises(KeyError, match="input"):
        m.simulate(inputs={"v": 1.0})
    with pytest.raises(ferrica.UsageError) as caught:
        m.simulate(inputs={"u": ([0.0, 1.0], [1.0])})
    assert caught.value.code == "E0735"


def test_a_callable_is_followed_between_output_points() -> None:
    m = ferrica.loads("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;")
    # All output points are zeros of the sine.
    w = 2 * math.pi * 10
    r = m.simulate(stop=1.0, interval=0.1, inputs={"u": lambda t: math.sin(w * t)})
    assert np.abs(r["x"] - (1 - np.cos(w * r.time)) / w).max() < 2e-4 / w
    # A jump is an event at its own time.
    r = m.simulate(stop=1.0, points=4, inputs={"u": lambda t: 3.0 if t > 0.6180339 else -1.0})
    assert math.isclose(r["x"][-1], 3.0 * (1 - 0.6180339) - 0.6180339, rel_tol=1e-6)
    with pytest.raises(ferrica.UsageError):
        m.simulate(1.0).plot()
    noise = iter(range(10**9))
    with pytest.raises(ferrica.UsageError) as caught:
        m.simulate(stop=1.0, inputs={"u": lambda t: float(next(noise) * 7919 % 104729)})
    assert caught.value.code == "E0735" and caught.value.hint


def test_other_inputs_are_as_in_a_model_of_their_own() -> None:
    text = "model M parameter Real k = 1; input Real u; Real x(start = 0, fixed = true); equation der(x) = k*u; end M;"
    m = ferrica.loads(text)
    signals = [([0.0, 1.0], [0.0, 2.0]), ([0.0, 3.0], [1.0, 1.0]), ([0.0, 0.5, 0.5, 2.0], [0.0, 0.0, 4.0, 4.0]), ([0.2], [5.0])]
    ends = [1.0, 1.0, 2.0, 5.0]
    for signal, end in zip(signals, ends):
        ran = m.simulate(inputs={"u": signal}, params={"k": 2.0})["x"]
        alone = ferrica.loads(text, params={"k": 2.0}).simulate(inputs={"u": signal})["x"]
        assert np.array_equal(ran, alone) and math.isclose(ran[-1], 2 * end, rel_tol=1e-6)
    runs = m.batch([{"k": k} for k in (1.0, 2.0, 3.0, 4.0)], inputs={"u": signals[2]}, threads=2)
    assert np.allclose([r["x"][-1] for r in runs], [2, 4, 6, 8], rtol=1e-6)


def test_an_fmu_has_the_values_of_the_model(rc: ferrica.Model, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "rc.fmu"
    rc.set({"R.R": 50.0}).to_fmu(file, version=2, kind="cs", stop=2.0)
    with zipfile.ZipFile(file) as archive:
        description = archive.read("modelDescription.xml").decode()
        assert any(n.startswith("binaries/") for n in archive.namelist())
    assert 'fmiVersion="2.0"' in description and "ModelExchange" not in description
    assert 'name="R.R"' in description and 'start="50' in description and 'stopTime="2' in description
    for wrong in ({"version": 4}, {"kind": "all"}):
        with pytest.raises(ValueError):
            rc.to_fmu(tmp_path / "wrong.fmu", **wrong)  # type: ignore[arg-type]
    with pytest.raises(ferrica.UsageError):
        rc.to_fmu(tmp_path / "wrong.fmu", solver="qbg")
    assert [p.name for p in tmp_path.iterdir()] == ["rc.fmu"]


def test_a_stepper_is_led_from_outside() -> None:
    m = ferrica.loads("model M input Real u(start = 0); output Real y(start = 0, fixed = true); equation der(y) = u - y; end M;")
    st = m.stepper(dt=0.1, tol=1e-9)
    st["u"] = 1.0
    for _ in range(10):
        st.step()
    assert st.time == 1.0
    assert math.isclose(st["y"], 1 - math.exp(-1), rel_tol=1e-7)
    state = st.save()
    st.step()
    later = st["y"]
    st.load(state)
    assert st.time == 1.0
    st.step()
    assert math.isclose(st["y"], later, rel_tol=1e-12)
    with pytest.raises(KeyError, match="did you mean `u`"):
        st["U"] = 1.0


def test_linear_models_are_exact() -> None:
    text = "model M input Real f; output Real x(start = 0.5, fixed = true); Real v(start = 0, fixed = true); parameter Real k = 8; "
    m = ferrica.loads(text + "equation der(x) = v; 2*der(v) = f - k*x - v^2; end M;")
    linear = m.linearize()
    assert (linear.states, linear.inputs, linear.outputs) == (["x", "v"], ["f"], ["x"])
    assert np.array_equal(linear.A, [[0, 1], [-4, 0]]) and np.array_equal(linear.B, [[0], [0.5]])
    assert np.array_equal(linear.C, [[1, 0]]) and np.array_equal(linear.D, [[0]])
    assert np.allclose(sorted(linear.poles.imag), [-2, 2])
    assert m.linearize(params={"k": 2.0}, outputs=["v"]).A[1, 0] == -1
    assert np.array_equal(pickle.loads(pickle.dumps(linear)).A, linear.A)
    with pytest.raises(KeyError, match="input"):
        m.linearize(inputs=["g"])
    # Values of inputs that the linear model is not asked for hold too, or are refused.
    d = ferrica.loads("model D input Real u; input Real d; Real x(start = 1, fixed = true); equation der(x) = u - d*x; end D;")
    assert d.linearize(inputs=["u"], values={"d": 3.0}).A[0, 0] == -3
    with pytest.raises(KeyError, match="did you mean `d`"):
        d.linearize(values={"D": 3.0})
    # Along a run whose input moves, x' = -d x: A = -d, and the deviation of d itself has the factor -x = -exp(-t²/2).
    courses: list[Any] = [([0.0, 4.0], [0.0, 4.0]), lambda t: t]
    for course in courses:
        early, late = d.linearize([2.0, 4.0], inputs=["d"], outputs=["x"], values={"d": course}, tol=1e-10)
        assert math.isclose(early.A[0, 0], -2.0, rel_tol=1e-9) and math.isclose(late.A[0, 0], -4.0, rel_tol=1e-9)
        assert math.isclose(early.B[0, 0], -math.exp(-2.0), rel_tol=1e-7) and math.isclose(early.u[0], 2.0, rel_tol=1e-9)
    n = ferrica.loads("model N input Integer n; input Boolean b; Real x(start = 0, fixed = true); equation der(x) = if b then n else 0; end N;")
    assert math.isclose(n.simulate(inputs={"n": 2, "b": True})["x"][-1], 2.0)
    wrong: list[Any] = [{"n": 1.5}, {"b": 0.3}, {"n": ([0.0, 1.0], [1.0, 2.5], "hold")}]
    for inputs in wrong:
        with pytest.raises(ferrica.UsageError, match="E0735"):
            n.simulate(inputs=inputs)
    with pytest.raises(ferrica.UsageError, match="whole number"):
        n.stepper(dt=0.1)["n"] = 0.5
    with pytest.raises(ferrica.UsageError, match="operating point"):
        d.linearize(["soon"])  # type: ignore[list-item]
    with pytest.raises(ferrica.UsageError, match="is an input"):
        d.simulate(params={"u": 1.0})


def test_the_response_through_a_delay_is_exact() -> None:
    """exp(-0.2 s)/(s + 1): the matrices leave the delay out and say so."""
    text = "model D input Real u; output Real y; Real x(start=0, fixed=true); equation der(x) = u - x; y = delay(x, 0.2); end D;"
    linear = ferrica.loads(text).linearize(inputs=["u"], outputs=["y"])
    again = pickle.loads(pickle.dumps(linear))
    for hertz in (0.01, 0.5, 3.0):
        s = 2j * math.pi * hertz
        exact = cmath.exp(-0.2 * s) / (s + 1)
        assert abs(linear.response(hertz) - exact) < 1e-9
        assert abs(again.response(hertz) - exact) < 1e-9
    assert any(d.code == "W0605" for d in linear.diagnostics)


def test_an_operating_point_and_the_linear_model_there() -> None:
    m = ferrica.loads("model M input Real q(start = 0.2); output Real h(start = 1, fixed = true); equation der(h) = q - 0.1*sqrt(h); end M;")
    p = m.steady_state()
    assert math.isclose(p["h"], 4.0, rel_tol=1e-9) and p.states == {"h": p["h"]}
    # The derivative of -0.1*sqrt(h) at 4.
    assert math.isclose(m.linearize(p).A[0, 0], -0.025, rel_tol=1e-6)
    assert math.isclose(m.steady_state(inputs={"q": 0.3})["h"], 9.0, rel_tol=1e-9)
    with pytest.raises(ferrica.SimulationError) as caught:
        ferrica.loads("model M Real x(start = 0, fixed = true); equation der(x) = 1; end M;").steady_state()
    assert caught.value.code == "E0641"


def test_sensitivities_and_a_fit() -> None:
    m = ferrica.loads("model M parameter Real k = 2; parameter Real a = 1; Real x(start = 3, fixed = true); equation der(x) = -k*x*a; end M;")
    s = m.sensitivities(["k", "x.start"], ["x"], stop=1.0, tol=1e-9)
    assert np.allclose(s["x", "k"], -3 * s.time * np.exp(-2 * s.time), atol=1e-7)
    assert np.allclose(s["x", "x.start"], np.exp(-2 * s.time), atol=1e-7)
    assert s.ranking[0].relative >= s.ranking[1].relative
    t = np.linspace(0, 1, 21)
    data = {"time": t, "x": 3 * np.exp(-0.7 * t)}
    f = m.fit(data, {"k": (0.1, 10.0)}, tol=1e-9)
    assert math.isclose(f["k"], 0.7, rel_tol=1e-5) and f.after < 1e-5
    assert m.fit(data, {"k": (0.1, 10.0), "a": (0.1, 10.0)}).indistinct == [["k", "a"]]
    # A run with parameters, derivatives, counters and rows on both sides of events.
    text = "model B parameter Real e = 0.75; parameter Integer q = 2; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); "
    text += "Integer n(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81; "
    b = ferrica.loads(text + "when h <= 0 then reinit(v, -e*pre(v)); n = pre(n) + 1; end when; end B;")
    found = b.fit(b.simulate(0.85, params={"e": 0.8}, points=40), {"e": (0.3, 0.95)})
    assert math.isclose(found["e"], 0.8, rel_tol=1e-4) and found.converged
    with pytest.raises(ValueError, match="time"):
        m.fit({"x": t}, {"k": (0.1, 10.0)})


def test_what_does_not_fit_is_said_in_the_users_words() -> None:
    text = "model M parameter Real k = 2; input Real u(start = 0); Real phi(start = 0, fixed = true); Real x(start = 3, fixed = true); "
    m = ferrica.loads(text + "equation der(x) = u - k*x; der(phi) = 1; end M;")
    nan = float("nan")

    def code(error: type[Exception], of: Callable[[], object]) -> str:
        with pytest.raises(error) as caught:
            of()
        assert isinstance(caught.value, ferrica.FerricaError)
        return caught.value.code

    # One name is a list of one.
    s = m.sensitivities("k", "x", stop=0.1)
    assert (s.to, s.of) == (["k"], ["x"])
    assert m.linearize(inputs="u", outputs="x").outputs == ["x"]
    p = m.steady_state(free="phi")
    assert abs(p["x"]) < 1e-9
    # Truth values of numpy are truth values.
    b = ferrica.loads("model B parameter Boolean on = true; Real x = if on then 1 else 2; end B;")
    assert b.simulate(params={"on": np.bool_(False)})["x"][-1] == 2.0
    # Numbers of numpy are numbers.
    for one in (np.int64(4), np.float32(4), np.array(4.0), 4):
        assert math.isclose(m.simulate(20, inputs={"u": one})["x"][-1], 2.0, rel_tol=1e-5)
    for wrong in ("no signal", ([0.0], [1.0], [2.0]), 1 + 2j, ([0.0, "a"], [1.0, 2.0]), nan, ([0.0, nan], [1.0, 2.0])):
        assert code(ferrica.UsageError, lambda: m.simulate(inputs={"u": wrong})) in ("E0732", "E0735")
    assert code(ferrica.UsageError, lambda: m.simulate(inputs={"u": lambda t: nan})) == "E0735"
    assert code(ferrica.UsageError, lambda: m.batch({"k": 1.0})) == "E0730"  # type: ignore[arg-type]
    assert code(ferrica.UsageError, lambda: m.simulate(x0={"x": nan})) == "E0732"
    assert code(ferrica.UsageError, lambda: m.simulate(tol=nan)) != ""
    assert code(ferrica.UsageError, lambda: m.simulate(x0={"k": 1.0})) == "E0730"
    assert code(ferrica.UsageError, lambda: m.simulate(points=-1)) == "E0730"
    assert code(ferrica.UsageError, lambda: m.batch([{}], threads=-1)) == "E0730"
    assert code(ferrica.UsageError, lambda: m.stepper(dt=nan)) == "E0732"
    assert code(ferrica.UsageError, lambda: m.stepper(dt=math.inf)) == "E0732"
    assert code(ferrica.FileError, lambda: m.to_fmu("no such folder/m.fmu")) == "E0701"
    assert code(ferrica.UnknownNameError, lambda: m.to_fmu("m.fmu", black_box=True, vars="y")) == "E0731"
    assert code(ferrica.UnknownNameError, lambda: p["X"]) == "E0731"
    assert code(ferrica.UnknownNameError, lambda: s["x", "K"]) == "E0731"
    assert code(ferrica.UnknownNameError, lambda: s.value("y")) == "E0731"
    data = {"time": [0.0, 0.5, 1.0], "x": [3.0, 1.1, 0.4]}
    f = m.fit(data, {"k": (0.1, 10)})
    assert code(ferrica.UnknownNameError, lambda: f["kk"]) == "E0731"
    for bounds in (5.0, (1.0,), ("a", "b"), (nan, 1.0), (3.0, 1.0)):
        assert code(ferrica.UsageError, lambda: m.fit(data, {"k": bounds})) == "E0738"  # type: ignore[dict-item]
    for wrong_data in (3, {"time": ["a"], "x": [1.0]}, {"x": [1.0]}, {**data, "x": [1.0, nan, 2.0]}, {**data, "x": [1.0]}):
        assert code(ferrica.UsageError, lambda: m.fit(wrong_data, {"k": (0.1, 10)})) == "E0738"
    for thing in (p, s, f):
        assert type(pickle.loads(pickle.dumps(thing))) is type(thing)


def test_inputs_that_hold() -> None:
    m = ferrica.loads("model M parameter Real k = 1; input Real u; Real x(start = 0, fixed = true); equation der(x) = k*u; end M;")
    steps = ([0.0, 1.0, 2.0], [1.0, 0.0, 0.0])
    assert math.isclose(m.simulate(2.0, inputs={"u": (*steps, "hold")})["x"][-1], 1.0, rel_tol=1e-6)
    assert math.isclose(m.simulate(2.0, inputs={"u": (*steps, "linear")})["x"][-1], 0.5, rel_tol=1e-6)
    with pytest.raises(ferrica.UsageError) as caught:
        m.simulate(2.0, inputs={"u": (*steps, "cubic")})  # type: ignore[dict-item]
    assert caught.value.code == "E0735" and caught.value.hint
    # The input is 1 in the first second: x = k·t, then k.
    data = {"time": [0.0, 1.0, 2.0], "u": [1.0, 0.0, 0.0], "x": [0.0, 3.0, 3.0]}
    assert math.isclose(m.fit(data, {"k": (0.1, 10.0)}, hold=True)["k"], 3.0, rel_tol=1e-5)
    # Nothing drives it: the run says so.
    assert [d.code for d in m.simulate(1.0).diagnostics] == ["W0603"]
    assert not m.simulate(1.0, inputs={"u": 1.0}).diagnostics


def test_spectra() -> None:
    m = ferrica.loads("model M Real y = 2 + 3*sin(2*3.14159265358979*50*time) + 0.3*sin(2*3.14159265358979*150*time); end M;")
    s = m.simulate(0.2, points=2000).spectrum("y", fundamental=50.0)
    assert math.isclose(s.harmonics[0], 3.0, rel_tol=1e-4) and math.isclose(s.distortion, 0.1, rel_tol=1e-3)
    assert math.isclose(s.amplitude[0], 2.0, rel_tol=1e-6) and len(s.frequency) == len(s.amplitude)
    r = m.simulate(0.2, points=20)
    with pytest.raises(ferrica.UsageError) as caught:
        r.spectrum("y", fundamental=500.0)
    assert caught.value.code == "E0739"
    with pytest.raises(KeyError, match="did you mean `hann`"):
        r.spectrum("y", window="han")
    # Pulses of width d: 2/(πn)·sin(πnd), wherever their edges are between the output points.
    m = ferrica.loads("model P parameter Real d = 0.3; Real c = mod(time, 1e-3)/1e-3; Real y = if c < d then 1 else 0; end P;")
    n = np.arange(1, 21)
    for d in (0.3, 0.2345):
        s = m.simulate(0.02, interval=1e-5, params={"d": d}).spectrum("y", fundamental=1000.0)
        assert np.abs(s.harmonics[:20] - np.abs(2 / (np.pi * n) * np.sin(np.pi * n * d))).max() < 1e-6
        assert abs(s.amplitude[0] - d) < 1e-6


def test_studies_are_drawn_as_on_the_command_line() -> None:
    members = ferrica.draw({"k": "normal(2, 0.1)", "a": [1.0, 3.0], "b": True, "c": "1:0.5:2"}, samples=5, seed=3)
    assert len(members) == 5 * 2 * 3
    assert members == ferrica.draw({"k": "normal(2, 0.1)", "a": [1.0, 3.0], "b": True, "c": "1:0.5:2"}, samples=5, seed=3)
    assert {p["a"] for p in members} == {1.0, 3.0} and {p["b"] for p in members} == {True}
    assert {p["c"] for p in members} == {1.0, 1.5, 2.0} and len({p["k"] for p in members}) == 5
    m = ferrica.loads("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")
    drawn = ferrica.draw({"k": "uniform(1, 2)"}, samples=4)
    ends = [r["x"][-1] for r in m.batch(drawn, stop=1.0, tol=1e-9)]
    assert np.allclose(ends, [math.exp(-float(p["k"])) for p in drawn], rtol=1e-6)
    for wrong in ({"k": "normal(2)"}, {}):
        with pytest.raises(ferrica.UsageError):
            ferrica.draw(wrong)
    with pytest.raises(ferrica.UsageError):
        ferrica.draw({"k": 1.0}, samples=0)


def test_linear_models_along_a_run() -> None:
    m = ferrica.loads("model M input Real u(start = 0); output Real x(start = 3, fixed = true); equation der(x) = u - x^2; end M;")
    several = m.linearize([0.0, 1.0], tol=1e-9)
    # x = 3/(1 + 3 t), and the derivative of -x² is -2 x.
    assert np.allclose([one.A[0, 0] for one in several], [-6.0, -1.5], rtol=1e-6)
    mode = several[0].modes[0]
    assert mode.states == {"x": 1.0} and mode.damping == 1.0 and math.isclose(mode.frequency, 6.0 / math.tau, rel_tol=1e-9)
    f = np.array([0.1, 1.0])
    assert np.allclose(several[0].response(f), 1 / (2j * np.pi * f + 6.0))
    with pytest.raises(KeyError, match="output"):
        several[0].response(f, "y")
    sampled = ferrica.loads(
        "model M Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true); "
        "equation der(x) = u - x; when sample(0.1, 0.1) then u = 0.5*x; end when; end M;"
    )
    assert [d.code for d in sampled.linearize().diagnostics] == ["W0605"]


def test_a_point_brings_its_values_to_the_linear_model() -> None:
    """A = -1/(R·C): the resistance is the one with which the point was found."""
    text = """model M parameter Real R = 1; parameter Real C = 2; input Real u; output Real x(start = 0);
        equation C*der(x) = (u - x)/R; end M;"""
    m = ferrica.loads(text)
    p = m.steady_state(params={"R": 4.0}, inputs={"u": 3.0})
    assert p.params == {"R": 4.0} and math.isclose(p["x"], 3.0)
    assert np.allclose(m.linearize(at=p).A, -1 / 8)
    assert np.allclose(m.linearize(at=pickle.loads(pickle.dumps(p)), params={"R": 5.0}).A, -1 / 10)
    there = m.linearize(at="steady", params={"R": 4.0}, values={"u": 3.0})
    assert np.allclose(there.A, -1 / 8) and np.allclose(there.x, 3.0)
    with pytest.raises(ferrica.UsageError, match="E0730"):
        m.linearize(at="rest")  # type: ignore[call-overload]


def test_messages_have_the_names_of_arguments(rc: ferrica.Model) -> None:
    for call, words in [
        (lambda: rc.simulate(1.0, tol=-1.0), "tol -1"),
        (lambda: rc.simulate(1.0, params={"C.v": 1.0}), "`C.v.start` sets"),
        (lambda: rc.simulate(1.0, x0={"C.V": 1.0}), "did you mean `C.v`"),
        (lambda: ferrica.loads(RC, params={"R.r": 1.0}), "did you mean `R.R`"),
        (lambda: ferrica.draw({"R.R": "gauss(1,2)"}), "no such distribution"),
        (lambda: rc.to_fmu("x.fmu", version=4), "version=4"),
        (lambda: rc.simulate(1.0, points=3, interval=0.1), "exclude each other"),
        (lambda: rc.batch([1]), "one mapping a run"),  # type: ignore[list-item]
        (lambda: rc.fit({}, ["R.R"]), "mapping of names"),  # type: ignore[arg-type]
    ]:
        with pytest.raises(ferrica.FerricaError) as told:
            call()
        assert words in str(told.value) and "--" not in str(told.value), str(told.value)
    with pytest.raises(KeyError):
        ferrica.loads(RC, params={"R.r": 1.0})


def test_a_result_is_data_for_a_fit(rc: ferrica.Model) -> None:
    measured = rc.simulate(stop=0.2, params={"R.R": 30.0}, vars="C.v", tol=1e-9)
    assert math.isclose(rc.fit(measured, {"R.R": (1, 1000)})["R.R"], 30.0, rel_tol=1e-5)
    assert measured.stats["states"] == 1 and repr(measured.plot("C.v")) == "<Plot: C.v>"


def test_texts_are_parameters_too() -> None:
    m = ferrica.loads('model M parameter String file = "a.txt"; parameter Real k = 2; Real y = k; end M;')
    assert m.parameters == {"file": "a.txt", "k": 2.0}


def test_a_step_that_the_solver_does_not_look_at_is_refused(rc: ferrica.Model) -> None:
    with pytest.raises(ferrica.UsageError) as caught:
        rc.simulate(stop=0.1, step=1e-3)
    assert caught.value.code == "E0730" and "auto" in str(caught.value)
    assert rc.simulate(stop=0.1, step=1e-3, solver="rk4").stats["steps"] == 100


def test_notebooks_show_analyses(rc: ferrica.Model, tmp_path: pathlib.Path) -> None:
    s = rc.sensitivities(["R.R", "C.C"], ["C.v"], stop=0.3)
    assert s.plot().svg.startswith("<svg") and "R.R" in s._repr_html_()
    assert pickle.loads(pickle.dumps(s)).plot().svg == s.plot().svg
    t = np.linspace(0, 0.3, 31)
    f = rc.fit({"time": t, "C.v": np.exp(-t / 0.2)}, {"R.R": (1, 1000)})
    assert math.isclose(f["R.R"], 200, rel_tol=1e-4)
    f.plot().save(tmp_path / "fit.svg")
    assert "<svg" in f._repr_html_() and pickle.loads(pickle.dumps(f)).values == f.values
    runs = rc.batch([{"R.R": r} for r in (50.0, 100.0, 200.0)], stop=0.3)
    assert "median" in ferrica.bands(runs, "C.v").svg
    with pytest.raises(ferrica.UnknownNameError):
        ferrica.bands(runs, "C.w")
    assert runs[0].spectrum("C.v")._repr_svg_().startswith("<svg")


def test_poles_and_zeros() -> None:
    m = ferrica.loads(
        "model M input Real u; Real x; Real v; output Real y = 3*x + v; equation der(x) = v; der(v) = u - 3*v - 2*x; end M;"
    )
    ss = m.linearize()
    assert np.allclose(ss.zeros(), [-3]) and np.allclose(sorted(ss.poles.real), [-2, -1])
    assert ss.bode().svg.startswith("<svg") and "zeros" in ss.pole_zero().svg and "<table>" in ss._repr_html_()
    with pytest.raises(ferrica.UsageError):
        ferrica.loads("model M Real x(start = 1); equation der(x) = -x; end M;").linearize().bode()


def test_a_start_that_does_not_hold_is_told() -> None:
    m = ferrica.loads("model M Real x(start = 1); Real y; initial equation der(x) = 0; equation der(x) = 2 - x; y = 3*x; end M;")
    for name in ("x", "y"):
        with pytest.raises(ferrica.UsageError) as caught:
            m.simulate(x0={name: 5.0})
        assert caught.value.code == "E0732" and name in str(caught.value)
    assert m.simulate(x0={"x": 2.0})["x"][0] == 2.0
    free = ferrica.loads("model M Real x; equation der(x) = -x; when x < 0.5 then reinit(x, 1); end when; end M;")
    assert [r["x"][0] for r in free.batch([{}, {}], x0={"x": 3.0})] == [3.0, 3.0]


def test_a_fit_does_not_need_the_models_own_values() -> None:
    m = ferrica.loads("model M parameter Real k = -1; Real y = sqrt(k)*time; end M;")
    f = m.fit({"time": [0.0, 0.5, 1.0], "y": [0.0, 1.0, 2.0]}, {"k": (1, 10)})
    assert math.isclose(f["k"], 4, rel_tol=1e-6) and "before" not in f.plot().svg and "after" in f.plot().svg
