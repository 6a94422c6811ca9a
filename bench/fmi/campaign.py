#!/usr/bin/env python3
"""Exports models as FMUs and lets FMPy judge them.

For each model and each of FMI 2/3 x Model Exchange/Co-Simulation: FMPy validates the description, simulates the FMU (Model Exchange
with its CVode), and `ferrica diff` compares the trajectories of all continuous variables with those of `ferrica run`.

    python3 -m venv venv && venv/bin/pip install 'fmpy[complete]'
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica --lib MSL --baseline bench/msl-baseline.json --sample 60 --seed 1
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica examples/HalfWave.mo
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MOST_VARIABLES = 200


def one_column(path, kind, names, stop, step, tolerance, out):
    """Runs in a process of its own: a crash of one FMU is one failure."""
    import fmpy
    from fmpy.validation import validate_fmu

    problems = validate_fmu(path)
    if problems:
        raise SystemExit("validate: " + "; ".join(problems)[:300])
    full = {"me": "ModelExchange", "cs": "CoSimulation"}[kind]
    result = fmpy.simulate_fmu(
        path, fmi_type=full, output=names, stop_time=stop, output_interval=step,
        step_size=step, relative_tolerance=tolerance, record_events=True,
        logger=lambda *a: print(a[-1], file=sys.stderr))
    with open(out, "w") as f:
        f.write("time," + ",".join('"%s"' % n for n in names) + "\n")
        for row in result:
            f.write(",".join(repr(float(x)) for x in row) + "\n")


def compared_names(description):
    """Continuous variables; discrete ones where there are no others."""
    def names(variability):
        own = ("eventIndicator[", "state[", "der(state[")
        return [v.name for v in description.modelVariables
                if v.type not in ("String", "Enumeration") and v.causality in ("local", "output")
                and v.variability == variability and not v.name.startswith(own)]

    found = names("continuous") or names("discrete")
    return found[:: max(1, len(found) // MOST_VARIABLES)]


def at_points(reference, result):
    """The run at the communication points, after events there: between them a co-simulation is not known."""
    with open(reference) as f:
        head, *rows = f.readlines()
    with open(result) as f:
        times = [float(row.split(",", 1)[0]) for row in f.readlines()[1:]]
    path, k = result + ".reference.csv", 0
    with open(path, "w") as f:
        f.write(head)
        for t in times:
            while k + 1 < len(rows) and float(rows[k + 1].split(",", 1)[0]) <= t + 1e-9 * abs(t):
                k += 1
            f.write(rows[k])
    return path


def judge(args, model):
    import fmpy

    verdicts = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(args.keep, model.replace("/", "_")) if args.keep else scratch
        os.makedirs(folder, exist_ok=True)
        where = [model] if model.endswith(".mo") else ["-m", model]
        libs = ["--lib", args.lib] if args.lib else []

        def ferrica(*words, limit=args.timeout):
            done = subprocess.run([args.ferrica, *words], capture_output=True, text=True, timeout=limit)
            return done.returncode, (done.stdout + done.stderr).strip()

        reference = os.path.join(folder, "reference.csv")
        try:
            code, text = ferrica("run", *where, *libs, "-q", "--tol", repr(args.tol), "-o", reference)
        except subprocess.TimeoutExpired:
            code, text = 1, "slow"
        if code != 0:
            return {c: "no reference: " + text[-100:] for c in args.columns}
        for fmi, kind in args.columns:
            path = os.path.join(folder, f"m{fmi}{kind}.fmu")
            result = os.path.join(folder, f"m{fmi}{kind}.csv")
            try:
                code, text = ferrica("export", "fmu", *where, *libs, "-q", "--tol", repr(args.tol), "--fmi", fmi, "--type", kind, "-o", path)
                if code != 0:
                    verdicts[fmi, kind] = "export: " + text[-200:]
                    continue
                description = fmpy.read_model_description(path, validate=False)
                if args.fmutool:
                    done = subprocess.run([args.fmutool, "-input", path, "-check"], capture_output=True, text=True, timeout=args.timeout)
                    told = done.stdout + done.stderr
                    if done.returncode != 0 or "CRITICAL" in told or "ERROR" in told:
                        verdicts[fmi, kind] = "fmutool: " + told.strip()[-250:]
                        continue
                e = description.defaultExperiment
                names = compared_names(description)
                done = subprocess.run(
                    [sys.executable, __file__, "--one", path, kind, json.dumps(names), repr(float(e.stopTime)),
                     repr(float(e.stepSize)), repr(args.tol), result],
                    capture_output=True, text=True, timeout=args.timeout)
                if done.returncode != 0:
                    verdicts[fmi, kind] = "run: " + (done.stdout + done.stderr).strip()[-250:]
                    continue
                known = reference if kind == "me" else at_points(reference, result)
                code, text = ferrica("diff", known, result, "--tol", "1e-3")
                verdicts[fmi, kind] = "" if code == 0 else "diff: " + text[-250:]
            except subprocess.TimeoutExpired:
                verdicts[fmi, kind] = "slow"
    return verdicts


def main():
    if sys.argv[1:2] == ["--one"]:
        path, kind, names, stop, step, tolerance, out = sys.argv[2:]
        return one_column(path, kind, json.loads(names), float(stop), float(step), float(tolerance), out)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--lib")
    parser.add_argument("--baseline", help="list of models that match their references")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--tol", type=float, default=1e-8, help="tolerance of both runs: small beside that of the comparison")
    parser.add_argument("--part", default="0/1", help="K/N: every Nth model, from the Kth on")
    parser.add_argument("--columns", default="2me,2cs,3me,3cs")
    parser.add_argument("--keep", help="folder for archives and results")
    parser.add_argument("--fmutool", default=shutil.which("fmutool", path=os.path.dirname(sys.executable)))
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    args.columns = [(c[0], c[1:]) for c in args.columns.split(",")]
    models = args.models
    if args.baseline:
        with open(args.baseline) as f:
            known = json.load(f)
        known = sorted(m for m, verdict in known["models"].items() if verdict == "matching")
        models = models + random.Random(args.seed).sample(known, min(args.sample, len(known)))
    first, of = map(int, args.part.split("/"))
    models = models[first::of]
    good = {c: 0 for c in args.columns}
    with ThreadPoolExecutor(args.jobs) as pool:
        for model, verdicts in zip(models, pool.map(lambda m: judge(args, m), models)):
            words = []
            for c in args.columns:
                why = verdicts.get(c, "not tried")
                good[c] += why == ""
                if why:
                    words.append(f"{c[0]}{c[1]}: {why}")
            print(("ok    " if not words else "FAIL  ") + model, *words, sep="\n        ", flush=True)
    for c in args.columns:
        print(f"FMI {c[0]} {c[1]}: {good[c]} of {len(models)}")
    return 0 if all(n == len(models) for n in good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
