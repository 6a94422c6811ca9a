#!/usr/bin/env python3
"""Ratios that README and book quote: the scripts write them into figures.json, and a test compares the texts with it.

    from figures import record; record("qss/peer", [0.46, 0.65])
    figures.py solvers OUTPUT_OF_RUN_SH

A ratio is our time over the baseline's in one run, with two digits. A run on a machine that is busy with other work records nothing that
may be quoted: set FIGURES=no there.
"""
import json
import os
import re
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.json")


def record(name, ratios):
    if os.environ.get("FIGURES") == "no":
        return
    with open(FILE) as file:
        figures = json.load(file)
    figures[name]["ratios"] = [f"{r:.2f}" for r in ratios]
    with open(FILE, "w") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print(f"{name}: {', '.join(figures[name]['ratios'])} recorded in {FILE}")


def solvers(path):
    """Times by program, in the order of their tolerances or sizes."""
    times = {}
    factor = {}
    with open(path) as file:
        for line in file:
            timed = re.match(r"(\S+)\s+(N|n)=\d+ rtol=\S+\s+([\d.]+) ms", line)
            solved = re.match(r"n (\d+) .* sum ([\d.]+) (?:us \(KLU\)|µs)", line)
            if timed:
                times.setdefault((timed[1], timed[2]), []).append(float(timed[3]))
            elif solved:
                who = "klu" if "(KLU)" in line else "ours"
                factor.setdefault(int(solved[1]), {})[who] = float(solved[2])
    over = lambda ours, theirs: [a / b for a, b in zip(times[ours], times[theirs], strict=True)]
    record("solvers/ladder", over(("ferrica", "N"), ("IDA+KLU", "N")))
    record("solvers/rod", over(("ferrica", "n"), ("CVODE+band", "n")))
    # The smallest one is for its set-up.
    record("solvers/factor", [factor[n]["ours"] / factor[n]["klu"] for n in sorted(factor)[1:]])


if __name__ == "__main__":
    {"solvers": solvers}[sys.argv[1]](*sys.argv[2:])
