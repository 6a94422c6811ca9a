#!/usr/bin/env python3
"""liqss2 against our own bdf on the inverter chain and the reaction front, at equal tolerance and at equal error.

usage: bdf.py FERRICA MODELICA_BENCH

bdf runs at 1e-3. Clock and error are those of peer.py; equal error: the loosest tolerance of its scan with which liqss2 is not
further from the reference than bdf.
"""
import os
import re
import subprocess
import sys
import tempfile

from peer import CASES, HERE, TOLERANCES, bench, error, ours, record


def classic(program, model, tolerance):
    done = subprocess.run([program, os.path.join(HERE, model + ".mo"), "bdf", str(tolerance)], capture_output=True, text=True)
    return float(re.search(r"([\d.]+) ms CPU", done.stdout).group(1))


def main():
    ferrica, program = map(os.path.abspath, sys.argv[1:3])
    ratios = []
    print("model | bdf, 1e-3: ms (mean error) | liqss2, 1e-3: ms (mean error), gain | liqss2 at that error: tolerance, ms, gain")
    for _, model, method, solver, interval, names in CASES[:2]:
        with tempfile.TemporaryDirectory() as folder:
            reference = ours(ferrica, model, solver, 1e-10, interval, names, folder)

            def far(method, tolerance):
                return error(ours(ferrica, model, method, tolerance, interval, names, folder), reference, names, interval)

            bdf_ms, bdf_error = classic(program, model, 1e-3), far("bdf", 1e-3)
            same_ms, same_error = bench(program, model, method, 1e-3)[0], far(method, 1e-3)
            loosest = next(t for t in TOLERANCES if far(method, t) <= bdf_error)
            equal_ms = bench(program, model, method, loosest)[0]
            bdf_ms = min(bdf_ms, classic(program, model, 1e-3))
        print(f"{model} | {bdf_ms:.0f} ({bdf_error:.1e}) | {same_ms:.1f} ({same_error:.1e}), {bdf_ms / same_ms:.1f} | "
              f"{loosest:.1e}, {equal_ms:.1f}, {bdf_ms / equal_ms:.1f}", flush=True)
        ratios.append(equal_ms / bdf_ms)
    record("qss/bdf", ratios)


if __name__ == "__main__":
    main()
