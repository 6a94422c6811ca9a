#!/usr/bin/env python3
"""Exports models as FMUs and lets FMPy judge them.

For each model and each of FMI 2/3 x Model Exchange/Co-Simulation: FMPy validates the description, fmutool checks it, FMPy simulates the FMU (Model Exchange
with its CVode), and `ferrica diff` compares the trajectories of all continuous variables with those of `ferrica run`, to 1e-3 of their ranges.

Which models: the examples that match their references, in the random order of the seed. Those whose own run takes more than `--own` seconds of CPU time are passed over
and listed: an importer that is written in Python needs a hundred times as long. So are those that want to write files, which is only done with consent and never by an FMU.

Some variables are rounding noise: the current of a star point that is zero, the temperature of a tank that has run empty. What they are is told by another run of
ferrica with another solver at the same tolerance: where that fails the same comparison with the first, nothing can be judged. Such variables are left out and
counted ("undetermined"); a model of which more than a quarter is undetermined fails.

Others amplify the error of the integrator: currents of small capacitors, what flows into a small volume. In Model Exchange the integrator is FMPy's CVode, not ours: where it
differs at the tolerance of the run, it is asked again with a hundredth of that, and this is noted. (That it is the integrator and not the right-hand side was looked at with
SciPy over the FMUs of SeriesPipes12 and Spice3's Nor: BDF and LSODA at 1e-8 differ from the run at 1e-8 by up to 0.7 of the range of a derivative, Radau at 1e-11 differs nowhere from the
run at 1e-11.) The last lines say how many models pass at once and without leaving anything out.

    python3 -m venv venv && venv/bin/pip install 'fmpy[complete]' fmu-manipulation-toolbox
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica --lib MSL --baseline bench/msl-baseline.json --sample 60 --seed 1 --ledger seed1.jsonl
    venv/bin/python bench/fmi/campaign.py --ferrica target/release/ferrica examples/HalfWave.mo

The ledger has a line for each model that was judged. With the same ledger the campaign goes on where it stopped (`--minutes` stops it); `--again` judges failures anew.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MOST_VARIABLES = 200
ALLOWED = 1e-3
FINER = 1e-2
WAIT = 20
"""Seconds of waiting for one of CPU time."""


def validate(path):
    """What FMPy has against the description."""
    from fmpy.validation import validate_fmu

    problems = validate_fmu(path)
    if problems:
        raise SystemExit("validate: " + "; ".join(problems)[:300])


def simulate(path, kind, names, experiment, tolerance, out):
    """A run in FMPy, as a table."""
    import fmpy

    full = {"me": "ModelExchange", "cs": "CoSimulation"}[kind]
    stop, step = float(experiment.stopTime), float(experiment.stepSize)
    result = fmpy.simulate_fmu(
        path, validate=False, fmi_type=full, output=names, stop_time=stop, output_interval=step,
        step_size=step, relative_tolerance=tolerance, record_events=True, logger=lambda *a: print(a[-1], file=sys.stderr))
    write(result, out)


def apart(function, arguments, seconds, told):
    """Calls a function in a process of its own for so many seconds of CPU time: a crash of one FMU is one failure. Why it failed, or nothing."""
    def child():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        handle = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        function(*arguments)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(WAIT * seconds)
    if process.is_alive():
        process.kill()
        process.join()
    if process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "slow"
    with open(told, errors="replace") as f:
        text = f.read().strip()
    return "" if process.exitcode == 0 else f"run: exit {process.exitcode}: {text[-250:]}"


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


def where(args, model):
    """The words that name a model for ferrica."""
    return ([model] if model.endswith(".mo") else ["-m", model]) + (["--lib", args.lib] if args.lib else [])


def judge(args, model, folder):
    """What each column says ("" is a pass) and what was left out; no verdicts where a model is passed over."""
    import fmpy

    verdicts, notes = {}, []
    own = ["run", *where(args, model), "-q", "--tol", repr(args.tol)]

    def ferrica(*words, seconds=args.timeout):
        done = limited([args.ferrica, *words], seconds)
        return done.returncode, (done.stdout + done.stderr).strip()

    reference = os.path.join(folder, "reference.csv")
    try:
        code, text = ferrica(*own, "-o", reference, seconds=args.own)
    except subprocess.TimeoutExpired:
        return None, [f"own run longer than {args.own} s"]
    if code != 0 and "--allow-external" in text:
        return None, ["asks for consent"]
    if code != 0:
        return {c: "no reference: " + text[-100:] for c in args.columns}, []
    noise = None

    def undetermined():
        other = os.path.join(folder, "other.csv")
        try:
            code, _ = ferrica(*own, "--solver", "radau", "-o", other)
            told = ferrica("diff", reference, other, "--tol", repr(ALLOWED), "--abs-tol", repr(10 * args.tol))[1] if code == 0 else ""
        except subprocess.TimeoutExpired:
            told = ""
        return differing(told)[0]

    def archive(fmi):
        """The archive for both interfaces with its description, and what is wrong with them."""
        path = os.path.join(folder, f"m{fmi}.fmu")
        code, text = ferrica("export", "fmu", *where(args, model), "-q", "--tol", repr(args.tol), "--fmi", fmi, "-o", path)
        if code != 0:
            return path, None, "export: " + text[-200:]
        wrong = apart(validate, (path,), args.timeout, os.path.join(folder, "validate.txt"))
        if args.fmutool and not wrong:
            done = limited([args.fmutool, "-input", path, "-check"], args.timeout)
            told = done.stdout + done.stderr
            if done.returncode != 0 or "CRITICAL" in told or "ERROR" in told:
                wrong = "fmutool: " + told.strip()[-250:]
        return path, fmpy.read_model_description(path, validate=False), wrong

    def column(path, description, fmi, kind):
        why = verdict(path, description, fmi, kind, args.tol)
        if kind == "me" and why.startswith("diff") and not args.fmusim and not verdict(path, description, fmi, kind, FINER * args.tol):
            notes.append(f"{fmi}{kind}: CVode with a tolerance of {FINER * args.tol:g}")
            return ""
        return why

    def verdict(path, description, fmi, kind, tolerance):
        nonlocal noise
        result = os.path.join(folder, f"m{fmi}{kind}.csv")
        names = compared_names(description)
        if args.fmusim:
            done = limited(by_fmusim(args, path, kind, description, names, result), args.timeout)
            wrong = "" if done.returncode == 0 else "run: " + (done.stdout + done.stderr).strip()[-250:]
        else:
            wrong = apart(simulate, (path, kind, names, description.defaultExperiment, tolerance, result), args.timeout, os.path.join(folder, "run.txt"))
        if wrong:
            return wrong
        known = reference if kind == "me" else at_points(reference, result)
        # Nobody is more accurate than ten times the tolerance of the solvers.
        code, text = ferrica("diff", known, result, "--tol", repr(ALLOWED), "--abs-tol", repr(10 * args.tol))
        if code == 0 or not names:
            return ""
        names, compared = differing(text)
        if noise is None:
            noise = undetermined()
        left = names - noise
        if compared and not left and 4 * len(names) <= compared:
            notes.append(f"{fmi}{kind}: {len(names)} of {compared} variables undetermined")
            return ""
        lines = [line for line in text.splitlines() if line.split("  ")[0].strip() in left]
        return "diff: " + "\n          ".join(lines[:4] or [text[-250:]])

    for fmi in sorted({c[0] for c in args.columns}):
        try:
            path, description, wrong = archive(fmi)
        except subprocess.TimeoutExpired:
            wrong = "slow"
        for c in (c for c in args.columns if c[0] == fmi):
            try:
                verdicts[c] = wrong or column(path, description, fmi, c[1:])
            except subprocess.TimeoutExpired:
                verdicts[c] = "slow"
    return verdicts, notes


def candidates(args):
    """Models of the command line, then the examples in the random order of the seed."""
    yield from args.models
    if args.baseline:
        with open(args.baseline) as f:
            known = json.load(f)
        known = sorted(m for m, verdict in known["models"].items() if verdict == "matching")
        yield from random.Random(args.seed).sample(known, len(known))


def show(args, entry):
    model, verdicts, notes = entry["model"], entry["verdicts"], entry["notes"]
    if verdicts is None:
        print("pass  " + model, *notes, sep="  ", flush=True)
        return
    words = [f"{c}: {why}" for c, why in verdicts.items() if why and c in args.columns]
    print(("FAIL  " if words else "ok    ") + model, *words, *notes, sep="\n        ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--ferrica", required=True)
    parser.add_argument("--lib")
    parser.add_argument("--baseline", help="list of models that match their references")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", type=float, default=3, help="seconds of CPU time of the own run; a model that needs more is passed over")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of CPU time of each other program")
    parser.add_argument("--tol", type=float, default=1e-8, help="tolerance of both runs: small beside that of the comparison")
    parser.add_argument("--ledger", help="file with a line for each judged model")
    parser.add_argument("--again", action="store_true", help="judge the failures of the ledger anew")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no model after so many minutes")
    parser.add_argument("--columns", default="2me,2cs,3me,3cs")
    parser.add_argument("--keep", help="folder for archives and results")
    parser.add_argument("--fmutool", default=shutil.which("fmutool", path=os.path.dirname(sys.executable)))
    parser.add_argument("--fmusim", help="simulate with this importer instead of FMPy, which only validates then")
    args = parser.parse_args()
    args.columns = args.columns.split(",")
    args.sample = args.sample + len(args.models) if args.baseline else len(args.models)
    ledger, judged, until = {}, [], time.monotonic() + 60 * args.minutes
    if args.ledger and os.path.exists(args.ledger):
        with open(args.ledger) as f:
            # The last line of a model counts.
            ledger = {entry["model"]: entry for entry in map(json.loads, f)}
    for model in candidates(args):
        if len(judged) == args.sample:
            break
        entry = ledger.get(model)
        if entry is None or args.again and entry["verdicts"] is not None and any(entry["verdicts"].values()):
            if time.monotonic() > until:
                if entry is None:
                    break
            else:
                with tempfile.TemporaryDirectory() as scratch:
                    folder = os.path.join(args.keep, model.replace("/", "_")) if args.keep else scratch
                    os.makedirs(folder, exist_ok=True)
                    verdicts, notes = judge(args, model, folder)
                entry = {"model": model, "verdicts": verdicts, "notes": notes}
                if args.ledger:
                    with open(args.ledger, "a") as f:
                        f.write(json.dumps(entry) + "\n")
        show(args, entry)
        if entry["verdicts"] is not None:
            judged.append(entry)
    good = {c: [e for e in judged if e["verdicts"].get(c, "not tried") == ""] for c in args.columns}
    for c in args.columns:
        whole = sum(not any(note.startswith(c + ": ") for note in e["notes"]) for e in good[c])
        print(f"FMI {c[0]} {c[1:]}: {len(good[c])} of {len(judged)}, {whole} of them with all variables")
    return 0 if all(len(g) == len(judged) for g in good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
