#!/usr/bin/env python3
"""Work and precision of the quantized-state methods over the models of the folder `precision`.

For each model, method and tolerance: the mean over the output grid of the absolute error of each compared state, in parts of its
range, and of these the worst. A tolerance is kept where that is at most ten times the tolerance (a hundred times for the stepping solvers, whose
tolerance is one of each step). The reference is a run of radau with the tolerance 1e-11, or of dopri5 where radau's steps would be longer than
the pauses between pulses.

usage: precision.py FERRICA [--methods a,b] [--tols 1e-2,1e-3] [--models A,B] [--limit SECONDS] [--table]
--table prints the table of the book.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "precision")
METHODS = ["qss1", "qss2", "qss3", "liqss1", "liqss2", "liqss3", "mliqss1", "mliqss2", "mliqss3", "cqss"]
STEPPING = ["bdf", "radau", "dopri5", "auto"]
TOLERANCES = ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6"]
REFERENCE = ("radau", "1e-11")
EXPLICIT_REFERENCE = {"PulseTrain": ("dopri5", "1e-11")}


def head(path):
    with open(path) as file:
        text = file.read()
    names = re.search(r"// compare: (.*)", text).group(1).split()
    stop, interval = re.search(r"StopTime = ([^,]*), Interval = ([^)]*)\)", text).groups()
    return names, float(stop), float(interval)


def run(ferrica, path, solver, tolerance, names, interval, limit):
    """Values on the grid: a list of columns; or the reason why there are none. And the steps."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        command = [ferrica, "run", path, "--solver", solver, "--tol", tolerance, "-o", out]
        began = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return "slow", limit
        seconds = time.perf_counter() - began
        if done.returncode:
            code = re.search(r"E\d{4}", done.stderr + done.stdout)
            return code.group(0) if code else "failed", seconds
        with open(out, newline="") as file:
            rows = csv.reader(file)
            columns = next(rows)
            at = [columns.index(name) for name in names]
            grid = {}
            for row in rows:
                t = float(row[0]) / interval
                if abs(t - round(t)) < 1e-6:
                    grid[round(t)] = [float(row[k]) for k in at]
    return grid, seconds


def error(grid, reference):
    worst = 0.0
    for k in range(len(next(iter(reference.values())))):
        values = [row[k] for row in reference.values()]
        size = max(values) - min(values)
        total = sum(abs(grid[t][k] - row[k]) for t, row in reference.items())
        worst = max(worst, total / len(reference) / size) if size > 0 else worst
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ferrica")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--tols", default=",".join(TOLERANCES))
    parser.add_argument("--models", default="")
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    methods, tolerances = options.methods.split(","), options.tols.split(",")
    models = options.models.split(",") if options.models else sorted(f[:-3] for f in os.listdir(FOLDER) if f.endswith(".mo"))
    if options.table:
        print("| model | tolerance | " + " | ".join(methods) + " |")
        print("|---" * (len(methods) + 2) + "|")
    failures = 0
    for model in models:
        path = os.path.join(FOLDER, model + ".mo")
        names, _, interval = head(path)
        reference, _ = run(options.ferrica, path, *EXPLICIT_REFERENCE.get(model, REFERENCE), names, interval, 120)
        if isinstance(reference, str):
            sys.exit(f"{model}: no reference ({reference})")
        for tolerance in tolerances:
            cells = []
            for method in methods:
                grid, seconds = run(options.ferrica, path, method, tolerance, names, interval, options.limit)
                if isinstance(grid, str):
                    cells.append(f"**{grid}**")
                    failures += 1
                    continue
                off = error(grid, reference)
                kept = off <= float(tolerance) * (100 if method in STEPPING else 10)
                failures += not kept
                text = f"{off:.0e}".replace("e-0", "e-")
                cells.append(text if kept else f"**{text}**")
            print(f"| {model} | {tolerance} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{failures} cells in bold: the tolerance is not kept, or no result", file=sys.stderr)


if __name__ == "__main__":
    main()
