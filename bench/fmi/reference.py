#!/usr/bin/env python3
"""Runs the FMI project's reference FMUs in ferrica and compares the results with their reference files.

    cmake -S Reference-FMUs -B build3 -DFMI_VERSION=3 && cmake --build build3        (and build2 with 2)
    python3 bench/fmi/reference.py --ferrica target/release/ferrica --sources Reference-FMUs build2 build3

The reference files hold what the FMUs' own explicit Euler steps give. Model Exchange is run with the same steps, but for the bouncing ball, whose bounces are found
exactly here: there the parabolas between bounces are the reference. That of Roberts' reaction is of another model in the sources; its reference is SciPy's Radau.
Clocks has Scheduled Execution only, which must be refused.
"""

import argparse
import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

from campaign import at_points

ROUNDED = 1e-3
"""Allowed deviation in parts of a variable's range: the reference files have few digits."""
ROBERTS_STOP = {"me": 40.0, "cs": 0.01001}
"""The FMU's own steps are 1e-6: as Co-Simulation it does not come far."""


def read(path):
    with open(path) as f:
        rows = list(csv.reader(f))
    return [n.strip().strip("'\"") for n in rows[0]], rows[1:]


def number(text):
    try:
        return float({"true": 1, "false": 0}.get(text.strip(), text))
    except ValueError:
        return None


def write(path, names, rows):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        out.writerows(rows)


def numbers_only(path, out):
    """Texts and binary values cannot be compared; 64-bit integers have more digits than a number of ours."""
    names, rows = read(path)
    if all(" " in r[1] for r in rows):
        # A column with an array.
        size = len(rows[0][1].split())
        names = names[:1] + [f"{names[1]}[{k + 1}]" for k in range(size)]
        rows = [[r[0], *r[1].split()] for r in rows]
    kept = [k for k, n in enumerate(names) if "Binary" not in n and all(number(r[k]) is not None for r in rows)]
    write(out, [names[k] for k in kept], [[repr(number(r[k])) for k in kept] for r in rows])


def ball(out):
    """Height and velocity of a ball that falls from 1 m and keeps 0.7 of its velocity at each bounce, down to 0.1 m/s."""
    g, e, slowest = -9.81, 0.7, 0.1
    begin, h0, v0, rows, bounces = 0.0, 1.0, 0.0, [], True

    def end():
        return begin + (-v0 - math.sqrt(v0 * v0 - 2 * g * h0)) / g

    for k in range(301):
        t = k / 100
        while bounces and t > end():
            stop = end()
            v = -e * (v0 + g * (stop - begin))
            begin, h0, v0 = stop, 0.0, v
            if v < slowest:
                bounces, v0 = False, 0.0
        dt = t - begin
        rows.append([t, h0 + v0 * dt + g * dt * dt / 2 if bounces else 0.0, v0 + g * dt if bounces else 0.0])
    write(out, ["time", "h", "v"], rows)


def roberts(out, kind, stop):
    """As Co-Simulation the FMU counts its own steps from time 0 on, wherever a run begins: it is ahead by the start time of 1e-5, in every importer."""
    from scipy.integrate import solve_ivp

    def rates(_, y):
        slow, fast = 0.04 * y[0], 1e4 * y[1] * y[2]
        return [-slow + fast, slow - fast - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]

    times = [1e-5 + (stop - 1e-5) * k / 200 for k in range(201)]
    begin = {"me": times[0], "cs": 0.0}[kind]
    found = solve_ivp(rates, (begin, stop), [1, 0, 0], method="Radau", t_eval=times, rtol=1e-9, atol=1e-12)
    rows = list(zip(found.t, *found.y))
    write(out, ["time", "y1", "y2", "y3"], [(times[0], 1, 0, 0), *rows[1:]])


def one(args, archive, kind, folder):
    name = os.path.basename(archive)[: -len(".fmu")]
    model, result, known = (os.path.join(folder, n) for n in ("unit.mo", "result.csv", "known.csv"))
    home = os.path.join(args.sources, name)

    def call(*words):
        return subprocess.run([args.ferrica, *words], capture_output=True, text=True, timeout=300)

    done = call("import", archive, "--type", kind, "-o", model, "-q")
    if name == "Clocks":
        return "" if done.returncode != 0 and "E0742" in done.stderr else "is not refused"
    if done.returncode != 0:
        return "import: " + (done.stdout + done.stderr).strip()[-300:]
    with zipfile.ZipFile(archive) as z:
        experiment = ET.fromstring(z.read("modelDescription.xml")).find("DefaultExperiment")
    with open(os.path.join(home, "config.h")) as f:
        step = re.search(r"FIXED_SOLVER_STEP\s+(\S+)", f.read()).group(1)
    words = ["run", model, "--allow-external", "-q", "-o", result]
    tolerance = ROUNDED
    if name == "Roberts":
        stop = ROBERTS_STOP[kind]
        roberts(known, kind, stop)
        words += ["--stop", repr(stop), "--points", "200"] + (["--tol", "1e-8"] if kind == "me" else ["-p", f"'communication step'={(stop - 1e-5) / 200!r}"])
    elif name == "BouncingBall" and kind == "me":
        ball(known)
        words += ["--tol", "1e-9"]
    else:
        numbers_only(os.path.join(home, name + "_out.csv"), known)
        words += ["--interval", experiment.get("stepSize") or step]
        if kind == "me" and name not in ("Feedthrough", "Resource", "Stair"):
            words += ["--solver", "euler", "--step", step]
        if kind == "cs":
            words += ["-p", f"'communication step'={experiment.get('stepSize') or step}"]
    done = call(*words)
    if done.returncode != 0:
        return "run: " + (done.stdout + done.stderr).strip()[-300:]
    names, rows = read(result)
    write(result, [n.replace("'", "") for n in names], rows)
    if kind == "cs":
        result = at_points(result, known)
    done = call("diff", known, result, "--tol", repr(tolerance))
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        return "diff: " + "\n          ".join([x for x in lines if "DIFFERS" in x or "error" in x][:9] + lines[-1:])
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+")
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    bad = 0
    for build in args.builds:
        folder = os.path.join(build, "fmus")
        for file in sorted(n for n in os.listdir(folder) if args.only in n):
            for kind in ("me", "cs"):
                with tempfile.TemporaryDirectory() as scratch:
                    why = one(args, os.path.abspath(os.path.join(folder, file)), kind, scratch)
                bad += bool(why)
                print(("FAIL  " if why else "ok    ") + os.path.join(build, file), kind, *([why] if why else []), sep="  ", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
