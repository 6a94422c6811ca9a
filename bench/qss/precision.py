#!/usr/bin/env python3
"""Work and precision of the quantized-state methods over the models of the folder `precision`.

For each model, method and tolerance: the mean over the output grid of the absolute error of each compared state, in parts of its
range, and of these the worst. A tolerance is kept where that is at most ten times the tolerance (a hundred times for the stepping solvers, whose
tolerance is one of each step). The reference is a run of radau with the tolerance 1e-11, or of dopri5 where radau's steps would be longer than
the pauses between pulses; the page tells how near other methods come to it.

usage: precision.py FERRICA [--methods a,b] [--tols 1e-2,1e-3] [--models A,B] [--limit SECONDS]
       precision.py FERRICA --book PAGE        writes the book's page (docs/src/solvers/precision.md)
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
# The book's page: qss1 and liqss1 are cqss, and liqss2 and liqss3 differ from qss2 and qss3 in few places. First order makes as many steps as there are quanta.
SHOWN = ["cqss", "mliqss1", "qss2", "liqss2", "mliqss2", "qss3", "liqss3", "mliqss3"]
SHOWN_TOLERANCES = ["1e-2", "1e-4", "1e-6"]
FIRST_ORDER = ["1e-2", "1e-3"]
REFERENCE = ("radau", "1e-11")
EXPLICIT_REFERENCE = {"PulseTrain": ("dopri5", "1e-11")}
# Methods that have nothing to do with the reference's.
OTHERS = [("bdf", "1e-9"), ("dopri5", "1e-9")]


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


def title(path):
    with open(path) as file:
        return re.search(r'model \w+ "([^"]*)"', file.read()).group(1)


def cell(ferrica, path, method, tolerance, names, interval, reference, limit):
    """What a table shows of a run, and whether it is as it should be."""
    grid, _ = run(ferrica, path, method, tolerance, names, interval, limit)
    if isinstance(grid, str):
        return f"**{grid}**", False
    off = error(grid, reference)
    kept = off <= float(tolerance) * (100 if method in STEPPING else 10)
    text = f"{off:.0e}".replace("e-0", "e-")
    return text if kept else f"**{text}**", kept


PAGE = """# Precision of the quantized-state methods

What `bench/qss/precision.py FERRICA --book PAGE` has measured on the {count} models of `bench/qss/precision`: the mean error over the output grid of the worst compared
state, in parts of its range, against Radau IIA at {tight} (`PulseTrain`: Dormand and Prince). Each cell has the errors at the tolerances {tolerances}; those of first order ({first}) at {order}.
In bold: more than ten times the tolerance, or no result within {limit:.0f} s. `qss1` and `liqss1` are `cqss`. {failures} of {cells} errors are in bold. The column `known` is the smaller of the
errors of bdf and of Dormand and Prince at {second}: errors below it are not known.

| model | known | {methods} |
|---|---{dashes}|
{rows}
"""


def book(options):
    rows, failures, cells = [], 0, 0
    for model in sorted(f[:-3] for f in os.listdir(FOLDER) if f.endswith(".mo")):
        path = os.path.join(FOLDER, model + ".mo")
        names, _, interval = head(path)
        reference, _ = run(options.ferrica, path, *EXPLICIT_REFERENCE.get(model, REFERENCE), names, interval, 120)
        others = [run(options.ferrica, path, *other, names, interval, options.limit)[0] for other in OTHERS]
        known = min((error(grid, reference) for grid in others if not isinstance(grid, str)), default=float("inf"))
        columns = [f"{known:.0e}".replace("e-0", "e-")]
        for method in SHOWN:
            tolerances = FIRST_ORDER if method in ("cqss", "mliqss1") else SHOWN_TOLERANCES
            each = [cell(options.ferrica, path, method, t, names, interval, reference, options.limit) for t in tolerances]
            failures += sum(not kept for _, kept in each)
            cells += len(each)
            columns.append(" · ".join(text for text, _ in each))
        rows.append(f"| {model}: {title(path)} | " + " | ".join(columns) + " |")
        print(rows[-1], flush=True)
    text = PAGE.format(count=len(rows), tight=REFERENCE[1], second=OTHERS[0][1], tolerances=", ".join(SHOWN_TOLERANCES), first="`cqss`, `mliqss1`", order=" and ".join(FIRST_ORDER),
                       limit=options.limit, failures=failures, cells=cells, methods=" | ".join(SHOWN), dashes="|---" * len(SHOWN), rows="\n".join(rows))
    with open(options.book, "w") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ferrica")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--tols", default=",".join(TOLERANCES))
    parser.add_argument("--models", default="")
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--book", metavar="PAGE")
    options = parser.parse_args()
    if options.book:
        return book(options)
    methods, tolerances = options.methods.split(","), options.tols.split(",")
    models = options.models.split(",") if options.models else sorted(f[:-3] for f in os.listdir(FOLDER) if f.endswith(".mo"))
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
            each = [cell(options.ferrica, path, method, tolerance, names, interval, reference, options.limit) for method in methods]
            failures += sum(not kept for _, kept in each)
            print(f"| {model} | {tolerance} | " + " | ".join(text for text, _ in each) + " |", flush=True)
    print(f"\n{failures} cells in bold: the tolerance is not kept, or no result", file=sys.stderr)


if __name__ == "__main__":
    main()
