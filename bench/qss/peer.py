#!/usr/bin/env python3
"""The benchmarks beside the stand-alone QSS solver (github.com/CIFASIS/qss-solver), same machine, same run.

usage: peer.py FERRICA MODELICA_BENCH MMOC ENGINE_SOURCES OBJECT...

FERRICA         target/release/ferrica
MODELICA_BENCH  target/release/examples/modelica_bench (CPU time of the simulation alone)
MMOC            the solver's compiler, built from its sources
ENGINE_SOURCES  its folder src/engine
OBJECT...       its engine library (libqss.a), and what else must be linked

For each benchmark: transitions, CPU time, mean absolute error, and the ratio of the times at equal error.

- Clock: CPU time of the thread (CLOCK_THREAD_CPUTIME_ID) around the simulation alone, read by each program itself;
  the least of many runs, the two programs in turn. Neither writes results while it is timed.
- Error: mean absolute difference of some states on a grid from a reference (classic solver, tolerance 1e-10), from
  runs that write them.
- Equal error: the peer runs at its tolerance (1e-3). Ours is the loosest of a scan, TOLERANCES, whose error is not larger
  than the peer's.
"""
import bisect
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from figures import record  # noqa: E402
# name of the peer's model, ours, method, reference solver, grid, variables
CASES = [
    ("inverters", "Inverters", "liqss2", "dopri5", 1.0, ["x[2]", "x[101]", "x[251]", "x[400]"]),
    ("front", "AdvectionDiffusionReaction", "liqss2", "dopri5", 0.01, ["u[250]", "u[500]", "u[750]", "u[1000]"]),
    ("interleaved", "Interleaved", "liqss2", "bdf", 1e-5, ["uC", "iL[1]", "iL[2]", "iL[3]", "iL[4]"]),
    ("line", "LcLine", "liqss2", "dopri5", 1.0, ["x[1]", "x[50]", "x[100]", "x[200]"]),
]
# A scan in steps of 7 %.
TOLERANCES = [2e-2 * 10 ** (-k / 34) for k in range(70)]
RUNS = 10


def ours(ferrica, model, solver, tolerance, interval, names, folder):
    out = os.path.join(folder, "ours.csv")
    command = [ferrica, "run", os.path.join(HERE, model + ".mo"), "--solver", solver, "--tol", str(tolerance)]
    command += ["--interval", str(interval), "-o", out, "--quiet"]
    subprocess.run(command + [x for n in names for x in ("--vars", n)], check=True)
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    data = [[float(v) for v in row] for row in rows[1:]]
    times = [r[0] for r in data]
    return {n: (times, [r[rows[0].index(n)] for r in data]) for n in names}


def theirs(folder, names):
    result = {}
    for n in names:
        with open(os.path.join(folder, n + ".dat")) as file:
            rows = [line.replace(",", " ").split() for line in file if line.strip()]
        result[n] = ([float(r[0]) for r in rows], [float(r[1]) for r in rows])
    return result


def at(signal, t):
    times, values = signal
    k = bisect.bisect_right(times, t * (1 + 1e-12))
    if k == 0:
        return values[0]
    if k == len(times) or times[k] == times[k - 1]:
        return values[k - 1]
    w = (t - times[k - 1]) / (times[k] - times[k - 1])
    return values[k - 1] * (1 - w) + values[k] * w


def error(result, reference, names, interval):
    total, count = 0.0, 0
    for n in names:
        steps = round(reference[n][0][-1] / interval)
        for k in range(1, steps + 1):
            total += abs(at(result[n], k * interval) - at(reference[n], k * interval))
            count += 1
    return total / count


def bench(program, model, method, tolerance):
    done = subprocess.run([program, os.path.join(HERE, model + ".mo"), method, str(tolerance)], capture_output=True, text=True)
    found = re.search(r"([\d.]+) ms CPU, (\d+) transitions", done.stdout)
    if not found:
        raise SystemExit(done.stdout + done.stderr)
    return float(found.group(1)), int(found.group(2))


def main():
    ferrica, program, mmoc, engine, *objects = map(os.path.abspath, sys.argv[1:])
    ratios = []
    print(f"{'model':12} {'':6} {'tolerance':>9} {'transitions':>11} {'CPU ms':>8} {'us each':>8} {'mean error':>11}")
    for peer, model, method, classic, interval, names in CASES:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(HERE, "peer", peer + ".mo"), folder)
            quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            timed = os.path.join(folder, "timed")
            os.mkdir(timed)
            with open(os.path.join(folder, peer + ".mo")) as file:
                text = file.read()
            with open(os.path.join(timed, peer + ".mo"), "w") as file:
                # The first sample after the end: nothing is written.
                file.write(re.sub(r"MMO_Period = \{[^}]*\}", "MMO_Period = {1e9}", text))
            for where in (folder, timed):
                subprocess.run([mmoc, peer + ".mo"], check=True, **{**quiet, "cwd": where})
                link = ["-lconfig", "-lgsl", "-lgslcblas", "-lm", "-lpthread", "-lrt"]
                include = ["-I" + engine, "-I" + os.path.join(engine, "common"), "-I."]
                build = ["gcc", "-O2", "-w", "-msse2", "-mfpmath=sse", *include, peer + ".c", *objects, "-o", peer, *link]
                subprocess.run(build, check=True, cwd=where)

            def time_peer(where=timed):
                subprocess.run([os.path.join(where, peer)], check=True, **{**quiet, "cwd": where})
                log = open(os.path.join(where, peer + ".log"), errors="replace").read()
                return float(re.search(r"Simulation time: ([\d.]+)", log).group(1)), int(re.search(r"transitions: (\d+)", log).group(1))

            reference = ours(ferrica, model, classic, 1e-10, interval, names, folder)
            time_peer(folder)
            peer_error = error(theirs(folder, names), reference, names, interval)
            for tolerance in TOLERANCES:
                own_error = error(ours(ferrica, model, method, tolerance, interval, names, folder), reference, names, interval)
                if own_error <= peer_error:
                    break
            else:
                print(f"{peer:12} no tolerance gives an error as small as the peer's")
                continue
            # The bench itself runs many times.
            peers = [time_peer() for _ in range(RUNS)]
            own_ms, own_n = min(bench(program, model, method, tolerance) for _ in range(3))
            peer_ms, peer_n = min(peers + [time_peer() for _ in range(RUNS)])
            for who, tol, n, ms, err in (("peer", 1e-3, peer_n, peer_ms, peer_error), ("ours", tolerance, own_n, own_ms, own_error)):
                print(f"{peer:12} {who:6} {tol:9.1e} {n:11d} {ms:8.2f} {ms * 1e3 / n:8.3f} {err:11.2e}")
            print(f"{'':12} ratio of the times {own_ms / peer_ms:.2f}")
            ratios.append(own_ms / peer_ms)
    if len(ratios) == len(CASES):
        record("qss/peer", ratios)


if __name__ == "__main__":
    main()
