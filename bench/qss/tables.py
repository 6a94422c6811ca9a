#!/usr/bin/env python3
"""Half-wave rectifier and switching converter by quantized-state and classic solvers.

Prints tables laid out as tables 1 and 2 of Floros, Bergero, Cellier and Kofman (Automated Simulation of Modelica
Models with QSS Methods, the discontinuous case): solver, tolerance, time of the simulation in seconds, mean absolute
error over the sample times of the reference (mean over the states); and beyond them the steps, the switchings of the
diode that were found and the largest error of their times.

usage: tables.py FERRICA REFERENCE_FOLDER
REFERENCE_FOLDER holds halfwave.csv, halfwave_events.csv, buck.csv, buck_diode_events.csv.
"""
import bisect
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
CASES = [
    ("Half-wave rectifier, 1 s", os.path.join(EXAMPLES, "HalfWave.mo"), ["C1.v"], "halfwave.csv", "halfwave_events.csv"),
    ("Switching converter, 0.01 s", os.path.join(EXAMPLES, "SwitchingConverter.mo"), ["L1.i", "C1.v"], "buck.csv", "buck_diode_events.csv"),
    ("Switching converter with the square wave of the paper", os.path.join(HERE, "SquareWaveConverter.mo"), ["L1.i", "C1.v"], "buck.csv", "buck_diode_events.csv"),
]
LIMIT = 10
RUNS = [(s, t) for s in ("bdf", "radau", "dopri5", "qss3", "qss2", "liqss2", "liqss3") for t in ("1e-3", "1e-4", "1e-5")]
NAMES = {"bdf": "BDF", "radau": "Radau IIA", "dopri5": "Dopri45", "qss2": "QSS2", "qss3": "QSS3", "liqss2": "LIQSS2", "liqss3": "LIQSS3"}


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    head = rows[0]
    data = [[float(v) for v in row] for row in rows[1:]]
    return head, data


def at(times, values, t):
    """Linear interpolation, the row after an event where there are two."""
    k = bisect.bisect_right(times, t)
    if k == 0:
        return values[0]
    if k == len(times):
        return values[-1]
    a, b = times[k - 1], times[k]
    if b == a:
        return values[k - 1]
    w = (t - a) / (b - a)
    return values[k - 1] * (1 - w) + values[k] * w


def main():
    ferrica, folder = sys.argv[1], sys.argv[2]
    for title, model, names, reference, events in CASES:
        _, expected = read(os.path.join(folder, reference))
        _, switchings = read(os.path.join(folder, events))
        print(f"\n{title}\n\n| solver | tolerance | time (s) | simulation error | steps | switchings | worst time (s) |\n|---|---|---|---|---|---|---|")
        for solver, tol in RUNS:
            with tempfile.TemporaryDirectory() as temp:
                out, stats = os.path.join(temp, "r.csv"), os.path.join(temp, "s.json")
                command = [ferrica, "run", model, "--solver", solver, "--tol", tol, "-o", out, "--stats", stats, "--quiet"]
                command += [x for n in names + ["diode.off"] for x in ("--vars", n)]
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
                except subprocess.TimeoutExpired:
                    print(f"| {NAMES[solver]} | {tol} | more than {LIMIT} | | | | |")
                    continue
                if done.returncode != 0:
                    print(f"| {NAMES[solver]} | {tol} | {done.stderr.strip().splitlines()[0] if done.stderr else 'failed'} | | | | |")
                    continue
                head, rows = read(out)
                cost = json.load(open(stats))
            times = [r[0] for r in rows]
            error = 0.0
            for k, name in enumerate(names):
                column = [r[head.index(name)] for r in rows]
                error += sum(abs(at(times, column, e[0]) - e[k + 1]) for e in expected) / len(expected)
            error /= len(names)
            off = [r[head.index("diode.off")] for r in rows]
            found = [times[k] for k in range(1, len(rows)) if off[k] != off[k - 1]]
            worst = max((min((abs(f - s[0]) for f in found), default=float("inf")) for s in switchings), default=0)
            seconds, steps = cost["stages"]["simulate"], cost["steps"]
            print(f"| {NAMES[solver]} | {tol} | {seconds:.4f} | {error:.2e} | {steps} | {len(found)} of {len(switchings)} | {worst:.1e} |")


if __name__ == "__main__":
    main()
