"""What the Python package costs: import, a run with another parameter, a batch on one and two cores.

    cargo xtask python                                          # builds the environment
    VIRTUAL_ENV=target/python-environment target/python-environment/bin/maturin develop --release -m python/Cargo.toml
    target/python-environment/bin/python bench/python.py

Each figure is the least of several, with what is wanted beside it. The exit code is 1 if one is missed: run it on a machine that does nothing else. The
times of the processor are beside those of the clock, so that a loaded machine can be told from slow code.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

RC = """
model RC
  Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true));
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p);
end RC;
"""

# A member of the batch must be long enough that the threads' start does not matter, as studies are.
RECTIFIER = """
model Rectifier
  Modelica.Electrical.Analog.Sources.SineVoltage S(V = 10, f = 50);
  Modelica.Electrical.Analog.Ideal.IdealDiode D(Ron = 0.1, Goff = 1e-5, Vknee = 0.6);
  Modelica.Electrical.Analog.Basic.Resistor R(R = 50);
  Modelica.Electrical.Analog.Basic.Inductor L(L = 1e-3, i(start = 0, fixed = true));
  Modelica.Electrical.Analog.Basic.Capacitor C(C = 2e-3, v(start = 0, fixed = true));
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(S.p, L.p); connect(L.n, D.p); connect(D.n, C.p); connect(C.p, R.p); connect(R.n, G.p); connect(C.n, G.p); connect(S.n, G.p);
end Rectifier;
"""

MEMBERS = 1000
SERIES = 5


def least(of: Callable[[], object], series: int = SERIES) -> tuple[float, float]:
    """Seconds by the clock and of the processor, the least of several."""
    both = []
    for _ in range(series):
        clock, processor = time.perf_counter(), time.process_time()
        of()
        both.append((time.perf_counter() - clock, time.process_time() - processor))
    return min(b[0] for b in both), min(b[1] for b in both)


def import_time() -> float:
    """Milliseconds that `import ferrica` adds to an interpreter that has numpy."""
    program = "import time, numpy; t = time.perf_counter(); import ferrica; print(1e3*(time.perf_counter() - t))"
    runs = [subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True) for _ in range(7)]
    return min(float(r.stdout) for r in runs)


def whole_import_time() -> float:
    """The same with numpy, in an interpreter that has nothing."""
    program = "import time; t = time.perf_counter(); import ferrica; print(1e3*(time.perf_counter() - t))"
    runs = [subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True) for _ in range(7)]
    return min(float(r.stdout) for r in runs)


def main() -> int:
    import ferrica

    missed = 0

    def figure(what: str, value: float, unit: str, wanted: float, at_least: bool = False) -> None:
        nonlocal missed
        met = value >= wanted if at_least else value <= wanted
        missed += not met
        sign = ">=" if at_least else "<="
        print(f"{what:44} {value:9.3f} {unit:4} wanted {sign} {wanted:g}  {'met' if met else 'MISSED'}", flush=True)

    figure("import ferrica", whole_import_time(), "ms", 60)
    print(f"{'  of it, beside numpy':44} {import_time():9.3f} ms")

    rc = ferrica.loads(RC)
    values = [50.0 + k for k in range(200)]

    def again() -> None:
        for r in values:
            rc.simulate(stop=0.1, params={"R.R": r})

    again()
    time.sleep(0.5)  # machine code is made beside the first runs
    clock, processor = least(again)
    figure("RC, run again with another parameter", 1e3 * clock / len(values), "ms", 0.15)
    print(f"{'  time of the processor':44} {1e3 * processor / len(values):9.3f} ms")

    model = ferrica.loads(RECTIFIER)
    members = [{"R.R": 20.0 + 0.1 * k} for k in range(MEMBERS)]

    def batch(threads: int) -> Callable[[], object]:
        return lambda: model.batch(members, threads=threads, stop=0.1, vars="C.v")

    batch(2)()
    time.sleep(0.5)
    # In turns, so that both see the same machine.
    one, two = [], []
    for _ in range(SERIES):
        one.append(least(batch(1), 1))
        two.append(least(batch(2), 1))
    ratio = min(t[0] for t in one) / min(t[0] for t in two)
    figure(f"batch of {MEMBERS}, two cores against one", ratio, "x", 1.8, at_least=True)
    print(f"{'  one member':44} {1e3 * min(t[0] for t in one) / MEMBERS:9.3f} ms")
    print(f"{'  processor time of two threads / of one':44} {min(t[1] for t in two) / min(t[1] for t in one):9.3f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
