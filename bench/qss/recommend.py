#!/usr/bin/env python3
"""Does the rule that recommends a quantized-state method agree with what is faster?

For each model: what `auto` recommends, and the time of the cheapest setting of `auto` and of `liqss2` whose error (root mean square
of the differences of all states from a reference, in parts of their ranges) is not above a level, from `ferrica compare`. Prints a table; the last column
says whether the recommendation is the faster one (a factor below 1.5 either way is even; where both take less than a tenth of a second a
rule that says nothing costs nobody anything).

usage: recommend.py FERRICA [LEVEL] [NAME …]      (LEVEL: 1e-3; MODELICAPATH for the standard library)
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TOLERANCES = "1e-2,1e-3,1e-4,1e-5"
EVEN = 1.5
SHORT = 100.0
LIMIT = 60

LADDER = """model Ladder "Transmission line of R, L and C"
  parameter Integer n = 150; Real i[n](each start=0, each fixed=true), u[n](each start=0, each fixed=true);
equation
  der(i[1]) = (sin(31.4*time) - u[1] - i[1])*10;
  for k in 2:n loop der(i[k]) = (u[k - 1] - u[k] - i[k])*10; end for;
  for k in 1:n - 1 loop der(u[k]) = (i[k] - i[k + 1])*10; end for;
  der(u[n]) = i[n]*10; annotation(experiment(StopTime=1));
end Ladder;
"""
DENSE = """model Dense "All pull at all"
  parameter Integer n = 250; Real x[n](start={sin(i) for i in 1:n}, each fixed=true); Real s = sum(x);
equation
  for k in 1:n loop der(x[k]) = s/n - x[k]*(1 + 0.1*sin(k)) + (if x[k] > 0.5 then -1 else 0); end for; annotation(experiment(StopTime=5));
end Dense;
"""
PENDULUM = """model Pendulum "MultiBody pendulum"
  extends Modelica.Mechanics.MultiBody.Examples.Elementary.Pendulum; annotation(experiment(StopTime=5));
end Pendulum;
"""


def models(folder):
    """Name, file, further arguments."""
    own = {"Ladder": LADDER, "Dense": DENSE, "Pendulum": PENDULUM}
    for name, text in own.items():
        with open(os.path.join(folder, name + ".mo"), "w") as file:
            file.write(text)
    bench = lambda name: os.path.join(HERE, name + ".mo")
    example = lambda name: os.path.join(ROOT, "examples", name + ".mo")
    written = lambda name: os.path.join(folder, name + ".mo")
    return [
        ("B1 inverters", bench("Inverters"), []),
        ("B2 advection, diffusion, reaction", bench("AdvectionDiffusionReaction"), []),
        ("B3 interleaved converter", bench("Interleaved"), []),
        ("B4 LC line", bench("LcLine"), []),
        ("thermostats, 20", bench("Thermostats"), ["-p", "N=20"]),
        ("thermostats, 300", bench("Thermostats"), ["-p", "N=300"]),
        ("heat rod, 50 cells", example("HeatRod"), []),
        ("heat rod, 300 cells", example("HeatRod"), ["-p", "N=300"]),
        ("RLC ladder, 150 loops", written("Ladder"), []),
        ("dense coupling with events, 250", written("Dense"), []),
        ("MultiBody pendulum", written("Pendulum"), []),
        ("motor with controller", example("MotorControl"), []),
        ("half-wave rectifier", example("HalfWave"), []),
        ("switching converter", example("SwitchingConverter"), []),
    ]


def call(arguments):
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "", f"more than {LIMIT} s"
    return done.stdout, done.stderr


def main():
    ferrica = os.path.abspath(sys.argv[1])
    level = float(sys.argv[2]) if len(sys.argv) > 2 else 1e-3
    wanted = sys.argv[3:]
    print(f"| model | recommended | auto (ms) | its error | liqss2 (ms) | its error | auto / liqss2 | the rule |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, file, more in models(folder):
            if wanted and not any(w in name for w in wanted):
                continue
            best, said = {}, ""
            for solver in ("auto", "liqss2"):
                out, told = call([ferrica, "compare", file, *more, "--solvers", solver, "--tols", TOLERANCES])
                said += told
                for line in out.splitlines():
                    cells = re.split(r"\s{2,}", line.strip())
                    if cells[0] != solver or len(cells) < 8:
                        continue
                    try:
                        error, ms = float(cells[3]), 1e3 * float(cells[-1])
                    except ValueError:
                        continue
                    if error <= level and ms < best.get(solver, (1e99, 0))[0]:
                        best[solver] = (ms, error)
            method = re.search(r"rule of `auto`: ([^\n]*)", said)
            text = method.group(1) if method else "?"
            show = lambda s: (f"{best[s][0]:.2f}", f"{best[s][1]:.1e}") if s in best else ("–", "–")
            ratio, verdict = "", "no setting meets the level"
            if len(best) == 2:
                r = best["auto"][0] / best["liqss2"][0]
                ratio = f"{r:.2f}"
                yes = text.startswith("liqss2")
                even = 1 / EVEN < r < EVEN
                short = not yes and max(best["auto"][0], best["liqss2"][0]) < SHORT
                verdict = "even" if even else "right" if yes == (r > 1) else "silent, both short" if short else "wrong"
            elif "auto" in best:
                verdict = "wrong" if text.startswith("liqss2") else "right"
            elif "liqss2" in best:
                verdict = "right" if text.startswith("liqss2") else "wrong"
            print("| " + " | ".join([name, text, *show("auto"), *show("liqss2"), ratio, verdict]) + " |", flush=True)


main()
