#!/usr/bin/env python3
"""What FMUs cost beside runs of ferrica itself, in one process after the other on one machine.

    python3 bench/fmi/speed.py --ferrica target/release/ferrica

For an RC circuit, a model with events and a long line: the export, the size of the archive, an instantiation, a communication step beside a step of the same
solver in `ferrica run`, and a right-hand side of Model Exchange beside a quarter of a step of rk4 there. All times are CPU times of processes. Communication
steps are so short that each is one step of the solver.
"""

import argparse
import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
import zipfile

RC = """model RC
  parameter Real R = 1e3; parameter Real C = 1e-6;
  Real v(start = 0, fixed = true); Real i;
equation
  i = (5*sin(6283*time) - v)/R; C*der(v) = i;
end RC;
"""
BALL = """model Ball
  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -9.81;
  when h <= 0 then reinit(v, -0.8*pre(v)); end when;
end Ball;
"""
LINE = """model Line
  parameter Integer n = 200;
  Real v[n](each start = 0, each fixed = true); Real i[n](each start = 0, each fixed = true);
equation
  for k in 1:n loop
    1e-3*der(i[k]) = (if k == 1 then sin(time) else v[max(k - 1, 1)]) - v[k] - 0.1*i[k];
    1e-3*der(v[k]) = i[k] - (if k == n then 0 else i[min(k + 1, n)]) - 1e-3*v[k]^3;
  end for;
end Line;
"""
MODELS = [("RC", RC, 1e-5, 200_000, 1), ("Ball", BALL, 1e-6, 200_000, 2), ("Line", LINE, 1e-5, 5_000, 400)]


def seconds(words):
    """CPU time of a process, and what it says."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime, done.stdout + done.stderr


def own(args, model, solver, step, count, folder):
    """Seconds of one step of a run: of many less those of few, so that what comes before does not count."""
    def run(n):
        words = [args.ferrica, "run", model, "--solver", solver, "--stop", repr(n * step), "--points", "2", "-o", os.path.join(folder, "r.csv")]
        words += ["--step", repr(step)] if solver == "rk4" else ["--tol", "1e-9"]
        spent, told = seconds(words)
        return spent, int(re.search(r": (\d+) steps", told).group(1))

    few, many = run(count), run(20 * count)
    return (many[0] - few[0]) / (many[1] - few[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--cc", default="cc")
    args = parser.parse_args()
    args.ferrica = os.path.abspath(args.ferrica)
    here = os.path.dirname(os.path.abspath(__file__))
    print("model  solver  export s  archive MB  instantiate ms   step us   own us  beyond us   rhs us   own us  ratio")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "speed")
        seconds([args.cc, "-O2", "-o", program, os.path.join(here, "speed.c"), "-ldl"])
        for (name, text, step, count, states), solver in itertools.product(MODELS, ("rk4", "auto")):
            model, archive = os.path.join(folder, name + ".mo"), os.path.join(folder, name + ".fmu")
            with open(model, "w") as f:
                f.write(text)
            words = [args.ferrica, "export", "fmu", model, "--solver", solver, "-o", archive]
            words += ["--step", repr(step)] if solver == "rk4" else ["--tol", "1e-9"]
            export = min(seconds(words)[0] for _ in range(3))
            inside = os.path.join(folder, name + solver)
            with zipfile.ZipFile(archive) as z:
                z.extractall(inside)
                description = z.read("modelDescription.xml").decode()
            token = re.search(r'instantiationToken="([^"]*)"', description).group(1)
            binaries = os.path.join(inside, "binaries")
            library = next(os.path.join(d, n) for d, _, names in os.walk(binaries) for n in names if n.endswith((".so", ".dylib", ".dll")))
            told = seconds([program, library, os.path.join(inside, "resources") + "/", token, str(count), repr(step), str(states)])[1]
            made, stepped, evaluated = map(float, told.split())
            one = own(args, model, solver, step, count, folder)
            line = f"{name:6} {solver:6} {export:9.3f} {os.path.getsize(archive) / 1e6:11.2f} {1e3 * made:15.2f} {1e6 * stepped:9.3f} {1e6 * one:8.3f} {1e6 * (stepped - one):10.3f}"
            if solver == "rk4":
                line += f" {1e6 * evaluated:8.3f} {1e6 * one / 4:8.3f} {4 * evaluated / one:6.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
