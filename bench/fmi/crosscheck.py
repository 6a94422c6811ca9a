#!/usr/bin/env python3
"""Runs FMUs of other tools in FMPy and in ferrica and compares the results.

The folder is a checkout of FMUs as the FMI project collects them for cross checks: beside each NAME.fmu lie NAME_ref.opt (times and step) and,
where it has inputs, NAME_in.csv. Counted are those that FMPy can run: ferrica must run them too, with the same result.

    venv/bin/python bench/fmi/crosscheck.py --ferrica target/release/ferrica FOLDER
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile

from campaign import at_points, limited, write

COMPARED = 1e-3
"""Allowed deviation in parts of a variable's range."""
MOST_POINTS = 2000
"""Output points of runs whose step is much smaller."""


def options(path):
    found = {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                key, _, value = line.partition(",")
                try:
                    found[key.strip()] = float(value)
                except ValueError:
                    pass
    return found


def plan(path):
    """Kind of interface, start, stop, distance of output points, tolerance, file with inputs."""
    stem = path[: -len(".fmu")]
    told = options(stem + "_ref.opt")
    kind = "me" if "/me/" in path else "cs"
    start, stop = told.get("StartTime", 0.0), told.get("StopTime", 1.0)
    step = told.get("StepSize") or told.get("OutputIntervalLength") or (stop - start) / 500
    step = step if step > 0 else (stop - start) / 500
    if kind == "me":
        step = max(step, (stop - start) / MOST_POINTS)
    tolerance = told.get("RelTol") or 1e-6
    inputs = stem + "_in.csv"
    return kind, start, stop, step, min(tolerance, 1e-6), inputs if os.path.exists(inputs) else None


def in_fmpy(path, out):
    """In a process of its own: a crash of the FMU is not ours."""
    import fmpy

    kind, start, stop, step, tolerance, inputs = plan(path)
    description = fmpy.read_model_description(path, validate=False)
    names = [v.name for v in description.modelVariables if v.causality == "output" and v.type in ("Real", "Integer", "Boolean", "Enumeration")]
    if not names:
        names = [v.name for v in description.modelVariables if v.type == "Real" and v.variability == "continuous"][:50]
    signals = None
    if inputs:
        from fmpy.util import read_csv
        signals = read_csv(inputs)
        # Parameters that change in a run are no inputs of ours.
        inputs = {v.name for v in description.modelVariables if v.causality == "input"}
        signals = signals[["time", *(n for n in signals.dtype.names if n in inputs)]]
    result = fmpy.simulate_fmu(path, validate=False, fmi_type={"me": "ModelExchange", "cs": "CoSimulation"}[kind], start_time=start, stop_time=stop,
                               output_interval=step, step_size=step, relative_tolerance=tolerance, input=signals, output=names,
                               record_events=kind == "me", logger=lambda *a: None)
    write(result, out)


def without_quotes(result):
    """Names that are none in Modelica stand in single quotes."""
    with open(result) as f:
        head, *rows = f.readlines()
    with open(result, "w") as f:
        f.write(head.replace("'", ""))
        f.writelines(rows)


def judge(args, path, folder):
    """Why this FMU does not count (FMPy cannot run it), and why it failed here."""
    reference, result = os.path.join(folder, "fmpy.csv"), os.path.join(folder, "ferrica.csv")
    words = [sys.executable, __file__, "--fmpy", path, reference]
    try:
        done = limited(words, args.timeout)
    except subprocess.TimeoutExpired:
        return "FMPy: slow", ""
    if done.returncode != 0:
        return "FMPy: " + (done.stdout + done.stderr).strip()[-200:], ""
    kind, start, stop, step, tolerance, inputs = plan(path)
    model = os.path.join(folder, "unit.mo")
    try:
        done = limited([args.ferrica, "import", path, "--type", kind, "-o", model, "-q"], args.timeout)
        if done.returncode != 0:
            return "", "import: " + (done.stdout + done.stderr).strip()[-300:]
        with open(reference) as f:
            names = [n.strip().strip('"') for n in next(csv.reader(f))]
        words = [args.ferrica, "run", model, "--allow-external", "-q", "--start", repr(start), "--stop", repr(stop), "--interval", repr(step),
                 "--tol", repr(tolerance), "-o", result]
        if kind == "cs":
            # A million communication points are no reason for a million rows of all variables; those at points are the ones after the exchange.
            words += ["--event-rows", "on"]
            for name in names[1:]:
                words += ["--vars", name if name.isidentifier() else f"'{name}'"]
        if kind == "cs":
            words += ["-p", f"'communication step'={step!r}"]
        if inputs:
            words += ["--input", inputs]
        done = limited(words, args.timeout)
        if done.returncode != 0:
            return "", "run: " + (done.stdout + done.stderr).strip()[-300:]
        without_quotes(result)
        if kind == "cs":
            result = at_points(result, reference)
        done = limited([args.ferrica, "diff", reference, result, "--tol", repr(COMPARED)], args.timeout)
        if done.returncode != 0:
            lines = [x for x in (done.stdout + done.stderr).splitlines() if "DIFFERS" in x or "error" in x]
            return "", "diff: " + "\n          ".join(lines[:4])
    except subprocess.TimeoutExpired:
        return "", "slow"
    return "", ""


def main():
    if sys.argv[1:2] == ["--fmpy"]:
        return in_fmpy(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--only", default="", help="part of the path")
    args = parser.parse_args()
    archives = sorted(os.path.join(d, n) for d, _, names in os.walk(args.folder) for n in names if n.endswith(".fmu"))
    archives = [os.path.abspath(p) for p in archives if args.only in p]
    good = counted = 0
    for path in archives:
        with tempfile.TemporaryDirectory() as folder:
            without, why = judge(args, path, folder)
        name = os.path.relpath(path, args.folder)
        counted += not without
        good += not (without or why)
        print(("skip  " if without else "FAIL  " if why else "ok    ") + name, *filter(None, [without, why]), sep="\n        ", flush=True)
    print(f"{good} of {counted} that FMPy can run, of {len(archives)}")
    return 0 if good == counted else 1


if __name__ == "__main__":
    sys.exit(main())
