#!/usr/bin/env python3
"""Exports models as FMUs and lets FMPy judge them.

For each model and each of FMI 2/3 x Model Exchange/Co-Simulation: FMPy validates the description, simulates the FMU (Model Exchange
with its CVode), and `ferrica diff` compares the trajectories of all continuous variables with those of `ferrica run`, to 1e-3 of their ranges.

Some variables are rounding noise: the current of a star point that is zero, the temperature of a tank that has run empty. What they are is told by another run of
ferrica with another solver at the same tolerance: where that fails the same comparison with the first, nothing can be judged. Such variables are left out and
counted ("undetermined"); a model of which more than a quarter is undetermined fails. The last lines say how many models pass without leaving anything out.

    python3 -m venv venv && venv/bin/pip install 'fmpy[complete]'
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica --lib MSL --baseline bench/msl-baseline.json --sample 60 --seed 1
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica examples/HalfWave.mo
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MOST_VARIABLES = 200
ALLOWED = 1e-3
WAIT = 20
"""Seconds of waiting for one of CPU time."""


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
    write(result, out)


def write(result, out):
    """A table of FMPy as columns of numbers; arrays element by element."""
    import numpy

    columns, names = [], []
    for name in result.dtype.names:
        values = numpy.asarray(result[name], dtype=float)
        if values.ndim == 1:
            columns.append(values)
            names.append(name)
            continue
        for index in numpy.ndindex(values.shape[1:]):
            text = ",".join(str(i + 1) for i in index)
            columns.append(values[(slice(None), *index)])
            inner = name[len("der("):-1] if name.startswith("der(") else None
            names.append(f"der({inner}[{text}])" if inner else f"{name}[{text}]")
    with open(out, "w") as f:
        f.write(",".join('"%s"' % n for n in names) + "\n")
        for row in zip(*columns):
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


def by_fmusim(args, path, kind, description, names, out):
    """The importer of the FMI project's reference FMUs in place of FMPy."""
    e = description.defaultExperiment
    scalar = {v.name for v in description.modelVariables if not v.dimensions}
    words = [args.fmusim, "--interface-type", kind, "--solver", "cvode", "--tolerance", repr(args.tol), "--stop-time", str(e.stopTime),
             "--output-interval", str(e.stepSize), "--output-file", out]
    for name in scalar.intersection(names):
        words += ["--output-variable", name]
    return words + [path]


def limited(words, seconds):
    """Runs a program for so many seconds of CPU time: others may use the machine."""
    limit = int(seconds) + 1
    done = subprocess.run(words, capture_output=True, text=True, timeout=WAIT * seconds,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise subprocess.TimeoutExpired(words, seconds)
    return done


def differing(text):
    """Names of the variables that `ferrica diff` says differ, and how many it has compared."""
    names = {line.split("  ")[0].strip() for line in text.splitlines() if " DIFFERS " in line}
    compared = re.search(r"(\d+) variables? compared", text)
    return names, int(compared.group(1)) if compared else 0


def judge(args, model):
    import fmpy

    verdicts = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(args.keep, model.replace("/", "_")) if args.keep else scratch
        os.makedirs(folder, exist_ok=True)
        where = [model] if model.endswith(".mo") else ["-m", model]
        libs = ["--lib", args.lib] if args.lib else []

        def ferrica(*words):
            done = limited([args.ferrica, *words], args.timeout)
            return done.returncode, (done.stdout + done.stderr).strip()

        reference = os.path.join(folder, "reference.csv")
        try:
            code, text = ferrica("run", *where, *libs, "-q", "--allow-external", "--tol", repr(args.tol), "-o", reference)
        except subprocess.TimeoutExpired:
            code, text = 1, "slow"
        if code != 0:
            return {c: "no reference: " + text[-100:] for c in args.columns}
        noise, notes = None, verdicts.setdefault("notes", [])

        def undetermined():
            other = os.path.join(folder, "other.csv")
            try:
                code, _ = ferrica("run", *where, *libs, "-q", "--allow-external", "--solver", "radau", "--tol", repr(args.tol), "-o", other)
                told = ferrica("diff", reference, other, "--tol", repr(ALLOWED), "--abs-tol", repr(10 * args.tol))[1] if code == 0 else ""
            except subprocess.TimeoutExpired:
                told = ""
            return differing(told)[0]

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
                    done = limited([args.fmutool, "-input", path, "-check"], args.timeout)
                    told = done.stdout + done.stderr
                    if done.returncode != 0 or "CRITICAL" in told or "ERROR" in told:
                        verdicts[fmi, kind] = "fmutool: " + told.strip()[-250:]
                        continue
                e = description.defaultExperiment
                names = compared_names(description)
                words = [sys.executable, __file__, "--one", path, kind, json.dumps(names), repr(float(e.stopTime)),
                         repr(float(e.stepSize)), repr(args.tol), result]
                if args.fmusim:
                    words = by_fmusim(args, path, kind, description, names, result)
                done = limited(words, args.timeout)
                if done.returncode != 0:
                    verdicts[fmi, kind] = "run: " + (done.stdout + done.stderr).strip()[-250:]
                    continue
                known = reference if kind == "me" else at_points(reference, result)
                # Nobody is more accurate than ten times the tolerance of the solvers.
                code, text = ferrica("diff", known, result, "--tol", repr(ALLOWED), "--abs-tol", repr(10 * args.tol))
                if code == 0 or not names:
                    verdicts[fmi, kind] = ""
                    continue
                names, compared = differing(text)
                if noise is None:
                    noise = undetermined()
                left = names - noise
                if compared and not left and 4 * len(names) <= compared:
                    verdicts[fmi, kind] = ""
                    notes.append(f"{fmi}{kind}: {len(names)} of {compared} variables undetermined")
                else:
                    lines = [line for line in text.splitlines() if line.split("  ")[0].strip() in left]
                    verdicts[fmi, kind] = "diff: " + "\n          ".join(lines[:4] or [text[-250:]])
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
    parser.add_argument("--timeout", type=float, default=60, help="seconds of CPU time of each program")
    parser.add_argument("--tol", type=float, default=1e-8, help="tolerance of both runs: small beside that of the comparison")
    parser.add_argument("--part", default="0/1", help="K/N: every Nth model, from the Kth on")
    parser.add_argument("--columns", default="2me,2cs,3me,3cs")
    parser.add_argument("--keep", help="folder for archives and results")
    parser.add_argument("--fmutool", default=shutil.which("fmutool", path=os.path.dirname(sys.executable)))
    parser.add_argument("--fmusim", help="simulate with this importer instead of FMPy, which only validates then")
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
    good, whole = {c: 0 for c in args.columns}, {c: 0 for c in args.columns}
    with ThreadPoolExecutor(args.jobs) as pool:
        for model, verdicts in zip(models, pool.map(lambda m: judge(args, m), models)):
            words = []
            for c in args.columns:
                why = verdicts.get(c, "not tried")
                good[c] += why == ""
                left_out = any(note.startswith(f"{c[0]}{c[1]}: ") for note in verdicts.get("notes", []))
                whole[c] += why == "" and not left_out
                if why:
                    words.append(f"{c[0]}{c[1]}: {why}")
            print(("ok    " if not words else "FAIL  ") + model, *words, *verdicts.get("notes", []), sep="\n        ", flush=True)
    for c in args.columns:
        print(f"FMI {c[0]} {c[1]}: {good[c]} of {len(models)}, {whole[c]} of them with all variables")
    return 0 if all(n == len(models) for n in good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
