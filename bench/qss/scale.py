#!/usr/bin/env python3
"""Cost of a transition in a small and in a large model, in the same run.

usage: scale.py MODELICA_BENCH [RUNS]

MODELICA_BENCH  target/release/examples/modelica_bench (CPU time of the transitions alone)
RUNS            measurements of each model, in turn, of which the least counts (default 3)

The small models fit in the cache of a core. The ratio is that of the CPU time of a transition to that of each small model. Beside
it: CPU time of compiling, for each element too, and peak memory of the process.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# model, method, tolerance, sizes: small ones and the large one
CASES = [
    ("Inverters", "liqss2", "1e-3", [100, 501, 50000]),
    ("Thermostats", "liqss2", "1e-4", [100, 1000, 100000]),
]


def measure(program, path, method, tolerance):
    """us a transition, transitions, ms of compiling, peak memory in MiB"""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([program, path, method, tolerance], stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    found = re.search(r"([\d.]+) ms CPU, (\d+) transitions.*compiling (\d+) ms", text)
    if not found:
        raise SystemExit(text)
    ms, transitions, compiling = float(found.group(1)), int(found.group(2)), int(found.group(3))
    return ms * 1e3 / transitions, transitions, compiling, usage.ru_maxrss / 1024


def main():
    program = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("| model | N | transitions | µs each | times the small models | compiling, CPU s | µs an element | peak MiB |")
    print("|---|---|---|---|---|---|---|---|")
    for name, method, tolerance, sizes in CASES:
        with open(os.path.join(HERE, name + ".mo")) as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            results = {}
            for _ in range(runs):
                for n in sizes:
                    path = os.path.join(folder, f"{name}{n}.mo")
                    with open(path, "w") as file:
                        file.write(re.sub(r"(parameter Integer N) = \d+", rf"\1 = {n}", text, count=1))
                    results.setdefault(n, []).append(measure(program, path, method, tolerance))
        best = {n: min(r[0] for r in list_) for n, list_ in results.items()}
        for n in sizes:
            compiling = min(r[2] for r in results[n]) / 1e3
            peak = max(r[3] for r in results[n])
            ratios = ", ".join(f"{best[n] / best[small]:.2f}" for small in sizes[:-1]) if n == sizes[-1] else ""
            print(f"| {name} | {n} | {results[n][0][1]} | {best[n]:.3f} | {ratios} | {compiling:.2f} | {compiling * 1e6 / n:.0f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
